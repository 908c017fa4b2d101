// SPDX-License-Identifier: MIT
// What commands of the tool need at least: plain loops over the parts of the library that cannot be left out.
//
// Each reads a recording of one sampled event and writes to standard output what the command writes, in a form as
// simple as can be. It has no options and filters, keeps no accounts of losses and limits, knows no groups, guests, JIT
// code and copies of stacks, and uses one thread. What is left: framing and decoding, processes and mappings by time,
// names of files here, and for each sample its look-ups and sums.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace perfdata::bench {

// PlainSums is what a loop counted: samples, rows of its report, and lines of text.
struct PlainSums {
    std::uint64_t samples = 0, rows = 0, lines = 0;
};

// PlainInput is what a loop reads.
struct PlainInput {
    std::string path;
    std::string symbol;  // of plain_annotate()
};

// These throw std::runtime_error.
PlainSums plain_report(const PlainInput& input);       // report --no-children -g none
PlainSums plain_children(const PlainInput& input);     // report
PlainSums plain_no_children(const PlainInput& input);  // report --no-children
PlainSums plain_script(const PlainInput& input);       // script
PlainSums plain_annotate(const PlainInput& input);     // annotate -s

// PlainLoop is one of them, by name.
struct PlainLoop {
    const char* name;
    PlainSums (*run)(const PlainInput& input);
};
inline constexpr std::array<PlainLoop, 5> plain_loops{{{"report", plain_report},
                                                       {"children", plain_children},
                                                       {"no-children", plain_no_children},
                                                       {"script", plain_script},
                                                       {"annotate", plain_annotate}}};

}  // namespace perfdata::bench
