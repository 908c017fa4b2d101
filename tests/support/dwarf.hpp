// SPDX-License-Identifier: MIT
// Writes debug information of one unit like a compiler, with as many functions, inlined calls and lines as a test
// needs. Little-endian, DWARF 4.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "support/elf.hpp"

namespace perfdata::test {

class DwarfWriter {
  public:
    struct Options {
        std::string callee = "callee", file = "a.c";
        std::size_t units = 1;      // number of identical units
        std::size_t ranges = 0;     // length of the unit's list of ranges, each all of its code; 0: no list
        bool placed = true;         // false: only its lines say where a unit's code is
        std::uint16_t version = 4;  // of the unit's header
        enum class Split : std::uint8_t { no, named, moved };
        Split split = Split::no;        // named: the unit names a .dwo file; moved: it has no children itself
        std::size_t abbreviations = 0;  // unused ones, before those in use
        std::size_t attributes = 0;     // of entries that empty() makes; without bytes
        std::size_t taken_out = 0;      // bytes of code that the linker removed; each has a line above 1000
        std::uint64_t gone_to = 0;      // their address in the debug information
    };

    // The unit's code is contiguous.
    DwarfWriter(std::uint64_t begin, std::uint32_t size) : DwarfWriter(begin, size, {}) {}
    DwarfWriter(std::uint64_t begin, std::uint32_t size, Options options)
        : options_(std::move(options)), begin_(begin), size_(size) {
        if (options_.split != Options::Split::no) {
            entries_.u8(of_split).u32(0).u64(begin).u32(size).text("a.c").u8(0).text("a.dwo").u8(0).u64(1);
        } else if (!options_.placed) {
            entries_.u8(of_unplaced).u32(0).text("a.c").u8(0);
        } else if (options_.ranges != 0) {
            entries_.u8(of_ranges).u32(0).u32(0).text("a.c").u8(0);
        } else {
            entries_.u8(of_unit).u32(0).u64(begin).u32(size).text("a.c").u8(0);
        }
        callee_ = callee(options_.callee);
    }

    // callee(name) adds a function that inlined() can refer to. Add it outside of functions.
    std::uint32_t callee(std::string_view name) {
        const auto entry = unit_header + static_cast<std::uint32_t>(entries_.size());
        entries_.u8(of_callee).text(name).u8(0);
        return entry;
    }

    // A function or an inlined call of `callee` contains everything until its end().
    DwarfWriter& function(std::uint64_t begin, std::uint32_t size, std::string_view name) {
        entries_.u8(of_function).u64(begin).u32(size).text(name).u8(0);
        return *this;
    }
    DwarfWriter& inlined(std::uint64_t begin, std::uint32_t size, std::uint16_t line) {
        return inlined(begin, size, line, callee_);
    }
    DwarfWriter& inlined(std::uint64_t begin, std::uint32_t size, std::uint16_t line, std::uint32_t callee) {
        entries_.u8(of_inlined).u32(callee).u64(begin).u32(size).u8(1).u16(line);
        return *this;
    }
    // in_alternate(begin, size, entry) adds an inlined function whose entry is in the alternate file.
    DwarfWriter& in_alternate(std::uint64_t begin, std::uint32_t size, std::uint32_t entry) {
        entries_.u8(of_alternate).u32(entry).u64(begin).u32(size);
        return *this;
    }
    DwarfWriter& block() {
        entries_.u8(of_block);
        return *this;
    }
    DwarfWriter& empty() {
        entries_.u8(of_empty);
        return *this;
    }
    DwarfWriter& end() {
        entries_.u8(0);
        return *this;
    }
    // row() adds a line for the next byte of code.
    DwarfWriter& row() {
        constexpr std::uint8_t next_byte = first_special + 14 + 5;  // special opcode: advances one byte and some lines
        rows_.u8(next_byte + (++row_ % 2 == 0 ? 2 : 1));
        return *this;
    }

    void add_to(Elf& elf) const {
        Writer info(order);
        info.u16(options_.version).u32(0).u8(8).bytes(entries_.blob()).u8(0);
        Writer units(order);
        for (std::size_t number = 0; number < options_.units; ++number) units.bytes(with_size(info));
        elf.add({.name = ".debug_info", .content = units.take()});
        Writer ranges(order);
        for (std::size_t number = 0; number < options_.ranges; ++number) ranges.u64(begin_).u64(begin_ + size_);
        if (options_.ranges != 0) elf.add({.name = ".debug_ranges", .content = ranges.zeros(16).take()});
        elf.add({.name = ".debug_abbrev", .content = abbreviations()});
        elf.add({.name = ".debug_line", .content = lines()});
    }

