// SPDX-License-Identifier: MIT
// readelf's reading of call frame information: `readelf --debug-dump=frames-interp`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace oracle {

struct ReadelfRow {
    std::uint64_t place = 0;
    std::string cfa;                           // "rsp+8", "exp"
    std::map<std::string, std::string> cells;  // by register: "u", "s", "c-16", "v+0", "exp", "vexp", or a register
};

struct ReadelfFunction {
    std::string section;       // ".eh_frame"
    std::uint64_t offset = 0;  // of the FDE in the section
    std::uint64_t begin = 0, end = 0;
    std::vector<ReadelfRow> rows;  // the CIE's if the FDE changes nothing
};

// for_each_readelf_function(file, directory, visit) calls visit(function) for each FDE, in order. readelf's output goes
// to a file in the directory. Returns the number of lines with warnings.
std::size_t for_each_readelf_function(const std::string& file, const std::string& directory,
                                      const std::function<void(const ReadelfFunction&)>& visit);

}  // namespace oracle
