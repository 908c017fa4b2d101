// SPDX-License-Identifier: MIT
// Writes a profile file as it lies on disk.
#pragma once

#include "perfdata/annotate/format/sink.hpp"

#include "recording/stored/model.hpp"

namespace perfdata {

// write_profile_file(model, sink, threads) writes a canonical model, packed with gzip as pprof wants it. Equal models
// make equal bytes. With more than one thread, `sink` is called on another.
void write_profile_file(const stored::Model& model, const Sink& sink, unsigned threads = 1);

}  // namespace perfdata
