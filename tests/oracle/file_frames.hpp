// SPDX-License-Identifier: MIT
// The call frame information of real files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfdata/symbols/elf/elf_file.hpp"

#include "symbols/unwind/cfi_section.hpp"

namespace oracle {

// FileFrames is the call frame information of a file, and how readelf names its registers. The test fails if the file
// cannot be read.
class FileFrames {
  public:
    explicit FileFrames(const std::string& path);

    // open(name) reads a section; nothing if it is not there. It lives until the next call.
    const perfdata::CfiSection* open(const std::string& name);
    std::string name(perfdata::Slot slot) const;
    const perfdata::UnwindTarget& target() const { return *target_; }
    const perfdata::ElfFile& elf() const { return elf_; }

  private:
    perfdata::ElfFile elf_;
    std::vector<std::string> names_;
    std::optional<perfdata::UnwindTarget> target_;
    std::string content_, table_;
    std::optional<perfdata::CfiSection> section_;
};

}  // namespace oracle
