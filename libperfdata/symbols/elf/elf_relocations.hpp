// SPDX-License-Identifier: MIT
// What a loader fills into code of a relocatable file: the calls of a kernel module, above all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "perfdata/symbols/code_image.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

// CodeRelocations is of one file. Each table is read once, when code that it is for is first asked for. Const use from
// many threads is safe.
class CodeRelocations {
  public:
    explicit CodeRelocations(std::shared_ptr<const ElfFile> file);
    CodeRelocations(const CodeRelocations&) = delete;
    CodeRelocations& operator=(const CodeRelocations&) = delete;
    ~CodeRelocations();

    // find(vaddr, size) is what is filled into the code there, ascending. Of a file that is not relocatable, or whose
    // tables are damaged, nothing.
    std::vector<CodeRelocation> find(std::uint64_t vaddr, std::uint64_t size) const;

  private:
    struct Tables;

    std::shared_ptr<const ElfFile> file_;
    std::unique_ptr<Tables> tables_;
};

}  // namespace perfdata
