// SPDX-License-Identifier: MIT
#include "damage/examine.hpp"

#include <utility>

#include "perfdata/annotate/listing/flame.hpp"
#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/annotate/page/html_page.hpp"
#include "perfdata/annotate/page/page.hpp"
#include "perfdata/annotate/report/report.hpp"
#include "perfdata/core/guarded.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/tally.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/code_book.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "script/script.hpp"
#include "support/reading.hpp"

namespace perfdata::test {
namespace {

// What returns plain values; see guarded().
void write_pages(const Recording& recording, const Timeline& timeline, const CodeBook& book, const Profile& profile,
                 const Tally& tally, Examined& examined) {
    const auto sink = [&](std::string_view text) { examined.page_bytes += text.size(); };
    const auto& completeness = timeline.completeness();
    constexpr std::size_t most_listings = 8;
    const auto count = std::min(profile.functions().size(), most_listings);
    const auto listings =
        annotate_all(std::span(profile.functions()).first(count), book, recording.arch(), Syntax::att, 1);
    examined.functions = profile.functions().size();

    const PageContext page{recording, timeline, profile, completeness};
    const std::vector<Unattributed> others = {{"not shown", profile.totals()}};
    write_text_summary(page, listings, others, {}, sink);
    for (const auto& listing : listings) write_text_listing(page, listing, {}, sink);
    write_text_versions(page, listings, {}, sink);
    write_json_page(page, listings, others, sink);
    write_html_page(page, listings, others, Flame::make(tally, book), {}, sink);

    ReportOptions options;
    options.children = true;
    options.tree = ReportTree::caller;
    const auto report = Report::make(tally, book.names(), book.symbols(), options);
    const ReportContext context{recording, book.names(), book.symbols(), tally, completeness, options};
    write_report_text(context, report, {.color = true, .hits = true, .periods = true}, sink);
    write_report_json(context, report, sink);
}

Result<Examined> examine(const Recording& recording) {
    Examined examined;
    if (auto features = guarded([&] { return feature_lines(recording).size(); }); !features) {
        return fail(features.error());
    }
    const auto timeline = Timeline::build(recording);
    if (!timeline) return fail(timeline.error());
    const auto counts = guarded([&] {
        auto records = timeline->completeness().records;
        return records[static_cast<std::uint32_t>(RecordType::sample)];
    });
    if (!counts) return fail(counts.error());
    examined.samples = counts->total();
    examined.decoded = counts->decoded;

    const auto book = guarded([&] {
        CodeBookOptions options;
        options.names.finder.offline = true;
        options.names.finder.limits = recording.limits();
        options.names.jit.as_recorded = false;
        return CodeBook::open(recording, *timeline, options);
    });
    if (!book) return fail(book.error());
    const auto profile = Profile::count(recording, book->versions());
    if (!profile) return fail(profile.error());
    const auto counting = guarded([&] {
        ReportOptions options;
        options.children = true;
        options.tree = ReportTree::caller;
        return tally_options(options, book->names());
    });
    if (!counting) return fail(counting.error());
    const auto tally = Tally::count(recording, *timeline, *counting);
    if (!tally) return fail(tally.error());
    if (auto pages = guarded([&] { write_pages(recording, *timeline, *book, *profile, *tally, examined); }); !pages) {
        return fail(pages.error());
    }
    const auto sink =
        guarded([&]() -> Sink { return [&](std::string_view text) { examined.page_bytes += text.size(); }; });
    if (!sink) return fail(sink.error());
    for (const bool json : {false, true}) {
        auto wanted = guarded([&] {
            ScriptOptions script;
            script.json = json;
            if (!json) (void)script.fields.fit(recording, true);
            return script;
        });
        if (!wanted) return fail(wanted.error());
        if (auto written = write_script(recording, book->names(), *wanted, *sink); !written) {
            return fail(written.error());
        }
    }
    return examined;
}

}  // namespace

Result<Examined> examine(Bytes file, const Limits& limits) {
    const auto recording = Recording::from_memory(file, {.limits = limits});
    if (!recording) return fail(recording.error());
    return examine(*recording);
}

}  // namespace perfdata::test
