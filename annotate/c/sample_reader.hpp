// SPDX-License-Identifier: MIT
// Samples one by one, with the functions that they fell in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "perfdata/profile/counter_samples.hpp"
#include "perfdata/profile/intern_table.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/ordered_stream.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/recent_tasks.hpp"
#include "perfdata/wire/sample.hpp"

#include "code_object.hpp"
#include "format/load_once.hpp"

namespace perfdata::c {

// SampleReader belongs to one thread at a time.
class SampleReader {
  public:
    // `code` may be null if the filter needs none. Throws Failure.
    SampleReader(std::shared_ptr<const RecordingObject> recording, std::shared_ptr<const CodeObject> code,
                 SampleFilter filter, bool by_time, const Control& control);

    // Throws Failure if it was stopped.
    void check() const { control_.check(); }
    // Returns false at the end. Throws Failure; the next call goes on behind.
    bool next(perfdata_sample& sample);
    // Returns the chain of the last sample that next() filled, valid until it is called again; nothing if there is
    // none, or none since forget().
    const std::vector<perfdata_frame>* chain() const { return has_last_ ? &chain_ : nullptr; }
    void forget() { has_last_ = false; }

    struct Function {
        Frame frame;
        bool named = false;

        bool operator==(const Function&) const = default;
        std::uint64_t hash(const HashKey& key) const { return key(frame.first_word(), frame.second_word(), named); }
    };
    std::span<const Function> functions() const { return functions_.keys(); }
    const CodeObject* code() const { return code_.get(); }
    const DiagnosticLog& problems() const { return by_time_ ? by_time_->problems() : in_file_->problems(); }
    std::uint64_t read() const { return read_; }
    std::uint64_t filtered() const { return filtered_; }
    std::uint64_t damaged() const { return damaged_; }

  private:
    bool next_record();
    // Reads the next record that stands for samples. Returns false at the end.
    bool next_samples();
    bool take(const BasicSample<AnyOrder>& sample, std::uint32_t event, std::uint64_t period, perfdata_sample& out);
    std::uint32_t number_of(const Frame& frame);
    bool is_left_out(std::uint32_t frame);

    std::shared_ptr<const RecordingObject> recording_object_;
    std::shared_ptr<const CodeObject> code_;
    const Recording& recording_;
    SampleFilter filter_;
    Control control_;
    StopToken stop_;
    Progress progress_;
    DeferredChains deferred_;
    std::optional<RecordStream> in_file_;
    std::optional<OrderedStream> by_time_;
    std::optional<RecentTasks> tasks_;
    std::optional<LoadOnce> load_;  // with code
    CounterSamples counters_;
    RecordView record_;
    std::uint32_t record_event_ = 0;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> pending_;  // of the record: events and periods
    std::size_t taken_ = 0;                                         // of pending_
    Time time_, latest_;
    bool at_end_ = false;
    std::uint32_t steps_ = 0;
    std::uint64_t bytes_ = 0, read_ = 0, filtered_ = 0, damaged_ = 0;
    InternTable<Frame> frames_;
    static constexpr std::uint32_t unknown = ~std::uint32_t{0};
    std::vector<std::uint32_t> function_of_;  // by number of the frame, or unknown
    std::vector<std::uint8_t> left_out_;      // likewise: 0 unknown, 1 no, 2 yes
    InternTable<Function> functions_;
    bool has_last_ = false;
    std::vector<perfdata_frame> chain_;  // of the last sample: its record may be gone when it is asked for
};

}  // namespace perfdata::c
