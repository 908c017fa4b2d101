// SPDX-License-Identifier: MIT
#include "trap.hpp"
#include "unit/wire/records/record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("trap 3: the trailer is read from the end, and IDENTIFIER is its last word", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = sample_bit::identifier | sample_bit::id | sample_bit::tid | sample_bit::time | sample_bit::cpu;
    const SampleValues values;
    // Six more words than this version knows, as a later kernel may put before the trailer.
    const auto body = Writer(order).u64(1).u64(2).fill(48, 0x41).take();
    const auto blob = record(RecordType::lost, {order, trailer(order, type, values), 0}, body);
    const auto layout = TrailerLayout::compile(sampling_attr(type));
    const auto got = layout.read(view(blob, order));
    CHECK(got.id == EventId{values.identifier});
    CHECK(got.cpu == values.cpu);
    CHECK(got.time == Time{values.time});
    CHECK(got.pid == Pid{values.pid});
    CHECK(got.tid == Tid{values.tid});
    CHECK(Lost::decode(view(blob, order), layout.size()).value().lost == 2);
}

TEST_CASE("trap 11: what C pads, the file does not", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // TEXT_POKE: the bytes begin at 20, although sizeof the struct is 24.
    const auto poke = Writer(order).u64(0x1000).u16(1).u16(2).u8(0xcc).u8(0x0f).u8(0x1f).zeros(1).take();
    const RecordCase<TextPoke> text_poke(order, poke);
    REQUIRE(text_poke.decoded());
    CHECK(std::ranges::equal(text_poke->old_bytes(), Blob{std::byte{0xcc}}));
    CHECK(std::ranges::equal(text_poke->new_bytes(), Blob{std::byte{0x0f}, std::byte{0x1f}}));
    // CPU_MAP: masks of u32 begin at 6, of u64 at 10.
    const auto cpus_of = [&](const Blob& body) {
        const RecordCase<CpuMap> map(order, body);
        REQUIRE(map.decoded());
        std::vector<int> cpus;
        map->cpus.for_each_cpu([&](int cpu) { cpus.push_back(cpu); });
        return cpus;
    };
    CHECK(cpus_of(Writer(order).u16(1).u16(2).u16(4).u32(0x5).u32(0x2).zeros(2).take()) == std::vector<int>{0, 2, 33});
    CHECK(cpus_of(Writer(order).u16(1).u16(1).u16(8).zeros(4).u64(0x8000000000000001).zeros(6).take()) ==
          std::vector<int>{0, 63});
    // NUMA_TOPOLOGY: u64 directly behind u32.
    RecordingBuilder builder(order);
    builder.event(sampling_attr(sample_bit::ip)).add(sample(sample_bit::ip, {}, {order, {}, 0}));
    const auto node = joined({Writer(order).u32(1).u32(9).u64(1000).u64(900).take(), feature_string(order, "0-1")});
    const auto file = builder.feature(Feature::numa_topology, node).build();
    const auto lines = feature_lines(Recording::from_memory(file).value());
    CHECK(std::ranges::count(lines, "feature 14 nodes.0.node=9") == 1);
    CHECK(std::ranges::count(lines, "feature 14 nodes.0.total_kib=1000") == 1);
    CHECK(std::ranges::count(lines, "feature 14 nodes.0.cpus='0-1'") == 1);
}

TEST_CASE("trap 12: MMAP2 has a build-id only if misc says so, of at most 20 bytes", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = [&](std::uint8_t size) {
        Writer out(order);
        out.u32(1).u32(2).u64(0x1000).u64(0x2000).u64(0).u8(size).zeros(3).fill(20, 0xab).u32(5).u32(2);
        return out.padded_text("/bin/a").take();
    };
    const RecordCase<Mmap2> wild(order, body(255), misc_bit(14));
    REQUIRE(wild.decoded());
    CHECK_FALSE(wild->inode);
    REQUIRE(wild->build_id);
    CHECK(wild->build_id->size == 20);
    const RecordCase<Mmap2> shorter(order, body(8), misc_bit(14));
    CHECK(std::ranges::equal(shorter->build_id->bytes(), Blob(8, std::byte{0xab})));
    // Without the misc bit the same bytes are device and inode.
    const RecordCase<Mmap2> inode(order, body(20));
    REQUIRE(inode.decoded());
    CHECK_FALSE(inode->build_id);
    REQUIRE(inode->inode);
    CHECK(inode->inode->minor == 0xabababab);
    CHECK(inode->inode->number == 0xabababababababab);
    for (const auto* got : {&*wild, &*inode}) {
        CHECK(got->protection == 5);
        CHECK(got->flags == 2);
        CHECK(got->filename == "/bin/a");
    }
}

TEST_CASE("trap 23: a FORK that perf made up is marked", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(10).u32(1).u32(11).u32(1).u64(5).take();
    CHECK(RecordCase<Fork>(order, body, misc_bit(13))->synthesized);
    const RecordCase<Fork> of_kernel(order, body);
    CHECK_FALSE(of_kernel->synthesized);
    CHECK(of_kernel->new_process());
    // The order is pid, ppid, tid, ptid.
    CHECK(of_kernel->parent_pid == Pid{1});
    CHECK(of_kernel->tid == Tid{11});
    // In EXIT the bit has no meaning.
    CHECK_FALSE(RecordCase<Exit>(order, body, misc_bit(13))->synthesized);
}

