// SPDX-License-Identifier: MIT
#include <filesystem>
#include <system_error>
#include <utility>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/timeline/frame_at.hpp"

#include "code_object.hpp"
#include "symbol_cache_object.hpp"

namespace perfdata::c {
namespace {

SymbolizerOptions symbolizer_options(const RecordingObject& of, const perfdata_code_options& given,
                                     const Control& control) {
    SymbolizerOptions options;
    auto& finder = options.finder;
    finder.limits = of.recording.limits();
    finder.vmlinux = text_of(given.vmlinux);
    finder.kallsyms = text_of(given.kallsyms);
    finder.symfs = text_of(given.symfs);
    finder.buildid_dir = text_of(given.buildid_dir);
    finder.local_buildid_dir = text_of(given.local_buildid_dir);
    finder.given_debug_dirs = texts_of(given.debug_dirs, given.debug_dir_count, "debug_dirs");
    finder.offline = (given.flags & PERFDATA_OFFLINE) != 0;
    finder.allow_local = (given.flags & PERFDATA_ALLOW_LOCAL) != 0;
    options.kcore = text_of(given.kcore);
    options.demangle = (given.flags & PERFDATA_RAW_NAMES) == 0;
    options.sources.source_dirs = texts_of(given.source_dirs, given.source_dir_count, "source_dirs");
    options.sources.local_sources = (given.flags & PERFDATA_LOCAL_SOURCES) != 0;
    options.stop = control.stop_telling("opening symbols");
    options.progress = control.progress("unpacking the build-id cache");
    if (given.symbol_cache != nullptr) options.cache = object_of<SymbolCacheObject>(given.symbol_cache)->cache;
    auto& jit = options.jit;
    jit.given = texts_of(given.jitdumps, given.jitdump_count, "jitdumps");
    jit.given_maps = texts_of(given.perf_maps, given.perf_map_count, "perf_maps");
    jit.symfs = finder.symfs;
    jit.as_recorded = !finder.offline;
    if (!of.by_path) return options;
    const std::filesystem::path path = of.recording.path();
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) {
        finder.recording_dir = path.string();
        jit.beside.push_back(path.string());
    }
    const auto parent = path.parent_path();
    jit.beside.push_back(parent.empty() ? "." : parent.string());
    return options;
}

perfdata_code_options checked(const perfdata_code_options* given) {
    const auto options = options_of(given, "options");
    constexpr std::uint64_t known =
        PERFDATA_OFFLINE | PERFDATA_ALLOW_LOCAL | PERFDATA_RAW_NAMES | PERFDATA_LOCAL_SOURCES;
    constexpr std::uint64_t most_jobs = 256;
    if ((options.flags & ~known) != 0) refuse_argument("flags", "has bits that this version does not know");
    if (options.jobs > most_jobs) refuse_argument("jobs", "is more than 256");
    return options;
}

}  // namespace

CodeObject::CodeObject(std::shared_ptr<const RecordingObject> of, const perfdata_code_options& options)
    : CodeObject(std::move(of), options, Control(options.control)) {}

CodeObject::CodeObject(std::shared_ptr<const RecordingObject> of, const perfdata_code_options& options,
                       const Control& control)
    : Object(handle_kind),
      recording_object(std::move(of)),
      recording(recording_object->recording),
      timeline(control.taken(
          Timeline::build(recording, {.stop = control.stop(), .progress = control.progress("reading what ran")}))),
      symbolizer(Symbolizer::open(recording, timeline, symbolizer_options(*recording_object, options, control))) {
    control.check();
    const auto jobs = options.jobs == 0 ? 1u : static_cast<unsigned>(options.jobs);
    symbolizer.prepare(jobs, control.stop(), control.progress("loading symbols"));
    control.check();
    const auto add = [&](const std::vector<Error>& more) { problems.insert(problems.end(), more.begin(), more.end()); };
    add(timeline.completeness().diagnostics.kept());
    add(symbolizer.problems());
    add(symbolizer.image_problems());
    add(symbolizer.losses().kept());
}

