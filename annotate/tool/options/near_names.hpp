// SPDX-License-Identifier: MIT
// What a user may have meant: names like one that is not there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata::tool {

// near_names(wanted, names) is the names most like `wanted`, at most eight, the likest first: the same but for case,
// those that contain it, and those that few letters make equal to it. It looks at the first 64 bytes of `wanted` only,
// skips names of another length, and gives up after some ten million steps, however many and long the names are.
std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& names);

// name_list(names, room) is "a, b, c" of as many names as fit into so many columns, with ", ..." if some do not. The
// first is there in any case, cut if it must be.
std::string name_list(const std::vector<std::string>& names, std::size_t room);

// message_width() is the columns that a message has on the terminal that messages go to; where they go to none, those
// of COLUMNS, else 160.
std::size_t message_width();

// offer(what, wanted, names) is "no function f in this recording; did you mean g, h?", or only its first half. It fits
// into a line of the terminal, but for the name that was asked for.
std::string offer(std::string_view what, std::string_view wanted, const std::vector<std::string>& names);

// note_absent(option, what, wanted, names) says of each wanted name that is not among the names: "note: --comm: no
// thread called f in this recording; did you mean g?".
void note_absent(std::string_view option, std::string_view what, const std::vector<std::string>& wanted,
                 const std::vector<std::string>& names);

}  // namespace perfdata::tool
