// SPDX-License-Identifier: MIT
// What the value of an option is called, and which words it may be.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace perfdata::tool {

struct ValueWords {
    std::string type;                // "FILE"; empty: the option has no value
    std::vector<std::string> words;  // of one_of() and some_of(); empty: any text
};

// value_words(option) returns them for an option or an argument.
ValueWords value_words(const CLI::Option& option);

}  // namespace perfdata::tool
