// SPDX-License-Identifier: MIT
// Mappings of a process over time: one rule per test.
#include <array>
#include <cstdio>

#include "catch.hpp"
#include "support/random.hpp"
#include "support/world.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("A mapping is there from its record on; a synthesized one always was", "[timeline][tasks]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    World world(order);
    world.map(0, 7, {0x1000, 0x100, 0x40}, "/old").map(50, 7, {0x2000, 0x100, 0x80}, "/new");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x1000, 0) == "/old+40");
    CHECK(seen(timeline, 7, 0x10ff, 99) == "/old+13f");
    CHECK(seen(timeline, 7, 0x1100, 99) == "-");
    CHECK(seen(timeline, 7, 0xfff, 99) == "-");
    CHECK(seen(timeline, 7, 0x2000, 49) == "-");
    CHECK(seen(timeline, 7, 0x2000, 50) == "/new+80");
    CHECK(seen(timeline, 8, 0x1000, 50) == "-");
}

TEST_CASE("A new mapping trims what it overlaps; both remainders keep their file offsets", "[timeline][tasks]") {
    World world;
    world.map(10, 7, {0x1000, 0x3000, 0x500}, "/a").map(20, 7, {0x2000, 0x1000, 0}, "/b");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x2800, 19) == "/a+1d00");
    CHECK(seen(timeline, 7, 0x1fff, 20) == "/a+14ff");
    CHECK(seen(timeline, 7, 0x2000, 20) == "/b+0");
    CHECK(seen(timeline, 7, 0x2fff, 20) == "/b+fff");
    CHECK(seen(timeline, 7, 0x3000, 20) == "/a+2500");
}

TEST_CASE("Late records count at their time, those of one time in file order", "[timeline][tasks]") {
    World world;
    world.map(30, 7, {0x1000, 0x100, 0}, "/third").map(10, 7, {0x1000, 0x100, 0}, "/first");
    world.map(20, 7, {0x1000, 0x100, 0}, "/hidden").map(20, 7, {0x1000, 0x100, 0}, "/second");
    world.map(0, 7, {0x1000, 0x100, 0}, "/zeroth");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x1000, 9) == "/zeroth+0");
    CHECK(seen(timeline, 7, 0x1000, 10) == "/first+0");
    CHECK(seen(timeline, 7, 0x1000, 20) == "/second+0");
    CHECK(seen(timeline, 7, 0x1000, 31) == "/third+0");
}

TEST_CASE("A forked process sees what its parent had then, and only that", "[timeline][tasks]") {
    World world;
    world.map(10, 7, {0x1000, 0x1000, 0}, "/before").fork(20, 8, 7).map(30, 7, {0x1000, 0x100, 0}, "/after");
    world.map(40, 8, {0x1800, 0x100, 0}, "/own").fork(50, 9, 8);
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x1010, 35) == "/after+10");
    CHECK(seen(timeline, 8, 0x1010, 19) == "-");
    CHECK(seen(timeline, 8, 0x1010, 35) == "/before+10");
    CHECK(seen(timeline, 8, 0x1810, 45) == "/own+10");
    CHECK(seen(timeline, 8, 0x1900, 45) == "/before+900");
    CHECK(seen(timeline, 7, 0x1810, 45) == "/before+810");
    CHECK(seen(timeline, 9, 0x1810, 55) == "/own+10");
    CHECK(seen(timeline, 9, 0x1010, 55) == "/before+10");
}

TEST_CASE("Records of one time count for a fork in file order", "[timeline][tasks]") {
    World world;
    world.map(20, 7, {0x1000, 0x100, 0}, "/a").fork(20, 8, 7).map(20, 7, {0x1000, 0x100, 0}, "/b");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x1000, 20) == "/b+0");
    CHECK(seen(timeline, 8, 0x1000, 20) == "/a+0");
}

