// SPDX-License-Identifier: MIT
// The annotation of a recording's byte-swapped twin is that of the recording: programs, names, lines, code and hits.
#include "perfdata/annotate/page.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/twin.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string annotation_of(const Blob& file) {
    const auto recording = Recording::from_memory(file).value();
    const auto timeline = Timeline::build(recording).value();
    const auto profile = Profile::count(recording, timeline).value();
    const Symbols symbols(timeline);
    const auto disassembler = Disassembler::create(recording.arch());
    std::vector<Listing> listings;
    for (const auto& function : profile.functions()) listings.push_back(annotate(function, symbols, disassembler));
    std::string text;
    write_json_page({recording, timeline, profile, timeline.completeness()}, listings, {},
                    [&](std::string_view block) { text += block; });
    return text;
}

}  // namespace

TEST_CASE("Twins of real recordings are annotated alike", "[annotate][twins][fixtures]") {
    for (const auto& path : fixture_recordings()) {
        INFO(path);
        const auto file = content_of_file(path);
        const auto want = annotation_of(file);
        auto got = annotation_of(big_endian_twin(file));
        const std::string big = "\"byte_order\": \"big\"";
        const auto at = got.find(big);
        REQUIRE(at != std::string::npos);
        got.replace(at, big.size(), "\"byte_order\": \"little\"");
        REQUIRE(want.size() > 1000);
        const auto same = std::ranges::mismatch(got, want).in1 - got.begin();
        const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, same - 100));
        CHECK(got.substr(begin, 300) == want.substr(std::min(begin, want.size()), 300));
        CHECK(got.size() == want.size());
    }
}
