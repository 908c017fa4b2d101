// SPDX-License-Identifier: MIT
// Features about PMUs, groups, caches, AUX data, scheduling domains.
#include "perfdata/wire/feature/auxtrace.hpp"
#include "perfdata/wire/feature/cache.hpp"
#include "perfdata/wire/feature/cpu_domain_info.hpp"
#include "perfdata/wire/feature/group_desc.hpp"
#include "perfdata/wire/feature/hybrid_topology.hpp"
#include "perfdata/wire/feature/pmu_caps.hpp"
#include "perfdata/wire/feature/pmu_mappings.hpp"

#include "catch.hpp"
#include "support/payload.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// all_of(reader) returns all elements; requires success.
template <class Reader>
auto all_of(Reader reader) {
    using Element = typename decltype(reader.next())::value_type::value_type;
    std::vector<Element> elements;
    for (;;) {
        auto next = reader.next();
        REQUIRE(next);
        if (!*next) return elements;
        elements.push_back(**next);
    }
}

}  // namespace

TEST_CASE("PMU_MAPPINGS name the types of events", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // In pipes padding may follow.
    const auto blob =
        FeatureWriter(order).u32(2).u32(1).string("software").u32(0x0a0b0c0d).string("cpu").zeros(5).take();
    const auto pmus = all_of(PmuMappingReader(over(blob, order)));
    REQUIRE(pmus.size() == 2);
    CHECK(pmus[0].type == 1);
    CHECK(pmus[0].name == "software");
    CHECK(pmus[1].type == 0x0a0b0c0d);
    CHECK(pmus[1].name == "cpu");
    CHECK(all_of(PmuMappingReader(over(Writer(order).u32(0).take(), order))).empty());
}

TEST_CASE("GROUP_DESC tells leaders and sizes", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob =
        FeatureWriter(order).u32(2).string("{anon_group}").u32(0).u32(2).string("mine").u32(0x10203).u32(4).take();
    const auto groups = all_of(EventGroupReader(over(blob, order)));
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].name == EventGroup::anonymous);
    CHECK(groups[0].leader == 0);
    CHECK(groups[0].members == 2);
    CHECK(groups[1].name == "mine");
    CHECK(groups[1].leader == 0x10203);
    CHECK(groups[1].members == 4);
}

TEST_CASE("HYBRID_TOPOLOGY names kinds of CPUs", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = FeatureWriter(order).u32(1).string("cpu_core").string("0-15").take();
    const auto kinds = all_of(HybridTopologyReader(over(blob, order)));
    REQUIRE(kinds.size() == 1);
    CHECK(kinds[0].pmu == "cpu_core");
    CHECK(kinds[0].cpus == "0-15");
}

TEST_CASE("PMU_CAPS has capabilities in front of the name", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    FeatureWriter out(order);
    out.u32(3);
    out.u32(2).string("branches").string("32").string("max_precise").string("3").string("cpu");
    out.u32(0).string("cpu_atom");
    out.u32(1).string("caps").string("").string("ibs_op");
    const auto pmus = all_of(PmuCapabilitiesReader(over(out.blob(), order)));
    REQUIRE(pmus.size() == 3);
    CHECK(pmus[0].name() == "cpu");
    CHECK(pmus[0].capabilities().count() == 2);
    const auto capabilities = all_of(pmus[0].capabilities());
    REQUIRE(capabilities.size() == 2);
    CHECK(capabilities[0].name == "branches");
    CHECK(capabilities[0].value == "32");
    CHECK(capabilities[1].name == "max_precise");
    CHECK(capabilities[1].value == "3");
    CHECK(pmus[1].name() == "cpu_atom");
    CHECK(all_of(pmus[1].capabilities()).empty());
    CHECK(pmus[2].name() == "ibs_op");
    CHECK(all_of(pmus[2].capabilities())[0].value.empty());

    const auto too_many = FeatureWriter(order).u32(1).u32(0x20000000).string("a").string("b").string("cpu").take();
    CHECK(PmuCapabilitiesReader(over(too_many, order)).next().error().code == ErrorCode::truncated);
}

TEST_CASE("CPU_PMU_CAPS are pairs of texts", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = FeatureWriter(order).u32(1).string("pmu_name").string("skylake").take();
    const auto capabilities = all_of(PmuCapabilityReader(over(blob, order)));
    REQUIRE(capabilities.size() == 1);
    CHECK(capabilities[0].name == "pmu_name");
    CHECK(capabilities[0].value == "skylake");
}

