// SPDX-License-Identifier: MIT
// Branch stacks: the last branches taken, newest first.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// BranchEntry is one branch (struct perf_branch_entry).
struct BranchEntry {
    Address from;                  // address of the branch
    Address to;                    // its target
    bool mispredicted = false;     // neither this nor `predicted`: the hardware does not tell
    bool predicted = false;        // it went where the hardware expected
    bool in_transaction = false;   // in a hardware transaction
    bool aborted = false;          // the transaction was aborted
    std::uint16_t cycles = 0;      // since the previous branch; 0 if unknown
    std::uint8_t type = 0;         // see branch_type_name
    std::uint8_t speculation = 0;  // 0 unknown, 1 wrong path, 2 not speculated, 3 right path
    std::uint8_t new_type = 0;     // architecture specific, valid if type is 15
    std::uint8_t privilege = 0;    // 0 unknown, 1 user, 2 kernel, 3 hypervisor
};

// branch_type_name(type) returns the PERF_BR_* name without the prefix; empty for 0 (unknown) and newer types.
constexpr std::string_view branch_type_name(std::uint8_t type) {
    constexpr std::string_view names[] = {"",    "COND",    "UNCOND", "IND",       "CALL",     "IND_CALL",
                                          "RET", "SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET",
                                          "IRQ", "SERROR",  "NO_TX",  "EXTEND_ABI"};
    return type < std::size(names) ? names[type] : std::string_view{};
}

//     u64 count . [u64 hw_idx] . count x { u64 from . u64 to . u64 flags } . [count x u64 counters]
template <class Order>
class BranchStack {
  public:
    static constexpr std::size_t entry_bytes = 24;  // struct perf_branch_entry on disk

    // Valid if the whole part lies in the record (see sample_parts()).
    BranchStack(const std::byte* at, bool has_hw_index, bool has_counters, Order order) : order_(order) {
        count_ = static_cast<std::size_t>(order.template load<std::uint64_t>(at));
        at += 8;
        if (has_hw_index) {
            hw_index_ = order.template load<std::uint64_t>(at);
            at += 8;
        }
        entries_ = at;
        if (has_counters) counters_ = at + count_ * entry_bytes;
    }

    std::size_t size() const { return count_; }  // number of branches; 0 also if the hardware delivered none
    // hw_index() returns the position of the newest entry in the hardware's stack.
    std::optional<std::uint64_t> hw_index() const { return hw_index_; }
    // counters(index) returns the event counts logged with a branch, a few bits per event.
    std::optional<std::uint64_t> counters(std::size_t index) const {
        if (counters_ == nullptr) return {};
        return order_.template load<std::uint64_t>(counters_ + index * 8);
    }

    // The index must be below size().
    BranchEntry operator[](std::size_t index) const {
        const auto* at = entries_ + index * entry_bytes;
        const auto flags = order_.template load<std::uint64_t>(at + 16);
        // C allocates bit-fields from the other end on big-endian machines.
        const bool mirrored = order_.endian() == std::endian::big;
        const auto field = [&](unsigned bit, unsigned width) {
            const auto shift = mirrored ? 64 - bit - width : bit;
            return flags >> shift & ((std::uint64_t{1} << width) - 1);
        };
        BranchEntry entry;
        entry.from = {order_.template load<std::uint64_t>(at)};
        entry.to = {order_.template load<std::uint64_t>(at + 8)};
        entry.mispredicted = field(0, 1) != 0;
        entry.predicted = field(1, 1) != 0;
        entry.in_transaction = field(2, 1) != 0;
        entry.aborted = field(3, 1) != 0;
        entry.cycles = static_cast<std::uint16_t>(field(4, 16));
        entry.type = static_cast<std::uint8_t>(field(20, 4));
        entry.speculation = static_cast<std::uint8_t>(field(24, 2));
        entry.new_type = static_cast<std::uint8_t>(field(26, 4));
        entry.privilege = static_cast<std::uint8_t>(field(30, 3));
        return entry;
    }

  private:
    [[no_unique_address]] Order order_;
    std::size_t count_ = 0;
    const std::byte* entries_ = nullptr;
    const std::byte* counters_ = nullptr;
    std::optional<std::uint64_t> hw_index_;
};

}  // namespace perfdata
