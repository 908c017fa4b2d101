// SPDX-License-Identifier: MIT
#include <string>

#include "limits.hpp"
#include "recording_object.hpp"
#include "user_source.hpp"

using namespace perfdata;
using namespace perfdata::c;

namespace {

OpenOptions open_options(const perfdata_open_options* given) {
    const auto options = options_of(given, "options");
    return {limits_of(options.limits)};
}

}  // namespace

perfdata_status perfdata_recording_open(const char* path, const perfdata_open_options* options,
                                        perfdata_recording** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        if (path == nullptr) refuse_argument("path", "is null");
        auto recording = taken(Recording::open(path, open_options(options)));
        const bool by_path = std::string_view(path) != "-";
        return hand_out(place, std::make_shared<RecordingObject>(std::move(recording), by_path));
    });
}

perfdata_status perfdata_recording_open_memory(const void* bytes, size_t count, const perfdata_open_options* options,
                                               perfdata_recording** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        if (bytes == nullptr && count != 0) refuse_argument("bytes", "is null, but has a count");
        const auto* begin = static_cast<const std::byte*>(bytes);
        const auto opening = open_options(options);
        std::vector<std::byte> copy;
        if (count != 0) copy.assign(begin, begin + count);
        // Moving the vector does not move its bytes.
        auto recording = taken(Recording::from_memory(copy, opening));
        return hand_out(place, std::make_shared<RecordingObject>(std::move(recording), false, std::move(copy)));
    });
}

perfdata_status perfdata_recording_open_source(const perfdata_source* source, const perfdata_open_options* options,
                                               perfdata_recording** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        if (source == nullptr) refuse_argument("source", "is null");
        const auto given = options_of(source, "source");
        if (given.read_at == nullptr) refuse_argument("source", "has no read_at");
        const auto opening = open_options(options);
        const UserSource user(given);
        auto recording = Recording::from_source(user.source(), user.name(), opening);
        if (!recording && user.threw()) refuse(PERFDATA_CALLBACK, user.name(), "read_at threw an exception");
        return hand_out(place, std::make_shared<RecordingObject>(taken(std::move(recording)), false));
    });
}

perfdata_status perfdata_recording_refresh(const perfdata_recording* recording, perfdata_recording** made,
                                           perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        const auto old = object_of<RecordingObject>(recording);
        return hand_out(place, std::make_shared<RecordingObject>(taken(old->recording.reopen()), old->by_path));
    });
}

perfdata_status perfdata_recording_free(perfdata_recording* recording) {
    return free_handle<RecordingObject>(recording);
}

perfdata_status perfdata_recording_get_info(const perfdata_recording* recording, perfdata_recording_info* info,
                                            perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<RecordingObject>(recording);
        check_filled(info, "info");
        const auto& of = object->recording;
        const auto keep = [&](std::string_view text) { return object->strings.keep(text); };
        perfdata_recording_info made{};
        made.bytes = of.bytes();
        made.event_count = of.events().events().size();
        made.problem_count = of.diagnostics().kept().size();
        made.big_endian = of.order().endian() == std::endian::big ? 1 : 0;
        made.interrupted = of.interrupted() ? 1 : 0;
        made.path = keep(of.path());
        made.arch = keep(of.arch());
        made.hostname = keep(of.hostname());
        made.os_release = keep(of.os_release());
        made.perf_version = keep(of.perf_version());
        made.cpu = keep(of.cpu_description());
        fill(info, made, "info");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_recording_event(const perfdata_recording* recording, uint64_t index, perfdata_event* event,
                                         perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<RecordingObject>(recording);
        check_filled(event, "event");
        const auto& one = element(object->recording.events().events(), index, "index");
        perfdata_event made{};
        made.name = object->strings.keep(one.name);
        made.perf_name = object->strings.keep(one.perf_name);
        made.type = one.attr.type;
        made.config = one.attr.config;
        made.period = one.attr.sample_period;
        made.is_frequency = one.attr.freq() ? 1 : 0;
        made.sample_type = one.attr.sample_type;
        fill(event, made, "event");
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_recording_problem(const perfdata_recording* recording, uint64_t index, perfdata_error* problem,
                                           perfdata_error* error) {
    return guarded(error, [&] {
        const auto object = object_of<RecordingObject>(recording);
        check_filled(problem, "problem");
        tell(problem, element(object->recording.diagnostics().kept(), index, "index"));
        return PERFDATA_OK;
    });
}
