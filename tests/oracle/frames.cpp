// SPDX-License-Identifier: MIT
// Compares rows of call frame information with readelf's, for whole files.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "perfdata/symbols/elf/elf_file.hpp"

#include "catch.hpp"
#include "readelf_frames.hpp"
#include "support/files.hpp"
#include "symbols/unwind/cfi_section.hpp"

namespace oracle {
namespace {

using namespace perfdata;

// register_names(machine) returns readelf's names by DWARF number; those without name are "r5".
std::vector<std::string> register_names(std::uint16_t machine) {
    switch (machine) {
        case em_x86_64:
            return {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
        case em_386: return {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"};
        case em_aarch64: {
            std::vector<std::string> names;
            for (int number = 0; number < 31; ++number) names.push_back("x" + std::to_string(number));
            names.emplace_back("sp");
            return names;
        }
        case em_s390:
            return {"r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6", "r7",  "r8",  "r9", "r10",
                    "r11", "r12", "r13", "r14", "r15", "f0",  "f2", "f4",  "f6",  "f1", "f3",
                    "f5",  "f7",  "f8",  "f10", "f12", "f14", "f9", "f11", "f13", "f15"};
        case em_riscv:
            return {"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
        default: return {};
    }
}

// Frames is the call frame information of a file, and how readelf names its registers.
struct Frames {
    explicit Frames(const std::string& path)
        : elf(ElfFile::open(open_source(path, {}).value()).value()), names(register_names(elf.machine())) {
        const auto* arch = find_arch(elf.machine(), elf.order().endian());
        REQUIRE(arch != nullptr);
        target = UnwindTarget::of(arch->family, elf.wide() ? 8 : 4);
        REQUIRE(target);
    }

    // open(section) reads it; nothing if it is not there.
    std::optional<CfiSection> open(const std::string& name) {
        const auto* section = elf.section(name);
        if (section == nullptr || section->type == 8 || section->size == 0) return {};
        content = elf.content(*section).value();
        CfiInput input;
        input.order = elf.order();
        input.section = as_bytes(content);
        input.address = section->address;
        input.file_offset = section->offset;
        if (name == ".debug_frame") input.format = CfiInput::Format::debug_frame;
        if (const auto* header = elf.section(".eh_frame_hdr"); header != nullptr && name == ".eh_frame") {
            table = elf.content(*header).value();
            input.table = as_bytes(table);
            input.table_address = header->address;
        }
        if (const auto* got = elf.section(".got"); got != nullptr) input.data_address = got->address;
        return CfiSection::open(input, *target, limits).value();
    }

    std::string name(Slot slot) const {
        const auto number = target->dwarf_number(slot).value();
        return number < names.size() ? names[number] : "r" + std::to_string(number);
    }

    ElfFile elf;
    std::vector<std::string> names;
    std::optional<UnwindTarget> target;
    std::string content, table;
    Limits limits;
};

std::string with_sign(std::int32_t value) {
    return (value < 0 ? "" : "+") + std::to_string(value);
}

// cell(rule) returns it as readelf writes it.
std::string cell(const Frames& frames, const UnwindRule& rule) {
    switch (rule.kind) {
        case RuleKind::same: return "s";
        case RuleKind::undefined: return "u";
        case RuleKind::at_offset: return "c" + with_sign(rule.value);
        case RuleKind::is_offset: return "v" + with_sign(rule.value);
        case RuleKind::in_slot: return frames.name(static_cast<Slot>(rule.value));
        case RuleKind::at_expression: return "exp";
        case RuleKind::is_expression: return "vexp";
    }
    return "?";
}

struct Compared {
    std::size_t functions = 0, rows = 0, cells = 0, differing = 0, spilled = 0, most_rules = 0, most_rows = 0;
    std::size_t unslotted = 0;  // cells of registers that have no slot
};

// compare(row, theirs) returns what differs; empty: nothing.
std::string compare(const Frames& frames, const UnwindRow& row, const RuleSpill& spill, const ReadelfRow& theirs,
                    Compared& compared) {
    const auto cfa = row.has(UnwindRow::cfa_expression) ? "exp" : frames.name(row.cfa_slot) + with_sign(row.cfa_value);
    if (cfa != theirs.cfa) return "CFA " + cfa + ", not " + theirs.cfa;
    std::map<std::string, std::string> ours;
    row.for_each_rule(spill, [&](const UnwindRule& rule) {
        const auto name = rule.slot == row.return_slot ? "ra" : frames.name(rule.slot);
        ours[name] = cell(frames, rule);
        return true;
    });
    compared.most_rules = std::max(compared.most_rules, ours.size());
    for (const auto& [name, cell] : theirs.cells) {
        ++compared.cells;
        const auto found = ours.find(name);
        const auto our_cell = found == ours.end() ? "u" : found->second;
        const bool known = std::ranges::any_of(ours, [&](const auto& one) { return one.first == name; });
        if (!known && cell != "u") {
            // A register without a slot.
            bool has_slot = name == "ra";
            for (Slot slot = 0; slot < slot_count && !has_slot; ++slot) {
                has_slot = frames.target->dwarf_number(slot) && frames.name(slot) == name;
            }
            if (has_slot) return name + " has no rule, not " + cell;
            ++compared.unslotted;
            continue;
        }
        if (our_cell != cell) return name + " is " + our_cell + ", not " + cell;
    }
    for (const auto& [name, cell] : ours) {
        if (cell != "u" && !theirs.cells.contains(name)) return name + " has the rule " + cell + ", not none";
    }
    return {};
}

// compare_file(path) compares all rows, each asked for by addresses at its begin and end.
Compared compare_file(const std::string& path) {
    Compared compared;
    const test::TempDir directory;
    Frames frames(path);
    std::optional<CfiSection> section;
    std::string section_name;
    RuleSpill spill;
    const auto differ = [&](const ReadelfFunction& function, std::uint64_t place, const std::string& what) {
        if (++compared.differing > 10) return;
        char text[64];
        std::snprintf(text, sizeof text, "FDE at %llx, %llx: ", static_cast<unsigned long long>(function.offset),
                      static_cast<unsigned long long>(place));
        FAIL_CHECK(path << " " << function.section << " " << text << what);
    };
    const auto warnings =
        for_each_readelf_function(path, directory.path().string(), [&](const ReadelfFunction& function) {
            if (function.section != section_name) {
                section_name = function.section;
                section = frames.open(section_name);
                REQUIRE(section);
            }
            if (function.begin == function.end) return;
            ++compared.functions;
            REQUIRE_FALSE(function.rows.empty());
            compared.most_rows = std::max(compared.most_rows, function.rows.size());
            const auto found = section->find(function.begin);
            if (!found || !*found)
                return differ(function, function.begin, found ? "not found" : found.error().message());
            if ((*found)->offset != function.offset) return differ(function, function.begin, "another FDE");
            if ((*found)->end != function.end) return differ(function, function.begin, "another end");
            for (std::size_t at = 0; at < function.rows.size(); ++at) {
                const auto& theirs = function.rows[at];
                const auto begin = theirs.place;
                const auto end = at + 1 < function.rows.size() ? function.rows[at + 1].place : function.end;
                if (begin == end) continue;  // the next row holds
                ++compared.rows;
                for (const auto place : {begin, end - 1}) {
                    const auto row = section->row_at(place, spill);
                    if (!row || !*row) {
                        differ(function, place, row ? "no row" : row.error().message());
                        continue;
                    }
                    if ((*row)->begin != begin || (*row)->end() != end) differ(function, place, "another range");
                    if ((*row)->has(UnwindRow::spilled)) ++compared.spilled;
                    if (auto what = compare(frames, **row, spill, theirs, compared); !what.empty()) {
                        differ(function, place, what);
                    }
                }
            }
        });
    if (section) {
        INFO(path);
        if (section->damage()) INFO(section->damage()->message());
        CHECK_FALSE(section->damage());
    }
    std::printf(
        "%s: %zu functions, %zu rows, %zu cells, %zu differ, %zu spilled, %zu without slot, at most %zu rules, "
        "%zu rows; %zu warnings, %s\n",
        path.c_str(), compared.functions, compared.rows, compared.cells, compared.differing, compared.spilled,
        compared.unslotted, compared.most_rules, compared.most_rows, warnings,
        section && section->uses_table() ? "table" : "no table");
    return compared;
}

}  // namespace

TEST_CASE("rows of call frame information are those of readelf", "[oracle][frames]") {
    std::vector<std::string> files;
    if (const char* given = std::getenv("PERFDATA_FRAMES"); given != nullptr) {
        for (std::string list = given; !list.empty();) {
            const auto end = std::min(list.find(' '), list.size());
            if (end != 0) files.push_back(list.substr(0, end));
            list.erase(0, end + 1);
        }
    }
    for (const auto& file : files) {
        const auto compared = compare_file(file);
        CHECK(compared.differing == 0);
        CHECK(compared.rows != 0);
    }
}

}  // namespace oracle
