// SPDX-License-Identifier: MIT
#include "script_pool.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "perfdata/core/thread_end.hpp"

namespace perfdata {

ScriptPool::ScriptPool(std::size_t threads, const ScriptInput& input, const Sink& sink, Take take)
    : threads_(threads), input_(input), sink_(sink), take_(std::move(take)), workers_(threads) {}

ScriptPool::~ScriptPool() {
    {
        const Lock lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
}

void ScriptPool::begin() {
    if (filling_ != nullptr) return;
    {
        const Lock lock(mutex_);
        if (!spare_.empty()) {
            filling_ = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    if (filling_ == nullptr) filling_ = std::make_unique<ScriptBatch>();
    filling_->clear();
}

void ScriptPool::add(const RawSample& sample) {
    begin();
    if (filling_->add(sample)) return;
    submit();
    begin();
    filling_->add(sample);
}

void ScriptPool::submit() {
    Lock lock(mutex_);
    jobs_.push_back({std::move(filling_)});
    changed_.notify_all();
    start_threads();
    // This thread is not idle where the others are slower, and then has the samples of the next batches at hand.
    while (jobs_.size() >= 2 * threads_) {
        if (problem_) std::rethrow_exception(problem_);
        if (!do_next(lock, 0)) changed_.wait(lock);
    }
}

void ScriptPool::finish() {
    if (filling_ != nullptr && !filling_->samples().empty()) {
        const Lock lock(mutex_);
        jobs_.push_back({std::move(filling_)});
    }
    Lock lock(mutex_);
    while (!jobs_.empty()) {
        if (problem_) std::rethrow_exception(problem_);
        if (!do_next(lock, 0)) changed_.wait(lock);
    }
}

// Only where there is more than one batch: a small recording needs no threads.
void ScriptPool::start_threads() {
    if (!helpers_.empty()) return;
    try {
        helpers_.reserve(threads_);
        for (std::size_t thread = 1; thread < threads_; ++thread) {
            helpers_.emplace_back([this, thread] { run(thread); });
        }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    threads_ = helpers_.size() + 1;
}

void ScriptPool::run(std::size_t thread) {
    Lock lock(mutex_);
    while (!stopping_ && !problem_) {
        try {
            if (!do_next(lock, thread)) changed_.wait(lock);
        } catch (const ThreadEnd&) {
            throw;
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            problem_ = std::current_exception();
            changed_.notify_all();
        }
    }
}

// Hands on the next text, or writes the next batch, without the lock. Returns false if there is nothing to do.
bool ScriptPool::do_next(Lock& lock, std::size_t thread) {
    if (!writing_ && !jobs_.empty() && jobs_.front().state == State::written) {
        auto& batch = *jobs_.front().batch;  // a deque moves nothing when others are added
        writing_ = true;
        lock.unlock();
        hand_on(batch, worker(thread));
        lock.lock();
        writing_ = false;
        spare_.push_back(std::move(jobs_.front().batch));
        jobs_.pop_front();
        changed_.notify_all();
        return true;
    }
    const auto next = std::ranges::find(jobs_, State::waiting, &Job::state);
    if (next == jobs_.end()) return false;
    auto& job = *next;
    job.state = State::in_work;
    lock.unlock();
    worker(thread).write(*job.batch);
    lock.lock();
    job.state = State::written;
    changed_.notify_all();
    return true;
}

ScriptWorker& ScriptPool::worker(std::size_t thread) {
    auto& worker = workers_[thread];
    if (worker == nullptr) worker = std::make_unique<ScriptWorker>(input_, workers_.size());
    return *worker;
}

void ScriptPool::hand_on(ScriptBatch& batch, ScriptWorker& worker) {
    if (!batch.tally.room.was_right(room_)) worker.write(batch, room_);
    room_ = batch.tally.room.guesses() ? room_ + batch.tally.room.left() : batch.tally.room.left();
    take_(batch.tally);
    sink_(batch.text);
}

}  // namespace perfdata
