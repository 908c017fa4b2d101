// SPDX-License-Identifier: MIT
// Callgrind's profile format, which KCachegrind, QCachegrind and callgrind_annotate read.
#pragma once

#include <cstddef>

#include "perfdata/annotate/format/sink.hpp"

#include "exported.hpp"

namespace perfdata {

// CallgrindOptions is the form of the file.
struct CallgrindOptions {
    bool periods = true;  // a second column for each event
};

// KCachegrind reads at most 200 columns. Further events are left out, and a comment says how many.
inline constexpr std::size_t most_callgrind_events = 100;

// write_callgrind(...) writes self costs by address and line, and calls with their inclusive costs, of all threads
// together. Made with addresses and lines.
//
// - Each function in Exported is a function, also if it was inlined: then its call costs at the address of the code
//   around it. Lines of other files in a function, which nobody knows the functions of, are fi= lines.
// - Commands are functions without costs of their own, which call the outermost functions: see CallCosts.
// - calls= counts the samples of all events whose stacks have the call, not how often the program called.
// - Names are ASCII: other bytes become \xNN.
void write_callgrind(const Exported& exported, const CallgrindOptions& options, const Sink& sink);

}  // namespace perfdata
