// SPDX-License-Identifier: MIT
// The BPF programs that perf stat -b counted in.
#include "stat/stat_programs.hpp"

#include <string>
#include <vector>

#include "support/features.hpp"
#include "support/program_info.hpp"
#include "unit/annotate/counted.hpp"
#include "unit/annotate/json_value.hpp"
#include "unit/symbols/btf_builder.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using ProgramIds = std::vector<std::uint32_t>;

ProgramIds ids_of_words(const std::vector<std::string>& words) {
    const auto ids = counted_program_ids(words);
    REQUIRE(ids);
    return *ids;
}

// Counts in the programs 42, of which nothing is recorded, 43 with a short name alone, and 44 with BTF.
Counted in_programs(std::uint64_t interval) {
    constexpr auto order = std::endian::little;
    BtfBuilder types(order);
    const auto function = types.function("a_name_that_is_longer_than_15", types.prototype(types.integer("int")));
    ProgramInfo known(order, 43), typed(order, 44);
    known.bytes(info_field::name, blob_of("short_name"));
    typed.bytes(info_field::name, blob_of("a_name_that_is_"));
    typed.u32(info_field::btf_id, 7);
    typed.array(BpfArray::func_info, 1, array_u32(order, {0, function}));
    Counted counted(order);
    counted.event(attr_type::software, 2, "page-faults", {1}).command({"perf", "stat", "record", "-b", "42,43,44"});
    counted.feature(Feature::bpf_prog_info, prog_info_feature(order, {known.encode(), typed.encode()}));
    counted.feature(Feature::bpf_btf, bpf_btf(order, {{7, types.blob()}}));
    counted.of_process(interval).value(1, 9).round(1'000'000, interval == 0);
    return counted;
}

}  // namespace

TEST_CASE("The programs that perf stat counted in are on its command line", "[annotate][stat][programs]") {
    CHECK(ids_of_words({"perf", "stat", "record", "-b", "42"}) == ProgramIds{42});
    CHECK(ids_of_words({"/usr/bin/perf", "stat", "-b42,43,42", "record"}) == ProgramIds{42, 43});
    CHECK(ids_of_words({"perf", "stat", "--bpf-prog", "1,4294967294", "record"}) == ProgramIds{1, 4294967294});
    CHECK(ids_of_words({"perf", "stat", "record", "-e", "-b", "--bpf-prog=5", "-o", "x"}) == ProgramIds{5});
    CHECK(ids_of_words({"perf", "stat", "record", "-vab", "6", "--event", "cycles", "-I", "5"}) == ProgramIds{6});
    // What is counted may have the same options, and no programs.
    CHECK(ids_of_words({"perf", "stat", "record", "-a", "prog", "-b", "42"}).empty());
    CHECK(ids_of_words({"perf", "stat", "record", "--", "-b", "42"}).empty());
    CHECK(ids_of_words({"perf", "stat", "record", "-o", "-b", "42"}).empty());
    CHECK(ids_of_words({"perf", "record", "-b"}).empty());
    CHECK(ids_of_words({"perf", "record", "--", "stat", "-b", "42", "."}).empty());
    CHECK(ids_of_words({"perf", "stat"}).empty());
    CHECK(ids_of_words({"stat"}).empty());
    CHECK(ids_of_words({}).empty());
    CHECK(ids_of_words({"perf", "stat", "record", "-a b"}).empty());  // no letter
}

TEST_CASE("Command lines name BPF programs in all ways that perf takes", "[annotate][stat][programs]") {
    CHECK(ids_of_words({"perf", "stat", "rec", "-b", "42"}) == ProgramIds{42});
    CHECK(ids_of_words({"perf", "stat", "-a", "recor", "-b", "42"}) == ProgramIds{42});
    CHECK(ids_of_words({"perf", "stat", "re", "-b", "42"}).empty());
    CHECK(ids_of_words({"perf", "stat", "record", "-b", "42", "record", "-b", "43"}) == ProgramIds{42});
    CHECK(ids_of_words({"perf", "stat", "record", "--bpf-attr-map", "/x", "-b", "42"}) == ProgramIds{42});
    CHECK(ids_of_words({"perf", "stat", "record", "--bpf-attr-map=/x", "-b", "42"}) == ProgramIds{42});
    CHECK(ids_of_words({"perf", "stat", "record", "--interval-p", "10", "--bpf-p", "42"}) == ProgramIds{42});
    CHECK(ids_of_words({"perf", "stat", "record", "--bpf-p=42", "--no-merge", "x"}) == ProgramIds{42});
    CHECK(ids_of_words({"perf", "stat", "record", "--bpf-counters", "-b", "42"}) == ProgramIds{42});
    const std::pair<const char*, ProgramIds> lists[] = {{"1,", {1}},   {",1", {1}},          {",,1,,2", {1, 2}},
                                                        {" 42", {42}}, {"42, 43", {42, 43}}, {"+42,042", {42}},
                                                        {"\t7", {7}},  {"4294967338", {42}}, {"-4294967254", {42}}};
    for (const auto& [list, ids] : lists) {
        INFO(list);
        CHECK(ids_of_words({"perf", "stat", "record", "-b", list}) == ids);
    }
}

