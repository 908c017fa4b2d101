// SPDX-License-Identifier: MIT
#include <algorithm>

#include "perfdata/annotate/heat/source_heat.hpp"

#include "code_object.hpp"
#include "counted.hpp"
#include "filter.hpp"

namespace perfdata::c {
namespace {

class HeatObject final : public Object {
  public:
    using Handle = perfdata_heat;
    static constexpr auto handle_kind = Kind::heat;
    static constexpr const char* handle_name = "perfdata_heat";

    explicit HeatObject(SourceHeat made) : Object(handle_kind), heat(std::move(made)) {}

    const SourceHeat heat;  // plain data: it needs no other handle
    Strings strings;
};

SourceHeat make_heat(const CodeObject& code, const perfdata_heat_options& given) {
    if ((given.flags & ~std::uint64_t{PERFDATA_HEAT_NO_CHAINS}) != 0) {
        refuse_argument("flags", "has bits that this version does not know");
    }
    const Control control(given.control);
    auto counting = heat_counting(code.symbolizer, (given.flags & PERFDATA_HEAT_NO_CHAINS) == 0);
    counting.filter = filter_of(given.filter, code.recording);
    counting.stop = control.stop();
    counting.progress = control.progress("counting samples");
    const auto counts = control.taken(SampleCounts::count(code.recording, code.timeline, counting));
    auto heat = control.taken(SourceHeat::make(
        counts, code.symbolizer, {code.recording.limits(), control.stop(), control.progress("reading lines")}));
    control.check();
    return heat;
}

void put(const Heat& heat, const perfdata_count*& self, const perfdata_count*& inclusive) {
    self = counts_of(heat.self);
    inclusive = counts_of(heat.inclusive);
}

}  // namespace
}  // namespace perfdata::c

using namespace perfdata;
using namespace perfdata::c;

perfdata_status perfdata_heat_make(const perfdata_code* code, const perfdata_heat_options* options,
                                   perfdata_heat** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        const auto of = object_of<CodeObject>(code);
        const auto given = options_of(options, "options");
        return hand_out(place, std::make_shared<HeatObject>(make_heat(*of, given)));
    });
}

perfdata_status perfdata_heat_free(perfdata_heat* heat) {
    return free_handle<HeatObject>(heat);
}

perfdata_status perfdata_heat_get_info(const perfdata_heat* heat, perfdata_heat_info* info, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<HeatObject>(heat);
        const auto& of = object->heat;
        perfdata_heat_info made{};
        made.file_count = of.files.size();
        made.event_count = of.events.size();
        made.events = of.events.data();
        made.totals = counts_of(of.totals);
        made.nowhere = counts_of(of.without(NoLine::nowhere));
        made.no_lines = counts_of(of.without(NoLine::no_lines));
        made.no_line = counts_of(of.without(NoLine::no_line));
        made.damaged = counts_of(of.without(NoLine::damaged));
        made.limit = counts_of(of.without(NoLine::limit));
        made.problem_count = of.problems.size();
        fill(info, made, "info");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_heat_problem(const perfdata_heat* heat, uint64_t index, perfdata_error* problem,
                                      perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<HeatObject>(heat);
        check_filled(problem, "problem");
        tell(problem, element(object->heat.problems, index, "index"));
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_heat_get_file(const perfdata_heat* heat, uint64_t index, perfdata_heat_file* file,
                                       perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<HeatObject>(heat);
        check_filled(file, "file");
        const auto& one = element(object->heat.files, index, "index");
        perfdata_heat_file made{};
        made.path = object->strings.keep(one.path);
        made.line_count = one.lines.size();
        put(one.heat, made.self, made.inclusive);
        fill(file, made, "file");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_heat_find(const perfdata_heat* heat, const char* path, uint64_t* indices, size_t capacity,
                                   size_t* count, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<HeatObject>(heat);
        if (count == nullptr) refuse_argument("count", "is null");
        *count = 0;
        if (path == nullptr) refuse_argument("path", "is null");
        if (indices == nullptr && capacity != 0) refuse_argument("indices", "is null, but has a capacity");
        const auto found = object->heat.files_like(path);
        if (found.empty()) refuse(PERFDATA_MISSING, path, "no file of that name has samples");
        *count = found.size();
        if (capacity != 0) std::copy_n(found.begin(), std::min(capacity, found.size()), indices);
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_heat_get_line(const perfdata_heat* heat, uint64_t file, uint64_t index,
                                       perfdata_heat_line* line, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<HeatObject>(heat);
        check_filled(line, "line");
        const auto& one = element(element(object->heat.files, file, "file").lines, index, "index");
        perfdata_heat_line made{};
        made.line = one.line;
        made.function_count = one.functions.size();
        put(one.heat, made.self, made.inclusive);
        fill(line, made, "line");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_heat_get_function(const perfdata_heat* heat, uint64_t file, uint64_t line, uint64_t index,
                                           perfdata_heat_function* function, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<HeatObject>(heat);
        check_filled(function, "function");
        const auto& of = element(element(object->heat.files, file, "file").lines, line, "line");
        const auto& one = element(of.functions, index, "index");
        perfdata_heat_function made{};
        made.name = object->strings.keep(object->heat.functions[one.function]);
        put(one.heat, made.self, made.inclusive);
        fill(function, made, "function");
        return PERFDATA_OK;
    });
}
