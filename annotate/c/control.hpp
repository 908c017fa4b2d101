// SPDX-License-Identifier: MIT
// How a call of the C API is watched and stopped.
#pragma once

#include <atomic>
#include <memory>

#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/progress.hpp"

#include "call.hpp"

namespace perfdata::c {

class CancelObject final : public Object {
  public:
    using Handle = perfdata_cancel;
    static constexpr auto handle_kind = Kind::cancel;
    static constexpr const char* handle_name = "perfdata_cancel";

    CancelObject() : Object(handle_kind) {}

    std::atomic<bool> requested{false};
};

// Control is a copy of perfdata_control. Its copies share what was stopped.
class Control {
  public:
    explicit Control(const perfdata_control* given);

    StopToken stop() const;
    // The same for work that looks often whether to stop, but tells no progress: each look tells the stage, without how
    // much of it is done. `stage` must live for ever.
    StopToken stop_telling(const char* stage) const;
    // `stage` must live for ever.
    Progress progress(const char* stage) const;
    // Ends the call if it is to stop.
    void check() const;
    // Returns the value, or ends the call.
    template <class T>
    T taken(Result<T>&& result) const {
        if (!result && result.error().code == ErrorCode::cancelled) check();
        return c::taken(std::move(result));
    }

  private:
    struct State {
        std::shared_ptr<CancelObject> cancel;  // null: none
        perfdata_progress progress = nullptr;
        void* user = nullptr;
        std::atomic<bool> stopped{false}, threw{false};

        bool is_stopped() const { return stopped || (cancel && cancel->requested); }
    };
    std::shared_ptr<State> state_;
};

}  // namespace perfdata::c
