// SPDX-License-Identifier: MIT
#include "perfdata/annotate/elf/elf_writer.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

#include "perfdata/core/arch.hpp"

#include "elf_bytes.hpp"
#include "elf_dwarf.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t alignment = 16;
constexpr std::size_t most_functions = 60000;  // section numbers have 16 bits
enum SectionType : std::uint32_t { program_bits = 1, symbol_table = 2, string_table = 3, note = 7 };
constexpr std::uint64_t allocated = 2, executable = 4;

struct Section {
    std::string name;
    std::uint32_t type = program_bits;
    std::uint64_t flags = 0, address = 0;
    std::string_view content;
    std::uint32_t link = 0, info = 0;
    std::uint64_t align = 1, entry_size = 0;
    std::uint64_t offset = 0;
};

Error problem(ErrorCode code, std::string detail) {
    return {code, Error::no_offset, "ELF", std::move(detail)};
}

// hash(text, seed) returns the FNV-1a hash.
std::uint64_t hash(std::string_view text, std::uint64_t seed) {
    std::uint64_t value = 0xcbf29ce484222325u ^ seed;
    for (const char letter : text) value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    return value;
}

class Writer {
  public:
    explicit Writer(const ElfCode& code) : code_(code), out_(code.target.order, code.target.wide) {}

    Result<std::string> write() {
        if (auto right = sort(); !right) return fail(right.error());
        dwarf_ = make_dwarf(code_, functions_);
        make_symbols();
        make_build_id();
        list_sections();
        place_sections();
        write_all();
        return out_.bytes();
    }

  private:
    bool wide() const { return code_.target.wide; }
    ElfBytes bytes() const { return {code_.target.order, wide()}; }
    std::uint64_t header_size() const { return wide() ? 64 : 52; }
    std::uint64_t segment_size() const { return wide() ? 56 : 32; }

    Result<void> sort() {
        for (const auto& function : code_.functions) functions_.push_back(&function);
        std::ranges::stable_sort(functions_, {}, [](const ElfFunction* function) { return function->address; });
        if (functions_.empty()) return fail(problem(ErrorCode::malformed, "there is no function to write"));
        if (functions_.size() > most_functions) {
            return fail(problem(ErrorCode::limit, fmt::format("{} functions; at most {} are written", functions_.size(),
                                                              most_functions)));
        }
        const auto last = wide() ? std::numeric_limits<std::uint64_t>::max() : 0xffffffffu;
        std::uint64_t end = 0;
        for (const auto* function : functions_) {
            const auto begin = function->address.value;
            const auto size = function->code.size();
            if (size == 0)
                return fail(problem(ErrorCode::malformed, "function " + std::string(function->name) + " has no code"));
            if (begin > last || size > last - begin) {
                return fail(problem(ErrorCode::limit, fmt::format("address {:#x} does not fit", begin)));
            }
            if (begin < end) {
                return fail(
                    problem(ErrorCode::malformed, "function " + std::string(function->name) + " lies over another"));
            }
            end = begin + size;
        }
        return {};
    }

    void make_symbols() {
        auto table = bytes();
        ElfTexts names;
        names.offset_of({});
        const auto add = [&](std::uint64_t name, const ElfFunction* function, std::size_t section) {
            const std::uint64_t value = function != nullptr ? function->address.value : 0;
            const std::uint64_t size = function != nullptr ? function->code.size() : 0;
            const unsigned info = function != nullptr ? 0x12 : 0;  // STB_GLOBAL, STT_FUNC
            table.u32(name);
            if (wide()) {
                table.u8(info);
                table.u8(0);
                table.u16(section);
                table.u64(value);
                table.u64(size);
            } else {
                table.u32(value);
                table.u32(size);
                table.u8(info);
                table.u8(0);
                table.u16(section);
            }
        };
        add(0, nullptr, 0);
        for (std::size_t index = 0; index < functions_.size(); ++index) {
            add(names.offset_of(functions_[index]->name), functions_[index], index + 1);
        }
        symbols_ = table.bytes();
        symbol_names_ = names.bytes();
    }

