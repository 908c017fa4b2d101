// SPDX-License-Identifier: MIT
#include "perfdata/recording/ordered_stream.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace perfdata {
namespace {

constexpr FixedOrder<std::endian::little> little;
constexpr FixedOrder<std::endian::big> big;

}  // namespace

OrderedStream::OrderedStream(const Recording& recording, const StopToken& stop)
    : OrderedStream(recording, TimeOrder::read(recording, stop)) {}

OrderedStream::OrderedStream(const Recording& recording, TimeOrder&& own)
    : OrderedStream(recording, Shared<const TimeOrder>::make(std::move(own))) {}

OrderedStream::OrderedStream(const Recording& recording, Shared<const TimeOrder> times)
    : recording_(&recording),
      order_(recording.order()),
      times_(std::move(times)),
      pass_(recording.records()),
      at_end_(times_->stopped()) {}

// read() reads one record and its time: its own, or the latest before it.
template <class Order>
inline bool OrderedStream::read(RecordStream& stream, RecordView& record, Time& latest, Time& time, Order order) const {
    if (!stream.next(record, order)) return false;
    time = recording_->events().time_of(record, order, latest);
    latest = std::max(latest, time);
    return true;
}

bool OrderedStream::next_synthesized(RecordView& record) {
    const auto number = synthesized_next_++;
    if (number < times_->kept()) {
        record = times_->kept(static_cast<std::size_t>(number), order_);
        return true;
    }
    Time time;
    const auto next_zero = [&] {
        while (read(*zero_pass_, record, zero_latest_, time, order_)) {
            if (time == Time{}) return true;
        }
        return false;
    };
    if (!zero_pass_) {
        zero_pass_.emplace(recording_->records());
        for (auto skipped = number; skipped != 0; --skipped) {
            if (!next_zero()) break;
        }
    }
    if (next_zero()) return true;
    synthesized_next_ = times_->synthesized();
    return false;
}

// read_chunk() reads one chunk of records as runs; false at the end. Chunks are cut as in a first pass on one thread.
bool OrderedStream::read_chunk() {
    return order_.endian() == std::endian::little ? read_chunk(little) : read_chunk(big);
}

template <class Order>
bool OrderedStream::read_chunk(Order order) {
    if (at_end_) return false;
    if (!have_ahead_ && !read(pass_, ahead_, latest_, ahead_time_, order)) {
        at_end_ = true;
        return false;
    }
    auto& chunk = chunks_.emplace_back();
    if (!spare_.empty()) {
        chunk.records = std::move(spare_.back());
        spare_.pop_back();
    }
    chunk.records.reserve(TimeOrder::chunk_records);
    chunk.blocks = pass_.blocks();
    const auto refills = pass_.refills();
    auto record = ahead_;
    auto time = ahead_time_;
    std::size_t count = 0;
    do {
        // Records of time 0 have been returned already.
        if (time != Time{}) {
            chunk.records.push_back(
                {time, record.bytes.data(), record.offset << 1 | static_cast<std::uint64_t>(record.unpacked)});
        }
        ++count;
        have_ahead_ = read(pass_, record, latest_, time, order);
    } while (have_ahead_ && count < TimeOrder::chunk_records && pass_.refills() == refills);
    ahead_ = record;
    ahead_time_ = time;
    at_end_ = !have_ahead_;
    records_read_ += count;
    const auto later = times_->later();
    while (later_passed_ < later.size() && later[later_passed_].records <= records_read_) {
        safe_ = later[later_passed_++].least;
    }
    if (at_end_ || later_passed_ == later.size()) safe_ = Time::forever();
    waiting_ += chunk.records.size();
    most_waiting_ = std::max(most_waiting_, waiting_);
    add_runs(chunk);
    return true;
}

// merge_tail(begin, middle, end) merges two ordered stretches if only a few records of the first are later than the
// first record of the second; of equal times those of the first stretch come first.
bool OrderedStream::merge_tail(Waiting* begin, Waiting* middle, Waiting* end) {
    constexpr std::ptrdiff_t most = 64;
    std::array<Waiting, most> tail;
    auto* out = middle;
    while (out != begin && middle - out <= most && out[-1].time > middle->time) --out;
    if (middle - out > most) return false;
    const auto* left = tail.data();
    const auto* const left_end = std::copy(out, middle, tail.data());
    for (const auto* right = middle; left != left_end; ++out) {
        *out = right != end && right->time < left->time ? *right++ : *left++;
    }
    return true;
}

void OrderedStream::add_runs(Chunk& chunk) {
    auto* at = chunk.records.data();
    auto* const end = at + chunk.records.size();
    const auto in_order = [end](Waiting* from) {
        do ++from;
        while (from != end && from->time >= from[-1].time);
        return from;
    };
    while (at != end) {
        auto* const begin = at;
        at = in_order(at);
        // A stretch that begins only slightly before the end of the run joins it: rings that are drained often.
        for (Waiting* next; at != end && (next = in_order(at), merge_tail(begin, at, next));) at = next;
        runs_.push_back({begin, at, run_count_++, &chunk});
        std::ranges::push_heap(runs_, [](const Run& a, const Run& b) { return b.before(a); });
        ++chunk.runs;
    }
}

// finish_run() releases the current run, which has been fully returned; a chunk's memory is freed with its last run.
void OrderedStream::finish_run() {
    auto& chunk = *std::exchange(current_, {}).chunk;
    if (--chunk.runs == 0) {
        waiting_ -= chunk.records.size();
        chunk.records.clear();
        spare_.push_back(std::move(chunk.records));
        chunk = {};
    }
    while (!chunks_.empty() && chunks_.front().runs == 0) chunks_.pop_front();
}

// sift_down() restores the heap after its top was replaced.
void OrderedStream::sift_down() {
    for (std::size_t at = 0, child = 1; child < runs_.size(); at = child, child = 2 * at + 1) {
        if (child + 1 < runs_.size() && runs_[child + 1].before(runs_[child])) ++child;
        if (runs_[at].before(runs_[child])) return;
        std::swap(runs_[at], runs_[child]);
    }
}

// Of equal times the earlier run comes first.
void OrderedStream::set_limit() {
    limit_ = safe_;
    if (runs_.empty()) return;
    const auto& second = runs_.front();
    limit_ = std::min(limit_, Time{second.next->time.nanoseconds - (current_.number < second.number ? 0 : 1)});
}

bool OrderedStream::find_next(RecordView& record, Time& time) {
    if (synthesized_next_ < times_->synthesized() && next_synthesized(record)) {
        time = Time{};
        return true;
    }
    if (current_.chunk != nullptr && current_.next == current_.end) finish_run();
    for (;;) {
        // The run with the least first record leads.
        if (current_.chunk == nullptr && !runs_.empty()) {
            current_ = runs_.front();
            runs_.front() = runs_.back();
            runs_.pop_back();
            sift_down();
        } else if (current_.chunk != nullptr && !runs_.empty() && runs_.front().before(current_)) {
            std::swap(current_, runs_.front());
            sift_down();
        }
        if (current_.chunk != nullptr && current_.next->time <= safe_) break;
        if (!read_chunk()) return false;
    }
    set_limit();
    hand_out(record, time);
    return true;
}

}  // namespace perfdata
