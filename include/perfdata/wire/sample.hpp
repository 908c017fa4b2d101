// SPDX-License-Identifier: MIT
// SAMPLE records. Follows perf_output_sample in kernel/events/core.c.
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/types.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/sample/callchain.hpp"
#include "perfdata/wire/sample/details.hpp"
#include "perfdata/wire/sample/layout.hpp"

namespace perfdata {

// BasicSample is a view of one SAMPLE record; every accessor is one load. Fields that the event does not record are
// empty. It lives as long as the record's block and its layout.
template <class Order>
class BasicSample {
  public:
    // Valid if the record is at least layout.variable_offset() bytes long.
    BasicSample(const std::byte* record, const SampleLayout& layout, Order order)
        : record_(record), layout_(&layout), order_(order) {}

    // ip() returns the address of the interrupted instruction.
    std::optional<Address> ip() const { return field<Address>(layout_->offsets().ip); }
    std::optional<Time> time() const { return field<Time>(layout_->offsets().time); }
    std::optional<EventId> id() const { return field<EventId>(layout_->offsets().id); }
    std::optional<Address> addr() const { return field<Address>(layout_->offsets().addr); }
    std::optional<Pid> pid() const { return half<Pid>(layout_->offsets().tid, 0); }
    std::optional<Tid> tid() const { return half<Tid>(layout_->offsets().tid, 4); }
    // cpu() is also empty if the kernel wrote all ones (no CPU recorded).
    std::optional<std::uint32_t> cpu() const {
        const auto offset = layout_->offsets().cpu;
        if (offset == 0) return {};
        const auto cpu = order_.template load<std::uint32_t>(record_ + offset);
        if (cpu == ~std::uint32_t{0}) return {};
        return cpu;
    }
    // period() returns how many occurrences of the event the sample represents.
    std::uint64_t period() const {
        const auto offset = layout_->offsets().period;
        return offset == 0 ? layout_->fixed_period() : order_.template load<std::uint64_t>(record_ + offset);
    }

    // where the CPU was: misc bits 0-2
    CpuMode mode() const { return cpu_mode(RecordHeader::load(record_, order_).misc); }
    // exact_ip() returns true if ip() is the very instruction that caused the event (misc bit 14).
    bool exact_ip() const { return (RecordHeader::load(record_, order_).misc >> 14 & 1) != 0; }
    // stream_id() returns the id of the counter itself: differs from id() for an inherited one.
    std::optional<std::uint64_t> stream_id() const {
        const auto offset = layout_->offsets().stream_id;
        if (offset == 0) return {};
        return order_.template load<std::uint64_t>(record_ + offset);
    }

    // callchain() is the same as details().callchain(), without walking the parts after it.
    std::optional<U64View<Order>> callchain() const {
        const auto& shape = layout_->shape();
        if (!shape.has(SamplePart::callchain)) return {};
        std::size_t at = layout_->variable_offset();
        if (shape.has(SamplePart::read)) {
            const auto length = shape.size_of(SamplePart::read, record_ + at, size() - at, order_, {});
            if (length == SampleShape::overrun) return {};
            at += static_cast<std::size_t>(length);
        }
        const auto length = shape.size_of(SamplePart::callchain, record_ + at, size() - at, order_, {});
        if (length == SampleShape::overrun) return {};
        return U64View<Order>(record_ + at + 8, static_cast<std::size_t>(length / 8 - 1), order_);
    }
    // raw() is the same as details().raw(), without walking the parts after it.
    std::optional<Bytes> raw() const {
        const auto& shape = layout_->shape();
        if (!shape.has(SamplePart::raw)) return {};
        std::size_t at = layout_->variable_offset();
        for (const auto part : {SamplePart::read, SamplePart::callchain}) {
            if (!shape.has(part)) continue;
            const auto length = shape.size_of(part, record_ + at, size() - at, order_, {});
            if (length == SampleShape::overrun) return {};
            at += static_cast<std::size_t>(length);
        }
        if (shape.size_of(SamplePart::raw, record_ + at, size() - at, order_, {}) == SampleShape::overrun) return {};
        return Bytes(record_ + at + 4, order_.template load<std::uint32_t>(record_ + at));
    }
    // has_unread_callers() returns true if the sample's callers are only in the copy of its user stack. False if the
    // kernel could copy nothing of the stack.
    bool has_unread_callers() const {
        if (!layout_->shape().callers_in_stack()) return false;
        const auto stack = details().user_stack();
        return stack && !stack->bytes.empty();
    }
    const SampleLayout& layout() const { return *layout_; }  // as passed to the constructor
    Order order() const { return order_; }                   // of the record's integers
    // details() walks all variable parts.
    SampleDetails<Order> details() const { return {record_, size(), *layout_, order_}; }

  private:
    std::size_t size() const { return order_.template load<std::uint16_t>(record_ + 6); }

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

using Sample = BasicSample<AnyOrder>;  // a sample of a recording whose byte order is known only at run time

}  // namespace perfdata
