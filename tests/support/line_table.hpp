// SPDX-License-Identifier: MIT
// Writes a unit without functions whose line table has many file and directory names. Little-endian, DWARF 2 to 5.
#pragma once

#include <cstdint>
#include <string>

#include "support/elf.hpp"

namespace perfdata::test {

// LineTable is a line table with many files, and its unit.
struct LineTable {
    std::string directory = "/src";  // of all files
    std::size_t files = 1;
    std::string file = "a.c";
    bool shared = false;  // all files have one name, in .debug_line_str (DWARF 5)
    std::uint8_t version = 5;
    std::string defined_in;  // DW_LNE_define_file: the program defines `files` files with this name
    std::uint8_t first_special = 13;
    std::string compiled_in;        // DW_AT_comp_dir
    std::uint8_t in_directory = 1;  // older versions only; 0: the compilation directory

    // The code is contiguous; its first byte has a line.
    void add_to(Elf& elf, std::uint64_t begin, std::uint32_t size) const {
        Writer strings(order);
        strings.text(directory).u8(0).text(file).u8(0);
        Writer info(order);
        info.u16(4).u32(0).u8(8).u8(1).u32(0).u64(begin).u32(size).text("a.c").u8(0).text(compiled_in).u8(0);
        Writer abbreviations(order);
        // Lines, range, name, directory.
        for (const int byte : {1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 6, 3, 8, 0x1b, 8, 0, 0, 0}) {
            abbreviations.u8(static_cast<std::uint8_t>(byte));
        }
        elf.add({.name = ".debug_info", .content = with_size(info)});
        elf.add({.name = ".debug_abbrev", .content = abbreviations.take()});
        elf.add({.name = ".debug_line_str", .content = strings.take()});
        elf.add({.name = ".debug_line", .content = lines(begin)});
    }

  private:
    static constexpr auto order = std::endian::little;

    static Blob with_size(const Writer& content) {
        return Writer(order).u32(static_cast<std::uint32_t>(content.size())).bytes(content.blob()).take();
    }

    Blob lines(std::uint64_t begin) const {
        Writer header(order);
        header.u8(1);
        if (version >= 4) header.u8(1);
        header.u8(1).u8(0xfb).u8(14).u8(first_special);
        for (const int operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) header.u8(static_cast<std::uint8_t>(operands));
        version == 5 ? lists(header) : old_lists(header);
        Writer table(order);
        table.u16(version);
        if (version == 5) table.u8(8).u8(0);
        table.u32(static_cast<std::uint32_t>(header.size())).bytes(header.blob());
        for (std::size_t number = 0; !defined_in.empty() && number < files; ++number) {
            table.u8(0).u8(static_cast<std::uint8_t>(1 + file.size() + 4)).u8(3).text(file).zeros(1).u8(1).zeros(2);
        }
        table.u8(0).u8(9).u8(2).u64(begin).u8(0x20).u8(0x20).u8(2).u8(1).u8(0).u8(1).u8(1);
        return with_size(table);
    }
    void old_lists(Writer& out) const {
        out.text(defined_in.empty() ? directory : defined_in).zeros(2);
        const auto listed = defined_in.empty() ? files : 1;
        for (std::size_t number = 0; number < listed; ++number) out.text(file).u8(0).u8(in_directory).zeros(2);
        out.u8(0);
    }
    // A path is line_strp or a string; a directory index is udata.
    void lists(Writer& out) const {
        out.u8(1).u8(1).u8(0x1f).u8(1).u32(0);
        out.u8(2).u8(1).u8(shared ? 0x1f : 8).u8(2).u8(0xf);
        for (auto rest = files; rest != 0; rest >>= 7) {
            out.u8(static_cast<std::uint8_t>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0)));
        }
        for (std::size_t number = 0; number < files; ++number) {
            if (shared) {
                out.u32(static_cast<std::uint32_t>(directory.size() + 1));
            } else {
                out.text(file).u8(0);
            }
            out.u8(0);
        }
    }
};

}  // namespace perfdata::test
