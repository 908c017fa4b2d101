// SPDX-License-Identifier: MIT
// annotate_html FILE PAGE: writes a page with a flame graph and listings, as `perfdata annotate -o PAGE` does.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate.hpp"
#include "perfdata/perfdata.hpp"

using namespace perfdata;

namespace {

int write(const char* file, const char* page) {
    const auto recording = Recording::open(file).value();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline);
    const auto profile = Profile::count(recording, symbolizer.versions()).value();

    // Code and lines of the hottest functions; of the others a row of the table.
    const std::span functions(profile.functions());
    const auto listed = std::min<std::size_t>(functions.size(), 50);
    auto listings = annotate_all(functions.first(listed), symbolizer, recording.arch(), Syntax::att, 1);
    for (const auto& function : functions.subspan(listed)) listings.push_back(summary_listing(function, symbolizer));

    // Samples without a function: on a page all parts add up to the whole.
    std::vector<Unattributed> unattributed;
    for (const auto& [miss, cells] : profile.misses()) unattributed.push_back({std::string(to_string(miss)), cells});
    for (const auto& [why, cells] : profile.unnamed()) unattributed.push_back({std::string(why.reason), cells});

    const auto counts = SampleCounts::count(recording, timeline, flame_counting(symbolizer, true)).value();
    HtmlOptions options;
    options.title = "Where the time went";
    std::ofstream out(page, std::ios::binary);
    write_html_page({recording, timeline, profile, timeline.completeness()}, listings, unattributed,
                    Flame::make(counts, symbolizer), options,
                    [&](std::string_view block) { out << block; });
    out.close();
    if (!out) {
        std::fprintf(stderr, "cannot write %s\n", page);
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::fprintf(stderr, "usage: annotate_html FILE PAGE\n");
        return 2;
    }
    return write(argv[1], argv[2]);
} catch (const std::bad_expected_access<Error>& problem) {
    std::fprintf(stderr, "%s\n", problem.error().message().c_str());
    return 1;
}
