// SPDX-License-Identifier: MIT
#include "script_pool.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "perfdata/core/thread_end.hpp"

namespace perfdata {

ScriptPool::ScriptPool(std::size_t threads, const ScriptText& text, const Sink& sink)
    : threads_(threads), text_(text), sink_(sink) {}

ScriptPool::~ScriptPool() {
    {
        const Lock lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
}

void ScriptPool::begin(const std::shared_ptr<const TextArena>& places) {
    // One chunk keeps one arena alive.
    if (filling_ != nullptr && !filling_->is_empty() && filling_->places() != places) submit();
    if (filling_ != nullptr) return;
    {
        const Lock lock(mutex_);
        if (!spare_.empty()) {
            filling_ = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    if (filling_ == nullptr) filling_ = std::make_unique<ScriptChunk>();
    filling_->clear(places);
}

void ScriptPool::add(const ScriptItem& item, bool with_record, const std::shared_ptr<const TextArena>& places) {
    begin(places);
    if (filling_->add(item, with_record)) return;
    submit();
    begin(places);
    filling_->add(item, with_record);
}

void ScriptPool::add_text(const ScriptItem& item, std::string_view text,
                          const std::shared_ptr<const TextArena>& places) {
    if (text.empty()) return;
    begin(places);
    if (filling_->add_text(item, text)) return;
    submit();
    begin(places);
    filling_->add_text(item, text);
}

void ScriptPool::submit() {
    Lock lock(mutex_);
    jobs_.push_back({std::move(filling_)});
    changed_.notify_all();
    start_threads();
    // This thread is not idle where the others are slower, and then has the samples of the next chunks at hand.
    while (jobs_.size() >= 2 * threads_) {
        if (problem_) std::rethrow_exception(problem_);
        if (!do_next(lock)) changed_.wait(lock);
    }
}

void ScriptPool::finish() {
    if (filling_ != nullptr && !filling_->is_empty()) {
        const Lock lock(mutex_);
        jobs_.push_back({std::move(filling_)});
    }
    Lock lock(mutex_);
    while (!jobs_.empty()) {
        if (problem_) std::rethrow_exception(problem_);
        if (!do_next(lock)) changed_.wait(lock);
    }
}

// Only where there is more than one chunk: a small recording needs no threads.
void ScriptPool::start_threads() {
    if (!helpers_.empty()) return;
    try {
        helpers_.reserve(threads_);
        for (std::size_t thread = 1; thread < threads_; ++thread) {
            helpers_.emplace_back([this] { run(); });
        }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    threads_ = helpers_.size() + 1;
}

void ScriptPool::run() {
    Lock lock(mutex_);
    while (!stopping_ && !problem_) {
        try {
            if (!do_next(lock)) changed_.wait(lock);
        } catch (const ThreadEnd&) {
            throw;
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            problem_ = std::current_exception();
            changed_.notify_all();
        }
    }
}

// Writes the next text, or formats the next chunk, without the lock. Returns false if there is nothing to do.
bool ScriptPool::do_next(Lock& lock) {
    if (!writing_ && !jobs_.empty() && jobs_.front().state == State::formatted) {
        auto& chunk = *jobs_.front().chunk;  // a deque moves nothing when others are added
        writing_ = true;
        lock.unlock();
        sink_(chunk.text);
        lock.lock();
        writing_ = false;
        spare_.push_back(std::move(jobs_.front().chunk));
        jobs_.pop_front();
        changed_.notify_all();
        return true;
    }
    const auto next = std::ranges::find(jobs_, State::waiting, &Job::state);
    if (next == jobs_.end()) return false;
    auto& job = *next;
    job.state = State::in_work;
    lock.unlock();
    for (const auto& [item, text] : job.chunk->entries()) {
        if (text.empty()) {
            text_.append(job.chunk->text, item, nullptr);
        } else {
            job.chunk->text += text;
        }
    }
    lock.lock();
    job.state = State::formatted;
    changed_.notify_all();
    return true;
}

}  // namespace perfdata
