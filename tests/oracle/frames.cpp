// SPDX-License-Identifier: MIT
// Compares rows of call frame information with readelf's, for whole files.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <link.h>
#include <sstream>

#include "catch.hpp"
#include "file_frames.hpp"
#include "readelf_frames.hpp"
#include "support/files.hpp"

namespace oracle {
namespace {

using namespace perfdata;

std::string with_sign(std::int32_t value) {
    return (value < 0 ? "" : "+") + std::to_string(value);
}

// cell(rule) returns it as readelf writes it.
std::string cell(const FileFrames& frames, const UnwindRule& rule) {
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

struct ComparedFrames {
    std::size_t functions = 0, rows = 0, cells = 0, differing = 0, spilled = 0, most_rules = 0, most_rows = 0;
    std::size_t unslotted = 0;  // cells of registers that have no slot
};

// compare(row, theirs) returns what differs; empty: nothing.
std::string compare(const FileFrames& frames, const UnwindRow& row, const RuleSpill& spill, const ReadelfRow& theirs,
                    ComparedFrames& compared) {
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
                has_slot = frames.target().dwarf_number(slot) && frames.name(slot) == name;
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

// loaded_files() returns the paths of this program and of the libraries that every program uses.
std::vector<std::string> loaded_files() {
    std::vector<std::string> files = {PERFDATA_PROGRAM};
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
            const std::string_view name = info->dlpi_name;
            for (const auto* wanted : {"/libc.so", "/ld-", "/libstdc++", "/libc++", "/libgcc_s", "/libm.so"}) {
                if (name.find(wanted) == std::string_view::npos) continue;
                static_cast<std::vector<std::string>*>(list)->emplace_back(name);
            }
            return 0;
        },
        &files);
    return files;
}

// compare_file(path) compares all rows, each asked for by addresses at its begin and end.
ComparedFrames compare_file(const std::string& path) {
    ComparedFrames compared;
    const test::TempDir directory;
    FileFrames frames(path);
    const CfiSection* section = nullptr;
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
                REQUIRE(section != nullptr);
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
    if (section != nullptr) {
        INFO(path);
        if (section->damage()) INFO(section->damage()->message());
        CHECK_FALSE(section->damage());
    }
    if (std::getenv("PERFDATA_FRAMES") != nullptr) {
        std::printf(
            "%s: %zu functions, %zu rows, %zu cells, %zu differ, %zu spilled, %zu without slot, at most %zu rules, "
            "%zu rows; %zu warnings, %s\n",
            path.c_str(), compared.functions, compared.rows, compared.cells, compared.differing, compared.spilled,
            compared.unslotted, compared.most_rules, compared.most_rows, warnings,
            section != nullptr && section->has_table() ? "table" : "no table");
    }
    return compared;
}

}  // namespace

TEST_CASE("rows of call frame information are those of readelf", "[oracle][frames]") {
    // Also files that PERFDATA_FRAMES names, with spaces between; then sums of each are printed.
    auto files = loaded_files();
    files.emplace_back("/usr/bin/perf");
    if (const char* given = std::getenv("PERFDATA_FRAMES"); given != nullptr) {
        std::istringstream in(given);
        for (std::string file; in >> file;) files.push_back(file);
    }
    for (const auto& file : files) {
        const auto compared = compare_file(file);
        CHECK(compared.differing == 0);
        CHECK(compared.rows != 0);
    }
}

TEST_CASE("rows of .debug_frame are those of readelf", "[oracle][frames]") {
    const test::TempDir directory;
    const auto program = directory.path().string() + "/program";
    for (const std::string_view options : {"-gdwarf-2", "-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gdwarf64"}) {
        INFO(options);
        const auto command = PERFDATA_CXX " -O2 -fno-asynchronous-unwind-tables -fno-exceptions " +
                             std::string(options) + " -o '" + program +
                             "' '" PERFDATA_ORACLE_SOURCES "/calls/main.cpp'";
        REQUIRE(std::system(command.c_str()) == 0);
        REQUIRE(ElfFile::open(open_source(program, {}).value()).value().section(".debug_frame") != nullptr);
        const auto compared = compare_file(program);
        CHECK(compared.differing == 0);
        CHECK(compared.rows > 5);
    }
}

TEST_CASE("rows of other architectures are those of readelf", "[oracle][frames]") {
    // Debian's packages libc6-ARCH-cross have small programs of each.
    constexpr std::string_view files[] = {"aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
                                          "i686-linux-gnu/lib/ld-linux.so.2",
                                          "powerpc-linux-gnu/lib/ld.so.1",
                                          "powerpc64le-linux-gnu/lib/ld64.so.2",
                                          "riscv64-linux-gnu/lib/ld-linux-riscv64-lp64d.so.1",
                                          "s390x-linux-gnu/lib/ld64.so.1"};
    for (const auto name : files) {
        const auto file = "/usr/" + std::string(name);
        if (!std::filesystem::exists(file)) {
            WARN("not compared, for there is no " << file);
            continue;
        }
        CHECK(compare_file(file).differing == 0);
    }
}

}  // namespace oracle
