// SPDX-License-Identifier: MIT
// Which fields -F takes for which events.
#include "script/script_fields.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "support/build.hpp"
#include "support/samples.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto common = sample_bit::ip | sample_bit::time | sample_bit::identifier;

// A recording of software events with these fields; only those of `sampled` have a sample.
Blob file_of(const std::vector<std::uint64_t>& fields, const std::vector<std::size_t>& sampled) {
    RecordingBuilder builder;
    std::vector<Attr> attrs;
    for (std::size_t at = 0; at < fields.size(); ++at) {
        auto attr = sampling_attr(common | fields[at]);
        attr.config = at;
        builder.event(attr, {at + 1});
        attrs.push_back(attr);
    }
    for (const auto at : sampled) {
        SampleContent content;
        content.fixed.ip = 0x1000;
        content.fixed.time = 10 + at;
        content.fixed.identifier = at + 1;
        builder.add(encode(std::endian::little, attrs[at], content, 2));
    }
    return builder.build();
}

bool fits(const Blob& file, std::string_view fields) {
    const auto recording = Recording::from_memory(file).value();
    FieldChoice choice;
    return choice.choose(fields).has_value() && choice.fit(recording, true).has_value();
}

}  // namespace

TEST_CASE("The first event with samples decides on a field", "[annotate][script]") {
    const auto dummy_first = file_of({0, sample_bit::addr, 0}, {1, 2});
    CHECK(fits(dummy_first, "ip,addr"));
    CHECK_FALSE(fits(dummy_first, "ip,cpu"));
    const auto lacks_first = file_of({0, sample_bit::addr}, {0, 1});
    CHECK_FALSE(fits(lacks_first, "addr"));
    CHECK(fits(lacks_first, "ip"));
    CHECK(fits(file_of({0, 0}, {}), "ip,addr"));
}

TEST_CASE("Fields that fit alone fit together", "[annotate][script]") {
    // The first event has no samples, and lacks only one of them.
    const auto file = file_of({sample_bit::addr, sample_bit::cpu}, {1});
    CHECK(fits(file, "addr"));
    CHECK(fits(file, "cpu"));
    CHECK(fits(file, "addr,cpu"));
    CHECK(fits(file, "cpu,addr,ip"));
}
