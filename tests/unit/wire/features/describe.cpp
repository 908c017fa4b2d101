// SPDX-License-Identifier: MIT
#include "perfdata/wire/feature/describe.hpp"

#include "catch.hpp"
#include "support/payload.hpp"
#include "unit/wire/features/lines.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct Described {
    std::vector<std::string> lines;
    Result<void> result;
};

Described describe(unsigned number, const Blob& payload, std::endian order,
                   const FeatureContext& context = {.available_cpus = 2}) {
    Described described;
    described.result = describe_feature(number, over(payload, order), context, FeatureLines(described.lines));
    return described;
}
Described describe(Feature feature, const Blob& payload, std::endian order) {
    return describe(static_cast<unsigned>(feature), payload, order);
}

bool begins_with(const std::vector<std::string>& whole, const std::vector<std::string>& part) {
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

}  // namespace

TEST_CASE("Every known feature has an example", "[wire][features]") {
    const auto examples = payload_examples(std::endian::little);
    unsigned number = 1;
    for (const auto& example : examples) CHECK(static_cast<unsigned>(example.feature) == number++);
    CHECK_FALSE(feature_name(number - 1).empty());
    CHECK(feature_name(number).empty());
}

TEST_CASE("Every known feature is described with all its values in file order", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto& example : payload_examples(order)) {
        CAPTURE(static_cast<unsigned>(example.feature));
        const auto described = describe(example.feature, example.payload, order);
        CHECK(described.result);
        CHECK(described.lines == example.lines);
    }
}

TEST_CASE("A feature cut anywhere gives an error, and the values before it", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto& example : payload_examples(order)) {
        CAPTURE(static_cast<unsigned>(example.feature));
        for_every_cut(example.payload, [&](const Blob& cut) {
            const auto described = describe(example.feature, cut, order);
            CAPTURE(cut.size(), described.lines);
            CHECK(begins_with(example.lines, described.lines));
            if (!described.result) {
                CHECK((described.result.error().code == ErrorCode::truncated ||
                       described.result.error().code == ErrorCode::malformed));
                return;
            }
            // Only these may end earlier: they have no count, or older recorders wrote less.
            CHECK((example.feature == Feature::build_id || example.feature == Feature::cpu_domain_info ||
                   example.feature == Feature::cpu_topology));
        });
    }
}

TEST_CASE("No number in a feature leads beyond its end or into a long loop", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto& example : payload_examples(order)) {
        CAPTURE(static_cast<unsigned>(example.feature));
        for (std::size_t at = 0; at < example.payload.size(); ++at) {
            std::vector<Blob> damaged = {patched(example.payload, order, at, std::uint8_t{0xff}),
                                         patched(example.payload, order, at, std::uint8_t{0})};
            if (at + 4 <= example.payload.size()) {
                damaged.push_back(patched(example.payload, order, at, std::uint32_t{0xffffffff}));
                damaged.push_back(patched(example.payload, order, at, std::uint32_t{0x7fffffff}));
            }
            if (at + 8 <= example.payload.size()) {
                damaged.push_back(patched(example.payload, order, at, std::uint64_t{0xffffffffffffffff}));
                damaged.push_back(patched(example.payload, order, at, std::uint64_t{0x2000000000000001}));
            }
            for (auto& blob : damaged) {
                blob.shrink_to_fit();
                const auto described = describe(example.feature, blob, order);
                CHECK(described.lines.size() <= 4 * example.payload.size() + 4);
            }
        }
    }
}

TEST_CASE("A feature that is not known is opaque", "[wire][features]") {
    const auto number = GENERATE(0u, 35u, 128u, 255u, 256u + 7u);
    const auto described = describe(number, blob_of("AB"), std::endian::little);
    CHECK(described.result);
    CHECK(described.lines == std::vector<std::string>{"payload=x4142"});
}

TEST_CASE("CPU_TOPOLOGY without the number of CPUs stays opaque behind its first lists", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto payload = FeatureWriter(order).strings({"0"}).strings({"0"}).u32(0x01010101).u32(0x02020202).take();
    const auto described = describe(static_cast<unsigned>(Feature::cpu_topology), payload, order, {});
    CHECK(described.result);
    CHECK(described.lines == std::vector<std::string>{"sockets[?]", "sockets.0='0'", "threads[?]", "threads.0='0'",
                                                      "undecoded=x0101010102020202"});
}

TEST_CASE("Bytes in a feature that should have none are not hidden", "[wire][features]") {
    const auto described = describe(Feature::stat, blob_of("!"), std::endian::little);
    CHECK(described.result);
    CHECK(described.lines == std::vector<std::string>{"present=true", "undecoded=x21"});
}

TEST_CASE("BRANCH_STACK and STAT are flags", "[wire][features]") {
    for (unsigned number = 1; !feature_name(number).empty(); ++number) {
        CHECK(is_flag(static_cast<Feature>(number)) == (number == 15 || number == 19));
    }
}

TEST_CASE("Features with tables say how many elements are written", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto feature = GENERATE(Feature::cmdline, Feature::numa_topology, Feature::pmu_mappings, Feature::group_desc,
                                  Feature::bpf_prog_info, Feature::bpf_btf, Feature::cpu_pmu_caps,
                                  Feature::hybrid_topology, Feature::pmu_caps);
    const auto described = describe(feature, FeatureWriter(order).u32(1000000).zeros(64).take(), order);
    REQUIRE_FALSE(described.result);
    CHECK(described.result.error().code == ErrorCode::truncated);
    REQUIRE(described.lines.size() == 1);
    CHECK(described.lines[0].ends_with("[1000000]"));
}
