// SPDX-License-Identifier: MIT
#include "batch_turns.hpp"

#include <utility>

namespace perfdata::tool {

std::size_t BatchAnswer::bytes() const {
    std::size_t sum = sizeof *this + head.capacity() + document.capacity();
    for (const auto& message : messages) sum += sizeof message + message.capacity();
    return sum;
}

BatchTurns::BatchTurns(std::size_t entries, std::size_t most_waiting, Tell tell)
    : waiting_(entries), most_waiting_(most_waiting), tell_(std::move(tell)) {}

std::optional<std::size_t> BatchTurns::next() {
    std::unique_lock lock(mutex_);
    // Whoever works on the earliest entry always ends it: nobody waits for ever.
    changed_.wait(lock, [&] {
        if (stopped_ || next_ == waiting_.size()) return true;
        return want_alone_ == 0 && (waiting_bytes_ <= most_waiting_ || next_ == told_);
    });
    if (stopped_ || next_ == waiting_.size()) return {};
    ++working_;
    return next_++;
}

void BatchTurns::be_alone(std::size_t entry) {
    std::unique_lock lock(mutex_);
    --working_;
    ++want_alone_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return stopped_ || (working_ == 0 && !alone_); });
    alone_ = entry;
}

void BatchTurns::answer(std::size_t entry, std::unique_ptr<const BatchAnswer> answer) {
    const std::unique_lock lock(mutex_);
    if (alone_ == entry) {
        alone_.reset();
        --want_alone_;
    } else {
        --working_;
    }
    waiting_bytes_ += answer->bytes();
    waiting_[entry] = std::move(answer);
    tell_ready();
    changed_.notify_all();
}

void BatchTurns::stop() {
    const std::unique_lock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
}

void BatchTurns::tell_ready() {
    while (told_ != waiting_.size() && waiting_[told_]) {
        const auto answer = std::move(waiting_[told_++]);
        waiting_bytes_ -= answer->bytes();
        if (!stopped_ && !tell_(*answer)) stopped_ = true;
    }
}

}  // namespace perfdata::tool
