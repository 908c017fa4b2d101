// SPDX-License-Identifier: MIT
// Records without what may be secret.
#pragma once

#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/record/all.hpp"

#include "bundle/anonymize/names.hpp"
#include "bundle/anonymize/sample_rewriter.hpp"

namespace perfdata {

// RecordRewriter writes the records of a recording again: fields that it knows, with hashes in place of texts. Records
// that it does not know, damaged ones and what stands behind the known fields of a record stay behind.
class RecordRewriter {
  public:
    // All of them must outlive this.
    RecordRewriter(const Recording& recording, const Names& names, const CodeAddresses& places, Tally& tally,
                   ByteWriter& out);

    void take(const RecordView& record);

  private:
    template <class R>
    void known(const RecordView& record);
    // Ends the record as one of that event. False: it cannot be one, and is gone.
    bool end(const RecordView& record, std::uint32_t event);
    void trailer(const RecordView& record, const Event& event);
    void leave_out(RecordType type);
    void damaged() { tally_.add(Told::damaged_records); }

    // body(record, decoded) writes what is between header and trailer. False: the record is left out after all. A type
    // without one is left out.
    bool numbers(const RecordView& record, std::size_t bytes);
    bool body(const RecordView& record, const Mmap& map);
    bool body(const RecordView& record, const Mmap2& map);
    bool body(const RecordView& record, const Comm& comm);
    bool body(const RecordView& record, const Fork&) { return numbers(record, 24); }
    bool body(const RecordView& record, const Exit&) { return numbers(record, 24); }
    bool body(const RecordView& record, const Lost&) { return numbers(record, 16); }
    bool body(const RecordView& record, const LostSamples&) { return numbers(record, 8); }
    bool body(const RecordView& record, const Throttle&) { return numbers(record, 24); }
    bool body(const RecordView& record, const Unthrottle&) { return numbers(record, 24); }
    bool body(const RecordView& record, const Read& read);
    bool body(const RecordView& record, const ItraceStart&) { return numbers(record, 8); }
    bool body(const RecordView&, const ContextSwitch&) { return true; }
    bool body(const RecordView& record, const SwitchCpuWide&) { return numbers(record, 8); }
    bool body(const RecordView& record, const Namespaces& namespaces);
    bool body(const RecordView& record, const Ksymbol& symbol);
    bool body(const RecordView& record, const BpfEvent& event);
    bool body(const RecordView& record, const Cgroup& cgroup);
    bool body(const RecordView& record, const TextPoke& poke);
    bool body(const RecordView& record, const CallchainDeferred& chain);
    bool body(const RecordView& record, const HeaderBuildId& id);
    bool body(const RecordView& record, const IdIndex& index);
    bool body(const RecordView& record, const ThreadMap& threads);
    bool body(const RecordView& record, const CpuMap& map);
    bool body(const RecordView& record, const StatConfig& config);
    bool body(const RecordView& record, const Stat&) { return numbers(record, 40); }
    bool body(const RecordView& record, const StatRound&) { return numbers(record, 16); }
    bool body(const RecordView& record, const EventUpdate& update);
    bool body(const RecordView& record, const TimeConv& conversion);
    bool body(const RecordView& record, const SchedstatCpu& stat);
    bool body(const RecordView& record, const SchedstatDomain& stat);
    bool body(const RecordView& record, const FinishedRound&);
    bool body(const RecordView&, const FinishedInit&) { return true; }

    bool cpus(const CpuMapData& cpus);
    // told(what, before, after) returns `after`, and counts it if it is another text.
    std::string told(Told what, std::string_view before, std::string after);
    std::string path(std::string_view text);

    const Recording& recording_;
    const Names& names_;
    const CodeAddresses& places_;
    Tally& tally_;
    ByteWriter& out_;
    SampleRewriter samples_;
    // Where an event has the id of its records, in bytes from their ends.
    std::size_t furthest_id_ = 0;
};

}  // namespace perfdata
