// SPDX-License-Identifier: MIT
// Compares the tasks with a model that replays records like perf: it trims overlapped mappings, and copies all mappings
// at a fork. The records are shuffled in the file.
#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/recent_tasks.hpp"

#include "catch.hpp"
#include "support/random.hpp"
#include "support/world.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct Piece {
    std::uint64_t begin, end, file_offset;
    std::string path;
};

// State is all mappings at one time.
struct State {
    std::map<std::uint32_t, std::vector<Piece>> maps;
    std::map<std::uint32_t, std::string> comms;

    void map(std::uint32_t pid, const World::Range& range, const std::string& path) {
        std::vector<Piece> left;
        const auto end = range.begin + range.size;
        for (const auto& piece : maps[pid]) {
            if (piece.end <= range.begin || piece.begin >= end) {
                left.push_back(piece);
                continue;
            }
            if (piece.begin < range.begin) left.push_back({piece.begin, range.begin, piece.file_offset, piece.path});
            if (piece.end > end) left.push_back({end, piece.end, piece.file_offset + (end - piece.begin), piece.path});
        }
        left.push_back({range.begin, end, range.file_offset, path});
        maps[pid] = left;
    }
    std::string seen(std::uint32_t pid, std::uint64_t address) const {
        const auto found = maps.find(pid);
        if (found == maps.end()) return "-";
        for (const auto& piece : found->second) {
            if (address < piece.begin || address >= piece.end) continue;
            std::ostringstream text;
            text << piece.path << '+' << std::hex << address - piece.begin + piece.file_offset;
            return text.str();
        }
        return "-";
    }
};

// Step is one record: how to write it, and its effect.
struct Step {
    std::uint64_t time;
    std::function<void(World&)> write;
    std::function<void(State&)> apply;
};

struct Shape {
    std::uint32_t pids;
    std::uint64_t slots, longest;
    std::uint64_t forks, execs;  // one in so many records
};

Step random_step(Random& random, const Shape& shape, std::uint64_t time, std::size_t number) {
    const auto pid = [&] { return 1 + static_cast<std::uint32_t>(random.below(shape.pids)); };
    const auto self = pid();
    if (random.one_in(shape.forks)) {
        auto child = pid();
        while (child == self) child = pid();
        return {time, [=](World& world) { world.fork(time, child, self); },
                [=](State& state) {
                    state.maps[child] = state.maps[self];
                    state.comms[child] = state.comms[self];
                }};
    }
    const auto name = "n" + std::to_string(number);
    if (random.one_in(shape.execs)) {
        return {time, [=](World& world) { world.exec(time, self, name); },
                [=](State& state) {
                    state.maps[self].clear();
                    state.comms[self] = name;
                }};
    }
    if (random.one_in(10)) {
        return {time, [=](World& world) { world.comm(time, self, self, name); },
                [=](State& state) { state.comms[self] = name; }};
    }
    if (random.one_in(10)) return {time, [=](World& world) { world.exit(time, self, self); }, [](State&) {}};
    const World::Range range{0x1000 + 0x10 * random.below(shape.slots), 1 + random.below(shape.longest),
                             0x100000 * (number + 1)};
    return {time, [=](World& world) { world.map(time, self, range, "/" + name); },
            [=](State& state) { state.map(self, range, "/" + name); }};
}

}  // namespace