perfdata_place CodeObject::place(const Frame& frame, const Strings& keeping, bool named) const {
    perfdata_place made{};
    const auto name = symbolizer.name(frame);
    named = named && !name.symbol.empty();
    made.symbol = named ? keeping.keep(name.symbol) : "";
    made.name = made.symbol;
    made.object = keeping.keep(name.object);
    made.kind = static_cast<std::uint64_t>(name.kind);
    made.offset = name.offset;
    made.from = 0;
    made.until = PERFDATA_NO_OFFSET;
    made.why = "";
    if (named) {
        made.function_size = symbolizer.extent(frame).size;
    } else {
        const auto why = symbolizer.why_unnamed(frame).reason;
        made.why = frame.is_nowhere() ? keeping.keep(to_string(frame.miss()))
                   : why.empty()      ? keeping.keep(explain(name.miss))
                                      : keeping.keep(why);
    }
    if (const auto* code = timeline.code_of(frame)) {
        if (const auto full = symbolizer.bpf().plain_name(frame.index).full(); !full.empty()) {
            made.name = keeping.keep(full);
        }
        made.function_size = code->range.size;
        made.from = code->from.nanoseconds;
        made.until = code->until.nanoseconds;
        if (const auto* load = timeline.load_of(frame)) made.program = load->id.value;
    }
    return made;
}

}  // namespace perfdata::c

using namespace perfdata;
using namespace perfdata::c;

perfdata_status perfdata_code_open(const perfdata_recording* recording, const perfdata_code_options* options,
                                   perfdata_code** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        auto of = object_of<RecordingObject>(recording);
        return hand_out(place, std::make_shared<CodeObject>(std::move(of), checked(options)));
    });
}

perfdata_status perfdata_code_free(perfdata_code* code) {
    return free_handle<CodeObject>(code);
}

perfdata_status perfdata_code_get_info(const perfdata_code* code, perfdata_code_info* info, perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<CodeObject>(code);
        perfdata_code_info made{};
        made.problem_count = object->problems.size();
        made.life_count = object->timeline.code().size();
        made.mapping_count = object->timeline.tasks().mappings().size();
        made.thread_count = object->timeline.tasks().threads().size();
        fill(info, made, "info");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_code_problem(const perfdata_code* code, uint64_t index, perfdata_error* problem,
                                      perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<CodeObject>(code);
        check_filled(problem, "problem");
        tell(problem, element(object->problems, index, "index"));
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_code_at(const perfdata_code* code, uint32_t pid, uint64_t address, uint64_t time,
                                 uint32_t mode, perfdata_place* place, perfdata_error* error) {
    return perfdata_code_at_watched(code, pid, address, time, mode, nullptr, place, error);
}

perfdata_status perfdata_code_at_watched(const perfdata_code* code, uint32_t pid, uint64_t address, uint64_t time,
                                         uint32_t mode, const perfdata_control* control, perfdata_place* place,
                                         perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<CodeObject>(code);
        check_filled(place, "place");
        const Control watching(control);
        if (mode > PERFDATA_MODE_GUEST_USER) refuse_argument("mode", "is none of PERFDATA_MODE_...");
        const Moment moment{Time{time}, Pid{pid}};
        const auto frame =
            frame_at(object->timeline, &object->symbolizer.jit(), moment, Address{address}, static_cast<CpuMode>(mode));
        const Watch watch{watching.stop(), watching.progress("loading symbols")};
        watching.taken(object->symbolizer.load(frame, CodeDetail::names, watch));  // without anybody who watches: busy
        fill(place, object->place(frame, object->strings), "place");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_code_comm(const perfdata_code* code, uint32_t tid, uint64_t time, const char** comm,
                                   perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<CodeObject>(code);
        if (comm == nullptr) refuse_argument("comm", "is null");
        *comm = object->strings.keep(object->timeline.tasks().comm_at(Tid{tid}, Time{time}));
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_code_life(const perfdata_code* code, uint64_t index, perfdata_life* life,
                                   perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<CodeObject>(code);
        check_filled(life, "life");
        const auto& one = element(object->timeline.code(), index, "index");
        const auto place = object->place(Frame::in_code(static_cast<CodeIndex>(index), 0), object->strings);
        perfdata_life made{};
        made.symbol = object->strings.keep(one.symbol);
        made.name = place.name;
        made.object = place.object;
        made.kind = static_cast<std::uint64_t>(code_class(one.kind));
        made.address = one.range.begin.value;
        made.bytes = one.range.size;
        made.from = one.from.nanoseconds;
        made.until = one.until.nanoseconds;
        made.program = place.program;
        made.subprogram = one.subprogram;
        fill(life, made, "life");
        return PERFDATA_OK;
    });
}