TEST_CASE("Threads share the mappings of their process", "[timeline][tasks]") {
    World world;
    Mmap2 by_thread;
    by_thread.pid = {7};
    by_thread.tid = {8};
    by_thread.range = {{0x2000}, 0x100};
    by_thread.inode = Mmap2::Inode{};
    by_thread.filename = "/b";
    world.map(10, 7, {0x1000, 0x100, 0}, "/a").thread(20, 7, 8).map(30, by_thread);
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x1000, 40) == "/a+0");
    CHECK(seen(timeline, 7, 0x2000, 40) == "/b+0");
}

TEST_CASE("Forks that perf synthesized copy nothing", "[timeline][tasks]") {
    const auto marked = GENERATE(true, false);  // by misc, or as in old versions of perf: by time zero alone
    World world;
    world.map(0, 7, {0x1000, 0x100, 0}, "/parent").fork(0, 8, 8, 7, 7, marked).map(0, 8, {0x2000, 0x100, 0}, "/child");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 8, 0x1000, 5) == "-");
    CHECK(seen(timeline, 8, 0x2000, 5) == "/child+0");
    CHECK(seen(timeline, 8, 0x2000, 0) == "/child+0");
}

TEST_CASE("A fork synthesized behind the mappings of its process takes none away", "[timeline][tasks]") {
    World world;
    world.map(0, 8, {0x2000, 0x100, 0}, "/child").fork(0, 8, 8, 7, 7);
    CHECK(seen(world.timeline(), 8, 0x2000, 5) == "/child+0");
}

TEST_CASE("exec takes all mappings away, of this process only", "[timeline][tasks]") {
    World world;
    world.map(10, 7, {0x1000, 0x1000, 0}, "/sh").fork(20, 8, 7).exec(30, 8, "ls");
    world.map(31, 8, {0x1800, 0x100, 0}, "/ls");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 8, 0x1000, 29) == "/sh+0");
    CHECK(seen(timeline, 8, 0x1000, 30) == "-");
    CHECK(seen(timeline, 8, 0x1810, 40) == "/ls+10");
    CHECK(seen(timeline, 8, 0x1000, 40) == "-");
    CHECK(seen(timeline, 7, 0x1810, 40) == "/sh+810");
    CHECK(timeline.tasks().exec_at({8}, {29}) == std::nullopt);
    CHECK(timeline.tasks().exec_at({8}, {35}) == Time{30});
    CHECK(timeline.tasks().exec_at({7}, {35}) == std::nullopt);
}

TEST_CASE("A name alone leaves the mappings in place", "[timeline][tasks]") {
    World world;
    world.map(10, 7, {0x1000, 0x100, 0}, "/a").comm(20, 7, 7, "renamed");
    CHECK(seen(world.timeline(), 7, 0x1000, 30) == "/a+0");
}

TEST_CASE("A process that ended keeps its mappings until its id is given again", "[timeline][tasks]") {
    World world;
    world.map(10, 7, {0x1000, 0x100, 0}, "/a").exit(20, 7, 7).fork(30, 7, 1).map(40, 7, {0x2000, 0x100, 0}, "/b");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x1000, 25) == "/a+0");
    CHECK(seen(timeline, 7, 0x1000, 30) == "-");
    CHECK(seen(timeline, 7, 0x2000, 40) == "/b+0");
}

TEST_CASE("Mappings told of without any fork hold: the recorder was attached late", "[timeline][tasks]") {
    World world;
    world.map(40, 7, {0x2000, 0x100, 0}, "/b").fork(50, 9, 8).map(60, 8, {0x1000, 0x100, 0}, "/late");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x2000, 41) == "/b+0");
    CHECK(seen(timeline, 9, 0x1000, 70) == "-");
    CHECK(timeline.tasks().knows({9}, {50}));
    CHECK_FALSE(timeline.tasks().knows({9}, {49}));
    CHECK(timeline.tasks().knows({8}, {1}));
    CHECK_FALSE(timeline.tasks().knows({10}, {60}));
}

