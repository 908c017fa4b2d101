// SPDX-License-Identifier: MIT
// Threads that read the parts of a recording, for one that joins them.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/core/thread_end.hpp"

#include "part_read.hpp"

namespace perfdata {

// PartsOptions is how the parts of a recording are read.
struct PartsOptions {
    StopToken stop = {};
    unsigned jobs = 1;  // threads, with the one that takes the parts
    // Called once, on any thread, when the threads made here have nothing left to do. It does not throw. Not called if
    // there was no memory to begin.
    Callback<void()> others_idle = {};
    // Between the places where parts begin. Waking a thread that waits takes 0.1 ms, reading these bytes 0.6 ms.
    std::uint64_t part_bytes = std::uint64_t{2} << 20;
};

// PartsAhead reads parts in their order, each on any thread that is free. Whoever takes them reads one itself while the
// next is not there. Two for each thread lie there at most before they are taken, so memory is bounded.
template <class Order>
class PartsAhead {
  public:
    using Part = PartRead<Order>;
    static constexpr unsigned most_threads = 16;  // the thread that takes the parts has no use for more

    PartsAhead(const Recording& recording, Order order, PartsOptions options)
        : recording_(recording), order_(order), options_(std::move(options)) {
        part_bytes_ = std::max<std::uint64_t>(options_.part_bytes, 8) & ~std::uint64_t{7};
        const auto size = recording.data().size;
        parts_ = size / part_bytes_ + (size % part_bytes_ == 0 ? 0 : 1);
        const auto threads = std::clamp<std::uint64_t>(parts_, 1, std::clamp(options_.jobs, 1u, most_threads));
        slots_.resize(2 * threads + 2);
        const StopToken ended(
            [this, stop = options_.stop] { return ended_.load(std::memory_order_relaxed) || stop.stop_requested(); });
        std::vector<StopToken> stops(threads - 1, ended);  // callbacks are for one thread each
        threads_.reserve(stops.size());
        const Leaving leaving{*this};
        try {
            for (auto& stop : stops) {
                ++working_;
                threads_.emplace_back([this, stop = std::move(stop)] { work(stop); });
            }
        } catch (const std::exception&) {  // the system has no thread: then this one reads what others do not
            --working_;
        }
    }
    PartsAhead(const PartsAhead&) = delete;
    PartsAhead& operator=(const PartsAhead&) = delete;
    // Waits for the threads, which give up.
    ~PartsAhead() {
        ended_ = true;
        { const std::lock_guard lock(mutex_); }
        changed_.notify_all();
        for (auto& thread : threads_) thread.join();
    }

    // next() returns the next part. Null behind the last, and if there is no memory.
    std::unique_ptr<Part> next() {
        std::unique_lock lock(mutex_);
        if (taken_ == parts_) return {};
        auto& slot = slot_of(taken_);
        while (!slot.filled) {
            if (const auto mine = claim()) {
                read(*mine, options_.stop, lock);
            } else {
                changed_.wait(lock);
            }
        }
        auto part = std::exchange(slot, {}).part;
        ++taken_;
        lock.unlock();
        changed_.notify_all();
        return part;
    }

  private:
    struct Slot {
        std::unique_ptr<Part> part;
        bool filled = false;  // perhaps with none
    };
    // Leaving tells who waits for a thread to end its work, however that ends.
    struct Leaving {
        PartsAhead& parts;
        ~Leaving() {
            if (--parts.working_ == 0 && parts.options_.others_idle) parts.options_.others_idle();
        }
    };
    struct Filling {
        PartsAhead& parts;
        std::unique_lock<std::mutex>& lock;
        std::uint64_t number;
        std::unique_ptr<Part> part = {};

        ~Filling() {
            lock.lock();
            parts.slot_of(number) = {std::move(part), true};
            parts.changed_.notify_all();
        }
    };

    // These are called with the mutex locked. claim() returns the next part that nobody reads, unless it is too far
    // ahead.
    std::optional<std::uint64_t> claim() {
        if (claimed_ == parts_ || claimed_ >= taken_ + slots_.size()) return {};
        return claimed_++;
    }
    Slot& slot_of(std::uint64_t number) { return slots_[static_cast<std::size_t>(number % slots_.size())]; }

    typename Part::Place place_of(std::uint64_t number) const {
        const auto data = recording_.data();
        const bool last = number + 1 == parts_;
        const auto from = data.offset + number * part_bytes_;
        return {from, last ? data.offset + data.size : from + part_bytes_, number == 0, last};
    }
    void read(std::uint64_t number, const StopToken& stop, std::unique_lock<std::mutex>& lock) {
        lock.unlock();
        Filling slot{*this, lock, number};
        try {
            slot.part = std::make_unique<Part>(recording_, order_);
            slot.part->read(place_of(number), stop);
        } catch (const ThreadEnd&) {
            throw;
        } catch (...) {  // out of memory, or the callback threw: whoever takes the parts will see that, too
            slot.part.reset();
        }
    }

    void work(const StopToken& stop) {
        const Leaving leaving{*this};
        std::unique_lock lock(mutex_);
        while (!ended_ && claimed_ != parts_) {
            if (const auto mine = claim()) {
                read(*mine, stop, lock);
            } else {
                changed_.wait(lock);
            }
        }
    }

    const Recording& recording_;
    [[no_unique_address]] Order order_;
    PartsOptions options_;
    std::uint64_t part_bytes_ = 0, parts_ = 0;
    std::atomic<bool> ended_ = false;
    std::atomic<std::size_t> working_ = 1;  // threads, and the constructor

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Slot> slots_;                // of the parts from taken_ on, one after the other, in a ring
    std::uint64_t claimed_ = 0, taken_ = 0;  // how many of the first parts are
    std::vector<std::thread> threads_;
};

}  // namespace perfdata
