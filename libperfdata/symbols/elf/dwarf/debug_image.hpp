// SPDX-License-Identifier: MIT
// ELF files that hold nothing but what debug information needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

// DebugImage is an ELF file made anew, for libelf and libdw: they see what is in it, and nothing else of the file that
// it was made from. It has
// - of each section that lines, functions and inlined calls are read from the first, unpacked, by the usual name;
// - of a relocatable file all sections at their numbers: what relocates those, the table of symbols and its names, and
//   the sizes of those that are in memory at run time; the rest is empty;
// - no two sections over each other or over a header, and no section that names another file.
// Being a copy, it stays what it is if the file is changed or cut meanwhile.
class DebugImage {
  public:
    // read(file, limits). Errors: io, truncated, malformed (a compressed section is damaged), unsupported, and limit:
    // a section is larger than limits.section_bytes, sections lie over each other, unpack to far more than the file
    // has, or are relocated more than once, or there is no room for all this.
    static Result<DebugImage> read(const ElfFile& file, const Limits& limits);
    // nothing() has no debug information.
    static Result<DebugImage> nothing();

    std::span<char> bytes() const { return {pages_.get(), pages_.get_deleter().size}; }
    // line_bytes() is what line tables have in the file, where they may be packed.
    std::uint64_t line_bytes() const { return line_bytes_; }

  private:
    struct Unmap {
        std::size_t size = 0;
        void operator()(char* pages) const;
    };

    using Pages = std::unique_ptr<char, Unmap>;
    explicit DebugImage(Pages pages) : pages_(std::move(pages)) {}

    static Result<DebugImage> of_size(std::uint64_t size);

    Pages pages_;
    std::uint64_t line_bytes_ = 0;
};

// has_lines(file) is whether it has line tables, compressed or not.
bool has_lines(const ElfFile& file);

}  // namespace perfdata
