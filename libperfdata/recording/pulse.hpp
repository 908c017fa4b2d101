// SPDX-License-Identifier: MIT
// Asks a Watch now and then, while bytes are read.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#include "perfdata/core/error.hpp"
#include "perfdata/core/thread_end.hpp"
#include "perfdata/recording/progress.hpp"

namespace perfdata {

// Pulse bounds by bytes how much work lies between two questions whether to stop: a few milliseconds, also where each
// byte is unpacked.
class Pulse {
  public:
    Pulse(const Watch& watch, std::uint64_t total) : watch_(watch), total_(total) {}

    // beats() returns false if nobody watches.
    bool beats() const { return watch_.stop.stop_possible() || watch_.progress; }
    // go_on(bytes) counts bytes of the input that were read, go_on_making(bytes) what was made of them. They return
    // false once it is time to stop.
    bool go_on(std::uint64_t bytes) {
        read_ += bytes;
        return go_on_making(bytes);
    }
    bool go_on_making(std::uint64_t bytes) {
        constexpr std::uint64_t bytes_a_look = std::uint64_t{256} << 10;
        unseen_ += bytes;
        return unseen_ < bytes_a_look ? !stopped_ : look();
    }
    // look() tells progress and asks at once.
    bool look() {
        unseen_ = 0;
        if (stopped_) return false;
        try {
            if (watch_.progress) watch_.progress(read_, total_);
            stopped_ = watch_.stop.stop_requested();
        } catch (const ThreadEnd&) {
            throw;
        } catch (...) {  // what unpacks takes exceptions for damage
            thrown_ = std::current_exception();
            stopped_ = true;
        }
        return !stopped_;
    }
    bool is_stopped() const { return stopped_; }
    // stopped(where) returns the error, or throws what a callback threw.
    Error stopped(std::string where) const {
        if (thrown_) std::rethrow_exception(thrown_);
        return {ErrorCode::cancelled, Error::no_offset, std::move(where), "asked to stop"};
    }

  private:
    const Watch& watch_;
    std::uint64_t total_;
    std::uint64_t read_ = 0, unseen_ = 0;
    bool stopped_ = false;
    std::exception_ptr thrown_;
};

}  // namespace perfdata
