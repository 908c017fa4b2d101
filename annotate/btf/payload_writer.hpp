// SPDX-License-Identifier: MIT
// Which BPF program wrote a payload.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// PayloadWriters finds the program that wrote the payload of a sample, which names none. Its ip is what the helper
// stored. Programs on raw tracepoints, fentry and LSM programs call bpf_perf_event_output as a function that stores
// where it returns to: an ip in such a program means that it wrote this. Programs on tracepoints, kprobes and perf
// events pass on the registers of what was interrupted. Only a perf event interrupts BPF programs: if there is a
// program on one, or one of an unknown type, no ip tells. Call chains do not tell either: they start at the ip, and
// lead through programs that were running around it.
class PayloadWriters {
  public:
    // The timeline must outlive it.
    explicit PayloadWriters(const Timeline& timeline);

    // btf_of(ip, time) returns the id of the BTF of that program, 0 if it has none; nothing if the sample does not
    // tell.
    std::optional<std::uint32_t> btf_of(Address ip, Time time) const;

  private:
    const Timeline& timeline_;
    bool may_interrupt_;
};

}  // namespace perfdata
