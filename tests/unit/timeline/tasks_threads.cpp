// SPDX-License-Identifier: MIT
// Names, lifetimes, namespaces and groups of threads.
#include "catch.hpp"
#include "support/world.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string comm(const Timeline& timeline, std::uint32_t tid, std::uint64_t time) {
    return std::string(timeline.tasks().comm_at({tid}, {time}));
}

}  // namespace

TEST_CASE("A thread has the latest name before a time", "[timeline][tasks]") {
    World world;
    world.comm(0, 7, 7, "known").comm(30, 7, 7, "third").comm(20, 7, 7, "second");
    const auto timeline = world.timeline();
    CHECK(comm(timeline, 7, 0) == "known");
    CHECK(comm(timeline, 7, 19) == "known");
    CHECK(comm(timeline, 7, 20) == "second");
    CHECK(comm(timeline, 7, 30) == "third");
    CHECK(comm(timeline, 8, 30).empty());
}

TEST_CASE("The idle thread is swapper", "[timeline][tasks]") {
    World world;
    world.fork(10, 2, 0);
    const auto timeline = world.timeline();
    CHECK(comm(timeline, 0, 0) == "swapper");
    CHECK(comm(timeline, 2, 10) == "swapper");
}

TEST_CASE("A forked thread has its parent's name of that time", "[timeline][tasks]") {
    World world;
    world.comm(10, 7, 7, "sh").fork(20, 8, 7).thread(21, 7, 9).comm(30, 7, 7, "other").exec(40, 8, "ls");
    world.comm(50, 7, 9, "worker").fork(60, 10, 10, 7, 9);
    const auto timeline = world.timeline();
    CHECK(comm(timeline, 8, 19).empty());
    CHECK(comm(timeline, 8, 35) == "sh");
    CHECK(comm(timeline, 8, 40) == "ls");
    CHECK(comm(timeline, 9, 45) == "sh");
    CHECK(comm(timeline, 7, 45) == "other");
    CHECK(comm(timeline, 10, 60) == "worker");
    CHECK(timeline.tasks().comm_at({8}, {30}).data() == timeline.tasks().comm_at({9}, {30}).data());
}

TEST_CASE("A thread id given again does not keep the old name", "[timeline][tasks]") {
    World world;
    world.comm(10, 7, 7, "old").exit(20, 7, 7).fork(30, 7, 6);
    const auto timeline = world.timeline();
    CHECK(comm(timeline, 7, 25) == "old");
    CHECK(comm(timeline, 7, 30).empty());
}

TEST_CASE("A thread of the parent's id in another process is not the parent", "[timeline][tasks]") {
    World world;
    world.comm(10, 7, 7, "stranger").fork(20, 8, 8, 5, 7);
    CHECK(comm(world.timeline(), 8, 20).empty());
}

TEST_CASE("Each life of a thread id has its parent, begin and end", "[timeline][tasks]") {
    World world;
    world.comm(0, 7, 7, "a").fork(10, 8, 7).thread(15, 8, 9).exit(20, 8, 8).fork(30, 8, 1);
    const auto timeline = world.timeline();
    const auto& tasks = timeline.tasks();
    CHECK(tasks.thread_at({8}, {9}) == nullptr);
    const auto* first = tasks.thread_at({8}, {25});
    REQUIRE(first != nullptr);
    CHECK(first->leads());
    CHECK(first->parent_pid == Pid{7});
    CHECK(first->parent_tid == Tid{7});
    CHECK(first->from == Time{10});
    CHECK(first->until == Time{20});
    const auto* second = tasks.thread_at({8}, {30});
    REQUIRE(second != nullptr);
    CHECK(second->parent_pid == Pid{1});
    CHECK(second->until == Time::forever());
    const auto* worker = tasks.thread_at({9}, {15});
    REQUIRE(worker != nullptr);
    CHECK(worker->pid == Pid{8});
    CHECK_FALSE(worker->leads());
    const auto* known = tasks.thread_at({7}, {0});
    REQUIRE(known != nullptr);
    CHECK(known->parent_pid == Pid{~0u});
}

TEST_CASE("A process whose other thread begins a program lives on", "[timeline][tasks]") {
    World world;
    world.comm(0, 7, 7, "a").thread(10, 7, 8).exit(20, 7, 7).exec(21, 7, "b");
    const auto timeline = world.timeline();
    const auto* life = timeline.tasks().thread_at({7}, {30});
    REQUIRE(life != nullptr);
    CHECK(life->until == Time::forever());
    CHECK(comm(timeline, 7, 30) == "b");
}

TEST_CASE("Namespaces are those of the thread, else of its process", "[timeline][tasks]") {
    World world;
    world.namespaces(0, 7, 7, {11, 12, 13, 14, 15, 16, 17}).namespaces(20, 7, 8, {11, 12, 13, 24, 15, 16, 17});
    const auto timeline = world.timeline();
    const auto& tasks = timeline.tasks();
    REQUIRE(tasks.namespaces_at({7}, {7}, {5}).size() == 7);
    CHECK(tasks.namespaces_at({7}, {7}, {5})[3].inode == 14);
    CHECK(tasks.namespaces_at({7}, {8}, {5})[3].inode == 14);
    CHECK(tasks.namespaces_at({7}, {8}, {20})[3].inode == 24);
    CHECK(tasks.namespaces_at({7}, {8}, {20})[3].device == 4);
    CHECK(tasks.namespaces_at({9}, {9}, {20}).empty());
}

TEST_CASE("Groups have paths", "[timeline][tasks]") {
    World world;
    world.cgroup(4100, "/system.slice/sshd.service");
    const auto timeline = world.timeline();
    CHECK(timeline.tasks().cgroup(4100) == "/system.slice/sshd.service");
    CHECK_FALSE(timeline.tasks().cgroup(1));
}

TEST_CASE("A guest's processes are its own", "[timeline][tasks][guest]") {
    World world;
    Writer index(std::endian::little);
    index.u64(1).u64(Scene::first_id).u64(0).u64(~std::uint64_t{0}).u64(~std::uint64_t{0}).u64(5000).u64(0);
    world.scene().add(record(RecordType::id_index, {}, index.blob()));
    world.map(0, 7, {0x1000, 0x100, 0}, "/host");  // synthesized: without an event
    world.map(10, 7, {0x1000, 0x100, 0}, "/guest").comm(10, 7, 7, "in guest");
    const auto timeline = world.timeline();
    const auto& tasks = timeline.tasks();
    const auto guest = tasks.machine_of({Scene::first_id});
    CHECK(tasks.has_guests());
    CHECK(guest == Machine{5000});
    CHECK(tasks.machine_of({99}) == host);
    CHECK(seen(timeline, 7, 0x1000, 20) == "/host+0");
    const auto* mapping = tasks.mapping_at({7}, {0x1000}, {20}, guest);
    REQUIRE(mapping != nullptr);
    CHECK(tasks.object(*mapping).path == "/guest");
    CHECK(tasks.comm_at({7}, {20}).empty());
    CHECK(tasks.comm_at({7}, {20}, guest) == "in guest");
    CHECK(timeline.frame_at({{20}, {7}}, {0x1000}, CpuMode::guest_user).misses(Miss::guest));
    const auto frame = timeline.frame_at({{20}, {7}, guest}, {0x1000}, CpuMode::guest_user);
    CHECK(frame.kind == FrameKind::object);
    CHECK(frame.index == mapping->object);
    CHECK(timeline.frame_at({{20}, {7}, guest}, {0x1000}, CpuMode::guest_kernel).misses(Miss::kernel));
}
