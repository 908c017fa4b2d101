// SPDX-License-Identifier: MIT
#include "write_ahead.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "perfdata/core/thread_end.hpp"

namespace perfdata {
namespace {

constexpr std::size_t block = 256 * 1024, most_waiting = 8;  // bytes, blocks

// Behind is the thread that hands blocks on. It must be ended before `sink` is gone.
class Behind {
  public:
    explicit Behind(const Sink& sink) : sink_(sink), thread_([this] { run(); }) {}
    Behind(const Behind&) = delete;
    Behind& operator=(const Behind&) = delete;
    ~Behind() { end(false); }

    // Throws what `sink` threw.
    void take(std::string_view part) {
        filling_ += part;
        if (filling_.size() >= block) pass();
    }
    void finish() {
        pass();
        end(true);
        if (problem_) std::rethrow_exception(problem_);
    }

  private:
    void pass() {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return waiting_.size() < most_waiting || problem_; });
            if (problem_) std::rethrow_exception(problem_);
            waiting_.push_back(std::exchange(filling_, {}));
        }
        changed_.notify_all();
    }

    // end(whole) waits for the thread, which hands on all that waits first if `whole` is wanted.
    void end(bool whole) {
        if (!thread_.joinable()) return;
        {
            const std::scoped_lock lock(mutex_);
            ended_ = true;
            if (!whole) waiting_.clear();
        }
        changed_.notify_all();
        thread_.join();
    }

    void run() {
        try {
            std::unique_lock lock(mutex_);
            while (true) {
                changed_.wait(lock, [&] { return !waiting_.empty() || ended_; });
                if (waiting_.empty()) return;
                const auto part = std::move(waiting_.front());
                waiting_.pop_front();
                lock.unlock();
                changed_.notify_all();
                sink_(part);
                lock.lock();
            }
        } catch (const ThreadEnd&) {
            {
                const std::scoped_lock lock(mutex_);
                problem_ = std::make_exception_ptr(std::runtime_error("the thread that takes the output ended"));
            }
            changed_.notify_all();
            throw;
        } catch (...) {
            const std::scoped_lock lock(mutex_);
            problem_ = std::current_exception();
        }
        changed_.notify_all();
    }

    const Sink& sink_;
    std::string filling_;
    std::mutex mutex_;  // of what follows
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    bool ended_ = false;
    std::exception_ptr problem_;
    std::thread thread_;  // the last: it uses the others
};

}  // namespace

void write_ahead(const Sink& sink, const Callback<void(const Sink&)>& write) {
    std::optional<Behind> behind;
    try {
        behind.emplace(sink);
    } catch (const std::system_error&) {
        return write(sink);
    }
    write([&](std::string_view part) { behind->take(part); });
    behind->finish();
}

}  // namespace perfdata
