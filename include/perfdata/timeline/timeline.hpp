// SPDX-License-Identifier: MIT
// The side band of a recording as one immutable value: who owned an address, when.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "perfdata/core/text_arena.hpp"
#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/code.hpp"
#include "perfdata/timeline/tasks.hpp"
#include "perfdata/timeline/text_patches.hpp"
#include "perfdata/timeline/versioned_map.hpp"

namespace perfdata {

// Place is a byte of one version of code.
struct Place {
    CodeIndex code = 0;
    std::uint64_t offset = 0;  // from the start of the code
};

// Location is a byte of one version of code, or of a mapping.
struct Location {
    const Mapping* mapping = nullptr;  // null: code. Lives as long as the timeline.
    CodeIndex code = 0;                // valid if mapping is null
    // offset is from the start of the code, or in the mapped file (Mapping::offset_of). For the kernel itself it is the
    // address.
    std::uint64_t offset = 0;

    bool is_code() const { return mapping == nullptr; }
};

// Miss is the reason why an address has no owner.
enum class Miss : std::uint8_t {
    no_address,       // the event records no ip
    user,             // code of a process: locate() does not search it
    unknown_process,  // code of a process that no record mentions
    no_mapping,       // code of a process without a mapping there
    kernel,           // kernel or module text, in none of the recorded mappings
    gone,             // kernel address whose code came later or had gone by then
    hypervisor,
    guest,
    unknown_mode,  // the sample does not record the CPU mode, and nothing known lies there
    not_kept,      // more distinct places than Limits::places: this one was not kept apart
};

// to_string(miss) returns a phrase for messages.
std::string_view to_string(Miss miss);

// KernelMapping is the range of the kernel's text, from the synthesized MMAP of [kernel.kallsyms].
struct KernelMapping {
    AddressRange range;
    std::string reference_symbol;  // "_text" or "_stext"
    Address reference_address;     // of that symbol on the recording machine; 0 if it was hidden
};

struct TimelineOptions {
    std::stop_token stop;
    Progress progress = {};
};

// Timeline is const after build() and may be read from many threads.
class Timeline {
  public:
    // build(recording) walks all records once. The recording need not outlive the timeline. The only errors are
    // `cancelled` and `out_of_memory`; whatever could not be read is in completeness().
    static Result<Timeline> build(const Recording& recording, const TimelineOptions& options = {});

    // locate(address, time, mode) returns the owner of a kernel address at a time. A program beats an image that claims
    // the same address; among images the nearest begin below the address wins.
    std::expected<Place, Miss> locate(Address address, Time time, CpuMode mode) const;

    // owner(address, time) is the same without a mode, for targets of jumps and calls.
    std::optional<Place> owner(Address address, Time time) const;

    // resolve(pid, address, time, mode) returns what lay at an address, for any sample, frame of a call chain or
    // branch. In kernel mode dynamic code (see owner()) is found before the kernel and its modules. In unknown mode
    // kernel space is searched first. For guests see Tasks::machine_of(): without a machine, guest-mode addresses are a
    // Miss; a machine has only mappings.
    std::expected<Location, Miss> resolve(Pid pid, Address address, Time time, CpuMode mode,
                                          Machine machine = host) const;

    // tasks() returns the processes, threads and mappings.
    const Tasks& tasks() const { return tasks_; }

    // patches() returns the kernel's changes of its own code.
    const TextPatches& patches() const { return patches_; }

    // code() returns all code that ever existed, in order of registration.
    std::span<const Code> code() const { return code_; }
    // loads() returns all BPF programs, in order of their loading.
    std::span<const BpfLoad> loads() const { return loads_; }
    const BpfFeatures& bpf() const { return bpf_; }
    const std::optional<KernelMapping>& kernel() const { return kernel_; }
    // build_ids() returns build-ids by path, without those of guests: from the feature BUILD_ID, and from records
    // HEADER_BUILD_ID, written in pipe streams and by perf inject.
    const std::map<std::string, BuildId, std::less<>>& build_ids() const { return build_ids_; }

    // completeness() returns what this pass over the recording read, including features of BPF programs.
    const Completeness& completeness() const { return completeness_; }

    // ever_owned(address) returns true if owner() has an answer for any time.
    bool ever_owned(Address address) const;

  private:
    friend class TimelineBuilder;
    explicit Timeline(BpfFeatures bpf) : bpf_(std::move(bpf)) {}
    static Result<Timeline> read(const Recording& recording, const TimelineOptions& options);

    std::optional<Location> in_kernel(Address address, Time time) const;

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
};

}  // namespace perfdata
