// SPDX-License-Identifier: MIT
// Compares KSYMBOL and BPF_EVENT records, field by field.
#include <iostream>

#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"

namespace oracle {
namespace {

using perfdata::RecordContext;

// OurSideBand has our decoded side band in perf's form.
struct OurSideBand {
    PerfSideBand found;

    void operator()(const RecordContext& context, const perfdata::Ksymbol& symbol) {
        PerfKsymbol record;
        place(context, record);
        record.address = symbol.address.value;
        record.length = symbol.size;
        record.kind = symbol.kind;
        record.flags = symbol.flags;
        record.name = symbol.name;
        found.ksymbols.push_back(record);
    }
    void operator()(const RecordContext& context, const perfdata::BpfEvent& event) {
        PerfBpfEvent record;
        place(context, record);
        record.kind = event.kind;
        record.flags = event.flags;
        record.id = event.id.value;
        found.bpf_events.push_back(record);
    }

    static void place(const RecordContext& context, PerfRecord& record) {
        record.offset = context.view.offset;
        record.size = static_cast<std::uint32_t>(context.view.bytes.size());
        record.cpu = context.trailer.cpu.value_or(0);
        record.time = context.trailer.time.value_or(perfdata::Time{}).nanoseconds;
        CHECK(record.time == context.time.nanoseconds);
    }
};

void check_place(const PerfRecord& ours, const PerfRecord& theirs) {
    CHECK(ours.offset == theirs.offset);
    CHECK(ours.size == theirs.size);
    CHECK(ours.time == theirs.time);
    CHECK(ours.cpu == theirs.cpu);
}

TEST_CASE("perf reads the same KSYMBOL and BPF_EVENT records", "[oracle][side_band]") {
    for (const auto& path : fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const Opened opened(path);
            OurSideBand visitor;
            perfdata::Completeness completeness;
            REQUIRE(perfdata::walk(opened.recording, completeness, visitor));
            const auto& ours = visitor.found;
            const auto theirs = perf_side_band(path);

            REQUIRE(!theirs.ksymbols.empty());
            REQUIRE(!theirs.bpf_events.empty());
            REQUIRE(ours.ksymbols.size() == theirs.ksymbols.size());
            REQUIRE(ours.bpf_events.size() == theirs.bpf_events.size());
            for (std::size_t index = 0; index < ours.ksymbols.size(); ++index) {
                const auto& mine = ours.ksymbols[index];
                const auto& other = theirs.ksymbols[index];
                INFO("KSYMBOL at " << other.offset << ", " << other.name);
                check_place(mine, other);
                CHECK(mine.address == other.address);
                CHECK(mine.length == other.length);
                CHECK(mine.kind == other.kind);
                CHECK(mine.flags == other.flags);
                CHECK(mine.name == other.name);
            }
            for (std::size_t index = 0; index < ours.bpf_events.size(); ++index) {
                const auto& mine = ours.bpf_events[index];
                const auto& other = theirs.bpf_events[index];
                INFO("BPF_EVENT at " << other.offset << ", id " << other.id);
                check_place(mine, other);
                CHECK(mine.kind == other.kind);
                CHECK(mine.flags == other.flags);
                CHECK(mine.id == other.id);
            }
            std::cout << path.stem().string() << ": " << theirs.ksymbols.size() << " KSYMBOL and "
                      << theirs.bpf_events.size() << " BPF_EVENT compared" << '\n';
        }
    }
}

}  // namespace
}  // namespace oracle
