// SPDX-License-Identifier: MIT
// Compares real recordings with reused addresses with the loader's notes.
#include <algorithm>
#include <set>

#include "catch.hpp"
#include "support/scene.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("While a turn lasts its program owns every byte of its functions", "[timeline][fixtures]") {
    const FixtureTimeline real("bpf_turns");
    const auto rows = table("expect/bpf_turns.functions.tsv");
    CHECK(rows.size() == 24);
    for (const auto& row : rows) {
        const auto id = static_cast<std::uint32_t>(number(row[0]));
        INFO("program " << id << ", function " << row[2]);
        const auto begin = number(row[3], 16);
        const auto length = number(row[4]);
        for (const auto time : {number(row[7]), (number(row[7]) + number(row[8])) / 2, number(row[8])}) {
            CHECK(program_at(real.timeline, begin, time) == id);
            CHECK(program_at(real.timeline, begin + length - 1, time) == id);
            CHECK(program_at(real.timeline, begin + length, time) != id);
        }
        CHECK(program_at(real.timeline, begin, 0) == 0);
        CHECK(program_at(real.timeline, begin, ~std::uint64_t{0}) == 0);
        const auto& code = real.timeline.code()[real.code(id, number(row[2]))];
        CHECK(code.from.nanoseconds <= number(row[7]));
        CHECK(code.until.nanoseconds >= number(row[8]));
    }
}

TEST_CASE("Each turn is a load of its own, and the feature probes between them are known", "[timeline][fixtures]") {
    const FixtureTimeline real("bpf_turns");
    std::vector<std::uint32_t> ids, without_info;
    for (const auto& load : real.timeline.loads()) {
        ids.push_back(load.id.value);
        if (load.info == nullptr) without_info.push_back(load.id.value);
        CHECK(load.loaded_at > Time{});
        CHECK(load.unloaded_at > load.loaded_at);
        CHECK(load.unloaded_at < Time::forever());
    }
    CHECK(std::ranges::is_sorted(ids));
    CHECK(ids.size() == 26);
    CHECK(ids.front() == 23);
    CHECK(ids.back() == 48);
    CHECK(without_info == std::vector<std::uint32_t>{23, 24, 27, 29, 31, 33, 35, 39, 41, 43, 45, 47});
}

TEST_CASE("Every BPF program symbol of a real recording belongs to a load", "[timeline][fixtures]") {
    for (const std::string file : {"bpf_events", "bpf_many", "bpf_misc", "bpf_nobtf", "bpf_preloaded", "bpf_reuse",
                                   "bpf_turns", "bpf_twins", "bpf_types"}) {
        const FixtureTimeline real(file);
        INFO(file);
        CHECK(real.timeline.completeness().lossless());
        for (const auto& code : real.timeline.code()) {
            INFO(code.symbol);
            CHECK((code.kind == CodeKind::bpf_program) == code.symbol.starts_with("bpf_prog_"));
            CHECK(code.load.has_value() == (code.kind == CodeKind::bpf_program));
            CHECK(code.from <= code.until);
        }
        for (std::uint32_t index = 0; index < real.timeline.loads().size(); ++index) {
            const auto& load = real.timeline.loads()[index];
            INFO("program " << load.id.value);
            CHECK(load.functions.size() == load.function_count());
            for (std::uint32_t place = 0; place < load.functions.size(); ++place) {
                CHECK(real.timeline.code()[load.functions[place]].load == index);
                CHECK(real.timeline.code()[load.functions[place]].subprogram == place);
            }
        }
    }
}

TEST_CASE("Programs of a real recording that come and go are loads with both times", "[timeline][fixtures]") {
    const FixtureTimeline real("bpf_reuse");
    CHECK(real.timeline.loads().size() == 32);
    std::size_t without_info = 0;
    std::set<std::uint32_t> ids;
    for (const auto& load : real.timeline.loads()) {
        ids.insert(load.id.value);
        without_info += load.info == nullptr ? 1 : 0;
        CHECK(load.loaded_at > Time{});
        CHECK(load.unloaded_at > load.loaded_at);
    }
    CHECK(ids.size() == 32);
    CHECK(without_info == 16);
}

TEST_CASE("Trampolines and a dispatcher of a real recording are images", "[timeline][fixtures]") {
    const FixtureTimeline real("bpf_types");
    std::set<std::string> images;
    for (const auto& code : real.timeline.code()) {
        if (code.kind != CodeKind::bpf_image) continue;
        images.emplace(code.symbol.substr(0, 15));
        CHECK(code.range.size == 4096);
    }
    CHECK(images == std::set<std::string>{"bpf_dispatcher_", "bpf_trampoline_"});
}

TEST_CASE("Programs loaded before a real recording were there all the time", "[timeline][fixtures]") {
    const FixtureTimeline real("bpf_preloaded");
    std::set<std::uint32_t> ids;
    for (const auto& load : real.timeline.loads()) {
        ids.insert(load.id.value);
        CHECK(load.loaded_at == Time{});
        CHECK(load.unloaded_at == Time::forever());
        CHECK(load.info != nullptr);
    }
    CHECK(ids == std::set<std::uint32_t>{62, 64, 65, 66, 67, 69, 70, 71, 72, 73});
}
