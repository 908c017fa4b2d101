// SPDX-License-Identifier: MIT
// Copies of ELF files that hold nothing but what debug information needs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf_file.hpp"

namespace perfdata {

// DebugImage is as long as the file, but of the large sections that lines are not in it has no bytes: pages that
// nothing was copied to take no memory. Being a copy, it stays what it is if the file is changed or cut meanwhile.
class DebugImage {
  public:
    // read(file, limits). Errors: io, limit (a section is larger, packed or unpacked, than limits.section_bytes, or
    // there is no room for the file).
    static Result<DebugImage> read(const ElfFile& file, const Limits& limits);

    std::span<char> bytes() const { return {pages_.get(), pages_.get_deleter().size}; }

  private:
    struct Unmap {
        std::size_t size = 0;
        void operator()(char* pages) const;
    };

    using Pages = std::unique_ptr<char, Unmap>;
    explicit DebugImage(Pages pages) : pages_(std::move(pages)) {}

    Pages pages_;
};

// has_lines(file) is whether it has line tables, compressed or not.
bool has_lines(const ElfFile& file);

}  // namespace perfdata
