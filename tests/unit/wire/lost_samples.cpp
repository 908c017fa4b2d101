// SPDX-License-Identifier: MIT
#include "perfdata/wire/record/lost_samples.hpp"

#include "record_cut.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("LOST_SAMPLES gives its count and who dropped them", "[wire][lost_samples]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool filtered = GENERATE(false, true);
    const LostSamples want{0x2122232425262728, filtered};
    const auto blob = encode(want, {.order = order, .trailer = trailer_of_ones(24), .misc = 0x4000});
    const auto got = LostSamples::decode(view(blob, order), 24);
    REQUIRE(got);
    CHECK(got->lost == 0x2122232425262728);
    CHECK(got->by_bpf_filter == filtered);
}

TEST_CASE("LOST_SAMPLES needs 16 bytes", "[wire][lost_samples]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = {}, .misc = 0};
    check_refuses_below<LostSamples>(encode(LostSamples{3, false}, frame), order, LostSamples::min_bytes);
    CHECK(LostSamples::min_bytes == 16);
}
