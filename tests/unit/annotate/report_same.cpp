// SPDX-License-Identifier: MIT
// Equal samples give equal reports, with any number of threads and from any container.
#include <algorithm>

#include "perfdata/annotate/page/report_page.hpp"

#include "catch.hpp"
#include "support/compressor.hpp"
#include "support/files.hpp"
#include "support/repacked.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct Pages {
    std::string text, json;
};

Pages report_of(const Recording& recording, const ReportOptions& options, const SymbolizerOptions& sources,
                unsigned jobs) {
    const auto timeline = Timeline::build(recording).value();
    const auto names = Symbolizer::open(recording, timeline, sources);
    names.prepare(jobs);
    const auto counts = SampleCounts::count(recording, timeline, count_options(options, names)).value();
    const auto report = Report::make(recording, counts, names, options);
    Pages pages;
    write_report_text(report, {false, true, true}, [&](std::string_view part) { pages.text += part; });
    write_report_json(report, [&](std::string_view part) { pages.json += part; });
    return pages;
}

bool has_chains(const Recording& recording) {
    return std::ranges::any_of(recording.events().events(),
                               [](const Event& event) { return event.attr.has(sample_bit::callchain); });
}

ReportOptions with_callers(ReportTree tree) {
    ReportOptions options;
    options.children = tree != ReportTree::none;
    options.tree = tree;
    options.tree_limit = 0;
    return options;
}

}  // namespace

TEST_CASE("A report is the same with any number of threads", "[annotate][report][jobs][fixtures]") {
    // Use files of this machine, so that each thread has something to load.
    SymbolizerOptions sources;
    sources.finder.allow_local = true;
    sources.jit.as_recorded = false;
    int chains = 0, several_events = 0;
    for (const auto& path : fixture_recordings()) {
        INFO(path);
        const auto recording = Recording::open(path).value();
        chains += has_chains(recording);
        several_events += recording.events().events().size() > 1;
        for (const auto tree : {ReportTree::none, ReportTree::caller}) {
            const auto options = with_callers(tree);
            const auto one = report_of(recording, options, sources, 1);
            CHECK(one.text.find("# Samples: ") == 0);
            for (const unsigned jobs : {2u, 7u}) {
                INFO(jobs << " threads");
                const auto several = report_of(recording, options, sources, jobs);
                CHECK(several.text == one.text);
                CHECK(several.json == one.json);
            }
        }
    }
    CHECK(chains >= 2);
    CHECK(several_events >= 2);
}

TEST_CASE("A recording is reported alike from a file, a pipe, a directory and packed with -z",
          "[annotate][report][repacked][fixtures]") {
    SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.jit.as_recorded = false;
    for (const auto& path : fixture_recordings()) {
        INFO(path);
        const auto recording = Recording::open(path).value();
        auto content = content_of(recording);
        const auto order = content.order;
        Random random(content.records.size());
        const auto plain = joined({Crafted::bytes_of(content.synthesized), Crafted::bytes_of(content.records)});
        const auto data = joined({Crafted::bytes_of(content.synthesized),
                                  packed(order, RecordType::compressed, Crafted::bytes_of(content.records), random)});
        auto piping = content;
        piping.features.try_emplace(static_cast<unsigned>(Feature::tracing_data), Blob(24, std::byte{0x17}));
        const auto pipe = as_pipe(piping, plain);
        const auto piped = Recording::from_memory(pipe).value();
        content.features[static_cast<unsigned>(Feature::compressed)] = compression_feature(order);
        const auto smaller = builder_of(content, data).build();
        const auto unpacked = Recording::from_memory(smaller).value();
        const TempDir directory;
        write_directory(directory, content, random);
        const auto spread = Recording::open(directory.path()).value();

        for (const auto tree : {ReportTree::none, ReportTree::caller, ReportTree::callee}) {
            const auto text = [&](const Recording& of) { return report_of(of, with_callers(tree), sources, 1).text; };
            const auto want = text(recording);
            CHECK(want.find("no samples to show") == std::string::npos);
            CHECK(text(piped) == want);
            CHECK(text(unpacked) == want);
            // Equal branches of a tree keep the order of their samples, which differs in a directory.
            if (tree == ReportTree::none) CHECK(text(spread) == want);
        }
    }
}
