// SPDX-License-Identifier: MIT
// Compares each sample's thread and mapping with `perf script`.
#include <algorithm>
#include <iostream>

#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"

namespace oracle {
namespace {

using perfdata::Address;
using perfdata::BasicSample;
using perfdata::CpuMode;
using perfdata::ObjectKind;
using perfdata::RecordContext;

// OurPlaces has the samples in perf's form.
struct OurPlaces {
    const perfdata::Timeline& timeline;
    std::vector<PerfPlace> found;

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        REQUIRE((sample.time() && sample.ip() && sample.pid() && sample.tid()));
        PerfPlace row;
        row.time = sample.time()->nanoseconds;
        row.ip = sample.ip()->value;
        row.tid = sample.tid()->value;
        row.comm = timeline.tasks().comm_at(*sample.tid(), context.time);
        if (row.comm.empty()) row.comm = ":" + std::to_string(static_cast<std::int32_t>(row.tid));
        row.object = object({context.time, *sample.pid()}, *sample.ip(), sample.mode());
        found.push_back(row);
    }

    std::string object(const perfdata::Moment& moment, Address address, CpuMode mode) const {
        const auto frame = timeline.frame_at(moment, address, mode);
        if (frame.is_nowhere()) return "[unknown]";
        if (const auto* code = timeline.code_of(frame)) return std::string(code->symbol);
        const auto& tasks = timeline.tasks();
        const auto& object = frame.kind == perfdata::FrameKind::object
                                 ? tasks.objects()[frame.index]
                                 : tasks.object(*tasks.mapping_at(moment.pid, address, moment.time));
        if (object.kind == ObjectKind::kernel) return "[kernel.kallsyms]";
        if (object.kind == ObjectKind::module) return "[" + perfdata::module_name(object.path) + "]";
        return object.path;
    }
};

// without_samples(path) is true for recordings of `perf stat`.
bool without_samples(const std::filesystem::path& path) {
    return path.filename().string().starts_with("stat");
}

TEST_CASE("perf script names the same thread and object for every sample", "[oracle][places]") {
    for (const auto& path : perf_fixtures()) {
        if (without_samples(path)) continue;
        DYNAMIC_SECTION(path.stem().string()) {
            const Opened opened(path);
            OurPlaces visitor{opened.timeline, {}};
            perfdata::Completeness completeness;
            REQUIRE(perfdata::walk(opened.recording, completeness, visitor));
            auto& ours = visitor.found;
            auto theirs = perf_places(path);
            // perf prints a sample with a group's counts once for each member.
            for (auto* places : {&ours, &theirs}) {
                std::ranges::sort(*places);
                const auto repeated = std::ranges::unique(*places);
                places->erase(repeated.begin(), repeated.end());
            }
            REQUIRE(ours.size() == theirs.size());
            std::size_t objects = 0;
            for (std::size_t index = 0; index < ours.size(); ++index) {
                const auto& mine = ours[index];
                const auto& other = theirs[index];
                INFO("sample at " << other.time << " of " << other.tid << ", ip " << std::hex << other.ip);
                CHECK(mine.time == other.time);
                CHECK(mine.ip == other.ip);
                CHECK(mine.tid == other.tid);
                CHECK(mine.comm == other.comm);
                CHECK(mine.object == other.object);
                objects += other.object != "[unknown]";
            }
            std::cout << path.stem().string() << ": " << ours.size() << " samples, " << objects << " in an object\n";
        }
    }
}

}  // namespace
}  // namespace oracle
