// SPDX-License-Identifier: MIT
// Compares real programs with the kernel's description while they were loaded.
#include <map>

#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "catch.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const auto described_files = {"bpf_many", "bpf_nobtf", "bpf_twins", "bpf_events", "bpf_turns"};

struct Row {
    std::uint64_t id, index, address, length;
    std::string program, tag, name;
};

std::vector<Row> functions_of(const std::string& file) {
    std::vector<Row> rows;
    for (const auto& row : table("expect/" + file + ".functions.tsv")) {
        rows.push_back({number(row[0]), number(row[2]), number(row[3], 16), number(row[4]), row[1], row[5], row[6]});
    }
    return rows;
}

std::string_view without_indent(std::string_view text) {
    const auto start = text.find_first_not_of(" \t");
    return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

}  // namespace

TEST_CASE("Functions of real programs have the kernel's address, length, tag and name", "[symbols][fixtures]") {
    for (const std::string file : described_files) {
        const FixtureTimeline real(file);
        const BpfPrograms symbols(real.timeline);
        for (const auto& row : functions_of(file)) {
            INFO(file << ": " << row.id << "/" << row.index);
            const auto index = real.code(row.id, row.index);
            const auto& code = real.timeline.code()[index];
            CHECK(code.range == AddressRange{{row.address}, row.length});
            const auto& load = real.timeline.loads()[*code.load];
            REQUIRE(load.info != nullptr);
            CHECK(hex(load.info->function_tag(row.index)) == row.tag);
            CHECK(load.info->name == row.program);
            const auto name = symbols.name(index);
            CHECK(name.program == row.program);
            if (row.name == "-") {
                CHECK(name.name == "F");  // perf's name for programs without BTF
            } else {
                CHECK(name.name == row.name);
            }
        }
    }
}

TEST_CASE("The code of every real function is that part of the kernel's image", "[symbols][fixtures]") {
    const std::vector<std::pair<std::string, std::string>> images = {{"bpf_many", "many_main"},
                                                                     {"bpf_events", "many_main"},
                                                                     {"bpf_nobtf", "nameless"},
                                                                     {"bpf_twins", "twin_left"},
                                                                     {"bpf_twins", "twin_right"}};
    for (const auto& [file, program] : images) {
        const FixtureTimeline real(file);
        const BpfPrograms symbols(real.timeline);
        const auto whole = content_of("expect/" + file + "." + program + ".image");
        std::size_t begin = 0;
        for (const auto& row : functions_of(file)) {
            if (row.program != program) continue;
            INFO(file << ": " << program << "/" << row.index);
            const auto image = symbols.image(real.code(row.id, row.index));
            REQUIRE(image);
            CHECK(as_text(*image) == std::string_view(whole).substr(begin, row.length));
            begin += row.length;
        }
        CHECK(begin == whole.size());
    }
}

TEST_CASE("The lines of every real function are the kernel's", "[symbols][fixtures]") {
    for (const std::string file : {"bpf_many", "bpf_events", "bpf_twins"}) {
        const FixtureTimeline real(file);
        const BpfPrograms symbols(real.timeline);
        const auto expected = table("expect/" + file + ".lines.tsv");
        std::size_t compared = 0;
        for (const auto& function : functions_of(file)) {
            INFO(file << ": " << function.id << "/" << function.index);
            const auto lines = symbols.lines(real.code(function.id, function.index));
            REQUIRE(lines);
            std::size_t next = 0;
            for (const auto& row : expected) {
                const auto address = number(row[1], 16);
                if (number(row[0]) != function.id || address - function.address >= function.length) continue;
                REQUIRE(next < lines->size());
                const auto& line = (*lines)[next++];
                INFO("line entry at " << row[1]);
                CHECK(line.offset == address - function.address);
                CHECK(line.instruction == number(row[2]));
                CHECK(line.source.file == row[3]);
                CHECK(line.source.line == number(row[4]));
                CHECK(line.source.column == number(row[5]));
                CHECK(without_indent(line.source.text) == row[6]);
                ++compared;
            }
            CHECK(next == lines->size());
        }
        CHECK(compared == expected.size());
    }
}

TEST_CASE("Prototypes of many.bpf.c are those of its source", "[symbols][fixtures]") {
    const FixtureTimeline real("bpf_many");
    const BpfPrograms symbols(real.timeline);
    const std::vector<std::string> prototypes = {"int many_main(struct bpf_raw_tracepoint_args *ctx)",
                                                 "static long step(__u32 i, void *ctx)",
                                                 "static __u32 log2_of(word_t v)",
                                                 "static word_t parity(word_t v)",
                                                 "int bump(__u32 key, word_t by)",
                                                 "static void stamp(struct cell *c, const char *label)",
                                                 "int weigh(const struct cell *c)",
                                                 "int choose(enum mode m, __u32 n)",
                                                 "static word_t mix(word_t v, enum mode m)"};
    for (std::size_t index = 0; index < prototypes.size(); ++index) {
        CHECK(symbols.name(real.code(5, index)).prototype == prototypes[index]);
    }
}

TEST_CASE("A real program without BTF has neither prototypes nor lines", "[symbols][fixtures]") {
    const FixtureTimeline real("bpf_nobtf");
    const BpfPrograms symbols(real.timeline);
    for (const std::uint64_t index : {0u, 1u, 2u, 3u}) {
        const auto code = real.code(10, index);
        CHECK(symbols.name(code).prototype.empty());
        CHECK(symbols.lines(code).value().empty());
        CHECK(symbols.image(code));
    }
}

TEST_CASE("Twins keep equal names and tags at different addresses", "[symbols][fixtures]") {
    const FixtureTimeline real("bpf_twins");
    const BpfPrograms symbols(real.timeline);
    const auto left = real.code(14, 1);
    const auto right = real.code(16, 2);
    CHECK(real.timeline.code()[left].symbol == real.timeline.code()[right].symbol);
    CHECK(symbols.name(left).name == "shared_mix");
    CHECK(symbols.name(right).name == "shared_mix");
    CHECK(symbols.name(left).program == "twin_left");
    CHECK(symbols.name(right).program == "twin_right");
    const auto target = symbols.target({0xffffffffc038b690}, {});
    REQUIRE(target);
    CHECK(target->name == "twin_right/shared_fold");
    CHECK(target->offset == 0);
}