TEST_CASE("Processes have mapped what a replay by copies finds", "[timeline][tasks][property]") {
    const auto shape = GENERATE(Shape{4, 16, 100, 12, 30},     // few places, much trimmed
                                Shape{10, 32, 100, 3, 1000},   // forks of forks, hardly any exec: deep chains
                                Shape{40, 64, 300, 4, 8},      // storms of fork and exec
                                Shape{2, 400, 2000, 50, 200},  // large spaces
                                Shape{12, 3, 40, 6, 6});
    const auto seed = GENERATE(1u, 22u, 333u);
    INFO("seed " << seed << ", " << shape.pids << " pids");
    Random random(seed);
    std::vector<Step> steps;
    std::uint64_t now = 1;
    for (std::size_t number = 0; number < 600; ++number) {
        now += random.below(3);
        steps.push_back(random_step(random, shape, now, number));
    }
    // Records with one time keep their order.
    std::vector<std::vector<Step>> moments;
    for (const auto& step : steps) {
        if (moments.empty() || moments.back().back().time != step.time) moments.emplace_back();
        moments.back().push_back(step);
    }
    for (auto left = moments.size(); left > 1; --left) std::swap(moments[left - 1], moments[random.size(left)]);
    World world;
    for (const auto& moment : moments) {
        for (const auto& step : moment) step.write(world);
    }
    const auto timeline = world.timeline();

    State state;
    int differences = 0, hits = 0, queries = 0;
    for (std::size_t done = 0; done < steps.size(); ++done) {
        steps[done].apply(state);
        if (done + 1 < steps.size() && steps[done + 1].time == steps[done].time) continue;
        const auto time = steps[done].time;
        for (int query = 0; query < 8; ++query, ++queries) {
            const auto pid = 1 + static_cast<std::uint32_t>(random.below(shape.pids));
            const auto address = 0x1000 + random.below(0x10 * shape.slots + shape.longest);
            const auto expected = state.seen(pid, address);
            const auto got = seen(timeline, pid, address, time);
            const auto comm = timeline.tasks().comm_at({pid}, {time});
            hits += expected != "-";
            if ((got != expected || comm != state.comms[pid]) && differences++ == 0) {
                UNSCOPED_INFO("first difference: pid " << pid << ", address " << address << ", time " << time << ": "
                                                       << got << ", model " << expected << ", comm " << comm);
            }
        }
    }
    CHECK(differences == 0);
    CHECK(hits > queries / 20);
    CHECK(hits < queries);

    // RecentTasks finds the same, even if time goes backwards. What it says of other times holds.
    const auto& tasks = timeline.tasks();
    RecentTasks recent(tasks);
    int other_mappings = 0, other_comms = 0, other_starts = 0, out_of_time = 0, other_frames = 0, lasting = 0;
    for (int query = 0; query < 20000; ++query) {
        const Pid pid{1 + static_cast<std::uint32_t>(random.below(shape.pids))};
        const Address address{0x1000 + random.below(0x10 * shape.slots + shape.longest)};
        const Time time{random.below(now + 2)};
        other_mappings += recent.mapping_at(pid, address, time) != tasks.mapping_at(pid, address, time);
        other_starts +=
            recent.knows(pid, time) != tasks.knows(pid, time) || recent.exec_at(pid, time) != tasks.exec_at(pid, time);
        other_comms += recent.comm_at({pid.value}, time).data() != tasks.comm_at({pid.value}, time).data();
        Lasting holds, frame_holds;
        const auto* mapping = recent.mapping_at(pid, address, time, host, &holds);
        const auto frame_of = [&](Time at, Lasting* of) {
            return frame_at(timeline, nullptr, {at, pid, host}, address, CpuMode::user, &recent, of);
        };
        const auto frame = frame_of(time, &frame_holds);
        out_of_time += !holds.contains(time) || !frame_holds.contains(time);
        for (int again = 0; again < 4; ++again) {
            const Time other{random.below(now + 2)};
            if (holds.contains(other)) other_mappings += tasks.mapping_at(pid, address, other) != mapping;
            if (!frame_holds.contains(other)) continue;
            other_frames += !(frame_of(other, nullptr) == frame);
            lasting += other != time;
        }
    }
    CHECK(out_of_time == 0);
    CHECK(other_frames == 0);
    CHECK(lasting > 1000);
    CHECK(other_mappings == 0);
    CHECK(other_comms == 0);
    CHECK(other_starts == 0);
}

TEST_CASE("An address of the program before an exec holds for a tenth of a second", "[timeline][tasks]") {
    constexpr std::uint64_t exec = 100, end = exec + 100'000'000;
    World world;
    world.map(10, 7, {0x1000, 0x1000, 0}, "/old");
    world.exec(exec, 7, "new");
    const auto timeline = world.timeline();
    RecentTasks recent(timeline.tasks());
    const auto at = [&](std::uint64_t time) {
        Lasting holds;
        const auto frame =
            frame_at(timeline, nullptr, {Time{time}, Pid{7}, host}, Address{0x1234}, CpuMode::user, &recent, &holds);
        CHECK(holds.contains(Time{time}));
        return std::pair(frame, holds);
    };
    const auto [early, early_holds] = at(exec + 5);
    CHECK(early.kind == FrameKind::object);
    CHECK(early_holds.from == Time{exec});
    CHECK(early_holds.until == Time{end});
    const auto [late, late_holds] = at(end);
    CHECK(late.misses(Miss::no_mapping));
    CHECK(late_holds.from == Time{end});
    CHECK(late_holds.until == Time::forever());
}
