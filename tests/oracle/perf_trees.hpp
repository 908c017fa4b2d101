// SPDX-License-Identifier: MIT
// The trees of `perf report --stdio` and of `perfdata report`, read back from their text.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace oracle {

// Trees is the trees of one event's table: by row, what is below it. An entry is one of
//
//     graph, fractal     "main;rounds 38.04% nested;leaf"   a branch: the frames above it, its number, its frames
//     flat, folded       "21.47% main;rounds;leaf"          a chain
//
// A graph's frames at the top that have all samples of the row have the number "all". Rows without a tree have no
// entries, and rows of one name are added up. An entry that is there twice counts twice.
struct Trees {
    std::map<std::string, std::multiset<std::string>> rows;
    std::map<std::string, std::string> shares;  // of rows: "100.00% 3.68%"
};

enum class TreeForm { graph, flat, folded };

// read_trees(lines, form) reads the tables of all events, by event. Rows are "SYMBOL" or what else follows the numbers,
// with single spaces.
std::map<std::string, Trees> read_trees(const std::vector<std::string>& lines, TreeForm form);

}  // namespace oracle
