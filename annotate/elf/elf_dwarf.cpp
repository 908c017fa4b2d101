// SPDX-License-Identifier: MIT
#include "elf_dwarf.hpp"

#include <algorithm>
#include <map>

#include "elf_bytes.hpp"
#include "format/words.hpp"

namespace perfdata {
namespace {

// DWARF 4: numbers from chapters 7.5 (entries and forms) and 7.21 (line tables).
enum Tag : std::uint8_t { compile_unit = 0x11, subprogram = 0x2e };
enum Attribute : std::uint8_t {
    at_name = 0x03,
    at_stmt_list = 0x10,
    at_low_pc = 0x11,
    at_high_pc = 0x12,
    at_language = 0x13,
    at_comp_dir = 0x1b,
    at_producer = 0x25,
    at_external = 0x3f,
    at_ranges = 0x55,
};
enum Form : std::uint8_t {
    form_addr = 1,
    form_data2 = 5,
    form_data4 = 6,
    form_data8 = 7,
    form_string = 8,
    form_strp = 0xe,
    form_sec_offset = 0x17,
    form_flag_present = 0x19
};
enum Standard : std::uint8_t { copy = 1, advance_pc = 2, advance_line = 3, set_file = 4, set_column = 5 };
enum Extended : std::uint8_t { end_sequence = 1, set_address = 2 };
constexpr std::uint16_t language_c99 = 0x0c, version = 4;

std::string make_abbreviations(std::endian order, bool wide) {
    ElfBytes out(order, wide);
    const auto entry = [&](unsigned number, unsigned tag, bool children,
                           std::initializer_list<std::pair<unsigned, unsigned>> attributes) {
        out.uleb(number);
        out.uleb(tag);
        out.u8(children ? 1 : 0);
        for (const auto& [attribute, form] : attributes) {
            out.uleb(attribute);
            out.uleb(form);
        }
        out.u16(0);
    };
    const auto size_form = wide ? form_data8 : form_data4;
    entry(1, compile_unit, true,
          {{at_producer, form_string},
           {at_language, form_data2},
           {at_name, form_string},
           {at_comp_dir, form_string},
           {at_low_pc, form_addr},
           {at_ranges, form_sec_offset},
           {at_stmt_list, form_sec_offset}});
    entry(2, subprogram, false,
          {{at_name, form_strp}, {at_external, form_flag_present}, {at_low_pc, form_addr}, {at_high_pc, size_form}});
    out.u8(0);
    return out.bytes();
}

using FileNumbers = std::map<std::string_view, std::uint64_t, BeforeText>;

// LineProgram emits one sequence of rows per function.
class LineProgram {
  public:
    LineProgram(const ElfCode& code, FileNumbers files)
        : code_(code), files_(std::move(files)), out_(code.target.order, code.target.wide) {}

    void add(const ElfFunction& function) {
        if (function.lines.empty()) return;
        const unsigned address_size = code_.target.wide ? 8 : 4;
        out_.u8(0);
        out_.uleb(1 + address_size);
        out_.u8(set_address);
        out_.word(function.address.value);
        std::uint64_t at = 0, line = 1, file = 1, column = 0;
        for (const auto& start : function.lines) {
            if (start.offset >= function.code.size()) break;
            move(start.offset, at);
            const auto& source = start.source;
            const auto known = files_.find(source.file);
            if (known != files_.end() && known->second != file) {
                file = known->second;
                out_.u8(set_file);
                out_.uleb(file);
            }
            if (source.column != column) {
                column = source.column;
                out_.u8(set_column);
                out_.uleb(column);
            }
            const auto wanted = known == files_.end() ? 0 : source.line;
            out_.u8(advance_line);
            out_.sleb(static_cast<std::int64_t>(wanted) - static_cast<std::int64_t>(line));
            line = wanted;
            out_.u8(copy);
        }
        move(function.code.size(), at);
        out_.u8(0);
        out_.uleb(1);
        out_.u8(end_sequence);
    }

    const std::string& bytes() const { return out_.bytes(); }

  private:
    // The minimum instruction length is declared as one byte, so that advances are in bytes on every machine.
    void move(std::uint64_t to, std::uint64_t& at) {
        if (to <= at) return;
        out_.u8(advance_pc);
        out_.uleb(to - at);
        at = to;
    }

    const ElfCode& code_;
    FileNumbers files_;
    ElfBytes out_;
};

std::string make_lines(const ElfCode& code, const std::vector<const ElfFunction*>& functions) {
    FileNumbers numbers;
    std::vector<std::string_view> files;
    for (const auto* function : functions) {
        for (const auto& line : function->lines) {
            if (line.source.file.empty()) continue;
            if (numbers.try_emplace(line.source.file, files.size() + 1).second) files.push_back(line.source.file);
        }
    }
    LineProgram program(code, std::move(numbers));
    for (const auto* function : functions) program.add(*function);

    ElfBytes tables(code.target.order, code.target.wide);
    tables.u8(1);     // minimum_instruction_length
    tables.u8(1);     // maximum_operations_per_instruction
    tables.u8(1);     // default_is_stmt
    tables.u8(0xff);  // line_base: -1
    tables.u8(1);     // line_range
    tables.u8(13);    // opcode_base
    for (const unsigned operands : {0u, 1u, 1u, 1u, 1u, 0u, 0u, 0u, 1u, 0u, 0u, 1u}) tables.u8(operands);
    tables.u8(0);  // no directories
    for (const auto file : files) {
        tables.text(file);
        for (int zero = 0; zero < 3; ++zero) tables.uleb(0);  // directory, time, size
    }
    tables.u8(0);

    ElfBytes out(code.target.order, code.target.wide);
    out.u32(2 + 4 + tables.size() + program.bytes().size());
    out.u16(version);
    out.u32(tables.size());
    out.raw(tables.bytes());
    out.raw(program.bytes());
    return out.bytes();
}

}  // namespace

ElfDwarf make_dwarf(const ElfCode& code, const std::vector<const ElfFunction*>& functions) {
    ElfDwarf dwarf;
    if (std::ranges::all_of(functions, [](const ElfFunction* function) { return function->lines.empty(); })) {
        return dwarf;
    }
    const auto order = code.target.order;
    const bool wide = code.target.wide;
    dwarf.abbrev = make_abbreviations(order, wide);
    dwarf.line = make_lines(code, functions);

    ElfBytes ranges(order, wide), info(order, wide);
    for (const auto* function : functions) {
        ranges.word(function->address.value);
        ranges.word(function->address.value + function->code.size());
    }
    ranges.word(0);
    ranges.word(0);
    dwarf.ranges = ranges.bytes();

    info.u32(0);
    info.u16(version);
    info.u32(0);  // abbreviations
    info.u8(wide ? 8 : 4);
    info.uleb(1);
    info.text(code.producer);
    info.u16(language_c99);
    info.text(code.name);
    info.text(code.directory.empty() ? "." : code.directory);
    info.word(0);  // ranges contain addresses
    info.u32(0);   // ranges
    info.u32(0);   // lines
    ElfTexts names;
    for (const auto* function : functions) {
        info.uleb(2);
        info.u32(names.offset_of(function->name));
        info.word(function->address.value);
        info.word(function->code.size());
    }
    info.u8(0);
    info.set_u32(0, info.size() - 4);
    dwarf.info = info.bytes();
    dwarf.str = names.bytes();
    return dwarf;
}

}  // namespace perfdata
