// SPDX-License-Identifier: MIT
#include "annotate_html.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/symbols/bundle/bundle.hpp"

#include "format/words.hpp"
#include "tool/options/event_choice.hpp"
#include "tool/options/histogram_options.hpp"

namespace perfdata::tool {

std::size_t html_listings(std::span<const FunctionHits> functions, const EventCounts& totals) {
    constexpr std::size_t most = 200;
    constexpr double least_percent = 0.1;
    const auto matters = [&](const FunctionHits& function) {
        for (std::size_t event = 0; event < totals.size(); ++event) {
            if (share(function.total[event].hits, totals[event].hits) >= least_percent) return true;
        }
        return false;
    };
    std::size_t count = 0;
    while (count < std::min(functions.size(), most) && matters(functions[count])) ++count;
    return count;
}

Result<SampleCounts> count_flame(const Recording& recording, const Symbolizer& symbolizer, bool calls, bool inlines,
                                 const CallOptions& counting, std::shared_ptr<TraceHistograms> histograms) {
    auto options = calls ? call_counting(symbolizer.versions()) : flame_counting(symbolizer, has_chains(recording));
    options.by_comm = true;
    options.inlines = inlines && options.chains;
    options.filter = counting.filter;
    options.stop = counting.stop;
    options.progress = counting.progress;
    options.max_stack = counting.max_stack;
    options.jobs = counting.jobs;
    count_into(std::move(histograms), options);
    return SampleCounts::count(recording, symbolizer.timeline(), options);
}

// Returns a problem for a page: without the places where a file was looked for. They are of this machine, or of a
// bundle, and pages of a recording and of its bundle are equal.
static std::string page_note(const Error& problem) {
    auto text = problem.message();
    const auto begin = text.rfind(" (looked at "), end = text.rfind("): put it ");
    if (begin != std::string::npos && end != std::string::npos && begin < end) text.erase(begin, end + 1 - begin);
    return text;
}

std::vector<std::string> html_notes(const Recording& recording, const Symbolizer& symbolizer, bool kernel) {
    std::vector<std::string> notes;
    // The page says by itself what has no names. What a bundle lacks is for messages: its page is that of where it was
    // made.
    std::vector<Error> of_bundle;
    if (recording.bundle()) Bundle::tell_missing(*recording.bundle(), of_bundle);
    const auto is_of_bundle = [&](const Error& problem) {
        return std::ranges::any_of(of_bundle, [&](const Error& one) { return one.message() == problem.message(); });
    };
    for (const auto& problem : symbolizer.problems()) {
        if (is_of_bundle(problem)) continue;
        if (kernel || &problem != symbolizer.kernel_problem()) notes.push_back(page_note(problem));
    }
    for (const auto& problem : symbolizer.image_problems()) notes.push_back(problem.message());
    return notes;
}

}  // namespace perfdata::tool
