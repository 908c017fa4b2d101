// SPDX-License-Identifier: MIT
// The side band of a recording as one immutable value: who owned an address, when.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/core/text_arena.hpp"
#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/time_order.hpp"
#include "perfdata/timeline/bpf_records.hpp"
#include "perfdata/timeline/code.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/tasks.hpp"
#include "perfdata/timeline/text_patches.hpp"
#include "perfdata/timeline/versioned_map.hpp"

namespace perfdata {

// Moment is when and in which process a sample was taken.
struct Moment {
    Time time;               // when, by the clock of the recording
    Pid pid;                 // in which process
    Machine machine = host;  // on which machine
};

// KernelMapping is where the kernel's text lay, from the synthesized MMAP of [kernel.kallsyms].
struct KernelMapping {
    AddressRange range;            // of its text
    std::string reference_symbol;  // "_text" or "_stext"
    Address reference_address;     // of that symbol on the recording machine; 0 if it was hidden
};

// TimelineOptions is who watches the building, what is kept beyond the usual, and on how many threads.
struct TimelineOptions {
    StopToken stop;                     // once it stops, build() fails with `cancelled`
    Progress progress = {};             // is told of the bytes of the recording
    BpfRecords* bpf_records = nullptr;  // takes the records about BPF code, one by one; null: they are not kept
    unsigned jobs = 1;                  // threads, this one included; the timeline is the same for any number
    // Called once, on any thread, when the other threads have nothing left to do: what else could run on them may
    // begin. Not called where there was no memory to begin. It must not throw.
    Callback<void()> others_idle = {};
};

// Timeline is const after build() and may be read from many threads.
class PERFDATA_EXPORT Timeline {
  public:
    // build(recording) walks all records once. The recording need not outlive the timeline. The only errors are
    // `cancelled` and `out_of_memory`; whatever could not be read is in completeness().
    //
    // The timeline of a profile has code(), loads(), completeness(), and of tasks() objects, cgroups and comms: what
    // samples refer to. It has no mappings, and finds nothing by address.
    static Result<Timeline> build(const Recording& recording, const TimelineOptions& options = {});

    // Returns what lay at an address, for any sample, frame of a call chain or branch. It always has an answer: where
    // nothing is known, a frame that is_nowhere() says why. In kernel mode code that came and went (see code_at()) is
    // found before the kernel and its modules; in unknown mode kernel space is searched first. For guests see
    // Tasks::machine_of(): without a machine, what ran in guest mode is a Miss; a machine has mappings only.
    // perfdata/timeline/frame_at.hpp finds JIT code as well.
    Frame frame_at(const Moment& moment, Address address, CpuMode mode) const;

    // Returns the code that came and went at a kernel address, without a mode, as for targets of jumps and calls. A
    // program beats an image that claims the same address; among images the nearest begin below the address wins.
    std::optional<Frame> code_at(Address address, Time time) const;

    // Returns the place in what a process (or the kernel) mapped there.
    Frame frame_in(const Mapping& mapping, Pid pid, Address address, CpuMode mode) const;

    // Returns the code that a frame lies in, or the BPF program that this code belongs to; null for other frames. It
    // lives as long as the timeline.
    const Code* code_of(const Frame& frame) const { return frame.is_code() ? &code_[frame.index] : nullptr; }
    // The BPF program that the code at the frame belongs to; null if none.
    const BpfLoad* load_of(const Frame& frame) const {
        const auto* code = code_of(frame);
        return code != nullptr && code->load ? &loads_[*code->load] : nullptr;
    }

    // tasks() returns the processes, threads and mappings.
    const Tasks& tasks() const { return tasks_; }

    // patches() returns the kernel's changes of its own code.
    const TextPatches& patches() const { return patches_; }

    // code() returns all code that ever existed, in order of registration.
    std::span<const Code> code() const;
    // loads() returns all BPF programs, in order of their loading.
    std::span<const BpfLoad> loads() const;
    const BpfFeatures& bpf() const { return bpf_; }
    const std::optional<KernelMapping>& kernel() const { return kernel_; }
    // build_ids() returns build-ids by path, without those of guests: from the feature BUILD_ID, and from records
    // HEADER_BUILD_ID, written in pipe streams and by perf inject.
    const std::map<std::string, BuildId, std::less<>>& build_ids() const { return build_ids_; }

    // completeness() returns what this pass over the recording read, including features of BPF programs.
    const Completeness& completeness() const { return completeness_; }

    // times() is for OrderedStream and walk() over the same recording: they need no first pass with it.
    const Shared<const TimeOrder>& times() const { return times_; }

    // ever_owned(address) returns true if owner() has an answer for any time.
    bool ever_owned(Address address) const;

  private:
    friend class CodeVersions;
    friend class StoredTimeline;
    friend class TimelineBuilder;
    struct Restored;

    explicit Timeline(BpfFeatures bpf);
    static Result<Timeline> read(const Recording& recording, const TimelineOptions& options);

    BpfFeatures bpf_;
    TextArena symbols_;  // of code_
    std::vector<Code> code_;
    std::vector<BpfLoad> loads_;
    VersionedMap<CodeIndex> programs_;
    VersionedMap<CodeIndex> images_;
    Tasks tasks_;
    TextPatches patches_;
    std::vector<AddressRange> ever_;  // union of all ranges, sorted, disjoint
    std::optional<KernelMapping> kernel_;
    std::map<std::string, BuildId, std::less<>> build_ids_;  // a tree: log n each
    Completeness completeness_;
    Shared<const TimeOrder> times_;
    Shared<const Restored> restored_;  // of a profile; else null
};

}  // namespace perfdata