    void make_build_id() {
        auto id = bytes();
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            auto sum = seed;
            for (const auto* function : functions_) {
                sum = hash(as_text(function->code), sum ^ (function->address.value + seed));
            }
            for (const auto& text : {symbol_names_, dwarf_.info, dwarf_.line}) sum = hash(text, sum + seed);
            id.u64(sum);
        }
        auto out = bytes();
        out.u32(4);   // size of the name
        out.u32(20);  // size of the id
        out.u32(3);   // NT_GNU_BUILD_ID
        out.text("GNU");
        out.raw(std::string_view(id.bytes()).substr(0, 20));
        build_id_ = out.bytes();
    }

    void list_sections() {
        sections_.push_back({});
        sections_[0].type = 0;
        sections_[0].align = 0;
        for (std::size_t index = 0; index < functions_.size(); ++index) {
            Section text;
            text.name = index == 0 ? ".text" : fmt::format(".text.{}", index);
            text.flags = allocated | executable;
            text.address = functions_[index]->address.value;
            text.content = as_text(functions_[index]->code);
            sections_.push_back(std::move(text));
        }
        const auto add = [&](std::string name, std::uint32_t type, std::string_view content, std::uint64_t align) {
            sections_.push_back({std::move(name), type, 0, 0, content, 0, 0, align, 0, 0});
        };
        add(".note.gnu.build-id", note, build_id_, 4);
        if (!dwarf_.info.empty()) {
            add(".debug_info", program_bits, dwarf_.info, 1);
            add(".debug_abbrev", program_bits, dwarf_.abbrev, 1);
            add(".debug_str", program_bits, dwarf_.str, 1);
            add(".debug_line", program_bits, dwarf_.line, 1);
            add(".debug_ranges", program_bits, dwarf_.ranges, 1);
        }
        add(".symtab", symbol_table, symbols_, wide() ? 8 : 4);
        sections_.back().link = static_cast<std::uint32_t>(sections_.size());  // the next one
        sections_.back().info = 1;                                             // index of the first global symbol
        sections_.back().entry_size = wide() ? 24 : 16;
        add(".strtab", string_table, symbol_names_, 1);
        auto names = bytes();
        names.u8(0);
        for (auto& section : sections_) {
            name_offsets_.push_back(section.name.empty() ? 0 : names.size());
            if (!section.name.empty()) names.text(section.name);
        }
        name_offsets_.push_back(names.size());
        names.text(".shstrtab");
        section_names_ = names.bytes();
        add(".shstrtab", string_table, section_names_, 1);
    }

    void place_sections() {
        auto at = header_size() + segment_size() * functions_.size();
        for (auto& section : sections_) {
            if (section.type == 0) continue;
            // Code keeps its position in a line of 16 bytes that it had in memory.
            const auto align = (section.flags & allocated) != 0 ? alignment : section.align;
            const auto wanted = (section.flags & allocated) != 0 ? section.address % alignment : 0;
            while (at % align != wanted) ++at;
            section.offset = at;
            at += section.content.size();
        }
        table_at_ = (at + 7) / 8 * 8;
    }

    void write_header() {
        out_.raw(
            "\x7f"
            "ELF");
        out_.u8(wide() ? 2 : 1);
        out_.u8(code_.target.order == std::endian::little ? 1 : 2);
        out_.u8(1);  // EV_CURRENT
        out_.align(16);
        out_.u16(2);  // ET_EXEC
        out_.u16(code_.target.machine);
        out_.u32(1);
        out_.word(functions_.front()->address.value);
        out_.word(header_size());
        out_.word(table_at_);
        out_.u32(0);
        out_.u16(header_size());
        out_.u16(segment_size());
        out_.u16(functions_.size());
        out_.u16(wide() ? 64 : 40);
        out_.u16(sections_.size());
        out_.u16(sections_.size() - 1);  // names of sections
    }

    void write_segment(const Section& section) {
        constexpr std::uint32_t load = 1, read_and_execute = 5;
        out_.u32(load);
        if (wide()) out_.u32(read_and_execute);
        out_.word(section.offset);
        out_.word(section.address);
        out_.word(section.address);
        out_.word(section.content.size());
        out_.word(section.content.size());
        if (!wide()) out_.u32(read_and_execute);
        out_.word(alignment);
    }

    void write_all() {
        write_header();
        for (std::size_t index = 1; index <= functions_.size(); ++index) write_segment(sections_[index]);
        for (const auto& section : sections_) {
            if (section.type == 0) continue;
            while (out_.size() < section.offset) out_.u8(0);
            out_.raw(section.content);
        }
        while (out_.size() < table_at_) out_.u8(0);
        for (std::size_t index = 0; index < sections_.size(); ++index) {
            const auto& section = sections_[index];
            out_.u32(name_offsets_[index]);
            out_.u32(section.type);
            out_.word(section.flags);
            out_.word(section.address);
            out_.word(section.offset);
            out_.word(section.content.size());
            out_.u32(section.link);
            out_.u32(section.info);
            out_.word(section.align);
            out_.word(section.entry_size);
        }
    }

    const ElfCode& code_;
    ElfBytes out_;
    std::vector<const ElfFunction*> functions_;  // by address
    ElfDwarf dwarf_;
    std::string symbols_, symbol_names_, build_id_, section_names_;
    std::vector<Section> sections_;
    std::vector<std::uint64_t> name_offsets_;  // of the sections
    std::uint64_t table_at_ = 0;
};

}  // namespace

Result<ElfTarget> ElfTarget::of(std::string_view arch) {
    if (const auto* known = find_arch(arch)) return ElfTarget{known->machine, known->address_bytes == 8, known->order};
    return fail(ErrorCode::unsupported, Error::no_offset, "ELF",
                arch.empty() ? "the recording does not say its architecture (feature ARCH)"
                             : fmt::format("no support for the architecture {}", arch));
}

Result<std::string> write_elf(const ElfCode& code) {
    return Writer(code).write();
}

}  // namespace perfdata
