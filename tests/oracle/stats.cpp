// SPDX-License-Identifier: MIT
// Compares numbers of records by type.
#include "perfdata/wire/record.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"

namespace oracle {
namespace {

// perf's `--stats` drops a prefix that our names, from the header, have.
std::string perf_name(std::uint32_t type) {
    const auto name = std::string(perfdata::record_type_name(type));
    constexpr std::string_view prefix = "HEADER_";
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

TEST_CASE("perf counts the same records of each type", "[oracle][stats]") {
    for (const auto& path : perf_fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const Opened opened(path);
            // With --stats perf 6.1 does not step over the data behind TRACING_DATA, and stops there.
            const auto& found = opened.timeline.completeness().records;
            if (found.contains(static_cast<std::uint32_t>(perfdata::RecordType::header_tracing_data))) continue;
            auto counts = perf_counts(path);
            const auto total = counts["TOTAL"];
            counts.erase("TOTAL");

            std::map<std::string, std::uint64_t> ours;
            std::uint64_t our_total = 0;
            for (const auto& [type, records] : opened.timeline.completeness().records) {
                CHECK(records.damaged == 0);
                ours[perf_name(type)] = records.decoded + records.skipped;
                our_total += records.decoded + records.skipped;
            }
            CHECK(ours == counts);
            CHECK(our_total == total);
            CHECK(opened.timeline.completeness().lossless());
        }
    }
}

}  // namespace
}  // namespace oracle
