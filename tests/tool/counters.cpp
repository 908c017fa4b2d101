// SPDX-License-Identifier: MIT
// Recordings of perf stat in the tool: how `dump` and `stat` name what the records number.
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "support/json.hpp"
#include "tool/run.hpp"
#include "unit/annotate/counted.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string counted_file(const Place& place, Counted& counted) {
    return place.write("counted.data", std::string(as_text(counted.bytes())));
}

std::string counted_output(const Place& place, const std::vector<std::string>& arguments) {
    const auto ended = place.run(arguments);
    INFO(in_words(arguments) << "\n" << ended.messages);
    REQUIRE(ended.status == 0);
    return ended.output;
}

}  // namespace

TEST_CASE("dump names the terms of STAT_CONFIG and the events of values, and shows any as -1", "[counters]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).event(attr_type::software, 3, "cs", {2});
    counted.own_cpus(2, {0, 0xffff}).threads({{~std::uint64_t{0}, "all"}}).cpus({0xffff, 3}).config(aggr::global, 250);
    counted.add(RecordType::stat_config, Writer(std::endian::little).u64(1).u64(77).u64(5));
    counted.value(2, Counted::any, Counted::any, 65535, 4294967295, 4294967295).round(9, true);
    const Place place;
    const auto file = counted_file(place, counted);
    const auto text = counted_output(place, {"dump", file});
    INFO(text);
    const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    CHECK(
        has("data { tag 0 tag_text aggr_mode val 1 | tag 1 tag_text interval val 250 | tag 2 tag_text scale val 1 }"));
    CHECK(has("data { tag 77 val 5 }"));
    CHECK(has("CPU_MAP data { type 0 nr 2 cpu [-1 3] }"));
    CHECK(has("cpus { type 0 nr 2 cpu [0 -1] }"));
    CHECK(has("entries { pid -1 comm all }"));
    CHECK(has(" event cs id 2 cpu -1 thread -1 val 65535 ena 4294967295 run 4294967295"));

    std::size_t maps = 0, configs = 0;
    const auto lines = counted_output(place, {"dump", "--json", file});
    for (std::size_t begin = 0; begin < lines.size();) {
        const auto end = lines.find('\n', begin);
        const auto record = Json::parse(lines.substr(begin, end - begin));
        begin = end + 1;
        const auto type = record["type"].text();
        if (type == "CPU_MAP") {
            ++maps;
            const auto& cpus = record["data"].items().at(0)["cpu"].items();
            REQUIRE(cpus.size() == 2);
            CHECK(cpus[0].number() == -1);
            CHECK(cpus[1].number() == 3);
        } else if (type == "STAT_CONFIG" && configs++ == 0) {
            const auto& terms = record["data"].items();
            REQUIRE(terms.size() == 3);
            CHECK(terms[1]["tag_text"].text() == "interval");
            CHECK(terms[1]["val"].count() == 250);
        } else if (type == "STAT_CONFIG") {
            CHECK_FALSE(record["data"].items().at(0).has("tag_text"));
        } else if (type == "THREAD_MAP") {
            CHECK(record["entries"].items().at(0)["pid"].number() == -1);
        } else if (type == "STAT") {
            CHECK(record["event"].text() == "cs");
            CHECK(record["cpu"].number() == -1);
            CHECK(record["thread"].number() == -1);
            CHECK(record["val"].count() == 65535);
        }
    }
    CHECK(maps == 1);
    CHECK(configs == 2);
}

TEST_CASE("stat says in which programs was counted, even if the recording ended before its first round", "[counters]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).command({"perf", "stat", "record", "-b", "42"});
    counted.of_process().value(1, 9);
    const Place place;
    const auto ended = place.run({"stat", counted_file(place, counted)});
    INFO(ended.messages);
    CHECK(ended.output.empty());
    CHECK(ended.messages.find("counted in BPF program 42") != std::string::npos);
    counted = Counted();
    counted.event(attr_type::software, 2, "page-faults", {1}).command({"perf", "stat", "record", "-b", "42"});
    counted.of_process().value(1, 9).round(1, true);
    const auto whole = place.run({"stat", counted_file(place, counted)});
    CHECK(whole.output.find("counted in BPF program 42") != std::string::npos);
    CHECK(whole.messages.find("counted in BPF program") == std::string::npos);
}

TEST_CASE("dump shows a virtual CPU that is not known as -1", "[counters]") {
    constexpr std::uint64_t none = ~std::uint64_t{0};
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1});
    Writer index(std::endian::little);
    index.u64(1).u64(1).u64(0).u64(none).u64(none).u64(none).u64(none);
    counted.add(RecordType::id_index, index);
    const Place place;
    const auto file = counted_file(place, counted);
    const auto text = counted_output(place, {"dump", file});
    INFO(text);
    CHECK(text.find("vcpu -1") != std::string::npos);
    const auto lines = counted_output(place, {"dump", "--json", file});
    CHECK(lines.find("\"vcpu\":-1") != std::string::npos);
}

TEST_CASE("stat says what --per-cache takes where it was given something else", "[counters]") {
    const Place place;
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).of_process().value(1, 9).round(1, true);
    const auto file = counted_file(place, counted);
    for (const auto& words : std::vector<std::vector<std::string>>{{"stat", "--per-cache=", file},
                                                                   {"stat", "--per-cache", "L2", file},
                                                                   {"stat", file, "--per-cache", "l3"}}) {
        const auto ended = place.run(words);
        INFO(in_words(words) << "\n" << ended.messages);
        CHECK(ended.status == 2);
        CHECK(ended.messages.find("--per-cache=") != std::string::npos);
        CHECK(ended.messages.find("true") == std::string::npos);
    }
}

TEST_CASE("help of stat shows that --per-cache may have a level", "[counters]") {
    const auto text = counted_output(Place(), {"help", "stat"});
    INFO(text);
    CHECK(text.find("--per-cache[=L1..L4]") != std::string::npos);
    CHECK(text.find("--per-node ") != std::string::npos);
}

TEST_CASE("info counts one of a kind in the singular", "[counters][info]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).topology({{0, 0}}).nodes({{0, "0"}});
    counted.of_process().value(1, 9).round(1, true);
    const Place place;
    const auto text = counted_output(place, {"info", counted_file(place, counted)});
    INFO(text);
    CHECK(text.find("  NUMA_TOPOLOGY     1 node\n") != std::string::npos);
    CHECK(text.find(" 1 cpu") != std::string::npos);
    CHECK(text.find(" 1 cpus") == std::string::npos);
    CHECK(text.find("  EVENT_DESC        1 event\n") != std::string::npos);
}
