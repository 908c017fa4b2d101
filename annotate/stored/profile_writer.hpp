// SPDX-License-Identifier: MIT
// Writes a profile file as it lies on disk.
#pragma once

#include "perfdata/annotate/format/sink.hpp"

#include "recording/stored/model.hpp"

namespace perfdata {

// write_profile_file(model, sink) writes a canonical model, packed with gzip as pprof wants it. Equal models make equal
// bytes.
void write_profile_file(const stored::Model& model, const Sink& sink);

}  // namespace perfdata
