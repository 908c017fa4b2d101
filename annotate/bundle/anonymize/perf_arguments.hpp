// SPDX-License-Identifier: MIT
// Which words of a recorded command line are perf's own.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfdata {

// PerfArguments says which words may stay in an anonymized recording: of perf's own arguments those that are on lists
// here, and of the recorded program's arguments none. Like perf, it takes the first word for the program that is
// neither an option nor an option's value. Which options take a value depends on the command and the version of perf:
// only behind those that always do it looks further. So perf's own words may be taken for the program's, never the
// reverse.
class PerfArguments {
  public:
    // stays(word) must be asked for all words, in order.
    bool stays(std::string_view word);

    // Returns true for what may stay somewhere: "record", "--call-graph", "dwarf".
    static bool is_word(std::string_view word);

  private:
    enum class At : std::uint8_t { perf, command, record, options, value, public_value, call_graph, program };

    bool command(std::string_view word);
    bool option(std::string_view word);

    At at_ = At::perf;
    bool is_kvm_ = false;    // "kvm stat record" has three words
    bool is_plain_ = false;  // "perf record": no command with other options
};

}  // namespace perfdata
