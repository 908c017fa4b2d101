// SPDX-License-Identifier: MIT
// Counters as text, CSV and JSON. What perf prints of the same is compared in tests/oracle/counters.cpp.
#include <algorithm>

#include "report/without_samples.hpp"
#include "unit/annotate/counted.hpp"
#include "unit/annotate/json_value.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Cycles that shared their hardware, instructions, a branch miss in four, and a clock of half the time.
Counted a_process(std::uint64_t interval = 0) {
    Counted counted;
    counted.clock({1}).event(attr_type::hardware, 0, "cycles", {2}).event(attr_type::hardware, 1, "instructions", {3});
    counted.event(attr_type::hardware, 4, "branches", {4}).event(attr_type::hardware, 5, "branch-misses", {5});
    counted.event(attr_type::hardware, 7, "stalled-cycles-frontend", {6})
        .event(attr_type::hardware, 3, "cache-misses", {7});
    counted.command({"perf", "stat", "record", "true"}).of_process(interval);
    return counted;
}

Counted& with_values(Counted& counted) {
    counted.value(1, 500'000).value(2, Counted::any, 0, 600'000, 1000, 800).value(3, 1'500'000);
    return counted.value(4, 4000).value(5, 1000).value(6, 150'000);
}

}  // namespace

TEST_CASE("Text of counters has what perf stat derives of them", "[annotate][stat][text]") {
    auto counted = a_process();
    with_values(counted).round(1'000'000, true);
    CHECK(counted.text() == R"(
 Performance counter stats for 'perf stat record true':

              0.50 msec task-clock                       #    0.500 CPUs utilized          
            750000      cycles                           #    1.500 GHz                      (80.00%)
           1500000      instructions                     #    2.00  insn per cycle         
                                                  #    0.10  stalled cycles per insn
              4000      branches                         #    8.000 M/sec                  
              1000      branch-misses                    #   25.00% of all branches        
            150000      stalled-cycles-frontend          #   20.00% frontend cycles idle   
   <not supported>      cache-misses                                                

       0.001000000 seconds time elapsed

)");
}

TEST_CASE("The separator of CSV is any text, also an empty one", "[annotate][stat][text]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).of_process(0).value(1, 9).round(1'000'000, true);
    CHECK(counted.text({}, ",") == "9,,page-faults,1000,100.00,,\n");
    CHECK(counted.text({}, " and ") == "9 and  and page-faults and 1000 and 100.00 and  and \n");
    CHECK(counted.text({}, "") == "9page-faults1000100.00\n");
}

TEST_CASE("CSV of counters has perf's fields", "[annotate][stat][text]") {
    auto counted = a_process();
    with_values(counted).round(1'000'000, true);
    CHECK(counted.text({}, ";") == R"(0.50;msec;task-clock;1000;100.00;0.500;CPUs utilized
750000;;cycles;800;80.00;1.500;GHz
1500000;;instructions;1000;100.00;2.00;insn per cycle
;;;;0.10;stalled cycles per insn
4000;;branches;1000;100.00;8.000;M/sec
1000;;branch-misses;1000;100.00;25.00;of all branches
150000;;stalled-cycles-frontend;1000;100.00;20.00;frontend cycles idle
<not supported>;;cache-misses;0;100.00;;
)");
}

TEST_CASE("Rounds have a title every 25, and no end", "[annotate][stat][text]") {
    auto counted = a_process(10);
    for (std::uint64_t round = 1; round <= 26; ++round) {
        counted.value(4, Counted::any, 0, 10 * round, round, round).round(round * 1'000'000'000 + 5);
    }
    const auto text = counted.text();
    constexpr std::string_view title = "#           time             counts unit events\n";
    CHECK(text.starts_with(std::string(title) + "     1.000000005    <not supported> msec task-clock"));
    CHECK(text.find("\n     2.000000005                 10      branches") != std::string::npos);
    CHECK(text.rfind(title) > text.find("    25.000000005"));
    CHECK(text.rfind(title) < text.find("    26.000000005"));
    CHECK(text.find("elapsed") == std::string::npos);
    const auto csv = counted.text({}, ",");
    CHECK(csv.starts_with("     1.000000005,<not supported>,msec,task-clock,0,100.00,,\n"));
    CHECK(csv.find('#') == std::string::npos);
}

TEST_CASE("Each mode has its columns", "[annotate][stat][text]") {
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).topology({{3, 0}, {4, 1}}, {5, 6});
    counted.nodes({{7, "0-1"}}).of_cpus({0, 1}, aggr::none, 100);
    counted.value(1, 0, 0, 1, 1, 1).value(2, 1, 0, 2, 1, 1).round(1);
    const auto lines = [&](StatMode mode) { return counted.text(mode); };
    CHECK(lines(StatMode::none).find("     0.000000001 CPU0                        1      page-faults") !=
          std::string::npos);
    CHECK(lines(StatMode::socket).find("     0.000000001 S1        1                  2      page-faults") !=
          std::string::npos);
    CHECK(lines(StatMode::die).find("     0.000000001 S1-D6           1                  2      page-faults") !=
          std::string::npos);
    CHECK(lines(StatMode::core).find("     0.000000001 S1-D6-C4           1                  2      page-faults") !=
          std::string::npos);
    CHECK(lines(StatMode::node).find("     0.000000001 N7        2                  3      page-faults") !=
          std::string::npos);
    CHECK(counted.text(StatMode::core, ",") ==
          "     0.000000001,S0-D5-C3,1,1,,page-faults,1,100.00,,\n"
          "     0.000000001,S1-D6-C4,1,2,,page-faults,1,100.00,,\n");
    Counted threads;
    threads.event(attr_type::software, 2, "page-faults", {1}).threads({{42, "loader"}}).cpus({0xffff});
    threads.config(aggr::thread, 100).value(1, 9).round(1);
    CHECK(threads.text().find("     0.000000001           loader-42                        9      page-faults") !=
          std::string::npos);
    CHECK(threads.text({}, ",") == "     0.000000001,loader-42,9,,page-faults,1000,100.00,,\n");
}

