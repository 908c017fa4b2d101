// SPDX-License-Identifier: MIT
#include "perfdata/annotate/report/report.hpp"

#include <algorithm>
#include <string_view>

#include "perfdata/annotate/page/report_page.hpp"

#include "code_object.hpp"
#include "counted.hpp"
#include "filter.hpp"

namespace perfdata::c {
namespace {

class ReportObject final : public Object {
  public:
    using Handle = perfdata_report;
    static constexpr auto handle_kind = Kind::report;
    static constexpr const char* handle_name = "perfdata_report";

    ReportObject(std::shared_ptr<const CodeObject> of, Report made)
        : Object(handle_kind), code(std::move(of)), report(std::move(made)) {}

    const std::shared_ptr<const CodeObject> code;  // the report has views of it
    const Report report;
    Strings strings;
    Document json;
};

std::vector<ReportKey> keys_of(std::string_view words) {
    std::vector<ReportKey> keys;
    for (;;) {
        const auto comma = words.find(',');
        const auto word = words.substr(0, comma);
        const auto key = report_key(word);
        // What tracepoints say needs more than a word: the tool alone sorts by it.
        if (!key || *key == ReportKey::trace) refuse_argument("sort", "cannot sort by \"" + std::string(word) + "\"");
        if (std::ranges::find(keys, *key) == keys.end()) keys.push_back(*key);
        if (comma == std::string_view::npos) return keys;
        words.remove_prefix(comma + 1);
    }
}

ReportOptions report_options(const perfdata_report_options& given) {
    constexpr std::uint64_t known = PERFDATA_REPORT_CHILDREN | PERFDATA_REPORT_NO_INLINES | PERFDATA_REPORT_RELATIVE;
    if ((given.flags & ~known) != 0) refuse_argument("flags", "has bits that this version does not know");
    if (!(given.percent_limit >= 0 && given.percent_limit <= 100)) refuse_argument("percent_limit", "is no percentage");
    ReportOptions options;
    if (given.sort != nullptr) options.keys = keys_of(given.sort);
    options.children = (given.flags & PERFDATA_REPORT_CHILDREN) != 0;
    options.inlines = (given.flags & PERFDATA_REPORT_NO_INLINES) == 0;
    options.relative = (given.flags & PERFDATA_REPORT_RELATIVE) != 0;
    options.percent_limit = given.percent_limit;
    return options;
}

Report make_report(const CodeObject& code, const perfdata_report_options& given) {
    const Control control(given.control);
    auto options = report_options(given);
    auto filter = filter_of(given.filter, code.recording);
    // Rows of callers have samples in other code: the report leaves out rows.
    options.code = std::exchange(filter.code, {});
    auto counting = count_options(options, code.symbolizer);
    const auto most = counting.max_stack;
    if (given.max_stack > most) refuse_argument("max_stack", "is more than " + std::to_string(most));
    if (given.max_stack != 0) counting.max_stack = static_cast<std::uint32_t>(given.max_stack);
    counting.filter = std::move(filter);
    counting.stop = control.stop();
    counting.progress = control.progress("counting samples");
    const auto counts = control.taken(SampleCounts::count(code.recording, code.timeline, counting));
    auto report = control.taken(
        Report::make(code.recording, counts, code.symbolizer, options, control.stop_telling("making the report")));
    control.check();
    return report;
}

}  // namespace
}  // namespace perfdata::c

using namespace perfdata;
using namespace perfdata::c;

perfdata_status perfdata_report_make(const perfdata_code* code, const perfdata_report_options* options,
                                     perfdata_report** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        const std::shared_ptr<const CodeObject> of = object_of<CodeObject>(code);
        const auto given = options_of(options, "options");
        return hand_out(place, std::make_shared<ReportObject>(of, make_report(*of, given)));
    });
}

perfdata_status perfdata_report_free(perfdata_report* report) {
    return free_handle<ReportObject>(report);
}

perfdata_status perfdata_report_get_info(const perfdata_report* report, perfdata_report_info* info,
                                         perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<ReportObject>(report);
        const auto& of = object->report;
        perfdata_report_info made{};
        made.row_count = of.rows.size();
        made.event_count = of.events.size();
        made.events = of.events.data();
        made.whole = counts_of(of.whole);
        made.kept = counts_of(of.kept);
        made.hidden_rows = of.hidden_rows;
        fill(info, made, "info");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_report_row(const perfdata_report* report, uint64_t index, perfdata_row* row,
                                    perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<ReportObject>(report);
        check_filled(row, "row");
        const auto& of = object->report;
        const auto& one = element(of.rows, index, "index");
        const auto& task = of.tasks[one.task];
        const auto& place = of.places[one.place];
        const auto keep = [&](bool wanted, std::string_view text) { return wanted ? object->strings.keep(text) : ""; };
        perfdata_row made{};
        const auto has = [&](ReportKey key) { return of.options.has(key); };
        made.comm = keep(has(ReportKey::comm), task.comm_text());
        made.object = keep(has(ReportKey::object), place.object);
        made.path = keep(has(ReportKey::object), place.path);
        made.symbol = keep(has(ReportKey::symbol), place.symbol);
        made.line = keep(has(ReportKey::line), place.line);
        made.parent = keep(has(ReportKey::parent), task.parent);
        made.kind = static_cast<std::uint64_t>(place.kind);
        made.address = place.address;
        made.pid = task.pid.value;
        made.tid = task.tid.value;
        made.cpu = task.cpu.value_or(UINT32_MAX);
        made.inlined = place.inlined ? 1 : 0;
        made.self = counts_of(one.self);
        made.total = counts_of(one.total);
        fill(row, made, "row");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_report_json(const perfdata_report* report, const char** text, size_t* length,
                                     perfdata_error* error) {
    return perfdata_report_json_watched(report, nullptr, text, length, error);
}

perfdata_status perfdata_report_json_watched(const perfdata_report* report, const perfdata_control* control,
                                             const char** text, size_t* length, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<ReportObject>(report);
        object->json.get(control, text, length, [&](const Sink& sink) { write_report_json(object->report, sink); });
        return PERFDATA_OK;
    });
}
