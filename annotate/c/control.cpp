// SPDX-License-Identifier: MIT
#include "control.hpp"

namespace perfdata::c {

Control::Control(const perfdata_control* given) : state_(std::make_shared<State>()) {
    const auto control = options_of(given, "control");
    if (control.cancel != nullptr) state_->cancel = object_of<CancelObject>(control.cancel);
    state_->progress = control.progress;
    state_->user = control.user;
    check();
}

StopToken Control::stop() const {
    if (!state_->cancel && state_->progress == nullptr) return {};
    return StopToken([state = state_] { return state->is_stopped(); });
}

StopToken Control::stop_telling(const char* stage) const {
    if (state_->progress == nullptr) return stop();
    return StopToken([state = state_, tell = progress(stage)] {
        tell(0, 0);
        return state->is_stopped();
    });
}

Progress Control::progress(const char* stage) const {
    if (state_->progress == nullptr) return {};
    return [state = state_, stage](std::uint64_t done, std::uint64_t all) {
        if (state->stopped) return;
        try {
            if (state->progress(state->user, stage, done, all) != 0) state->stopped = true;
        } catch (const ThreadEnd&) {
            // If it is a thread of ours, the call that waits for it must not take its work for done.
            state->threw = true;
            state->stopped = true;
            throw;
        } catch (...) {
            state->threw = true;
            state->stopped = true;
        }
    };
}

void Control::check() const {
    if (state_->threw) refuse(PERFDATA_CALLBACK, "progress", "the callback threw an exception");
    if (state_->is_stopped()) refuse(PERFDATA_CANCELLED, "", "asked to stop");
}

}  // namespace perfdata::c

using namespace perfdata::c;

perfdata_status perfdata_cancel_new(perfdata_cancel** made, perfdata_error* error) {
    return guarded(error, [&] { return hand_out(place_for(made), std::make_shared<CancelObject>()); });
}

perfdata_status perfdata_cancel_request(perfdata_cancel* cancel, perfdata_error* error) {
    return guarded(error, [&] {
        object_of<CancelObject>(cancel)->requested = true;
        return PERFDATA_OK;
    });
}

perfdata_status perfdata_cancel_free(perfdata_cancel* cancel) {
    return free_handle<CancelObject>(cancel);
}
