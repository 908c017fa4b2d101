// SPDX-License-Identifier: MIT
#include "annotation_object.hpp"

#include <numeric>
#include <utility>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/listing/function_search.hpp"
#include "perfdata/symbols/object_architecture.hpp"

#include "filter.hpp"

namespace perfdata::c {
namespace {

void check(const perfdata_annotation_options& given) {
    constexpr std::uint64_t known = PERFDATA_ANNOTATION_INTEL | PERFDATA_ANNOTATION_OUTLINES, most_jobs = 256;
    if ((given.flags & ~known) != 0) refuse_argument("flags", "has bits that this version does not know");
    if (given.jobs > most_jobs) refuse_argument("jobs", "is more than 256");
    const auto ways =
        (given.symbol != nullptr ? 1 : 0) + (given.pattern != nullptr ? 1 : 0) + (given.file != nullptr ? 1 : 0);
    if (ways > 1) refuse_argument("options", "more than one of symbol, pattern and file is given");
    if (given.file == nullptr && given.line != 0) refuse_argument("line", "is given without a file");
    if (given.file != nullptr && (given.line == 0 || given.line > UINT32_MAX)) refuse_argument("line", "is none");
}

Profile count(const CodeObject& code, const perfdata_annotation_options& given, const Control& control) {
    check(given);
    ProfileOptions options;
    options.filter = filter_of(given.filter, code.recording);
    options.stop = control.stop();
    options.progress = control.progress("counting samples");
    return control.taken(Profile::count(code.recording, code.symbolizer.versions(), options));
}

}  // namespace

AnnotationObject::AnnotationObject(std::shared_ptr<const CodeObject> of, const perfdata_annotation_options& options)
    : Object(handle_kind), code(std::move(of)), profile(count(*code, options, Control(options.control))) {
    const Control control(options.control);
    const auto chosen = choose(options, control);
    note_unattributed(chosen);
    std::vector<FunctionHits> functions;
    for (const auto number : chosen) functions.push_back(profile.functions()[number]);
    if ((options.flags & PERFDATA_ANNOTATION_OUTLINES) != 0) {
        for (const auto& function : functions) {
            control.check();
            listings.push_back(summary_listing(function, code->symbolizer));
        }
        return;
    }
    const auto arch = find_architecture(code->recording, code->symbolizer,
                                        {control.stop(), control.progress("looking for the architecture")});
    control.check();
    ListingOptions listing;
    listing.arch = arch.name;
    listing.syntax = (options.flags & PERFDATA_ANNOTATION_INTEL) != 0 ? Syntax::intel : Syntax::att;
    listing.jobs = options.jobs == 0 ? 1u : static_cast<unsigned>(options.jobs);
    listing.limits = code->recording.limits();
    listing.stop = control.stop();
    listing.progress = control.progress("listing functions");
    listings = control.taken(annotate_all(functions, code->symbolizer, listing));
    control.check();
}

std::vector<std::uint32_t> AnnotationObject::choose(const perfdata_annotation_options& options,
                                                    const Control& control) const {
    std::vector<std::uint32_t> chosen;
    const auto& symbolizer = code->symbolizer;
    const auto none = [&](const std::string& what) {
        if (chosen.empty()) refuse(PERFDATA_MISSING, what, "no function with samples has it");
    };
    const auto stop = control.stop_telling("searching functions");
    if (options.symbol != nullptr) {
        chosen = functions_named(profile, symbolizer, options.symbol, stop);
        control.check();
        none(options.symbol);
    } else if (options.pattern != nullptr) {
        chosen = functions_named(profile, symbolizer, taken(NamePattern::parse(options.pattern)), stop);
        control.check();
        none(options.pattern);
    } else if (options.file != nullptr) {
        chosen = control.taken(
            functions_at(profile, symbolizer, options.file, static_cast<std::uint32_t>(options.line), stop));
        none(std::string(options.file) + ":" + std::to_string(options.line));
    } else {
        chosen.resize(profile.functions().size());
        std::iota(chosen.begin(), chosen.end(), 0u);
    }
    if (options.most != 0 && chosen.size() > options.most) chosen.resize(static_cast<std::size_t>(options.most));
    return chosen;
}

// With the listings' own samples these are all of those that percentages are of.
void AnnotationObject::note_unattributed(const std::vector<std::uint32_t>& chosen) {
    for (const auto& [miss, cells] : profile.misses()) unattributed.push_back({std::string(to_string(miss)), cells});
    for (const auto& [why, cells] : profile.unnamed()) {
        unattributed.push_back({std::string(why.reason), cells, std::string(why.remedy)});
    }
    EventCounts others(profile.totals().size());
    auto next = chosen.begin();
    for (std::uint32_t number = 0; number < profile.functions().size(); ++number) {
        if (next != chosen.end() && *next == number) {
            ++next;
        } else {
            add(others, profile.functions()[number].total);
        }
    }
    if (hits(others) != 0) unattributed.push_back({"functions that were not asked for", others});
    for (const auto& dropped : dropped_samples(profile.dropped())) {
        if (dropped.part == FilterPart::time || dropped.part == FilterPart::cpu) continue;
        unattributed.push_back({"samples that the filter drops (" + std::string(option_of(dropped.part)) + ")",
                                profile.dropped().of(dropped.part)});
    }
}

void AnnotationObject::write_json(const Sink& sink) const {
    auto completeness = code->timeline.completeness();
    completeness.diagnostics.append(code->symbolizer.losses());
    write_json_page({code->recording, code->timeline, profile, completeness}, listings, unattributed, sink);
}

}  // namespace perfdata::c
