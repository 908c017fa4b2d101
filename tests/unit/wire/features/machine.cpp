// SPDX-License-Identifier: MIT
// Features about the machine: CPUs and their topology, memory, ELF machine, cache lines.
#include "perfdata/wire/feature/bitmap.hpp"
#include "perfdata/wire/feature/cln_size.hpp"
#include "perfdata/wire/feature/cpu_topology.hpp"
#include "perfdata/wire/feature/e_machine.hpp"
#include "perfdata/wire/feature/mem_topology.hpp"
#include "perfdata/wire/feature/nrcpus.hpp"
#include "perfdata/wire/feature/numa_topology.hpp"
#include "perfdata/wire/feature/total_mem.hpp"

#include "catch.hpp"
#include "support/payload.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<std::string> texts_of(FeatureStringList list) {
    std::vector<std::string> texts;
    std::string_view text;
    while (list.next(text)) texts.emplace_back(text);
    CHECK(list.ok());
    return texts;
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("NRCPUS has the available CPUs first", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u32(0x01020304).u32(0x00020304).take();
    const auto cpus = CpuCounts::decode(over(blob, order));
    REQUIRE(cpus);
    CHECK(cpus->available == 0x01020304);
    CHECK(cpus->online == 0x00020304);
    for_every_cut(blob, [&](const Blob& cut) { CHECK_FALSE(CpuCounts::decode(over(cut, order))); });

    CHECK(CpuCounts::decode(over(Writer(order).u32(4).u32(4).take(), order)));
    const auto more_online = CpuCounts::decode(over(Writer(order).u32(4).u32(5).take(), order));
    REQUIRE_FALSE(more_online);
    CHECK(more_online.error().code == ErrorCode::malformed);
}

TEST_CASE("TOTAL_MEM, E_MACHINE and CLN_SIZE are plain numbers", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto memory = Writer(order).u64(0x0102030405060708).take();
    CHECK(TotalMemory::decode(over(memory, order)).value().kib == 0x0102030405060708);
    for_every_cut(memory, [&](const Blob& cut) { CHECK_FALSE(TotalMemory::decode(over(cut, order))); });

    const auto elf = Writer(order).u32(183).u32(0x80000001).take();
    CHECK(ElfMachine::decode(over(elf, order)).value().machine == 183);
    CHECK(ElfMachine::decode(over(elf, order)).value().flags == 0x80000001);
    for_every_cut(elf, [&](const Blob& cut) { CHECK_FALSE(ElfMachine::decode(over(cut, order))); });

    const auto line = Writer(order).u32(128).take();
    CHECK(CacheLineSize::decode(over(line, order)).value().bytes == 128);
    for_every_cut(line, [&](const Blob& cut) { CHECK_FALSE(CacheLineSize::decode(over(cut, order))); });
}

TEST_CASE("CPU_TOPOLOGY ends where its recorder's knowledge ended", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    FeatureWriter out(order);
    out.strings({"0-2", "1"}).strings({"0,2", "1"});
    const auto oldest = out.blob();
    out.u32(7).u32(0).u32(8).u32(1).u32(0xffffffff).u32(0xffffffff);
    const auto older = out.blob();
    out.strings({"0-2"}).u32(3).u32(4).u32(5);

    const auto full = CpuTopology::decode(over(out.blob(), order), 3);
    REQUIRE(full);
    CHECK(texts_of(full->sockets()) == Texts{"0-2", "1"});
    CHECK(texts_of(full->threads()) == Texts{"0,2", "1"});
    REQUIRE(full->cpus().size() == 3);
    CHECK(full->cpus()[0].core == 7);
    CHECK(full->cpus()[0].socket == 0);
    CHECK(full->cpus()[1].core == 8);
    CHECK(full->cpus()[1].socket == 1);
    CHECK(full->cpus()[2].core == -1);
    CHECK(full->cpus()[2].socket == -1);
    REQUIRE(full->dies());
    CHECK(texts_of(*full->dies()) == Texts{"0-2"});
    REQUIRE(full->die_of_cpu().size() == 3);
    CHECK(full->die_of_cpu()[0] == 3);
    CHECK(full->die_of_cpu()[2] == 5);
    CHECK(full->undecoded().empty());

    const auto without_dies = CpuTopology::decode(over(older, order), 3);
    REQUIRE(without_dies);
    CHECK(without_dies->cpus().size() == 3);
    CHECK_FALSE(without_dies->dies());
    CHECK(without_dies->die_of_cpu().empty());

    const auto without_cpus = CpuTopology::decode(over(oldest, order), 3);
    REQUIRE(without_cpus);
    CHECK(texts_of(without_cpus->threads()) == Texts{"0,2", "1"});
    CHECK(without_cpus->cpus().empty());
    CHECK_FALSE(without_cpus->dies());

    for_every_cut(out.blob(), [&](const Blob& cut) {
        const auto got = CpuTopology::decode(over(cut, order), 3);
        CHECK(got.has_value() == (cut.size() == oldest.size() || cut.size() == older.size()));
    });
}

