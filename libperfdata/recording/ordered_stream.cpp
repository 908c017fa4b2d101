// SPDX-License-Identifier: MIT
#include "perfdata/recording/ordered_stream.hpp"

#include <algorithm>

namespace perfdata {
namespace {

// Order of a heap whose top is the least.
constexpr auto later = [](const auto& a, const auto& b) {
    return std::pair(a.first().time, a.first().sequence) > std::pair(b.first().time, b.first().sequence);
};

}  // namespace

OrderedStream::OrderedStream(const Recording& recording)
    : recording_(&recording),
      first_pass_(recording.records()),
      zero_pass_(recording.records()),
      pass_(recording.records()) {
    note_times();
}

Time OrderedStream::key(const RecordView& record, Time& latest) const {
    const auto time = recording_->events().time_of(record, record.order);
    if (!time) return latest;
    latest = std::max(latest, *time);
    return *time;
}

void OrderedStream::note_times() {
    Time latest;
    RecordView record;
    std::size_t in_chunk = 0;
    auto least = Time::forever();
    while (first_pass_.next(record)) {
        const auto time = key(record, latest);
        if (time == Time{}) {
            ++synthesized_;
        } else {
            least = std::min(least, time);
        }
        if (++in_chunk == chunk_records) {
            least_later_.push_back(std::exchange(least, Time::forever()));
            in_chunk = 0;
        }
    }
    least_later_.push_back(least);
    // From the least of each chunk to the least of all behind it.
    auto behind = Time::forever();
    for (auto chunk = least_later_.rbegin(); chunk != least_later_.rend(); ++chunk) {
        const auto own = std::exchange(*chunk, behind);
        behind = std::min(behind, own);
    }
}

bool OrderedStream::next_synthesized(RecordView& record) {
    while (synthesized_ != 0 && zero_pass_.next(record)) {
        if (key(record, zero_latest_) != Time{}) continue;
        --synthesized_;
        return true;
    }
    synthesized_ = 0;
    return false;
}

// read_chunk() takes in one chunk of records as runs; false at the end.
bool OrderedStream::read_chunk() {
    if (chunks_read_ == least_later_.size()) return false;
    const auto number = chunks_read_++;
    auto& chunk = chunks_.emplace_back();
    std::vector<Run> fresh;
    RecordView record;
    struct Copied {
        Time time;
        std::uint64_t sequence;
        RecordView record;
        std::size_t at;
    };
    std::vector<Copied> taken;
    taken.reserve(chunk_records);
    for (std::size_t count = 0; count < chunk_records && pass_.next(record); ++count) {
        const auto time = key(record, latest_);
        ++sequence_;
        if (time == Time{}) continue;  // handed out already
        taken.push_back({time, sequence_, record, chunk.bytes.size()});
        chunk.bytes.insert(chunk.bytes.end(), record.bytes.begin(), record.bytes.end());
    }
    Run run;
    for (auto& copied : taken) {
        copied.record.bytes = Bytes(chunk.bytes).subspan(copied.at, copied.record.bytes.size());
        if (!run.records.empty() && copied.time < run.records.back().time) {
            fresh.push_back(std::exchange(run, Run{}));
        }
        run.records.push_back({copied.time, copied.sequence, copied.record});
    }
    if (!run.records.empty()) fresh.push_back(std::move(run));
    chunk.waiting = taken.size();
    waiting_ += taken.size();
    most_waiting_ = std::max(most_waiting_, waiting_);
    for (auto& one : fresh) {
        one.chunk = number;
        runs_.push_back(std::move(one));
        std::ranges::push_heap(runs_, later);
    }
    return true;
}

// retire() lets go of the record handed out last; a chunk goes when it and all before it have none left.
void OrderedStream::retire() {
    if (!handed_out_of_) return;
    --chunks_[static_cast<std::size_t>(*handed_out_of_ - first_chunk_)].waiting;
    handed_out_of_.reset();
    while (!chunks_.empty() && chunks_.front().waiting == 0 && first_chunk_ + 1 < chunks_read_) {
        chunks_.pop_front();
        ++first_chunk_;
    }
}

bool OrderedStream::next(RecordView& record, Time& time) {
    if (synthesized_ != 0 && next_synthesized(record)) {
        time = Time{};
        return true;
    }
    retire();
    for (;;) {
        const auto safe = chunks_read_ == 0 ? Time{} : least_later_[chunks_read_ - 1];
        if (!runs_.empty() && runs_.front().first().time <= safe) break;
        if (!read_chunk()) return false;
    }
    std::ranges::pop_heap(runs_, later);
    auto& run = runs_.back();
    const auto& first = run.first();
    record = first.record;
    time = first.time;
    handed_out_of_ = run.chunk;
    --waiting_;
    if (++run.next == run.records.size()) {
        runs_.pop_back();
    } else {
        std::ranges::push_heap(runs_, later);
    }
    return true;
}

}  // namespace perfdata
