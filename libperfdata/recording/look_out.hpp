// SPDX-License-Identifier: MIT
// Leaves a long calculation from the middle of any loop or sort.
#pragma once

#include <cstdint>
#include <utility>

#include "perfdata/recording/progress.hpp"

namespace perfdata {

// Stopped leaves what runs. Whoever makes the LookOut catches it: no user sees it.
struct Stopped {};

// LookOut is called at each step of what may take long, also from the comparisons of a sort. Once in many steps it
// tells progress that all was read, and throws Stopped if it is time to stop.
class LookOut {
  public:
    // No two looks lie further apart than these steps, of at most a few microseconds each.
    static constexpr std::uint32_t steps_a_look = 8192;

    LookOut() = default;
    explicit LookOut(Watch watch, std::uint64_t bytes = 0)
        : watch_(std::move(watch)), bytes_(bytes), beats_(watch_.stop.stop_possible() || watch_.progress) {}

    void operator()() {
        if (beats_ && ++steps_ % steps_a_look == 0) look();
    }
    // look() looks at once: before what takes as long as many steps.
    void look() const {
        if (watch_.progress) watch_.progress(bytes_, bytes_);
        ask();
    }
    // ask() does so without telling progress.
    void ask() const {
        if (watch_.stop.stop_requested()) throw Stopped();
    }

    // beats() returns false if nobody watches.
    bool beats() const { return beats_; }
    // watch() returns who watches, for calls that ask by themselves.
    const Watch& watch() const { return watch_; }

    // by(projection) returns a projection for a sort that looks at each comparison.
    template <class Projection>
    auto by(Projection projection) {
        return [this, projection](const auto& value) {
            (*this)();
            if constexpr (requires { value.*projection; }) {
                return value.*projection;
            } else {
                return projection(value);
            }
        };
    }

  private:
    Watch watch_;
    std::uint64_t bytes_ = 0;
    std::uint32_t steps_ = 0;
    bool beats_ = false;
};

}  // namespace perfdata
