// SPDX-License-Identifier: MIT
// Listings of real programs: correct bytes put hits on instruction starts, correct names appear in calls.
#include <set>

#include "perfdata/annotate/listing/listing.hpp"

#include "catch.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<Listing> listings_in(const AnnotatedScene& opened) {
    const auto profile = Profile::count(opened.recording, opened.timeline).value();
    return listings_of(profile, opened.symbolizer, opened.recording.arch());
}

}  // namespace

TEST_CASE("Every hit in real BPF code is on the start of an instruction", "[annotate][listing][fixtures]") {
    for (const std::string file : {"bpf_many", "bpf_nobtf", "bpf_twins", "bpf_events", "bpf_turns"}) {
        INFO(file);
        const AnnotatedScene real(Recording::open(fixture("bpf/" + file + ".data")).value());
        for (const auto& listing : listings_in(real)) {
            INFO(listing.name.program << "/" << listing.name.name);
            if (real.timeline.loads()[*real.timeline.code()[*listing.code].load].info == nullptr) continue;
            CHECK(listing.problems.empty());
            CHECK(listing.on_instruction_start == 1.0);
            EventCounts sum;
            for (const auto& row : listing.instructions) {
                CHECK(row.instruction.decoded);
                add(sum, row.cells);
            }
            CHECK(sum == listing.total);
            if (listing.lines.empty()) continue;
            EventCounts of_lines;
            for (const auto& line : listing.lines) add(of_lines, line.cells);
            CHECK(of_lines == listing.total);
        }
    }
}

TEST_CASE("Calls of many.bpf.c lead to its subprograms and to kernel helpers", "[annotate][listing][fixtures]") {
    const AnnotatedScene real(Recording::open(fixture("bpf/bpf_many.data")).value(), fixture("bpf/guest.kallsyms"));
    std::set<std::string> called;
    for (const auto& listing : listings_in(real)) {
        for (const auto& row : listing.instructions) {
            if (!row.target || row.target->same_function || !row.instruction.mnemonic.starts_with("call")) continue;
            INFO(listing.name.name << " calls " << row.target->name);
            CHECK(row.target->offset == 0);
            called.insert(row.target->name);
        }
    }
    CHECK(called == std::set<std::string>{"bpf_ktime_get_ns", "__htab_map_lookup_elem", "htab_map_update_elem", "step",
                                          "log2_of", "parity", "bump", "stamp", "weigh", "choose", "mix"});
}
