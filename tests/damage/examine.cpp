// SPDX-License-Identifier: MIT
#include "damage/examine.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/annotate/listing/flame.hpp"
#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/annotate/page/html_page.hpp"
#include "perfdata/annotate/page/page.hpp"
#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "script/script.hpp"
#include "support/reading.hpp"

namespace perfdata::test {
namespace {

// Calls that return plain values; see catch_bad_alloc().
void write_pages(const Recording& recording, const Timeline& timeline, const Symbolizer& symbolizer,
                 const Profile& profile, const SampleCounts& counts, Examined& examined) {
    const auto sink = [&](std::string_view text) { examined.page_bytes += text.size(); };
    const auto& completeness = timeline.completeness();
    constexpr std::size_t most_listings = 8;
    const auto count = std::min(profile.functions().size(), most_listings);
    const auto listings =
        annotate_all(std::span(profile.functions()).first(count), symbolizer, recording.arch(), Syntax::att, 1);
    examined.functions = profile.functions().size();

    const PageContext page{recording, timeline, profile, completeness};
    const std::vector<Unattributed> others = {{"not shown", profile.totals()}};
    write_text_summary(page, listings, others, {}, sink);
    for (const auto& listing : listings) write_text_listing(page, listing, {}, sink);
    write_text_versions(page, listings, {}, sink);
    write_json_page(page, listings, others, sink);
    write_html_page(page, listings, others, Flame::make(counts, symbolizer), {}, sink);

    ReportOptions options;
    options.children = true;
    options.tree = ReportTree::caller;
    const auto report = Report::make(recording, counts, symbolizer, options);
    write_report_text(report, {.color = true, .hits = true, .periods = true}, sink);
    write_report_json(report, sink);
}

Result<Examined> examine(const Recording& recording, const std::string& symfs) {
    Examined examined;
    if (auto features = catch_bad_alloc([&] { return feature_lines(recording).size(); }); !features) {
        return fail(features.error());
    }
    const auto timeline = Timeline::build(recording);
    if (!timeline) return fail(timeline.error());
    const auto sample_records = catch_bad_alloc([&] {
        auto records = timeline->completeness().records;
        return records[static_cast<std::uint32_t>(RecordType::sample)];
    });
    if (!sample_records) return fail(sample_records.error());
    examined.samples = sample_records->total();
    examined.decoded = sample_records->decoded;

    const auto symbolizer = catch_bad_alloc([&] {
        SymbolizerOptions options;
        options.finder.offline = symfs.empty();
        options.finder.symfs = symfs;
        options.finder.limits = recording.limits();
        options.jit.as_recorded = false;
        auto opened = Symbolizer::open(recording, *timeline, options);
        (void)opened.versions();  // computed on first use
        return opened;
    });
    if (!symbolizer) return fail(symbolizer.error());
    const auto profile = Profile::count(recording, symbolizer->versions());
    if (!profile) return fail(profile.error());
    const auto counting = catch_bad_alloc([&] {
        ReportOptions options;
        options.children = true;
        options.tree = ReportTree::caller;
        return count_options(options, *symbolizer);
    });
    if (!counting) return fail(counting.error());
    const auto sampled = SampleCounts::count(recording, *timeline, *counting);
    if (!sampled) return fail(sampled.error());
    examined.stacks = sampled->chain_losses().stacks.stacks();
    examined.incomplete = sampled->chain_losses().stacks.incomplete();
    if (auto pages =
            catch_bad_alloc([&] { write_pages(recording, *timeline, *symbolizer, *profile, *sampled, examined); });
        !pages) {
        return fail(pages.error());
    }
    const auto sink =
        catch_bad_alloc([&]() -> Sink { return [&](std::string_view text) { examined.page_bytes += text.size(); }; });
    if (!sink) return fail(sink.error());
    for (const bool json : {false, true}) {
        auto wanted = catch_bad_alloc([&] {
            ScriptOptions script;
            script.json = json;
            if (!json) (void)script.fields.fit(recording, true);
            return script;
        });
        if (!wanted) return fail(wanted.error());
        if (auto written = write_script(recording, *symbolizer, *wanted, *sink); !written) {
            return fail(written.error());
        }
    }
    return examined;
}

}  // namespace

Result<Examined> examine(Bytes file, const std::string& symfs) {
    const auto recording = Recording::from_memory(file);
    if (!recording) return fail(recording.error());
    return examine(*recording, symfs);
}

}  // namespace perfdata::test
