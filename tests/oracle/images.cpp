// SPDX-License-Identifier: MIT
// Compares code images, names, lines and hits with the kernel's description on the recorded machine (fixtures/expect,
// see fixtures/MANIFEST.md).
#include <algorithm>
#include <iostream>
#include <map>
#include <tuple>

#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "catch.hpp"
#include "fixtures.hpp"

namespace oracle {
namespace {

using perfdata::BpfLoad;
using perfdata::Code;
using perfdata::CodeIndex;

constexpr std::string_view functions_suffix = ".functions.tsv";

// Expected is a line of NAME.functions.tsv.
struct Expected {
    std::uint32_t program_id = 0;
    std::string program;
    std::uint32_t function = 0;
    std::uint64_t address = 0, length = 0;
    std::string tag;
    std::string name;                   // empty: the program has no BTF
    std::string symbol;                 // in kallsyms; empty if not noted
    std::uint64_t from = 0, until = 0;  // event clock: certainly loaded in between; 0 if not noted
};

std::vector<Expected> expected_functions(const std::string& recording) {
    std::vector<Expected> functions;
    for (const auto& row : read_table(expectation(recording + std::string(functions_suffix)))) {
        REQUIRE(row.size() >= 8);
        Expected function;
        function.program_id = static_cast<std::uint32_t>(std::stoul(row[0]));
        function.program = row[1];
        function.function = static_cast<std::uint32_t>(std::stoul(row[2]));
        function.address = std::stoull(row[3], nullptr, 16);
        function.length = std::stoull(row[4]);
        function.tag = row[5];
        if (row[6] != "-") function.name = row[6];
        if (row.size() == 8) {
            function.symbol = row[7];
        } else {
            function.from = std::stoull(row[7]);
            function.until = std::stoull(row[8]);
        }
        functions.push_back(function);
    }
    REQUIRE(!functions.empty());
    return functions;
}

// recordings_with(suffix) returns the NAMEs of fixtures/expect/NAME<suffix>.
std::vector<std::string> recordings_with(std::string_view suffix) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(expectation(""))) {
        const auto name = entry.path().filename().string();
        if (name.ends_with(suffix)) names.push_back(name.substr(0, name.size() - suffix.size()));
    }
    std::ranges::sort(names);
    REQUIRE(!names.empty());
    return names;
}

Opened open_fixture(const std::string& name) {
    return Opened(std::filesystem::path(PERFDATA_FIXTURES "/bpf") / (name + ".data"));
}

// find(timeline, id, function) returns the function of the only program with that id.
CodeIndex find(const perfdata::Timeline& timeline, std::uint32_t id, std::uint32_t function) {
    const auto load = std::ranges::find(timeline.loads(), perfdata::ProgramId{id}, &BpfLoad::id);
    REQUIRE(load != timeline.loads().end());
    const auto code = std::ranges::find(load->functions, function,
                                        [&](CodeIndex index) { return timeline.code()[index].subprogram; });
    REQUIRE(code != load->functions.end());
    return *code;
}

std::string text(perfdata::Bytes bytes) {
    return std::string(perfdata::as_text(bytes));
}

TEST_CASE("every image lies at the running sum of the function lengths", "[oracle][images]") {
    std::size_t images = 0;
    for (const auto& path : fixtures()) {
        const Opened opened(path);
        const perfdata::BpfPrograms symbols(opened.timeline);
        for (const auto& load : opened.timeline.loads()) {
            if (load.info == nullptr) continue;
            INFO(path.stem().string() << ", program " << load.id.value);
            std::uint64_t sum = 0;
            const auto lengths = load.info->jited_func_lens();
            const auto addresses = load.info->jited_ksyms();
            REQUIRE(lengths.size() == addresses.size());
            for (std::uint32_t function = 0; function < lengths.size(); ++function) {
                const auto index = find(opened.timeline, load.id.value, function);
                const auto image = symbols.image(index);
                REQUIRE(image);
                CHECK(static_cast<std::uint64_t>(image->data() - load.info->jited_insns().data()) == sum);
                CHECK(image->size() == lengths[function]);
                CHECK(opened.timeline.code()[index].range.begin.value == addresses[function]);
                CHECK(opened.timeline.code()[index].range.size == lengths[function]);
                sum += lengths[function];
                ++images;
            }
            CHECK(sum == load.info->jited_insns().size());
        }
    }
    std::cout << images << " images compared" << '\n';
    CHECK(images > 50);
}

TEST_CASE("functions are those that the kernel told of", "[oracle][images]") {
    for (const auto& recording : recordings_with(functions_suffix)) {
        DYNAMIC_SECTION(recording) {
            const auto opened = open_fixture(recording);
            const perfdata::BpfPrograms symbols(opened.timeline);
            for (const auto& expected : expected_functions(recording)) {
                INFO("program " << expected.program_id << ", function " << expected.function);
                const auto index = find(opened.timeline, expected.program_id, expected.function);
                const auto& code = opened.timeline.code()[index];
                const auto& load = opened.timeline.loads()[code.load.value()];
                CHECK(code.range.begin.value == expected.address);
                CHECK(code.range.size == expected.length);
                REQUIRE(load.info != nullptr);
                CHECK(perfdata::hex(load.info->function_tag(expected.function)) == expected.tag);
                if (!expected.name.empty()) {
                    CHECK(symbols.name(index).name == expected.name);
                    CHECK(symbols.name(index).prototype.find(expected.name + "(") != std::string::npos);
                    CHECK(symbols.name(index).program == expected.program);
                }
                if (!expected.name.empty() && !expected.symbol.empty()) {
                    // perf synthesizes the main function's symbol with a different tag than kallsyms; see
                    // fixtures/MANIFEST.md.
                    const auto symbol = perfdata::parse_bpf_symbol(code.symbol);
                    const auto kallsyms = perfdata::parse_bpf_symbol(expected.symbol);
                    REQUIRE((symbol && kallsyms));
                    CHECK(symbol->name == kallsyms->name);
                    if (expected.function != 0) CHECK(symbol->tag == kallsyms->tag);
                }
                if (expected.until != 0) {
                    CHECK(code.from.nanoseconds <= expected.from);
                    CHECK(code.until.nanoseconds >= expected.until);
                }
            }
        }
    }
}

