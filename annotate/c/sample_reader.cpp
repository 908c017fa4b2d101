// SPDX-License-Identifier: MIT
#include "sample_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/jit_codes.hpp"

namespace perfdata::c {

SampleReader::SampleReader(std::shared_ptr<const RecordingObject> recording, std::shared_ptr<const CodeObject> code,
                           SampleFilter filter, bool by_time, const Control& control)
    : recording_object_(std::move(recording)),
      code_(std::move(code)),
      recording_(recording_object_->recording),
      filter_(std::move(filter)),
      control_(control),
      stop_(control.stop()),
      progress_(control.progress("reading samples")),
      deferred_(DeferredChains::read(recording_, control.stop_telling("reading deferred chains"))),
      counters_(recording_, code_ ? &code_->timeline.tasks() : nullptr) {
    control_.check();
    // Stacks are not handed out.
    if (by_time && code_) {
        by_time_.emplace(recording_, code_->timeline.times());
    } else if (by_time) {
        by_time_.emplace(recording_, control.stop_telling("ordering records"));
    } else {
        in_file_.emplace(recording_.records(Recording::Stacks::unread));
    }
    control_.check();
    if (code_) tasks_.emplace(code_->timeline.tasks());
    if (code_) load_.emplace(code_->symbolizer, CodeDetail::names, Watch{stop_, control.progress("loading symbols")});
}

bool SampleReader::next_record() {
    const bool more = by_time_ ? by_time_->next(record_, time_) : in_file_->next(record_);
    if (!more) return false;
    if (!record_.unpacked) bytes_ += record_.bytes.size();
    if (in_file_) time_ = recording_.events().time_of(record_, record_.order, latest_);
    latest_ = std::max(latest_, time_);
    return true;
}

bool SampleReader::next(perfdata_sample& out) {
    constexpr std::uint32_t records_a_look = 4096;
    const auto& events = recording_.events();
    while (!at_end_) {
        if (++steps_ % records_a_look == 0) {
            if (progress_) progress_(bytes_, recording_.bytes());
            if (stop_.stop_requested()) control_.check();
        }
        if (taken_ == pending_.size()) {
            at_end_ = !next_samples();
            continue;
        }
        const auto [event, period] = pending_[taken_++];
        const auto& layout = events.layout(record_event_);
        const BasicSample<AnyOrder> sample(record_.bytes.data(), layout, record_.order);
        if (!take(sample, event, period, out)) {
            ++filtered_;
            continue;
        }
        ++read_;
        has_last_ = true;
        return true;
    }
    return false;
}

bool SampleReader::next_samples() {
    pending_.clear();
    taken_ = 0;
    if (!next_record()) return false;
    if (static_cast<RecordType>(record_.header().type) != RecordType::sample) return true;
    const auto& events = recording_.events();
    const auto* bytes = record_.bytes.data();
    const auto size = record_.bytes.size();
    const auto event = events.of_sample(bytes, size, record_.order);
    if (!event || !events.layout(*event).fits(bytes, size, record_.order)) {
        ++damaged_;
        return true;
    }
    record_event_ = *event;
    const BasicSample<AnyOrder> sample(bytes, events.layout(*event), record_.order);
    counters_.each(*event, sample, sample.time().value_or(time_),
                   [&](std::uint32_t member, std::uint64_t period) { pending_.emplace_back(member, period); });
    return true;
}

bool SampleReader::take(const BasicSample<AnyOrder>& sample, std::uint32_t event, std::uint64_t period,
                        perfdata_sample& out) {
    constexpr Pid nobody{std::numeric_limits<std::uint32_t>::max()};
    const auto cpu = sample.cpu();
    if (!filter_.has_event(event)) return false;
    const auto own_time = sample.time();
    const auto time = own_time.value_or(time_);
    if (filter_.drop_moment(time, cpu) != FilterPart::none) return false;
    const auto pid = sample.pid();
    const auto tid = sample.tid();
    Moment moment{time, pid.value_or(nobody)};
    if (code_ && code_->timeline.tasks().has_guests()) {
        if (const auto id = sample.id()) moment.machine = code_->timeline.tasks().machine_of(*id);
    }
    const auto who = tid.value_or(Tid{nobody.value});
    const auto comm = tasks_ && filter_.needs_comm() ? tasks_->comm_at(who, time, moment.machine) : std::string_view();
    if (filter_.drop_task({comm, moment.pid, who, {}}) != FilterPart::none) return false;
    const auto ip = sample.ip();
    auto function = PERFDATA_NO_FUNCTION;
    if (code_) {
        const auto mode = sample.mode();
        const auto frame = ip ? frame_at(code_->timeline, &code_->symbolizer.jit(), moment, *ip, mode, &*tasks_)
                              : Frame::nowhere({}, Miss::no_address, mode);
        const auto number = number_of(frame);
        if (is_left_out(number)) return false;
        function = function_of_[number];
    }
    out = {};
    out.offset = record_.offset;
    out.time = time.nanoseconds;
    out.address = ip.value_or(Address{}).value;
    out.period = period;
    out.pid = moment.pid.value;
    out.tid = who.value;
    out.cpu = cpu.value_or(nobody.value);
    out.event = event;
    out.mode = static_cast<std::uint32_t>(sample.mode());
    out.function = function;
    const auto data = sample.addr();
    out.data_address = data.value_or(Address{}).value;
    const auto chain = sample.callchain();
    out.fields = (own_time ? PERFDATA_HAS_TIME : 0) | (ip ? PERFDATA_HAS_ADDRESS : 0) | (pid ? PERFDATA_HAS_TASK : 0) |
                 (cpu ? PERFDATA_HAS_CPU : 0) | (data ? PERFDATA_HAS_DATA_ADDRESS : 0) |
                 (chain ? PERFDATA_HAS_CHAIN : 0) | (sample.exact_ip() ? PERFDATA_EXACT : 0);
    has_last_ = false;
    chain_.clear();
    if (chain) {
        for_each_frame(sample, deferred_, [&](Address address, CpuMode mode) {
            chain_.push_back({address.value, static_cast<std::uint32_t>(mode), 0});
            return true;
        });
        out.chain = static_cast<std::uint32_t>(chain_.size());
    }
    return true;
}

// Returns the number of a frame, whose function is then known.
std::uint32_t SampleReader::number_of(const Frame& frame) {
    const auto most = std::max<std::size_t>(recording_.limits().places, 64);
    const auto number = frames_.intern_within(most, frame, Frame::nowhere({}, Miss::not_kept, CpuMode::unknown));
    if (number >= function_of_.size()) {
        function_of_.resize(frames_.size(), unknown);
        left_out_.resize(frames_.size());
    }
    auto& function = function_of_[number];
    if (function == unknown) {
        // Code without a name is one function for each object, or for each reason.
        const auto& index = code_->symbolizer.functions();
        if (!(*load_)(frames_[number])) control_.check();
        const auto begin = index.function(frames_[number]);
        Function made{begin, index.named(begin)};
        if (!made.named) made.frame = {0, begin.index, begin.kind, begin.mode};
        function = functions_.intern(made);
    }
    return number;
}

bool SampleReader::is_left_out(std::uint32_t frame) {
    if (filter_.code.empty()) return false;
    auto& known = left_out_[frame];
    if (known == 0) {
        const auto part = code_->symbolizer.functions().left_out(frames_[frame], filter_.code);
        known = part == CodePart::none ? 1 : 2;
    }
    return known == 2;
}

}  // namespace perfdata::c