TEST_CASE("BPF programs on the command line that are not understood are told", "[annotate][stat][programs]") {
    for (const auto* list : {"", "0", "4294967295", "99999999999999999999", "x", "1,x", "-1", "1 ,2", ",", "0x2a"}) {
        INFO(list);
        CHECK_FALSE(counted_program_ids(std::vector<std::string>{"perf", "stat", "record", "-b", list}));
    }
    CHECK_FALSE(counted_program_ids(std::vector<std::string>{"perf", "stat", "record", "-b"}));
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).command({"perf", "stat", "record", "-b", "x"});
    counted.of_process().value(1, 9).round(1, true);
    const auto reading = counted.read().reading;
    CHECK(reading.facts.programs.empty());
    REQUIRE(reading.completeness.diagnostics.count() == 1);
    CHECK(reading.completeness.diagnostics.kept().front().where == "feature CMDLINE");
}

TEST_CASE("BTF of a counted program that cannot be read is told", "[annotate][stat][programs]") {
    constexpr auto order = std::endian::little;
    ProgramInfo one(order, 42), other(order, 43);
    for (auto* info : {&one, &other}) {
        info->bytes(info_field::name, blob_of("short_name"));
        info->u32(info_field::btf_id, 7);
        info->array(BpfArray::func_info, 1, array_u32(order, {0, 1}));
    }
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).command({"perf", "stat", "record", "-b", "42,43"});
    counted.feature(Feature::bpf_prog_info, prog_info_feature(order, {one.encode(), other.encode()}));
    counted.feature(Feature::bpf_btf, bpf_btf(order, {{7, blob_of("no BTF at all, but long enough for its header")}}));
    counted.of_process().value(1, 9).round(1, true);
    const auto reading = counted.read().reading;
    REQUIRE(reading.facts.programs.size() == 2);
    CHECK(reading.facts.programs[1].named_by == StatNamedBy::kernel);
    REQUIRE(reading.completeness.diagnostics.count() == 1);
    CHECK(reading.completeness.diagnostics.kept().front().detail.find("BTF 7") != std::string::npos);
}

TEST_CASE("BPF programs of counters are named by BTF, else by the kernel, else by their id",
          "[annotate][stat][programs]") {
    auto counted = in_programs(0);
    const std::string line =
        "counted in BPF programs, all together: 42 (the command line's id; no name in the recording), "
        "43 short_name (the kernel's name), 44 a_name_that_is_longer_than_15 (named by BTF)";
    CHECK(counted.text().starts_with("\n Performance counter stats for 'perf stat record -b 42,43,44':\n\n " + line +
                                     "\n\n                 9      page-faults"));
    CHECK(counted.text({}, ",") == "9,,page-faults,1000,100.00,,\n");
    const auto facts = counted.read().reading.facts;
    CHECK(stat_programs_text(facts) == line);
    CHECK(counted.read().reading.completeness.lossless());
    const auto json = Json::parsed(counted.json());
    REQUIRE(json);
    const auto& programs = (*json)["bpf_programs"];
    REQUIRE(programs.size() == 3);
    CHECK(programs[0]["program_id"].number() == 42);
    CHECK(programs[0]["program_name"].is_null());
    CHECK(programs[0]["named_by"].text() == "nobody");
    CHECK(programs[1]["program_name"].text() == "short_name");
    CHECK(programs[1]["named_by"].text() == "kernel");
    CHECK(programs[2]["program_name"].text() == "a_name_that_is_longer_than_15");
    CHECK(programs[2]["named_by"].text() == "btf");
    CHECK_FALSE(json->has("bpf_programs_left_out"));
}

TEST_CASE("One BPF program of counters, and very many", "[annotate][stat][programs]") {
    Counted one;
    one.event(attr_type::software, 2, "page-faults", {1}).command({"perf", "stat", "record", "-b", "42"}).of_process();
    one.value(1, 9).round(1, true);
    CHECK(stat_programs_text(one.read().reading.facts) ==
          "counted in BPF program 42 (the command line's id; no name in the recording)");
    std::string list = "1";
    for (int id = 2; id <= 100; ++id) list += "," + std::to_string(id);
    Counted many;
    many.event(attr_type::software, 2, "page-faults", {1}).command({"perf", "stat", "record", "-b", list}).of_process();
    many.value(1, 9).round(1, true).value(1, 10).round(2, true);
    const auto facts = many.read().reading.facts;
    CHECK(facts.programs.size() == most_stat_programs);
    CHECK(facts.more_programs == 36);
    CHECK(stat_programs_text(facts).ends_with(" and 36 more"));
    // Titles of further rounds do not repeat it.
    const auto text = many.text();
    CHECK(text.find(" and 36 more") == text.rfind(" and 36 more"));
    const auto json = Json::parsed(many.json());
    REQUIRE(json);
    CHECK((*json)["bpf_programs_left_out"].number() == 36);
}

TEST_CASE("A recording of no BPF program says nothing of them", "[annotate][stat][programs]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).command({"perf", "stat", "record", "prog", "-b", "42"});
    counted.of_process().value(1, 9).round(1, true);
    CHECK(counted.text().find("BPF") == std::string::npos);
    CHECK(counted.json().find("bpf_programs") == std::string::npos);
}

TEST_CASE("Naming BPF programs of counters stops when it is asked to", "[annotate][stat][programs][stop]") {
    auto counted = in_programs(0);
    StatOptions options;
    options.stop = StopToken([] { return true; });
    const auto stopped = read_stat(counted.recording(), options, [](const StatFacts&, const StatTable&) {});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}
