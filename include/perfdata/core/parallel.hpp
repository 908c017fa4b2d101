// SPDX-License-Identifier: MIT
// Runs the same work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "perfdata/core/thread_end.hpp"

namespace perfdata {

// on_threads(threads, work) calls work() on that many threads, including this one, and waits for all. If the system
// provides fewer threads, fewer do the work. Rethrows one of the exceptions that calls threw.
template <class Work>
void on_threads(std::size_t threads, const Work& work) {
    std::atomic_flag failed;
    std::exception_ptr problem;
    const auto guarded_work = [&] {
        try {
            work();
        } catch (const ThreadEnd&) {
            throw;
        } catch (...) {
            if (!failed.test_and_set()) problem = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> helpers;
        try {
            helpers.reserve(threads);
            for (std::size_t thread = 1; thread < threads; ++thread) helpers.emplace_back(guarded_work);
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
        guarded_work();
    }
    if (problem) std::rethrow_exception(problem);
}

// run_together(threads, jobs...) calls each job once, in their order on one thread, and waits for all. Rethrows one of
// the exceptions that they threw.
template <class... Jobs>
void run_together(std::size_t threads, const Jobs&... jobs) {
    std::atomic<std::size_t> next = 0;
    on_threads(std::clamp<std::size_t>(threads, 1, sizeof...(Jobs)), [&] {
        for (auto mine = next++; mine < sizeof...(Jobs); mine = next++) {
            std::size_t at = 0;
            ((at++ == mine ? static_cast<void>(jobs()) : void()), ...);
        }
    });
}

}  // namespace perfdata