  private:
    static constexpr auto order = std::endian::little;
    enum : std::uint8_t {
        of_unit = 1,
        of_function,
        of_inlined,
        of_callee,
        of_ranges,
        of_unplaced,
        of_empty,
        of_alternate,
        of_split,
        of_block,
        spare
    };
    static constexpr std::uint32_t unit_header = 11;  // bytes
    static constexpr std::uint8_t first_special = 13;

    static Blob with_size(const Writer& content) {
        return Writer(order).u32(static_cast<std::uint32_t>(content.size())).bytes(content.blob()).take();
    }

    Blob abbreviations() const {
        Writer out(order);
        const auto add = [&](auto... bytes) {
            for (const int byte : {static_cast<int>(bytes)...}) out.u8(static_cast<std::uint8_t>(byte));
        };
        // Code, tag, has children; then pairs of attribute and form.
        for (std::size_t number = 0; number < options_.abbreviations; ++number) {
            const auto code = spare + number;
            add(0x80 | (code & 0x7f), 0x80 | (code >> 7 & 0x7f), code >> 14, 0x34, 0, 0, 0);
        }
        add(of_unit, 0x11, 1, 0x10, 0x17, 0x11, 1, 0x12, 6, 3, 8, 0, 0);                  // lines, range, name
        add(of_function, 0x2e, 1, 0x11, 1, 0x12, 6, 3, 8, 0, 0);                          // range, name
        add(of_inlined, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 6, 0x58, 11, 0x59, 5, 0, 0);  // origin, range, call
        add(of_callee, 0x2e, 0, 3, 8, 0, 0);                                              // name
        add(of_ranges, 0x11, 1, 0x10, 0x17, 0x55, 0x17, 3, 8, 0, 0);                      // lines, ranges, name
        add(of_unplaced, 0x11, 1, 0x10, 0x17, 3, 8, 0, 0);                                // lines, name
        add(of_alternate, 0x1d, 0, 0x31, 0xa0, 0x3e, 0x11, 1, 0x12, 6, 0, 0);             // GNU_ref_alt: origin, range
        add(of_block, 0x0b, 1, 0, 0);
        if (options_.split != Options::Split::no) {
            // Lines, range, name, GNU_dwo_name, GNU_dwo_id.
            add(of_split, 0x11, options_.split == Options::Split::named ? 1 : 0, 0x10, 0x17, 0x11, 1, 0x12, 6, 3, 8);
            add(0xb0, 0x42, 8, 0xb1, 0x42, 7, 0, 0);
        }
        if (options_.attributes != 0) {
            add(of_empty, 0x34, 0);
            for (std::size_t number = 0; number < options_.attributes; ++number) add(0x3f, 0x19);  // external
            add(0, 0);
        }
        add(0);
        return out.take();
    }

    Blob lines() const {
        Writer header(order);
        header.u8(1).u8(1).u8(1).u8(0xfb).u8(14).u8(first_special);
        for (const std::uint8_t operands : std::to_array<std::uint8_t>({0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1})) {
            header.u8(operands);
        }
        header.zeros(1).text(options_.file).zeros(4).zeros(1);  // no directories, one file
        Writer table(order);
        table.u16(4).u32(static_cast<std::uint32_t>(header.size())).bytes(header.blob());
        if (options_.taken_out != 0) {
            constexpr std::uint8_t same_line = first_special + 14 + 5;  // advances one byte
            table.u8(0).u8(9).u8(2).u64(options_.gone_to).u8(3).u8(0xe8).u8(7);
            for (std::size_t byte = 0; byte < options_.taken_out; ++byte) table.u8(same_line);
            table.u8(0).u8(1).u8(1);
        }
        table.u8(0).u8(9).u8(2).u64(begin_).bytes(rows_.blob()).u8(2).u8(1).u8(0).u8(1).u8(1);
        return with_size(table);
    }

    Options options_;
    std::uint64_t begin_;
    std::uint32_t size_;
    Writer entries_{order}, rows_{order};
    std::uint32_t callee_ = 0;  // offset of the entry in the unit
    unsigned row_ = 0;
};

}  // namespace perfdata::test