TEST_CASE("Chains of forks that all map are followed to the first, however long", "[timeline][tasks]") {
    constexpr std::uint32_t generations = 600;
    World world;
    for (std::uint32_t pid = 1; pid <= generations; ++pid) {
        if (pid != 1) world.fork(pid * 10, pid, pid - 1);
        world.map(pid * 10 + 1, pid, {0x1000 * std::uint64_t{pid}, 0x1000, 0}, "/" + std::to_string(pid));
        // After the next process's fork: no other process has it.
        world.map(pid * 10 + 15, pid, {0x1000 * std::uint64_t{pid}, 0x1000, 0}, "/hidden");
    }
    const auto timeline = world.timeline();
    for (std::uint32_t pid = 1; pid < generations; ++pid) {
        INFO(pid);
        CHECK(seen(timeline, generations, 0x1000 * std::uint64_t{pid} + 4, 10000) == "/" + std::to_string(pid) + "+4");
    }
    CHECK(timeline.tasks().mappings().size() == 2 * generations);
}

TEST_CASE("Trees of forks that are deep and broad show each process what it may see", "[timeline][tasks]") {
    Random random(17);
    for (int round = 0; round < 20; ++round) {
        World world;
        // By process: what is mapped at each of 8 pages.
        std::vector<std::array<std::string, 8>> sights(1);
        sights[0].fill("-");
        for (std::uint64_t time = 1; time < 200; ++time) {
            // The latest three processes are the most active.
            const auto known = sights.size();
            const auto process = known < 3 || random.one_in(4) ? random.size(known) : known - 1 - random.size(3);
            const auto pid = static_cast<std::uint32_t>(100 + process);
            if (random.one_in(3)) {
                world.fork(time, static_cast<std::uint32_t>(100 + known), pid);
                sights.push_back(sights[process]);
                continue;
            }
            const auto first = random.size(8), pages = 1 + random.size(8 - first);
            const auto path = "/" + std::to_string(time);
            world.map(time, pid, {0x1000 * (first + 1), 0x1000 * pages, 0}, path);
            for (auto page = first; page < first + pages; ++page) {
                char offset[32];
                std::snprintf(offset, sizeof offset, "+%zx", 0x1000 * (page - first));
                sights[process][page] = path + offset;
            }
        }
        const auto timeline = world.timeline();
        for (std::size_t process = 0; process < sights.size(); ++process) {
            INFO("round " << round << ", process " << process);
            for (std::size_t page = 0; page < 8; ++page) {
                const auto pid = static_cast<std::uint32_t>(100 + process);
                REQUIRE(seen(timeline, pid, 0x1000 * (page + 1), 1000) == sights[process][page]);
            }
        }
    }
}

TEST_CASE("Mappings at the end of the address space, and empty ones", "[timeline][tasks]") {
    World world;
    world.map(1, 7, {~std::uint64_t{0} - 0xff, 0x100, 0}, "/last")
        .map(1, 7, {~std::uint64_t{0} - 0xf, 0x100, 0}, "/cut");
    world.map(1, 7, {0x1000, 0, 0}, "/empty").map(1, 7, {0x2000, ~std::uint64_t{0}, 0}, "/all");
    world.map(2, 7, {~std::uint64_t{0}, 1, 0}, "/byte");
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, ~std::uint64_t{0}, 2) == "/byte+0");
    CHECK(seen(timeline, 7, ~std::uint64_t{0}, 1) == "/all+ffffffffffffdfff");
    CHECK(seen(timeline, 7, 0x1000, 2) == "-");
    CHECK(seen(timeline, 7, 0x1fff, 2) == "-");
    CHECK(seen(timeline, 7, 0x2000, 2) == "/all+0");
    CHECK(timeline.tasks().mappings().size() == 4);
}

