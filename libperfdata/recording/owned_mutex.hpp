// SPDX-License-Identifier: MIT
// A mutex that is held while callbacks run.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "perfdata/core/reentered.hpp"

namespace perfdata {

// OwnedMutex is a std::mutex whose owner may try to lock it again, in a callback: that throws Reentered, and does not
// wait for ever.
class OwnedMutex {
  public:
    void lock() {
        check();
        mutex_.lock();
        owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    bool try_lock() {
        check();
        if (!mutex_.try_lock()) return false;
        owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
        return true;
    }
    void unlock() {
        owner_.store({}, std::memory_order_relaxed);
        mutex_.unlock();
    }

  private:
    // No other thread writes the id of this one.
    void check() const {
        if (owner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) throw Reentered();
    }

    std::mutex mutex_;
    std::atomic<std::thread::id> owner_{};
};

}  // namespace perfdata