TEST_CASE("CPU_TOPOLOGY needs the number of CPUs", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = FeatureWriter(order).strings({"0-1"}).strings({"0"}).u32(0).u32(0).u32(1).u32(0).take();
    const auto unknown = CpuTopology::decode(over(blob, order), std::nullopt);
    REQUIRE(unknown);
    CHECK(texts_of(unknown->sockets()) == Texts{"0-1"});
    CHECK(unknown->cpus().empty());
    CHECK(unknown->undecoded().size() == 16);

    CHECK_FALSE(CpuTopology::decode(over(blob, order), 3));
    CHECK_FALSE(CpuTopology::decode(over(blob, order), 1));  // the rest is not a list of dies
    CHECK_FALSE(CpuTopology::decode(over(blob, order), 0xffffffff));
    CHECK(CpuTopology::decode(over(blob, order), 2)->cpus().size() == 2);
}

TEST_CASE("CPU_TOPOLOGY with too many strings is truncated", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto sockets = Writer(order).u32(0xffffffff).zeros(100).take();
    CHECK(CpuTopology::decode(over(sockets, order), 2).error().code == ErrorCode::truncated);
    const auto threads = FeatureWriter(order).strings({"0"}).u32(1000).zeros(100).take();
    CHECK(CpuTopology::decode(over(threads, order), 2).error().code == ErrorCode::truncated);
}

TEST_CASE("NUMA_TOPOLOGY nodes are packed", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = FeatureWriter(order)
                          .u32(2)
                          .u32(0)
                          .u64(0x1122334455667788)
                          .u64(5)
                          .string("0-3")
                          .u32(8)
                          .u64(1)
                          .u64(0)
                          .string("")
                          .take();
    NumaTopologyReader reader(over(blob, order));
    CHECK(reader.count() == 2);
    const auto first = reader.next();
    REQUIRE(first);
    REQUIRE(*first);
    CHECK((*first)->node == 0);
    CHECK((*first)->total_kib == 0x1122334455667788);
    CHECK((*first)->free_kib == 5);
    CHECK((*first)->cpus == "0-3");
    const auto second = reader.next();
    REQUIRE(second);
    REQUIRE(*second);
    CHECK((*second)->node == 8);
    CHECK((*second)->cpus.empty());
    const auto end = reader.next();
    REQUIRE(end);
    CHECK_FALSE(*end);
}

TEST_CASE("A table that is longer than its section is an error at its first element", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = FeatureWriter(order).u32(0xffffffff).u32(0).u64(1).u64(1).string("0").take();
    NumaTopologyReader reader(over(blob, order));
    const auto first = reader.next();
    REQUIRE_FALSE(first);
    CHECK(first.error().code == ErrorCode::truncated);
    CHECK(first.error().offset == 4096 + 4);
    CHECK_FALSE(reader.next());

    NumaTopologyReader empty(over({}, order));
    CHECK(empty.count() == 0);
    CHECK_FALSE(empty.next());
}

