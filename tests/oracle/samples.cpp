// SPDX-License-Identifier: MIT
// Compares fields of samples with `perf script`, and owners of their addresses.
#include <algorithm>
#include <iostream>

#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "naive_map.hpp"
#include "perf.hpp"

namespace oracle {
namespace {

using perfdata::BasicSample;
using perfdata::RecordContext;

// OurSamples has our decoded samples in perf's form. The symbol is the KSYMBOL name of the code that the timeline
// finds, or empty.
struct OurSamples {
    const Opened& opened;
    std::vector<PerfSample> found;

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto& timeline = opened.timeline;
        REQUIRE((sample.time() && sample.ip() && sample.pid() && sample.tid() && sample.cpu()));
        PerfSample row;
        row.time = sample.time()->nanoseconds;
        row.ip = sample.ip()->value;
        row.period = sample.period();
        row.pid = sample.pid()->value;
        row.tid = sample.tid()->value;
        row.cpu = *sample.cpu();
        row.event = opened.recording.events().events()[context.event].name;
        const auto place = timeline.frame_at({context.time, *sample.pid()}, *sample.ip(), sample.mode());
        if (const auto* code = timeline.code_of(place)) {
            row.symbol = code->symbol;
            CHECK(place.offset == row.ip - code->range.begin.value);
        }
        found.push_back(row);
    }
};

std::vector<PerfSample> our_samples(const Opened& opened) {
    OurSamples visitor{opened, {}};
    perfdata::Completeness completeness;
    REQUIRE(perfdata::walk(opened.recording, completeness, visitor));
    std::ranges::sort(visitor.found);
    return visitor.found;
}

std::vector<PerfSample> sorted_perf_samples(const std::filesystem::path& path) {
    auto samples = perf_samples(path);
    std::ranges::sort(samples);
    return samples;
}

bool is_bpf(const std::string& symbol) {
    return symbol.starts_with("bpf_");
}

TEST_CASE("perf script prints the same samples", "[oracle][samples]") {
    for (const auto& path : fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const auto ours = our_samples(Opened(path));
            const auto theirs = sorted_perf_samples(path);
            REQUIRE(!theirs.empty());
            REQUIRE(ours.size() == theirs.size());
            for (std::size_t index = 0; index < ours.size(); ++index) {
                INFO("sample " << index << " at " << theirs[index].time);
                CHECK(ours[index].time == theirs[index].time);
                CHECK(ours[index].ip == theirs[index].ip);
                CHECK(ours[index].event == theirs[index].event);
                CHECK(ours[index].period == theirs[index].period);
                CHECK(ours[index].pid == theirs[index].pid);
                CHECK(ours[index].tid == theirs[index].tid);
                CHECK(ours[index].cpu == theirs[index].cpu);
            }
        }
    }
}

TEST_CASE("a naive replay of KSYMBOL records finds the same owner of every sample", "[oracle][samples]") {
    for (const auto& path : fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const NaiveMap naive(perf_side_band(path).ksymbols);
            std::size_t owned = 0;
            const auto ours = our_samples(Opened(path));
            for (const auto& sample : ours) {
                INFO("sample at " << sample.time << ", ip " << sample.ip);
                const auto owner = naive.owner(sample.ip, sample.time);
                CHECK(sample.symbol == owner);
                owned += owner.empty() ? 0 : 1;
            }
            std::cout << path.stem().string() << ": " << ours.size() << " samples, " << owned << " of them in BPF code"
                      << '\n';
        }
    }
}

// perf also applies KSYMBOL records in order of time, but if a function's address is inside an existing map, it
// registers the function at the start of that map (machine__process_ksymbol_register). So it may return a name from
// another time, or none. It must never know a function that we do not know, and the naive replay above must agree with
// us.
TEST_CASE("perf script names the same BPF functions", "[oracle][samples]") {
    for (const auto& path : fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const NaiveMap naive(perf_side_band(path).ksymbols);
            const auto ours = our_samples(Opened(path));
            const auto theirs = sorted_perf_samples(path);
            REQUIRE(ours.size() == theirs.size());
            std::size_t agree = 0, differ = 0, perf_lacks = 0;
            for (std::size_t index = 0; index < ours.size(); ++index) {
                const auto& mine = ours[index];
                const auto& other = theirs[index];
                INFO("sample at " << other.time << ", ip " << other.ip << ", perf says " << other.symbol);
                if (!is_bpf(other.symbol)) {
                    perf_lacks += mine.symbol.empty() ? 0 : 1;
                } else if (mine.symbol == other.symbol) {
                    ++agree;
                } else {
                    ++differ;
                    CHECK(mine.symbol == naive.owner(mine.ip, mine.time));
                    CHECK(naive.owned_ever(other.symbol, mine.ip));
                }
            }
            std::cout << path.stem().string() << ": "
                      << "of " << ours.size() << " samples perf names " << agree << " alike, " << differ
                      << " otherwise, " << perf_lacks << " not at all" << '\n';
            CHECK(differ + perf_lacks <= agree / 50);
        }
    }
}

}  // namespace
}  // namespace oracle
