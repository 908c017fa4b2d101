// SPDX-License-Identifier: MIT
// What BOLT calls the functions of a file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

// BoltNames knows which symbols are local. BOLT numbers those of equal names by address: "parse/1", "parse/2". Global
// ones keep their names. Follows discoverFileObjects in LLVM's bolt/lib/Rewrite/RewriteInstance.cpp.
class BoltNames {
  public:
    // Reads .symtab of the file with the symbols, which is the debug file of a stripped program: BOLT wants the program
    // as it was linked. Without one all names are global.
    explicit BoltNames(const ElfFile& file);

    // Returns the name of the function at that address, escaped: spaces and backslashes have a backslash before them.
    // Empty if the format cannot hold it: a name of several lines.
    std::string name(std::string_view symbol, std::uint64_t address) const;

  private:
    std::string texts_;
    std::map<std::pair<std::string_view, std::uint64_t>, std::uint32_t> local_;  // by name and address: the number
};

}  // namespace perfdata