TEST_CASE("JSON of counters has exact numbers", "[annotate][stat][json]") {
    constexpr std::uint64_t odd = (std::uint64_t{1} << 63) + 1;
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1, 2}).event(20, 1, "energy", {3, 4});
    counted.unit(3, "Joules").scale(3, 2.3283064365386962890625e-10).topology({{0, 0}, {1, 0}});
    counted.of_cpus({0, 1}, aggr::core, 250).value(1, 0, 0, odd, odd, odd).value(2, 1, 0, 5, 6, 0).round(1'500'000'000);
    const auto json = Json::parsed(counted.json());
    REQUIRE(json);
    CHECK((*json)["schema"].text() == "perfdata.stat/1");
    CHECK((*json)["mode"].text() == "core");
    CHECK((*json)["recorded_mode"].text() == "core");
    CHECK((*json)["interval_ms"].number() == 250);
    CHECK((*json)["per_cpu"].truth());
    CHECK((*json)["events"][1]["unit"].text() == "Joules");
    CHECK((*json)["events"][1]["scale"].real() == 2.3283064365386962890625e-10);
    CHECK_FALSE((*json)["events"][1]["supported"].truth());
    REQUIRE((*json)["rounds"].size() == 1);
    const auto& round = (*json)["rounds"][0];
    CHECK(round["time"].text() == "1.500000000");
    CHECK_FALSE(round["final"].truth());
    REQUIRE(round["values"].size() == 4);
    const auto& first = round["values"][0];
    CHECK(first["event"].number() == 0);
    CHECK(first["core"].number() == 0);
    CHECK(first["cpus"].number() == 1);
    CHECK(first["state"].text() == "counted");
    CHECK(first["value"].number() == odd);
    CHECK(first["raw"].number() == odd);
    CHECK(first["running_ns"].number() == odd);
    CHECK(round["values"][1]["state"].text() == "not_supported");
    const auto& idle = round["values"][2];
    CHECK(idle["state"].text() == "not_counted");
    CHECK(idle["value"].is_null());
    CHECK(idle["amount"].is_null());
    CHECK((*json)["read"]["values"].number() == 2);
    CHECK_FALSE(json->has("without_values"));
    CHECK((*json)["completeness"]["records"]["STAT"]["decoded"].number() == 2);
}

TEST_CASE("JSON of a recording that perf stat did not make says so", "[annotate][stat][json]") {
    RecordingBuilder builder;
    builder.event(sampling_attr(sample_bit::identifier), {1});
    const auto bytes = builder.build();
    const auto recording = Recording::from_memory(bytes).value();
    std::string written;
    const Sink sink = [&](std::string_view part) { written += part; };
    StatJson page(recording, sink);
    const auto reading = read_stat(recording, {}, [](const StatFacts&, const StatTable&) { FAIL("no rounds"); });
    REQUIRE(reading);
    CHECK_FALSE(reading->is_stat());
    page.finish(*reading, "something else");
    const auto json = Json::parsed(written);
    REQUIRE(json);
    CHECK((*json)["without_values"].text() == "something else");
    CHECK((*json)["rounds"].size() == 0);
}

TEST_CASE("A recording of perf stat that was killed at once says so", "[annotate][stat][json]") {
    RecordingBuilder builder;
    builder.event(sampling_attr(sample_bit::identifier), {1});
    constexpr auto order = std::endian::little;
    builder.add(record(RecordType::stat_config, {order, {}, 0}, Writer(order).u64(1).u64(0).u64(aggr::global).blob()));
    const auto bytes = builder.build();
    const auto recording = Recording::from_memory(bytes).value();
    const auto reading = read_stat(recording, {}, [](const StatFacts&, const StatTable&) { FAIL("no rounds"); });
    REQUIRE(reading);
    CHECK(reading->is_stat());
    CHECK_FALSE(reading->has_counted());
    CHECK_FALSE(reading->has_feature);
    const auto words = without_counters(recording, reading->completeness);
    CHECK(words.find("a recording of `perf stat record` that ended before any counter was written") !=
          std::string::npos);
    CHECK(without_samples(recording, reading->completeness) == words);
}

TEST_CASE("Rows have the names of their round", "[annotate][stat][text]") {
    const std::string long_name(1000, 'n');
    Counted counted;
    counted.event(attr_type::software, 2, "page-faults", {1}).of_process(100);
    const std::string names[] = {"", "a", "b", long_name, long_name + "n", "a"};
    std::uint64_t round = 0;
    for (const auto& name : names) {
        ++round;
        counted.name(1, name).unit(1, name).value(1, Counted::any, 0, round, round, round).round(round);
    }
    const auto text = counted.text({}, ",");
    CHECK(
        text.starts_with("     0.000000001,1,,,1,100.00,,\n"
                         "     0.000000002,1,a,a,1,100.00,,\n"
                         "     0.000000003,1,b,b,1,100.00,,\n"));
    const auto cut = [](std::size_t left) { return "n… (and " + std::to_string(left) + " more bytes),"; };
    for (const std::size_t left : {488u, 489u}) {
        const auto first = text.find(cut(left));
        REQUIRE(first != std::string::npos);
        CHECK(text.find(cut(left), first + 1) != std::string::npos);
    }
    CHECK(text.ends_with("     0.000000006,1,a,a,1,100.00,,\n"));
}
