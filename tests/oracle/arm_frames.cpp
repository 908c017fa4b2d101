// SPDX-License-Identifier: MIT
// Compares rows made of Arm's unwind tables with what readelf -u says that their operations do.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "perfdata/symbols/elf/elf_file.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "symbols/unwind/arm_exidx.hpp"

namespace oracle {
namespace {

using namespace perfdata;

// ArmFunction is an entry, with its frame as readelf's words describe it.
struct ArmFunction {
    std::uint64_t begin = 0;
    bool refused = false;
    int base = 13;
    std::int64_t size = 0;              // CFA - base
    std::map<int, std::int64_t> saved;  // registers: offset from the base
    bool own_routine = false;           // readelf does not show its operations
    bool unknown = false;               // an operation that this test does not know
};

// run(words, function) undoes one operation: "vsp = vsp + 12", "vsp = r7", "pop {r4, r14}", "pop {D8}", "finish".
void run(const std::string& words, ArmFunction& function) {
    if (words == "finish") return;
    if (words.starts_with("vsp = vsp + ")) {
        function.size += std::stol(words.substr(12));
    } else if (words.starts_with("vsp = vsp - ")) {
        function.size -= std::stol(words.substr(12));
    } else if (words.starts_with("vsp = r")) {
        function.base = std::stoi(words.substr(7));
        function.size = 0;
    } else if (words.starts_with("pop {")) {
        std::istringstream list(words.substr(5, words.find('}') - 5));
        for (std::string name; std::getline(list, name, ',');) {
            const auto begin = name.find_first_not_of(' ');
            const bool wide = name[begin] == 'D';
            if (!wide) function.saved[std::stoi(name.substr(begin + 1))] = function.size;
            function.size += wide ? 8 : 4;
        }
    } else {
        function.unknown = true;
    }
}

std::vector<ArmFunction> arm_functions(const std::string& file, const std::string& directory) {
    const auto listing = directory + "/unwind";
    REQUIRE(std::system(("LC_ALL=C readelf -u '" + file + "' >'" + listing + "' 2>&1").c_str()) == 0);
    std::ifstream in(listing);
    std::vector<ArmFunction> functions;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("0x")) {
            functions.emplace_back();
            functions.back().begin = std::stoull(line, nullptr, 16);
            functions.back().refused = line.find("[cantunwind]") != std::string::npos;
        } else if (line.starts_with("  Personality routine")) {
            REQUIRE_FALSE(functions.empty());
            functions.back().own_routine = true;
        } else if (line.starts_with("  0x") && !functions.empty()) {
            // Bytes, and behind them words.
            auto at = line.find("0x");
            while (line.compare(at, 2, "0x") == 0) at = line.find_first_not_of(' ', line.find(' ', at));
            run(line.substr(at), functions.back());
        }
    }
    return functions;
}

}  // namespace

TEST_CASE("rows of Arm's unwind tables are those of readelf", "[oracle][frames]") {
    const test::TempDir directory;
    for (const std::string name : {"libc.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-armhf.so.3"}) {
        const auto path = "/usr/arm-linux-gnueabihf/lib/" + name;  // Debian's package libc6-armhf-cross
        if (!std::filesystem::exists(path)) {
            WARN("not compared, for there is no " << path);
            continue;
        }
        INFO(path);
        const auto elf = ElfFile::open(open_source(path, {}).value()).value();
        const auto *index = elf.section(".ARM.exidx"), *table = elf.section(".ARM.extab");
        REQUIRE(index != nullptr);
        REQUIRE(table != nullptr);
        const auto index_bytes = elf.content(*index).value(), table_bytes = elf.content(*table).value();
        ArmTables tables;
        tables.order = elf.order();
        tables.index = as_bytes(index_bytes);
        tables.index_address = index->address;
        tables.table = as_bytes(table_bytes);
        tables.table_address = table->address;
        const auto exidx = ArmExidx::open(tables).value();
        RuleSpill spill;
        const auto functions = arm_functions(path, directory.path().string());
        REQUIRE(functions.size() == exidx.size());
        REQUIRE(functions.size() > 5);
        for (std::size_t at = 0; at < functions.size(); ++at) {
            const auto& theirs = functions[at];
            INFO("function at " << std::hex << theirs.begin);
            const auto end = at + 1 < functions.size() ? functions[at + 1].begin : theirs.begin + 1;
            if (end == theirs.begin) continue;
            for (const auto place : {theirs.begin, end - 1}) {
                const auto found = exidx.row_at(place, spill);
                if (!found) FAIL(found.error().message());
                REQUIRE(*found);
                const auto& row = **found;
                CHECK(row.begin == theirs.begin);
                CHECK(row.has(UnwindRow::refused) == theirs.refused);
                if (theirs.refused) continue;
                REQUIRE_FALSE(theirs.unknown);
                std::map<int, std::int64_t> saved;
                row.for_each_rule(spill, [&](const UnwindRule& rule) {
                    CHECK(rule.kind == RuleKind::at_offset);
                    saved[rule.slot] = rule.value + std::int64_t{row.cfa_value};
                    return true;
                });
                if (theirs.own_routine) {
                    // They call others, and are aligned as the ABI wants it.
                    CHECK(saved.contains(14));
                    CHECK(row.cfa_value % (row.cfa_slot == 13 ? 8 : 4) == 0);
                    continue;
                }
                CHECK(int{row.cfa_slot} == theirs.base);
                CHECK(row.cfa_value == theirs.size);
                CHECK(saved == theirs.saved);
                CHECK(int{row.return_slot} == (theirs.saved.contains(15) ? 15 : 14));
            }
        }
    }
}

}  // namespace oracle
