// SPDX-License-Identifier: MIT
// Makes ELF files that contain only what debug information needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "debug_image_sections.hpp"
#include "recording/look_out.hpp"

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
// Of large sections the parts that are needed are read when they are needed: a recording has samples in few units of a
// large program. A packed section is unpacked as a whole then. In a relocatable file, libdw may need any part.
//
//     .debug_info   unit | unit | unit ....        read: headers, first entries, and units that have the code asked for
//     .debug_str    text | text ...                read: names that are shown
//
// It is a copy: later changes to the file do not affect what was read. What could not be read is zero.
class DebugImage {
  public:
    // Makes the image of a file. Errors: io, truncated, malformed (a compressed section is damaged), unsupported;
    // limit: a section is larger than limits.section_bytes, sections overlap, unpack to far more than they have in
    // the file, or are relocated more than once, or memory does not suffice. Throws Stopped.
    static Result<DebugImage> read(std::shared_ptr<const ElfFile> file, const Limits& limits, const LookOut& look = {});
    // Makes an image without debug information.
    static Result<DebugImage> nothing();

    // Reads a part of bytes() from the file. Call it before the part is used. Does nothing where it was called before.
    void load(Bytes part);
    // Unpacks a section that is packed, as load() does for any part of it. Throws Stopped.
    void unpack(std::string_view section, const LookOut& look);
    // Returns why a part could not be read: io, truncated, malformed.
    const std::optional<Error>& failure() const { return failure_; }

    std::span<char> bytes() const { return {pages_.get(), pages_.get_deleter().size}; }
    // Returns how many bytes were read so far.
    std::uint64_t loaded_bytes() const { return loaded_bytes_; }
    // Returns the size of the line tables in the file, where they may be compressed.
    std::uint64_t line_bytes() const { return line_bytes_; }
    // Returns the size of the entries in the file, where they may be compressed.
    std::uint64_t entry_bytes() const { return entry_bytes_; }

  private:
    struct Unmap {
        std::size_t size = 0;
        void operator()(char* pages) const;
    };

    using Pages = std::unique_ptr<char, Unmap>;
    explicit DebugImage(Pages pages) : pages_(std::move(pages)) {}

    // Bytes that are read at once.
    static constexpr std::size_t block = std::size_t{16} << 10;

    struct Unread {
        ImageSection section;
        std::vector<bool> loaded;  // for each block; a packed section is one
    };

    static Result<DebugImage> of_size(std::uint64_t size);
    void load(Unread& from, std::uint64_t begin, std::uint64_t end, const LookOut& look = {});

    Pages pages_;
    std::shared_ptr<const ElfFile> file_;
    std::vector<Unread> unread_;
    std::optional<Error> failure_;
    std::uint64_t line_bytes_ = 0, entry_bytes_ = 0, loaded_bytes_ = 0;
};

// Returns true if the file has line tables, compressed or not.
bool has_lines(const ElfFile& file);

}  // namespace perfdata
