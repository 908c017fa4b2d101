// SPDX-License-Identifier: MIT
// Suggestions: names similar to one that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata::tool {

struct Common;

// near_names(wanted, names) returns the most similar names, at most eight, best first: equal except for case,
// containing `wanted`, or a few edits away. It examines only the first 64 bytes of `wanted`, skips names of very
// different length, and gives up after some ten million steps, whatever the number and length of the names.
std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& names);

// name_list(names, room) returns "a, b, c" with as many names as fit into `room` columns, and ", ..." if some do not.
// The first name is always there, cut if necessary.
std::string name_list(const std::vector<std::string>& names, std::size_t room);

// message_width() returns the columns of the terminal on standard error; without a terminal, COLUMNS or 160.
std::size_t message_width();

// offer(what, wanted, names) returns "no function f in this recording; did you mean g, h?", or only the first half. It
// fits into one line of the terminal, unless the wanted name is too long.
std::string offer(std::string_view what, std::string_view wanted, const std::vector<std::string>& names);

// absent_notes(option, what, wanted, names) returns for each wanted name not among the names: "--comm: no thread called
// f in this recording; did you mean g?". Of many it returns some, and how many more there are.
std::vector<std::string> absent_notes(std::string_view option, std::string_view what,
                                      const std::vector<std::string>& wanted, const std::vector<std::string>& names);

// note_absent(...) prints these, each behind "note: ".
void note_absent(const Common& common, std::string_view option, std::string_view what,
                 const std::vector<std::string>& wanted, const std::vector<std::string>& names);

}  // namespace perfdata::tool
