// SPDX-License-Identifier: MIT
// Waits for another thread, and leaves the waiting when it is time to stop.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

#include "look_out.hpp"
#include "owned_mutex.hpp"

namespace perfdata {

// Returns the mutex, locked. While another thread has it, looks whether to stop: that thread may read a large file.
// Throws Stopped; Reentered if this thread has it.
inline std::unique_lock<OwnedMutex> lock_or_stop(OwnedMutex& mutex, const LookOut& look) {
    if (!look.beats()) return std::unique_lock(mutex);
    std::unique_lock lock(mutex, std::try_to_lock);
    while (!lock.owns_lock()) {
        look.look();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        (void)lock.try_lock();
    }
    return lock;
}

}  // namespace perfdata
