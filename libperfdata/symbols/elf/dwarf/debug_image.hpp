// SPDX-License-Identifier: MIT
// Makes ELF files that contain only what debug information needs.
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

// DebugImage is a new ELF file in memory, made from a file for libelf and libdw. They see nothing else of that file:
//
//     file   .text  .zdebug_info  .debug_line  .debug_line  .gnu_debugaltlink  .comment
//                    | unpacked    | the first
//                    v             v
//     image  header  .debug_info   .debug_line   names   section headers
//
// - It has the first section of each name that lines, functions and inlined calls are read from, unpacked.
// - For a relocatable file it has all sections at their numbers: with content only relocations of the above, the symbol
//   table and its names; with sizes only those in memory at run time; the rest is empty.
// - Its sections do not overlap each other or a header, and none names another file.
// It is a copy: later changes to the file do not affect it.
class DebugImage {
  public:
    // Makes the image of a file. Errors: io, truncated, malformed (a compressed section is damaged), unsupported;
    // limit: a section is larger than limits.section_bytes, sections overlap, unpack to far more than the size of the
    // file, or are relocated more than once, or memory does not suffice.
    static Result<DebugImage> read(const ElfFile& file, const Limits& limits);
    // Makes an image without debug information.
    static Result<DebugImage> nothing();

    std::span<char> bytes() const { return {pages_.get(), pages_.get_deleter().size}; }
    // Returns the size of the line tables in the file, where they may be compressed.
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

// Returns true if the file has line tables, compressed or not.
bool has_lines(const ElfFile& file);

}  // namespace perfdata