TEST_CASE("A text of a table may end with the section, without NUL or padding", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u32(1).u32(0).u64(1).u64(1).u32(3).text("0-7").take();
    NumaTopologyReader reader(over(blob, order));
    const auto node = reader.next();
    REQUIRE(node);
    CHECK((*node)->cpus == "0-7");
}

TEST_CASE("Bitmaps tell runs of bits", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // Bits beyond the size are ignored.
    const auto blob = Writer(order).u64(66).u64(0x8000000000000005).u64(0xffffffffffffffff).take();
    auto in = over(blob, order);
    const auto bitmap = FeatureBitmap::read(in);
    REQUIRE(in.ok());
    CHECK(in.remaining() == 0);
    CHECK(bitmap.size() == 66);
    CHECK(bitmap.words().size() == 2);
    CHECK(bitmap[0]);
    CHECK_FALSE(bitmap[1]);
    CHECK(bitmap[2]);
    CHECK(bitmap[63]);
    CHECK(bitmap[65]);
    CHECK(bitmap.count() == 5);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    bitmap.for_each_range([&](std::uint64_t first, std::uint64_t last) { ranges.emplace_back(first, last); });
    CHECK(ranges == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0}, {2, 2}, {63, 65}});
}

TEST_CASE("Bitmaps have exactly the words that their bits need", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto& [bits, words] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {0, 0}, {1, 1}, {63, 1}, {64, 1}, {65, 2}, {128, 2}, {129, 3}}) {
        CAPTURE(bits);
        const auto enough = Writer(order).u64(bits).zeros(static_cast<std::size_t>(words) * 8).take();
        auto in = over(enough, order);
        CHECK(FeatureBitmap::read(in).size() == bits);
        CHECK(in.ok());
        CHECK(in.remaining() == 0);
        if (words == 0) continue;
        const Blob less(enough.begin(), enough.end() - 1);
        auto cut = over(less, order);
        CHECK(FeatureBitmap::read(cut).size() == 0);
        CHECK_FALSE(cut.ok());
    }
    for (const std::uint64_t bits : {0xffffffffffffffffu, 0xfffffffffffffff8u, 0x8000000000000000u}) {
        const auto blob = Writer(order).u64(bits).zeros(64).take();
        auto in = over(blob, order);
        CHECK(FeatureBitmap::read(in).size() == 0);
        CHECK_FALSE(in.ok());
    }
}

TEST_CASE("MEM_TOPOLOGY nodes own blocks", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob =
        Writer(order).u64(1).u64(0x8000000).u64(2).u64(0).u64(12).u64(12).u64(0xf0f).u64(4).u64(0).u64(0).take();
    auto topology = MemoryTopology::decode(over(blob, order));
    REQUIRE(topology);
    CHECK(topology->version == 1);
    CHECK(topology->block_size == 0x8000000);
    CHECK(topology->nodes.count() == 2);
    const auto first = topology->nodes.next();
    REQUIRE(first);
    REQUIRE(*first);
    CHECK((*first)->node == 0);
    CHECK((*first)->size == 12);
    CHECK((*first)->blocks.size() == 12);
    CHECK((*first)->blocks.count() == 8);
    const auto second = topology->nodes.next();
    REQUIRE(second);
    REQUIRE(*second);
    CHECK((*second)->node == 4);
    CHECK((*second)->blocks.size() == 0);
    CHECK_FALSE(topology->nodes.next()->has_value());

    CHECK(MemoryTopology::decode(over(patched(blob, order, 0, std::uint64_t{2}), order)).error().code ==
          ErrorCode::malformed);
    auto many = MemoryTopology::decode(over(patched(blob, order, 16, std::uint64_t{1} << 60), order));
    REQUIRE(many);
    CHECK(many->nodes.next().error().code == ErrorCode::truncated);
}
