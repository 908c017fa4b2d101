// SPDX-License-Identifier: MIT
// Relocations of code: what a loader fills into the code of a relocatable file, above all the calls of a kernel module.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "perfdata/symbols/code_image.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

// CodeRelocations reads the relocations of one file. It reads each table once, when code of its section is first asked
// for. Const use from many threads is safe.
class CodeRelocations {
  public:
    explicit CodeRelocations(std::shared_ptr<const ElfFile> file);
    CodeRelocations(const CodeRelocations&) = delete;
    CodeRelocations& operator=(const CodeRelocations&) = delete;
    ~CodeRelocations();

    // Returns the relocations of the code at `vaddr`, by offset from there, at most `size` of them. Returns none if the
    // file is not relocatable or its tables are damaged.
    std::vector<CodeRelocation> find(std::uint64_t vaddr, std::uint64_t size) const;

  private:
    struct Tables;

    std::shared_ptr<const ElfFile> file_;
    std::unique_ptr<Tables> tables_;
};

}  // namespace perfdata
