// SPDX-License-Identifier: MIT
// Work that is done once, whoever comes first.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace perfdata {

// Once is a std::once_flag whose body may throw where memory runs out: the way of an exception through pthread_once
// leads through the C library, which loads a library for it and aborts if it cannot.
class Once {
  public:
    // once(body) calls body() unless a former call has ended without an exception. Threads wait for each other.
    template <class Body>
    void operator()(Body&& body) {
        if (done_.load(std::memory_order_acquire)) return;
        const std::scoped_lock lock(mutex_);
        if (done_.load(std::memory_order_relaxed)) return;
        std::forward<Body>(body)();
        done_.store(true, std::memory_order_release);
    }

    // done() is whether a call has ended: what it wrote may then be read.
    bool done() const { return done_.load(std::memory_order_acquire); }

  private:
    std::atomic<bool> done_ = false;
    std::mutex mutex_;
};

}  // namespace perfdata
