// SPDX-License-Identifier: MIT
// SAMPLE records. Follows perf_output_sample in kernel/events/core.c.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/types.hpp"
#include "perfdata/wire/attr.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

// SampleLayout is where the fixed fields of an event's samples lie, computed once per event. The variable parts
// (READ, CALLCHAIN, ...) follow from variable_offset() on, in this order:
//
//     IDENTIFIER . IP . TID . TIME . ADDR . ID . STREAM_ID . CPU . PERIOD | READ . CALLCHAIN . RAW . ...
class SampleLayout {
  public:
    // Offsets are from the start of the record; 0 means that the event does not record the field.
    struct Offsets {
        std::uint8_t ip = 0, tid = 0, time = 0, addr = 0, id = 0, stream_id = 0, cpu = 0, period = 0;
    };

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
        layout.fixed_period_ = attr.freq() ? 1 : attr.sample_period;
        return layout;
    }

    const Offsets& offsets() const { return offsets_; }
    // variable_offset() is also the least size of a sample of this event.
    std::size_t variable_offset() const { return variable_offset_; }
    // fixed_period() is the period of every sample of an event that does not record PERIOD: the one it asked for, or
    // 1 if it asked for a frequency.
    std::uint64_t fixed_period() const { return fixed_period_; }

  private:
    Offsets offsets_;
    std::uint8_t variable_offset_ = RecordHeader::bytes;
    std::uint64_t fixed_period_ = 0;
};

// BasicSample is a view of one SAMPLE record; every accessor is one load. A field that the event does not record is
// empty. It lives as long as the record's block and its layout.
template <class Order>
class BasicSample {
  public:
    // Valid if the record is at least layout.variable_offset() bytes long.
    BasicSample(const std::byte* record, const SampleLayout& layout, Order order)
        : record_(record), layout_(&layout), order_(order) {}

    // ip() is the address of the interrupted instruction.
    std::optional<Address> ip() const { return field<Address>(layout_->offsets().ip); }
    std::optional<Time> time() const { return field<Time>(layout_->offsets().time); }
    std::optional<EventId> id() const { return field<EventId>(layout_->offsets().id); }
    std::optional<Address> addr() const { return field<Address>(layout_->offsets().addr); }
    std::optional<Pid> pid() const { return half<Pid>(layout_->offsets().tid, 0); }
    std::optional<Tid> tid() const { return half<Tid>(layout_->offsets().tid, 4); }
    // cpu() is empty also where the kernel wrote all ones (no CPU recorded).
    std::optional<std::uint32_t> cpu() const {
        const auto offset = layout_->offsets().cpu;
        if (offset == 0) return {};
        const auto cpu = order_.template load<std::uint32_t>(record_ + offset);
        if (cpu == ~std::uint32_t{0}) return {};
        return cpu;
    }
    // period() is how many occurrences of the event the sample stands for.
    std::uint64_t period() const {
        const auto offset = layout_->offsets().period;
        return offset == 0 ? layout_->fixed_period() : order_.template load<std::uint64_t>(record_ + offset);
    }
    CpuMode mode() const { return cpu_mode(RecordHeader::load(record_, order_).misc); }

  private:
    template <class T>
    std::optional<T> field(std::uint8_t offset) const {
        if (offset == 0) return {};
        return T{order_.template load<std::uint64_t>(record_ + offset)};
    }
    template <class T>
    std::optional<T> half(std::uint8_t offset, std::size_t within) const {
        if (offset == 0) return {};
        return T{order_.template load<std::uint32_t>(record_ + offset + within)};
    }

    const std::byte* record_;
    const SampleLayout* layout_;
    [[no_unique_address]] Order order_;
};

using Sample = BasicSample<AnyOrder>;

}  // namespace perfdata
