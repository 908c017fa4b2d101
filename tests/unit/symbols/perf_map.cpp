// SPDX-License-Identifier: MIT
#include "perfdata/symbols/jit/perf_map.hpp"

#include <cstdio>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

PerfMap parsed_map(std::string text) {
    auto map = PerfMap::parse(std::move(text));
    REQUIRE(map);
    return std::move(*map);
}

std::string at(const PerfMap& map, std::uint64_t address) {
    const auto found = map.find({address});
    return found ? std::string(found->name) + "+" + std::to_string(found->offset) : "-";
}

}  // namespace

TEST_CASE("A perf map names addresses, with offsets", "[symbols][perfmap]") {
    const auto map = parsed_map("1000 10 one\n0x2000 0X20 two words, (more)\nFFFF0000 8 Upper\n");
    CHECK(map.size() == 3);
    CHECK(map.skipped() == 0);
    CHECK(at(map, 0xfff) == "-");
    CHECK(at(map, 0x1000) == "one+0");
    CHECK(at(map, 0x100f) == "one+15");
    CHECK(at(map, 0x1010) == "-");
    CHECK(at(map, 0x2001) == "two words, (more)+1");
    CHECK(at(map, 0xffff0007) == "Upper+7");
    CHECK(map.find({0x2001})->range == AddressRange{{0x2000}, 0x20});
}

TEST_CASE("The last line of a perf map needs no end, and lines may end as elsewhere", "[symbols][perfmap]") {
    const auto map = parsed_map("1000 10 one\r\n2000 10 two");
    CHECK(at(map, 0x1000) == "one+0");
    CHECK(at(map, 0x2000) == "two+0");
}

TEST_CASE("Of lines for one address the last one counts, where it reaches", "[symbols][perfmap]") {
    const auto map = parsed_map(
        "1000 100 outer\n"
        "1040 10 inner\n"
        "1048 100 later\n"
        "1048 4 last\n"
        "1000 10 first_replaced\n");
    CHECK(at(map, 0x1000) == "first_replaced+0");
    CHECK(at(map, 0x1010) == "outer+16");
    CHECK(at(map, 0x1047) == "inner+7");
    CHECK(at(map, 0x1048) == "last+0");
    CHECK(at(map, 0x104c) == "later+4");
    CHECK(at(map, 0x1147) == "later+255");
    CHECK(at(map, 0x1148) == "-");
}

TEST_CASE("Lines that are none are skipped and counted", "[symbols][perfmap]") {
    using namespace std::string_literals;
    const auto map = parsed_map(
        "\nname only\n1000\n1000 \n1000 10\n1000 10 \n1000 zz name\n1000 0 empty\n-1000 10 minus\n"
        "10000000000000000 10 too_many_digits\n1000 10 one\n"s +
        "\0\0\0\0\n"s + "2000 10 two\0junk\n3000 10 \0nothing\n"s);
    CHECK(map.size() == 2);
    CHECK(map.skipped() == 12);
    CHECK(at(map, 0x1000) == "one+0");
    CHECK(at(map, 0x2000) == "two+0");
    CHECK(at(map, 0x3000) == "-");
}

TEST_CASE("Huge numbers and long names are taken as they are", "[symbols][perfmap]") {
    const std::string name(1 << 20, 'n');
    const auto map = parsed_map("fffffffffffffff0 ffffffffffffffff end\n0 ffffffffffffffff all\n5000 1 " + name + "\n");
    CHECK(at(map, ~std::uint64_t{0}) == "end+15");
    CHECK(at(map, 0xfffffffffffffff0) == "all+" + std::to_string(0xfffffffffffffff0));
    CHECK(map.find({0x5000})->name == name);
    CHECK(at(map, 0) == "all+0");
}

TEST_CASE("Any overlap gives what a search from the last line on gives", "[symbols][perfmap]") {
    Random random(GENERATE(1u, 2u, 3u, 4u, 5u));
    struct Line {
        std::uint64_t start, size;
    };
    std::vector<Line> lines;
    std::string text;
    for (int number = 0; number < 200; ++number) {
        const Line line{random.below(1000), 1 + random.below(60)};
        lines.push_back(line);
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, "%llx %llx f%d\n", static_cast<unsigned long long>(line.start),
                      static_cast<unsigned long long>(line.size), number);
        text += buffer;
    }
    const auto map = parsed_map(text);
    for (std::uint64_t address = 0; address < 1100; ++address) {
        std::string expected = "-";
        for (std::size_t number = 0; number < lines.size(); ++number) {
            const auto& line = lines[number];
            if (address < line.start || address - line.start >= line.size) continue;
            expected = "f" + std::to_string(number) + "+" + std::to_string(address - line.start);
        }
        CHECK(at(map, address) == expected);
    }
}

TEST_CASE("What is no perf map is refused; an empty one is a map", "[symbols][perfmap]") {
    CHECK(parsed_map("").size() == 0);
    CHECK_FALSE(parsed_map("").find({0}));
    const auto refused = PerfMap::parse("some text\nand more\n", "somewhere");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::malformed);
    CHECK(refused.error().where == "somewhere");
}

TEST_CASE("A perf map file is read within the limit, packed or not", "[symbols][perfmap]") {
    const TempDir directory;
    const auto text = blob_of("1000 10 one\n");
    CHECK(PerfMap::open(directory.write("plain", text))->size() == 1);
    CHECK(PerfMap::open(directory.write("packed", compressed(Compression::gzip, text)))->size() == 1);
    Limits limits;
    limits.perf_map_bytes = 11;
    CHECK(PerfMap::open(directory.write("plain", text), limits).error().code == ErrorCode::limit);
    CHECK(PerfMap::open((directory.path() / "none").string()).error().code == ErrorCode::io);
}

TEST_CASE("A perf map is looked for by the process id", "[symbols][perfmap]") {
    CHECK(perf_map_path(42) == "/tmp/perf-42.map");
    const TempDir directory;
    const auto path = directory.write("perf-42.map", blob_of("1 1 f\n"));
    const auto beside = find_perf_map(42, {{}, "", {directory.path().string()}, false});
    CHECK(beside.path == path);
    CHECK(beside.from == JitDumpFile::From::beside);
    const auto given = find_perf_map(42, {{}, "", {}, false, {}, {path}});
    CHECK(given.from == JitDumpFile::From::given);
    const auto none = find_perf_map(43, {{}, "/nowhere", {directory.path().string()}, false, {}, {path}});
    CHECK(none.path.empty());
    CHECK(none.looked_at.size() == 2);
    CHECK(none.looked_at[0] == "/nowhere/tmp/perf-43.map");
}