TEST_CASE("CACHE lists the caches of each level", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    FeatureWriter out(order);
    out.u32(1).u32(2);
    out.u32(1).u32(64).u32(512).u32(2).string("Data").string("64K").string("0");
    out.u32(3).u32(128).u32(16384).u32(16).string("Unified").string("16384K").string("0-1");
    const auto caches = CpuCaches::decode(over(out.blob(), order));
    REQUIRE(caches);
    CHECK(caches->version == 1);
    CHECK(caches->caches.count() == 2);
    const auto all = all_of(caches->caches);
    REQUIRE(all.size() == 2);
    CHECK(all[0].level == 1);
    CHECK(all[0].line_size == 64);
    CHECK(all[0].sets == 512);
    CHECK(all[0].ways == 2);
    CHECK(all[0].type == "Data");
    CHECK(all[0].size == "64K");
    CHECK(all[0].cpus == "0");
    CHECK(all[1].level == 3);
    CHECK(all[1].line_size == 128);
    CHECK(all[1].sets == 16384);
    CHECK(all[1].ways == 16);
    CHECK(all[1].cpus == "0-1");

    const auto newer = CpuCaches::decode(over(patched(out.blob(), order, 0, std::uint32_t{2}), order));
    REQUIRE_FALSE(newer);
    CHECK(newer.error().code == ErrorCode::malformed);
}

TEST_CASE("AUXTRACE is an index of places", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u64(2).u64(0x0102030405060708).u64(48).u64(9).u64(10).take();
    const auto index = AuxtraceIndex::decode(over(blob, order));
    REQUIRE(index);
    REQUIRE(index->entries.size() == 2);
    CHECK(index->entries[0].offset == 0x0102030405060708);
    CHECK(index->entries[0].size == 48);
    CHECK(index->entries[1].offset == 9);
    CHECK(index->entries[1].size == 10);
    for_every_cut(blob, [&](const Blob& cut) { CHECK_FALSE(AuxtraceIndex::decode(over(cut, order))); });

    for (const std::uint64_t count : {std::uint64_t{3}, std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
        const auto too_many = AuxtraceIndex::decode(over(patched(blob, order, 0, count), order));
        REQUIRE_FALSE(too_many);
        CHECK(too_many.error().code == ErrorCode::truncated);
    }
    CHECK(AuxtraceIndex::decode(over(Writer(order).u64(0).take(), order)).value().entries.empty());
}

TEST_CASE("AUXTRACE of simpleperf has no count", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).u64(0x9d38).u64(48).u64(0xde78).u64(48).take();
    const auto index = AuxtraceIndex::decode(over(blob, order));
    REQUIRE(index);
    REQUIRE(index->entries.size() == 2);
    CHECK(index->entries[0].offset == 0x9d38);
    CHECK(index->entries[0].size == 48);
    CHECK(index->entries[1].offset == 0xde78);
}

TEST_CASE("CPU_DOMAIN_INFO names domains since schedstat version 17", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t version = GENERATE(15u, 16u, 17u, 18u);
    const bool named = version >= 17;
    FeatureWriter out(order);
    out.u32(version).u32(3);
    out.u32(0).u32(2).u32(0);
    if (named) out.string("SMT");
    out.string("00000003").string("0-1").u32(1);
    if (named) out.string("MC");
    out.string("0000000f").string("0-3");
    out.u32(7).u32(0);  // a CPU in no domain
    out.u32(9).u32(1).u32(4);
    if (named) out.string("NUMA");
    out.string("ff").string("0-7");

    CpuDomainReader reader(over(out.blob(), order));
    CHECK(reader.ok());
    CHECK(reader.schedstat_version() == version);
    CHECK(reader.max_domains() == 3);
    const auto cpus = all_of(reader);
    REQUIRE(cpus.size() == 3);
    CHECK(cpus[0].cpu == 0);
    CHECK(cpus[0].domains.count() == 2);
    const auto domains = all_of(cpus[0].domains);
    REQUIRE(domains.size() == 2);
    CHECK(domains[0].domain == 0);
    CHECK(domains[0].name == (named ? "SMT" : ""));
    CHECK(domains[0].cpu_mask == "00000003");
    CHECK(domains[0].cpus == "0-1");
    CHECK(domains[1].domain == 1);
    CHECK(domains[1].name == (named ? "MC" : ""));
    CHECK(domains[1].cpu_mask == "0000000f");
    CHECK(domains[1].cpus == "0-3");
    CHECK(cpus[1].cpu == 7);
    CHECK(all_of(cpus[1].domains).empty());
    CHECK(cpus[2].cpu == 9);
    CHECK(all_of(cpus[2].domains)[0].domain == 4);
    CHECK(all_of(cpus[2].domains)[0].cpus == "0-7");
}

TEST_CASE("CPU_DOMAIN_INFO keeps the CPUs before damage", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = FeatureWriter(order).u32(16).u32(1).u32(0).u32(0).u32(1).u32(0x10000000).zeros(64).take();
    CpuDomainReader reader(over(blob, order));
    CHECK(reader.next().value().has_value());
    const auto damaged = reader.next();
    REQUIRE_FALSE(damaged);
    CHECK(damaged.error().code == ErrorCode::truncated);
    CHECK_FALSE(reader.next());

    const auto short_blob = Writer(order).u32(17).take();
    CpuDomainReader short_reader(over(short_blob, order));
    CHECK_FALSE(short_reader.ok());
    CHECK_FALSE(short_reader.next());
}
