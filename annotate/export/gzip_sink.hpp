// SPDX-License-Identifier: MIT
// Output that is packed with gzip on its way.
#pragma once

#include "perfdata/annotate/format/sink.hpp"

namespace perfdata {

// write_gzip(sink, write, threads) calls write() with a sink that packs into `sink`. The header has no time stamp and
// no name: equal input makes equal output. With more than one thread, another one packs meanwhile, and calls `sink`.
void write_gzip(const Sink& sink, const Callback<void(const Sink&)>& write, unsigned threads = 1);

}  // namespace perfdata
