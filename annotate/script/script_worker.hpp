// SPDX-License-Identifier: MIT
// Writes the text of samples: one worker for each thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/timeline/recent_tasks.hpp"

#include "btf/payload_writer.hpp"
#include "script.hpp"
#include "script_batch.hpp"
#include "script_json.hpp"
#include "script_lines.hpp"
#include "script_places.hpp"
#include "script_tally.hpp"
#include "script_text.hpp"
#include "trace/trace_formats.hpp"

namespace perfdata {

// ScriptInput is what all workers read. Nothing of it changes.
struct ScriptInput {
    ScriptInput(const Recording& recording, const Symbolizer& symbolizer, const ScriptOptions& options);

    const Recording& recording;
    const Symbolizer& symbolizer;
    const ScriptOptions& options;
    const DeferredChains deferred;
    const TraceFormats formats;
    const PayloadWriters payload_writers;
    const ScriptText text;
};

// Text and tally do not depend on which samples a worker had before.
class ScriptWorker {
  public:
    // The input must outlive it. Of `workers` each takes its part of the memory.
    ScriptWorker(const ScriptInput& input, std::size_t workers);
    ScriptWorker(const ScriptWorker&) = delete;
    ScriptWorker& operator=(const ScriptWorker&) = delete;

    // write(sample, text, tally) appends the text of a sample, and adds to the tally. The record must have passed
    // walk().
    void write(const RawSample& sample, std::string& text, ScriptTally& tally);
    // write(batch) writes text and tally of its samples; with nothing known of the room for inlined functions.
    void write(ScriptBatch& batch) {
        batch.tally.clear();
        write_all(batch);
    }
    // The same again, with so much room.
    void write(ScriptBatch& batch, std::int64_t room) {
        batch.tally.clear();
        batch.tally.room.begin(room);
        write_all(batch);
    }

    // add_to(...) adds what the worker found out; names of places only if the counts say that names are absent, see
    // absent().
    struct Found {
        std::map<std::string_view, SymbolMiss> without_build_id, without_file;
        bool unnamed_kernel = false;
        std::set<std::string_view> symbols, objects, inlined;  // of places
    };
    void add_to(Found& found, bool with_names);
    // Wanted names that no place had so far.
    const std::vector<std::string>& absent_symbols() const { return absent_symbols_; }
    const std::vector<std::string>& absent_objects() const { return absent_objects_; }

  private:
    static constexpr Pid nobody{~std::uint32_t{0}};
    static constexpr std::uint8_t not_asked = 0xff;

    void write_all(ScriptBatch& batch);
    template <class Order>
    void take(const RawSample& raw, const BasicSample<Order>& sample);
    struct Share;
    template <class Order, class Visit>
    void each_frame(const BasicSample<Order>& sample, ScriptItem& item, Visit&& visit);
    template <class Order>
    void count_chain(const BasicSample<Order>& sample, ScriptItem& item);
    template <class Order>
    void find_lines(const BasicSample<Order>& sample, ScriptItem& item, ScriptLines::Style style);
    template <class Order>
    void find_chain(const BasicSample<Order>& sample, ScriptItem& item);
    void write_found(ScriptItem& item, ScriptLines::Style style);
    template <class Order>
    std::optional<StackEnd> add_user_stack(const BasicSample<Order>& sample, const ScriptItem& item);
    void add_inlined();
    template <class Order>
    bool wanted(const BasicSample<Order>& sample, const ScriptItem& item, std::uint32_t event, std::string_view comm);
    bool wanted(std::uint32_t place);
    bool takes_nowhere(CpuMode mode);
    bool take(FilterPart part);
    std::string_view shown_comm(std::string_view comm, std::optional<Tid> tid);
    void keep_names();

    const ScriptInput& input_;
    const ScriptOptions& options_;
    const EventTable& events_;
    const Symbolizer& symbolizer_;
    const Tasks& tasks_;
    RecentTasks recent_tasks_;
    ScriptPlaces places_;
    ScriptLines lines_;
    std::string* text_ = nullptr;   // of the current sample
    ScriptTally* tally_ = nullptr;  // likewise
    Sink to_text_;                  // appends to *text_
    ScriptJson json_;
    std::unordered_map<const char*, std::string> comms_;  // by data() of the timeline's view, which no file can choose
    // The last ones of comms_: each name has one slot (3 % less time with tracepoints).
    struct RecentComm {
        const char* comm = nullptr;
        const std::string* shown = nullptr;
    };
    std::array<RecentComm, 64> recent_comms_{};
    std::string unnamed_;
    std::vector<std::uint32_t> chain_, whole_chain_;  // without and with what was inlined
    std::size_t recorded_ = 0;                        // of chain_: in the chain, not unwound
    std::vector<CpuMode> modes_;                      // of a chain
    std::vector<std::string_view> shown_;             // lines of a chain
    std::string place_text_;
    Shared<StackUnwinder> unwinder_;  // made for the first copy of a stack
    std::vector<UnwoundFrame> unwound_;
    std::vector<std::uint8_t> left_out_;  // by place: the CodePart that leaves it out; or not_asked
    std::vector<std::string> absent_symbols_, absent_objects_;
    Found kept_;  // names of places that were forgotten
};

}  // namespace perfdata
