// SPDX-License-Identifier: MIT
#include "support/payload.hpp"
#include "trap.hpp"
#include "unit/wire/records/record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// lines_of_feature(order, number, payload): in a recording of two CPUs.
Lines lines_of_feature(std::endian order, Feature number, const Blob& payload) {
    RecordingBuilder builder(order);
    builder.event(sampling_attr(sample_bit::ip)).add(sample(sample_bit::ip, {}, {order, {}, 0}));
    builder.feature(number, payload);
    const auto file = builder.build();
    auto lines = feature_lines(Recording::from_memory(file).value());
    const auto title = "feature " + std::to_string(static_cast<unsigned>(number)) + " ";
    std::erase(lines, title);
    for (auto& line : lines) line.erase(0, title.size());
    return lines;
}

}  // namespace

TEST_CASE("trap 10: the files are right where perf's description of them is wrong", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto out = [&] { return FeatureWriter(order); };
    // A bitmap of 64 bits is one word, not two.
    CHECK(lines_of_feature(
              order, Feature::mem_topology,
              out().u64(1).u64(4096).u64(2).u64(0).u64(1).u64(64).u64(1).u64(1).u64(1).u64(64).u64(2).take()) ==
          Lines{"version=1", "block_bytes=4096", "nodes[2]", "nodes.0.node=0", "nodes.0.size_blocks=1",
                "nodes.0.blocks[?]", "nodes.0.blocks.0.first=0", "nodes.0.blocks.0.last=0", "nodes.1.node=1",
                "nodes.1.size_blocks=1", "nodes.1.blocks[?]", "nodes.1.blocks.0.first=1", "nodes.1.blocks.0.last=1"});
    // AUXTRACE is a count and pairs, not the struct in memory.
    CHECK(lines_of_feature(order, Feature::auxtrace, out().u64(1).u64(0x1000).u64(48).take()) ==
          Lines{"records[1]", "records.0.offset=4096", "records.0.bytes=48"});
    // BPF_BTF begins with a count.
    CHECK(lines_of_feature(order, Feature::bpf_btf, out().u32(1).u32(35).u32(3).text("abc").take()) ==
          Lines{"btf[1]", "btf.0.id=35", "btf.0.bytes=3"});
    // CLOCKID is a resolution in nanoseconds, not a frequency.
    CHECK(lines_of_feature(order, Feature::clockid, out().u64(4).take()) == Lines{"resolution_ns=4"});
    // CPU_DOMAIN_INFO begins with two numbers, and names the domains only since version 17.
    CHECK(lines_of_feature(order, Feature::cpu_domain_info,
                           out().u32(16).u32(1).u32(3).u32(1).u32(0).string("ff").string("0-7").take()) ==
          Lines{"schedstat_version=16", "max_domains=1", "cpus[?]", "cpus.0.cpu=3", "cpus.0.domains[1]",
                "cpus.0.domains.0.domain=0", "cpus.0.domains.0.cpu_mask='ff'", "cpus.0.domains.0.cpus='0-7'"});
}

TEST_CASE("trap 27: entries of the BUILD_ID table have type 0, and no size that is a multiple of 8", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto first = build_id_record(order, {.misc = 1, .name = "[kernel.kallsyms]"});
    REQUIRE(first.size() % 8 == 4);
    const auto lines = lines_of_feature(
        order, Feature::build_id,
        joined({first, build_id_record(order, {.misc = 0x8002, .pid = 0, .name = "/bin/a", .id_size = 8})}));
    CHECK(std::ranges::count(lines, "build_ids.0.name='[kernel.kallsyms]'") == 1);
    CHECK(std::ranges::count(lines, "build_ids.0.pid=-1") == 1);
    CHECK(std::ranges::count(lines, "build_ids.1.name='/bin/a'") == 1);
    CHECK(std::ranges::count(lines, "build_ids.1.build_id=x0102030405060708") == 1);
}
