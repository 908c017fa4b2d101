// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_clock.hpp"
#include "perfdata/timeline/jit_code.hpp"
#include "perfdata/timeline/jit_files.hpp"

#include "support/files.hpp"
#include "support/jitdump.hpp"
#include "trap.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("trap 37: process ids in a jitdump file are those of a namespace, its machine that of the code", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    constexpr std::uint64_t type = sample_bit::identifier | sample_bit::ip | sample_bit::tid | sample_bit::time;
    constexpr std::uint64_t address = 0x7f0000001000;

    // Two containers. In each, process 7 compiles a different function to the same address.
    const TempDir directory;
    RecordingBuilder builder(order);
    builder.event(sampling_attr(type), {7});
    for (const std::uint32_t pid : {5000u, 6000u}) {
        const auto container = "/containers/" + std::to_string(pid) + "/tmp";
        std::filesystem::create_directories(directory.path() / container.substr(1));
        JitHeaderValues header;
        header.pid = 7;
        header.machine = 183;  // arm64: the reading machine may be another
        JitDumpWriter dump(order, header);
        dump.load({10, address, "of_" + std::to_string(pid), "\xc3\xc3\xc3\xc3", 1, 7});
        directory.write(container.substr(1) + "/jit-7.dump", dump.blob());

        SampleValues values;
        values.identifier = 7;
        values.pid = values.tid = pid;
        values.time = 9;
        Mmap2 map;
        map.pid = {pid};
        map.tid = {pid};
        map.range = {{0x7e0000000000}, 0x1000};
        map.inode = Mmap2::Inode{};
        map.protection = 5;
        const auto path = container + "/jit-7.dump";
        map.filename = path;
        builder.add(encode(map, {order, trailer(order, type, values), 0}));
        values.time = 20;
        values.ip = address + 1;
        builder.add(sample(type, values, {order, {}, 0}));
    }
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();

    std::vector<JitMapping> mappings;
    for (const auto& [map, trailer] : records_of<Mmap2>(recording)) {
        mappings.push_back({map.pid, std::string(map.filename), *trailer.time});
    }
    const auto files = find_jit_dumps(mappings, {{}, directory.path().string(), {}, false});
    REQUIRE(files.size() == 2);
    for (const auto& [index, pid] : {std::pair(0u, 5000u), std::pair(1u, 6000u)}) {
        CHECK(files[index].pid == Pid{pid});
        CHECK(files[index].namespace_pid == 7);
        REQUIRE(files[index].found());
        const auto dump = JitDump::open(files[index].path).value();
        CHECK(check_jit_dump(files[index], dump.header()));
        CHECK(dump.header().elf_machine == 183);
        EventClock events;
        events.clockid = EventClock::monotonic;
        const auto code = JitCode::build(dump, JitClock::match(dump.header(), events).value());
        const auto* function = code.find({address + 1}, {20});
        REQUIRE(function != nullptr);
        CHECK(function->name == "of_" + std::to_string(pid));
    }
}
