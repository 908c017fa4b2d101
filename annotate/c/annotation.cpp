// SPDX-License-Identifier: MIT
#include "annotation_object.hpp"
#include "format/words.hpp"

using namespace perfdata;
using namespace perfdata::c;

namespace {

const Listing& listing_of(const AnnotationObject& object, std::uint64_t function) {
    return element(object.listings, function, "function");
}

const perfdata_count* counts_of(const SharedEventCounts& cells) {
    return perfdata::c::counts_of(std::span(cells.data(), cells.size()));
}

}  // namespace

perfdata_status perfdata_annotation_make(const perfdata_code* code, const perfdata_annotation_options* options,
                                         perfdata_annotation** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        auto of = object_of<CodeObject>(code);
        const auto given = options_of(options, "options");
        return hand_out(place, std::make_shared<AnnotationObject>(std::move(of), given));
    });
}

perfdata_status perfdata_annotation_free(perfdata_annotation* annotation) {
    return free_handle<AnnotationObject>(annotation);
}

perfdata_status perfdata_annotation_get_info(const perfdata_annotation* annotation, perfdata_annotation_info* info,
                                             perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<AnnotationObject>(annotation);
        perfdata_annotation_info made{};
        made.function_count = object->listings.size();
        made.event_count = object->profile.events().size();
        made.events = object->profile.events().data();
        made.totals = perfdata::c::counts_of(object->profile.totals());
        made.whole = perfdata::c::counts_of(object->profile.considered());
        fill(info, made, "info");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_annotation_function(const perfdata_annotation* annotation, uint64_t index,
                                             perfdata_function* function, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<AnnotationObject>(annotation);
        check_filled(function, "function");
        const auto& one = element(object->listings, index, "index");
        const auto keep = [&](std::string_view text) { return object->strings.keep(text); };
        perfdata_function made{};
        made.name = keep(one.name.full());
        made.symbol = keep(one.symbol);
        made.object = keep(one.object);
        made.kind = static_cast<std::uint64_t>(one.kind);
        made.address = one.range.begin.value;
        made.bytes = one.range.size;
        made.version = one.version.number;
        made.from = one.version.from.nanoseconds;
        made.until = one.version.until.nanoseconds;
        made.instruction_count = one.instructions.size();
        made.line_count = one.lines.size();
        made.problem_count = one.problems.size();
        made.on_start = one.on_instruction_start.value_or(-1);
        made.counts = perfdata::c::counts_of(one.total);
        fill(function, made, "function");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_annotation_instruction(const perfdata_annotation* annotation, uint64_t function,
                                                uint64_t index, perfdata_instruction* instruction,
                                                perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<AnnotationObject>(annotation);
        check_filled(instruction, "instruction");
        const auto& one = element(listing_of(*object, function).instructions, index, "index");
        perfdata_instruction made{};
        made.offset = one.instruction.offset;
        made.address = one.address.value;
        made.bytes = reinterpret_cast<const std::uint8_t*>(one.bytes.data());
        made.byte_count = one.bytes.size();
        made.text = object->strings.keep(text_of(one.instruction));
        made.target = "";
        if (one.target) {
            made.target = object->strings.keep(one.target->name);
            made.target_offset = one.target->offset;
        }
        made.line = one.line.value_or(PERFDATA_NO_LINE);
        made.decoded = one.instruction.decoded ? 1 : 0;
        made.counts = counts_of(one.cells);
        fill(instruction, made, "instruction");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_annotation_line(const perfdata_annotation* annotation, uint64_t function, uint64_t index,
                                         perfdata_line* line, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<AnnotationObject>(annotation);
        check_filled(line, "line");
        const auto& one = element(listing_of(*object, function).lines, index, "index");
        perfdata_line made{};
        made.file = object->strings.keep(one.source.file);
        made.text = object->strings.keep(one.source.text);
        made.line = one.source.line;
        made.column = one.source.column;
        made.counts = counts_of(one.cells);
        fill(line, made, "line");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_annotation_problem(const perfdata_annotation* annotation, uint64_t function, uint64_t index,
                                            perfdata_error* problem, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<AnnotationObject>(annotation);
        check_filled(problem, "problem");
        tell(problem, element(listing_of(*object, function).problems, index, "index"));
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_annotation_json(const perfdata_annotation* annotation, const char** text, size_t* length,
                                         perfdata_error* error) {
    return perfdata_annotation_json_watched(annotation, nullptr, text, length, error);
}

perfdata_status perfdata_annotation_json_watched(const perfdata_annotation* annotation, const perfdata_control* control,
                                                 const char** text, size_t* length, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<AnnotationObject>(annotation);
        object->json.get(control, text, length, [&](const Sink& sink) { object->write_json(sink); });
        return PERFDATA_OK;
    });
}
