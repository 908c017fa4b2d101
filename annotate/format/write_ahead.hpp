// SPDX-License-Identifier: MIT
// Output that is made on one thread and taken on another.
#pragma once

#include "perfdata/annotate/format/sink.hpp"

namespace perfdata {

// write_ahead(sink, write) calls write() with a sink for parts that `sink` gets on another thread, in order and joined
// to larger ones, 2 MiB behind at most. It returns when `sink` has all. Where the system has no thread, `sink` gets
// them here. Rethrows what write() or `sink` throws; then `sink` may lack the last parts.
void write_ahead(const Sink& sink, const Callback<void(const Sink&)>& write);

}  // namespace perfdata