TEST_CASE("images are the bytes that the kernel gave", "[oracle][images]") {
    std::size_t compared = 0;
    for (const auto& recording : recordings_with(functions_suffix)) {
        const auto opened = open_fixture(recording);
        const perfdata::BpfPrograms symbols(opened.timeline);
        std::map<std::uint32_t, std::uint64_t> begin;  // of the next function, by program
        for (const auto& expected : expected_functions(recording)) {
            const auto path = expectation(recording + "." + expected.program + ".image");
            if (!std::filesystem::exists(path)) continue;
            INFO(path.filename().string() << ", function " << expected.function);
            const auto dump = read_file(path);
            auto& at = begin[expected.program_id];
            REQUIRE(at + expected.length <= dump.size());
            const auto image = symbols.image(find(opened.timeline, expected.program_id, expected.function));
            REQUIRE(image);
            CHECK((text(*image) == dump.substr(at, expected.length)));
            at += expected.length;
            ++compared;
        }
    }
    std::cout << compared << " functions compared" << '\n';
    CHECK(compared > 20);
}

TEST_CASE("lines are those that the kernel told of", "[oracle][images]") {
    using Row = std::tuple<std::uint64_t, std::uint32_t, std::string, std::uint32_t, std::uint32_t, std::string>;
    for (const auto& recording : recordings_with(".lines.tsv")) {
        DYNAMIC_SECTION(recording) {
            const auto opened = open_fixture(recording);
            const perfdata::BpfPrograms symbols(opened.timeline);
            std::map<std::uint32_t, std::vector<Row>> expected, ours;  // by program
            for (const auto& row : read_table(expectation(recording + ".lines.tsv"))) {
                REQUIRE(row.size() == 7);
                const auto number = [&](std::size_t field) {
                    return static_cast<std::uint32_t>(std::stoul(row[field]));
                };
                expected[number(0)].emplace_back(std::stoull(row[1], nullptr, 16), number(2), row[3], number(4),
                                                 number(5), row[6]);
            }
            std::size_t compared = 0;
            for (auto& [program, rows] : expected) {
                INFO("program " << program);
                const auto load =
                    std::ranges::find(opened.timeline.loads(), perfdata::ProgramId{program}, &BpfLoad::id);
                REQUIRE(load != opened.timeline.loads().end());
                for (const auto index : load->functions) {
                    const auto lines = symbols.lines(index);
                    REQUIRE(lines);
                    for (const auto& start : *lines) {
                        const auto& source = start.source;
                        const auto address = opened.timeline.code()[index].range.begin + start.offset;
                        // Texts in the table lack surrounding white space.
                        auto line = source.text;
                        while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
                        ours[program].emplace_back(address.value, start.instruction, std::string(source.file),
                                                   source.line, source.column, std::string(line));
                    }
                }
                std::ranges::sort(ours[program]);
                std::ranges::sort(rows);
                REQUIRE(ours[program].size() == rows.size());
                for (std::size_t index = 0; index < rows.size(); ++index) {
                    CHECK((ours[program][index] == rows[index]));
                }
                compared += rows.size();
            }
            std::cout << recording << ": " << compared << " lines compared" << '\n';
        }
    }
}

TEST_CASE("hits are those of an independent count", "[oracle][images]") {
    for (const auto& recording : recordings_with(".hits.tsv")) {
        DYNAMIC_SECTION(recording) {
            const auto opened = open_fixture(recording);
            const auto profile = perfdata::Profile::count(opened.recording, opened.timeline);
            REQUIRE(profile);
            const perfdata::BpfPrograms symbols(opened.timeline);
            std::uint64_t expected_hits = 0;
            for (const auto& row : read_table(expectation(recording + ".hits.tsv"))) {
                REQUIRE(row.size() >= 5);
                INFO("program " << row[0] << ", function " << row[2]);
                const auto index = find(opened.timeline, static_cast<std::uint32_t>(std::stoul(row[0])),
                                        static_cast<std::uint32_t>(std::stoul(row[2])));
                const auto function =
                    std::ranges::find(profile->functions(), index,
                                      [](const perfdata::FunctionHits& hits) { return hits.version.function.index; });
                std::vector<std::uint64_t> expected, ours;
                for (std::size_t field = 4; field < row.size(); ++field) expected.push_back(std::stoull(row[field]));
                for (std::size_t event = 0; event < profile->totals().size(); ++event) {
                    if (profile->totals()[event].hits == 0) continue;  // an event without samples
                    ours.push_back(function == profile->functions().end() ? 0 : function->total[event].hits);
                }
                CHECK(ours == expected);
                for (const auto count : expected) expected_hits += count;
            }
            std::uint64_t our_hits = 0;
            for (const auto& function : profile->functions()) our_hits += perfdata::hits(function.total);
            CHECK(our_hits == expected_hits);
            std::cout << recording << ": " << expected_hits << " hits compared" << '\n';
        }
    }
}

}  // namespace
}  // namespace oracle
