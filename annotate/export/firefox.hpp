// SPDX-License-Identifier: MIT
// The Firefox Profiler's processed profile, with names, lines and inlined calls inside: for profiler.firefox.com.
#pragma once

#include "perfdata/annotate/format/sink.hpp"

#include "exported.hpp"

namespace perfdata {

// FirefoxOptions is what samples weigh.
struct FirefoxOptions {
    bool periods = false;  // weigh samples by their periods, not all the same
};

// The version of the format, `preprocessedProfileVersion`. It is the first one whose tables of stacks, frames,
// functions and sources all threads share. Later ones change what we do not write, or are made of this one without
// loss, which is what the profiler does with any older version: the newest when this was written was 70.
inline constexpr unsigned firefox_format_version = 61;

// write_firefox(...) writes each thread of each event as a thread. Made with addresses and samples.
//
//     kind of code      category of the frame: Kernel, User, BPF, JIT, Unknown
//     object            lib, with its build id (of a BPF program its tag) as codeId and, turned into a GUID, breakpadId
//     function          func, and nativeSymbol if its first byte is known
//     what was inlined  a frame with inlineDepth above 0, and the nativeSymbol of the code that contains it
//     task              thread; its pid and tid may be those of another one that was called differently
//
// Times are milliseconds since the first sample, whose time is in meta.extra. Samples without a time are there, or if
// none has one, a millisecond apart from each other. With `periods`, those of clocks are milliseconds ("tracing-ms").
//
// The profiler keeps addresses in 31 bits. They are less a multiple of 2^31 that all addresses of the object share, and
// -1 for those that do not fit. A frame whose line is in another file than its function has no line.
//
// JSON numbers above 2^53, which only periods are, lose digits in the profiler.
void write_firefox(const Exported& exported, const FirefoxOptions& options, const Sink& sink);

}  // namespace perfdata