TEST_CASE("trap 28: names may be longer than any KSYM_NAME_LEN, but BPF_METADATA has a field of 512", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::string long_name(1000, 'n');
    const RecordCase<Ksymbol> symbol(order, Writer(order).u64(1).u32(2).u16(1).u16(0).padded_text(long_name).take());
    REQUIRE(symbol.decoded());
    CHECK(symbol->name == long_name);
    // 38 characters take 40 bytes: the name ends at the NUL, not at the padding.
    const std::string name(38, 'n');
    CHECK(RecordCase<Ksymbol>(order, Writer(order).u64(1).u32(2).u16(1).u16(0).padded_text(name).take())->name == name);
    Writer metadata(order);
    metadata.text("prog").zeros(508).u64(1).text("key").zeros(61).text("value").zeros(251);
    check_fields<BpfMetadata>(order, metadata.take(),
                              {"prog_name='prog'", "nr_entries=1", "entries[0].key='key'", "entries[0].value='value'"});
}

TEST_CASE("trap 29: AUXTRACE_ERROR of format 0 has its message where later ones have the time", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto head = [&](std::uint32_t format) {
        return Writer(order).u32(1).u32(2).u32(3).u32(4).u32(5).u32(format).u64(0x1000);
    };
    const RecordCase<AuxtraceError> old(order, head(0).padded_text("lost sync").take());
    REQUIRE(old.decoded());
    CHECK(old->message == "lost sync");
    CHECK_FALSE(old->time);
    const RecordCase<AuxtraceError> timed(order, head(1).u64(77).padded_text("lost sync").take());
    CHECK(timed->message == "lost sync");
    CHECK(timed->time == Time{77});
    CHECK_FALSE(timed->guest);
}

TEST_CASE("trap 30: the second table of ID_INDEX follows the whole first one", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Writer body(order);
    body.u64(2).u64(11).u64(0).u64(1).u64(2).u64(21).u64(3).u64(4).u64(5).u64(100).u64(101).u64(200).u64(201);
    const RecordCase<IdIndex> index(order, body.take());
    REQUIRE(index.decoded());
    REQUIRE(index->has_guests());
    CHECK(index->entry(1).id == EventId{21});
    CHECK(index->entry(1).tid == 5);
    CHECK(index->guest(0).machine_pid == 100);
    CHECK(index->guest(1).machine_pid == 200);
    CHECK(index->guest(1).vcpu == 201);
}

TEST_CASE("trap 31: names are any bytes", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::string name = "\x1b[31m\xff\xfe\n";
    const RecordCase<Comm> comm(order, Writer(order).u32(1).u32(2).padded_text(name).take());
    REQUIRE(comm.decoded());
    CHECK(comm->comm == name);
    const auto map = Writer(order).u32(1).u32(2).u64(3).u64(4).u64(5).padded_text("/tmp/" + name).take();
    CHECK(RecordCase<Mmap>(order, map)->filename == "/tmp/" + name);
}

TEST_CASE("trap 32: a trailer of zeros is of perf itself, not of CPU 0 and the event 0", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type = sample_bit::identifier | sample_bit::tid | sample_bit::time | sample_bit::cpu;
    RecordingBuilder builder(order);
    builder.event(sampling_attr(type), {11}).event(sampling_attr(type | sample_bit::stream_id), {22});
    builder.add(encode(Comm{{1}, {2}, "made up", false}, {order, Blob(32), 0}));
    SampleValues values;
    values.identifier = 22;
    values.cpu = ~0u;
    builder.add(sample(type | sample_bit::stream_id, values, {order, {}, 0}));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    Completeness completeness;
    const auto visit = [&](const RecordContext& context, const auto& record) {
        if constexpr (requires { record.comm; }) {
            CHECK(record.comm == "made up");
            CHECK(context.time == Time{});
            CHECK(context.trailer.id == EventId{0});
        } else if constexpr (requires { record.details(); }) {
            CHECK(context.event == 1);
            CHECK_FALSE(record.cpu());  // all ones: not recorded
        }
    };
    REQUIRE(walk(recording, completeness, visit));
    CHECK(completeness.records.at(3).decoded == 1);
    CHECK(completeness.records.at(9).decoded == 1);
}

TEST_CASE("trap 33: the kernel's maps are of process -1, the idle thread is 0", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto map = Writer(order).u32(~0u).u32(0).u64(0xffffffff81000000).u64(1).u64(2).padded_text("[k]").take();
    const RecordCase<Mmap> kernel(order, map, 1);
    REQUIRE(kernel.decoded());
    CHECK(kernel->pid == Pid{0xffffffff});
    CHECK(kernel->tid == Tid{0});
    const auto layout = SampleLayout::compile(sampling_attr(sample_bit::tid));
    SampleValues idle;
    idle.pid = idle.tid = 0;
    const auto blob = sample(sample_bit::tid, idle, {order, {}, 1});
    const Sample got(blob.data(), layout, AnyOrder(order));
    CHECK(got.pid() == Pid{0});  // present, not empty
    CHECK(got.tid() == Tid{0});
}
