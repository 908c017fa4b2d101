// SPDX-License-Identifier: MIT
// top_lines FILE: the twenty source lines with the most samples.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/annotate.hpp"
#include "perfdata/perfdata.hpp"

using namespace perfdata;

namespace {

struct Line {
    std::uint64_t hits = 0;
    std::string text;
};

int print(const char* file) {
    const auto recording = Recording::open(file).value();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline);
    const auto profile = Profile::count(recording, symbolizer.versions()).value();
    const auto disassembler = Disassembler::create(recording.arch());

    // A line may have code in several functions, and columns tell parts of a line apart.
    using Place = std::pair<std::string, std::uint32_t>;
    std::map<Place, Line> lines;
    for (const auto& function : profile.functions()) {
        const auto listing = annotate(function, symbolizer, disassembler);
        for (const auto& [source, cells] : listing.lines) {
            auto& line = lines[{std::string(source.file), source.line}];
            line.hits += hits(cells);
            line.text = source.text;
        }
    }
    std::vector<std::pair<Place, Line>> hottest(lines.begin(), lines.end());
    std::ranges::stable_sort(hottest, std::ranges::greater{}, [](const auto& one) { return one.second.hits; });
    constexpr std::size_t most = 20;
    for (std::size_t at = 0; at < std::min(most, hottest.size()) && hottest[at].second.hits != 0; ++at) {
        const auto& [place, line] = hottest[at];
        const auto share = 100.0 * static_cast<double>(line.hits) / static_cast<double>(hits(profile.totals()));
        std::printf("%6.2f%% %7llu  %s:%u  %s\n", share, static_cast<unsigned long long>(line.hits), place.first.c_str(),
                    place.second, line.text.c_str());
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: top_lines FILE\n");
        return 2;
    }
    return print(argv[1]);
} catch (const std::bad_expected_access<Error>& problem) {
    std::fprintf(stderr, "%s\n", problem.error().message().c_str());
    return 1;
}