TEST_CASE("A mapping has all that MMAP2 tells; equal objects are one", "[timeline][tasks]") {
    World world;
    BuildId id;
    id.size = 8;
    id.value[0] = std::byte{0xab};
    const Mmap2 with_id{.pid = {7},
                        .tid = {7},
                        .range = {{0x1000}, 0x100},
                        .inode = {},
                        .build_id = id,
                        .protection = 5,
                        .flags = 2,
                        .filename = "/lib/a.so"};
    auto with_inode = with_id;
    with_inode.range.begin = {0x2000};
    with_inode.build_id.reset();
    with_inode.inode = Mmap2::Inode{8, 1, 77, 3};
    auto again = with_id;
    again.pid = {8};
    world.map(10, with_id).map(20, with_inode).map(30, again);
    const auto timeline = world.timeline();
    const auto& tasks = timeline.tasks();
    REQUIRE(tasks.mappings().size() == 3);
    REQUIRE(tasks.objects().size() == 2);
    const auto& first = tasks.mappings()[0];
    CHECK(first.range == AddressRange{{0x1000}, 0x100});
    CHECK(first.from == Time{10});
    CHECK(first.pid == Pid{7});
    CHECK(first.protection == 5);
    CHECK(first.flags == 2);
    CHECK_FALSE(first.data);
    CHECK(tasks.object(first).build_id == id);
    CHECK_FALSE(tasks.object(first).inode);
    CHECK(tasks.mappings()[2].object == first.object);
    const auto& other = tasks.object(tasks.mappings()[1]);
    CHECK_FALSE(other.build_id);
    REQUIRE(other.inode);
    CHECK(other.inode->number == 77);
    CHECK(other.path == "/lib/a.so");
}

TEST_CASE("Data mappings are told apart", "[timeline][tasks]") {
    World world;
    const Mmap map{{7}, {7}, {{0x1000}, 0x100}, 0, "/data"};
    world.scene().add(encode(map, world.frame(5, 2 | 1u << 13)));
    const auto timeline = world.timeline();
    REQUIRE(timeline.tasks().mappings().size() == 1);
    CHECK(timeline.tasks().mappings()[0].data);
}

TEST_CASE("vdso offsets are in its image; vsyscall is in every process", "[timeline][tasks]") {
    constexpr std::uint64_t page = 0xffffffffff600000;
    World world;
    world.map(0, 7, {0x7000, 0x2000, 0x7000}, "[vdso]").map(0, 7, {page, 0x1000, 0}, "[vsyscall]").exec(10, 7, "x");
    world.fork(20, 8, 1);
    const auto timeline = world.timeline();
    CHECK(seen(timeline, 7, 0x7123, 5) == "[vdso]+123");
    CHECK(seen(timeline, 7, 0x7123, 15) == "-");
    CHECK(seen(timeline, 7, page + 0x400, 15) == "[vsyscall]+400");
    CHECK(seen(timeline, 8, page + 0x400, 25) == "[vsyscall]+400");
    CHECK(seen(timeline, 8, page + 0x1000, 25) == "-");
}

TEST_CASE("Records about processes beyond the limit are left out, and said once", "[timeline][limits]") {
    OpenOptions options;
    options.limits.task_records = 2;
    World world;
    for (std::uint64_t index = 0; index < 5; ++index) world.map(10, 7, {0x1000 * (index + 1), 16, 0}, "/a");
    world.comm(20, 7, 7, "late");
    const auto timeline = world.timeline(options);
    CHECK(seen(timeline, 7, 0x2000, 30) == "/a+0");
    CHECK(seen(timeline, 7, 0x3000, 30) == "-");
    CHECK(timeline.tasks().comm_at({7}, {30}).empty());
    REQUIRE(timeline.completeness().diagnostics.count() == 1);
    CHECK(timeline.completeness().diagnostics.kept()[0].code == ErrorCode::limit);
}
