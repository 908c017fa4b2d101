// SPDX-License-Identifier: MIT
// From sampled addresses to frames.
#pragma once

#include <algorithm>
#include <cstdint>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/recent_tasks.hpp"

#include "kernel_epochs.hpp"
#include "recent_frames.hpp"

namespace perfdata {

// FrameLookup finds frames as the options tell them apart.
class FrameLookup {
  public:
    // All must outlive it.
    FrameLookup(const Timeline& timeline, const SampleCountOptions& options, RecentTasks& recent_tasks)
        : timeline_(timeline),
          versions_(options.versions),
          jit_(options.jit != nullptr && !options.jit->empty() ? options.jit : nullptr),
          recent_tasks_(recent_tasks) {}

    // A frame of the host's kernel depends on nothing but address and epoch.
    static bool is_host_kernel(const Moment& moment, CpuMode mode) {
        return mode == CpuMode::kernel && moment.machine == host;
    }
    static Frame no_address(CpuMode mode) { return Frame::nowhere({}, Miss::no_address, mode); }

    // Says when the answer holds for a user address of the host, if it is asked to: see frame_at(). With JIT code it
    // does not know, and says never.
    Frame at(const Moment& moment, Address address, CpuMode mode, Lasting* holds = nullptr) {
        if (holds != nullptr) *holds = {};
        auto frame =
            frame_at(timeline_, jit_, moment, address, mode, &recent_tasks_, jit_ == nullptr ? holds : nullptr);
        if (versions_ != nullptr && is_host_kernel(moment, mode)) {
            constexpr std::uint32_t most = 0xffff;
            frame.version = static_cast<std::uint16_t>(std::min(versions_->number_at(address, moment.time), most));
        }
        return frame;
    }

  private:
    const Timeline& timeline_;
    const CodeVersions* versions_;
    const JitCodes* jit_;  // null: none
    RecentTasks& recent_tasks_;
};

// RecentKernel remembers the numbers of frames in the host's kernel: they repeat soon.
class RecentKernel {
  public:
    struct Place {
        Address address;
        std::uint32_t epoch = 0;
        std::uint32_t task = 0;  // 0 where numbers do not depend on it
        bool operator==(const Place&) const = default;
    };
    using Entry = RecentFrames<Place>::Entry;

    explicit RecentKernel(const KernelEpochs& epochs) : epochs_(epochs) {}

    // Fetches the entry that at() of the address reads.
    void prefetch(Address address) const { recent_.prefetch(address.value); }
    // Returns the entry to use. Its number is `none` if it held another place.
    Entry& at(Address address, Time time, std::uint32_t task) {
        const Place place{address, epochs_.at(time), task};
        auto& recent = recent_.place(address.value);
        if (!(recent.key == place)) recent = {place, RecentFrames<Place>::none};
        return recent;
    }
    // Returns the times for which at() returned the last entry.
    Lasting last() const { return epochs_.last(); }

  private:
    KernelEpochs epochs_;  // a copy: it remembers the last epoch
    RecentFrames<Place> recent_;
};

}  // namespace perfdata
