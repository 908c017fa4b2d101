// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Writer head(std::endian order, std::uint16_t version, std::uint16_t domain) {
    Writer body(order);
    return std::move(body.u64(0x1122334455667788).u32(0x01020304).u16(version).u16(domain));
}

Writer domain_of(std::endian order, std::uint16_t version, std::uint32_t counters) {
    auto body = head(order, version, 0x0506);
    for (std::uint32_t index = 0; index < counters; ++index) body.u32(1000 + index);
    return body;
}

const Lines reasons_15 = {"idle", "busy", "newidle"};
const Lines reasons = {"busy", "idle", "newidle"};
const Lines old_counters = {"count", "balanced", "failed", "imbalance", "gained", "hot_gained", "nobusyq", "nobusyg"};
const Lines new_counters = {"count",          "balanced",       "failed",           "imbalance_load",
                            "imbalance_util", "imbalance_task", "imbalance_misfit", "gained",
                            "hot_gained",     "nobusyq",        "nobusyg"};

Lines domain_lines(int version) {
    Lines lines = {"timestamp=1234605616436508552", "cpu=16909060", "version=" + std::to_string(version),
                   "domain=1286"};
    int value = 1000;
    const auto add = [&](const std::string& name) { lines.push_back(name + "=" + std::to_string(value++)); };
    for (const auto& reason : version == 15 ? reasons_15 : reasons) {
        for (const auto& counter : version == 17 ? new_counters : old_counters) add(reason + "_lb_" + counter);
    }
    for (const auto* name :
         {"alb_count", "alb_failed", "alb_pushed", "sbe_count", "sbe_balanced", "sbe_pushed", "sbf_count",
          "sbf_balanced", "sbf_pushed", "ttwu_wake_remote", "ttwu_move_affine", "ttwu_move_balance"}) {
        add(name);
    }
    return lines;
}

}  // namespace

TEST_CASE("SCHEDSTAT_CPU gives its counters", "[wire][schedstat_cpu]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto version = GENERATE(range(15, 18));
    auto writer = head(order, static_cast<std::uint16_t>(version), 0xeeee);
    const auto body = writer.u32(1).u32(2).u32(3).u32(4).u32(5).u32(6).u64(0x99aabbccddeeff00).u64(8).u64(9).take();
    check_fields<SchedstatCpu>(order, body,
                               {"timestamp=1234605616436508552", "cpu=16909060", "version=" + std::to_string(version),
                                "yld_count=1", "array_exp=2", "sched_count=3", "sched_goidle=4", "ttwu_count=5",
                                "ttwu_local=6", "rq_cpu_time=11072869122414935808", "run_delay=8", "pcount=9"});
    check_needs<SchedstatCpu>(order, body, 72);
}

TEST_CASE("SCHEDSTAT_CPU of an unknown version is kept as bytes", "[wire][schedstat_cpu]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint16_t version = GENERATE(std::uint16_t{14}, std::uint16_t{18}, std::uint16_t{0x0f00});
    const auto body = head(order, version, 0).text("new").take();
    check_fields<SchedstatCpu>(
        order, body,
        {"timestamp=1234605616436508552", "cpu=16909060", "version=" + std::to_string(version), "data=<6e6577>"});
    CHECK_FALSE(RecordCase<SchedstatCpu>(order, body)->counters);
    check_needs<SchedstatCpu>(order, body, 24);
    CHECK(SchedstatCpu::min_bytes == 24);
}

TEST_CASE("SCHEDSTAT_DOMAIN gives the counters of its version", "[wire][schedstat_domain]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto version = GENERATE(range(15, 18));
    const std::uint32_t count = version == 17 ? 45 : 36;
    const auto body = domain_of(order, static_cast<std::uint16_t>(version), 46).take();
    CHECK(body.size() == 200);
    check_fields<SchedstatDomain>(order, body, domain_lines(version));
    check_needs<SchedstatDomain>(order, body, 24 + 4 * count);
    const RecordCase<SchedstatDomain> got(order, body);
    CHECK(got->known());
    CHECK(got->counters.size() == count);
    CHECK(schedstat_domain_counters(static_cast<std::uint16_t>(version)) == count);
}

TEST_CASE("SCHEDSTAT_DOMAIN of an unknown version is all words to the end", "[wire][schedstat_domain]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint16_t version = GENERATE(std::uint16_t{14}, std::uint16_t{18});
    const auto body = domain_of(order, version, 2).fill(3, 0xee).take();
    check_fields<SchedstatDomain>(order, body,
                                  {"timestamp=1234605616436508552", "cpu=16909060",
                                   "version=" + std::to_string(version), "domain=1286", "counters=[1000,1001]"});
    CHECK_FALSE(RecordCase<SchedstatDomain>(order, body)->known());
    CHECK(schedstat_domain_counters(version) == 0);
    check_needs<SchedstatDomain>(order, body, 24);
    CHECK(SchedstatDomain::min_bytes == 24);
}
