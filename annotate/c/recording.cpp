// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "perfdata/symbols/bundle/bundle.hpp"

#include "control.hpp"
#include "limits.hpp"
#include "recording_object.hpp"
#include "user_source.hpp"

using namespace perfdata;
using namespace perfdata::c;

namespace {

constexpr const char* stage = "reading the input";

// Opening is how a recording is opened, and who watches.
struct Opening {
    explicit Opening(const perfdata_open_options* given) : Opening(options_of(given, "options")) {}

    // Returns the value, or ends the call.
    Recording taken(Result<Recording>&& opened) const {
        auto recording = control.taken(std::move(opened));
        control.check();
        return recording;
    }

    Control control;
    OpenOptions options;

  private:
    explicit Opening(const perfdata_open_options& given)
        : control(given.control), options{limits_of(given.limits), control.stop(), control.progress(stage)} {}
};

// Ends the call if the options are none. Takes no memory.
void check(const perfdata_open_options* given) {
    const auto options = options_of(given, "options");
    limits_of(options.limits);
    options_of(options.control, "control");
}

std::vector<std::byte> copy_of(const std::byte* begin, std::size_t count, const Control& control) {
    constexpr std::size_t bytes_a_look = std::size_t{16} << 20;
    const auto tell = control.progress(stage);
    std::vector<std::byte> copy;
    copy.reserve(count);
    while (copy.size() < count) {
        const auto* next = begin + copy.size();
        copy.insert(copy.end(), next, next + std::min(bytes_a_look, count - copy.size()));
        if (tell) tell(copy.size(), count);
        control.check();
    }
    return copy;
}

}  // namespace

perfdata_status perfdata_recording_open(const char* path, const perfdata_open_options* options,
                                        perfdata_recording** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        if (path == nullptr) refuse_argument("path", "is null");
        const Opening opening(options);
        auto recording = opening.taken(open_recording(path, opening.options));
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
        const Opening opening(options);
        auto copy = copy_of(begin, count, opening.control);
        // Moving the vector does not move its bytes.
        const auto input = memory_source(copy);
        const auto is_bundle = Bundle::is_bundle(*input);
        auto recording =
            opening.taken(is_bundle && *is_bundle ? open_recording(Shared<const Source>(input), "", opening.options)
                                                  : Recording::from_memory(copy, opening.options));
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
        check(options);
        const UserSource user(given);  // whatever fails from here on releases the source
        const Opening opening(options);
        auto recording = open_recording(user.source(), user.name(), opening.options);
        if (!recording && user.threw()) refuse(PERFDATA_CALLBACK, user.name(), "read_at threw an exception");
        return hand_out(place, std::make_shared<RecordingObject>(opening.taken(std::move(recording)), false));
    });
}

perfdata_status perfdata_recording_refresh(const perfdata_recording* recording, perfdata_recording** made,
                                           perfdata_error* error) {
    return perfdata_recording_refresh_watched(recording, nullptr, made, error);
}

perfdata_status perfdata_recording_refresh_watched(const perfdata_recording* recording, const perfdata_control* control,
                                                   perfdata_recording** made, perfdata_error* error) {
    return guarded(error, [&] {
        auto& place = place_for(made);
        const auto old = object_of<RecordingObject>(recording);
        const Control watching(control);
        auto opened = watching.taken(old->recording.reopen({watching.stop(), watching.progress(stage)}));
        watching.check();
        return hand_out(place, std::make_shared<RecordingObject>(std::move(opened), old->by_path));
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
