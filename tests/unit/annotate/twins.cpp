// SPDX-License-Identifier: MIT
// A recording's byte-swapped twin has the same annotation: programs, names, lines, code and hits.
#include <algorithm>

#include "perfdata/annotate/page/page.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/twin.hpp"
#include "unit/annotate/annotated_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string annotation_of(const Blob& file) {
    const AnnotatedScene opened(Recording::from_memory(file).value());
    const auto profile = Profile::count(opened.recording, opened.symbolizer.versions()).value();
    const auto listings = listings_of(profile, opened.symbolizer, opened.recording.arch());
    std::string text;
    write_json_page({opened.recording, opened.timeline, profile, opened.timeline.completeness()}, listings, {},
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
