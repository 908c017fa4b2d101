// SPDX-License-Identifier: MIT
// The places of the fields of an event's samples, computed once per event.
#pragma once

#include <cstdint>

#include "perfdata/wire/attr.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/sample/part.hpp"
#include "perfdata/wire/sample/parts.hpp"

namespace perfdata {

// SampleLayout has the places of the fixed fields of an event's samples, computed once per event. The variable parts
// (READ, CALLCHAIN, ...) follow from variable_offset() on, in this order:
//
//     IDENTIFIER . IP . TID . TIME . ADDR . ID . STREAM_ID . CPU . PERIOD | READ . CALLCHAIN . RAW . ...
class SampleLayout {
  public:
    // Offsets are from the start of the record; 0 if the event does not record the field.
    struct Offsets {
        // `id` is that of IDENTIFIER if the event records it, else of ID
        std::uint8_t ip = 0, tid = 0, time = 0, addr = 0, id = 0, stream_id = 0, cpu = 0, period = 0;
    };

    // compile(attr) returns the layout of the samples of that event.
    static SampleLayout compile(const Attr& attr) {
        SampleLayout layout;
        const auto place = [&](std::uint64_t bit) -> std::uint8_t {
            if (!attr.has(bit)) return 0;
            const auto offset = layout.variable_offset_;
            layout.variable_offset_ = static_cast<std::uint8_t>(offset + 8);
            return offset;
        };
        auto& offsets = layout.offsets_;
        const auto identifier = place(sample_bit::identifier);
        offsets.ip = place(sample_bit::ip);
        offsets.tid = place(sample_bit::tid);
        offsets.time = place(sample_bit::time);
        offsets.addr = place(sample_bit::addr);
        const auto id = place(sample_bit::id);
        offsets.id = identifier != 0 ? identifier : id;
        offsets.stream_id = place(sample_bit::stream_id);
        offsets.cpu = place(sample_bit::cpu);
        offsets.period = place(sample_bit::period);
        layout.shape_ = SampleShape::compile(attr);
        const auto first = layout.shape_.next(0);
        if (first == sample_part_count) {
            layout.tail_ = Tail::nothing;
        } else if (first == callchain && layout.shape_.next(callchain + 1) == sample_part_count) {
            layout.tail_ = Tail::callchain;
        } else if (first == raw && layout.shape_.next(raw + 1) == sample_part_count) {
            layout.tail_ = Tail::raw;
        }
        layout.user_registers_ = attr.sample_regs_user;
        layout.interrupt_registers_ = attr.sample_regs_intr;
        layout.fixed_period_ = attr.freq() ? 1 : attr.sample_period;
        return layout;
    }

    // fits(record, size) returns true if everything that a sample of `size` bytes claims to contain lies inside it:
    // then every accessor of BasicSample may be used.
    template <class Order>
    bool fits(const std::byte* record, std::size_t size, Order order) const {
        if (size < variable_offset_) return false;
        const auto left = size - variable_offset_;
        switch (tail_) {
            case Tail::nothing: return true;
            case Tail::callchain:
                return left >= 8 && order.template load<std::uint64_t>(record + variable_offset_) <= left / 8 - 1;
            case Tail::raw:
                return left >= 4 && order.template load<std::uint32_t>(record + variable_offset_) <= left - 4;
            default: return sample_parts_fit(record, size, variable_offset_, shape_, order);
        }
    }

    const Offsets& offsets() const { return offsets_; }  // of the fixed fields
    // variable_offset() is also the minimum size of a sample of this event.
    std::size_t variable_offset() const { return variable_offset_; }
    // fixed_period() returns the period of every sample of an event that does not record PERIOD: the requested one, or
    // 1 if a frequency was requested.
    std::uint64_t fixed_period() const { return fixed_period_; }
    const SampleShape& shape() const { return shape_; }                 // of the variable parts
    void forbid_branch_counters() { shape_.forbid_branch_counters(); }  // see SampleShape
    // Masks of the registers in REGS_USER and REGS_INTR.
    std::uint64_t user_registers() const { return user_registers_; }
    std::uint64_t interrupt_registers() const { return interrupt_registers_; }

  private:
    static constexpr auto callchain = static_cast<std::size_t>(SamplePart::callchain);
    static constexpr auto raw = static_cast<std::size_t>(SamplePart::raw);
    // Most events record nothing variable, or call chains alone, or what a tracepoint writes: fits() then needs no walk
    // over the parts. With this, EventTable::RecentIds and the flags of SampleGate a report without callers takes 0.91
    // of the instructions.
    enum class Tail : std::uint8_t { nothing, callchain, raw, other };

    SampleShape shape_;
    std::uint64_t user_registers_ = 0, interrupt_registers_ = 0;
    Offsets offsets_;
    std::uint8_t variable_offset_ = RecordHeader::bytes;
    Tail tail_ = Tail::other;
    std::uint64_t fixed_period_ = 0;
};

}  // namespace perfdata
