// SPDX-License-Identifier: MIT
// Work that only the first caller does.
#pragma once

#include <atomic>
#include <utility>

#include "recording/lock_or_stop.hpp"

namespace perfdata {

// Once is a std::once_flag whose body may throw when memory runs out. An exception through pthread_once unwinds through
// the C library, which loads another library for that and aborts if it cannot.
class Once {
  public:
    // Calls body() unless an earlier call returned without an exception. Threads wait for each other.
    template <class Body>
    void operator()(Body&& body) {
        (*this)(std::forward<Body>(body), LookOut());
    }
    // Who waits for another thread looks whether to stop, and throws Stopped. If body() throws it, the next call starts
    // anew. Throws Reentered if body() calls it, in a callback.
    template <class Body>
    void operator()(Body&& body, const LookOut& look) {
        if (done_.load(std::memory_order_acquire)) return;
        const auto lock = lock_or_stop(mutex_, look);
        if (done_.load(std::memory_order_relaxed)) return;
        std::forward<Body>(body)();
        done_.store(true, std::memory_order_release);
    }

    // Returns true if a call has returned: then what it wrote may be read.
    bool done() const { return done_.load(std::memory_order_acquire); }

  private:
    std::atomic<bool> done_ = false;
    OwnedMutex mutex_;
};

}  // namespace perfdata
