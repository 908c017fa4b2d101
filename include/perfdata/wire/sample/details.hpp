// SPDX-License-Identifier: MIT
// The variable parts of one sample as typed views.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/wire/sample/branch_stack.hpp"
#include "perfdata/wire/sample/data_source.hpp"
#include "perfdata/wire/sample/layout.hpp"
#include "perfdata/wire/sample/parts.hpp"
#include "perfdata/wire/sample/read_values.hpp"
#include "perfdata/wire/sample/registers.hpp"
#include "perfdata/wire/sample/u64_view.hpp"

namespace perfdata {

// Weight is the cost of a sample's event (WEIGHT), or three such figures (WEIGHT_STRUCT) whose meaning the PMU defines:
// usually a latency in cycles first.
struct Weight {
    std::uint64_t word = 0;  // as recorded
    bool is_struct = false;  // the event has WEIGHT_STRUCT: first(), second(), third()

    std::uint32_t first() const { return static_cast<std::uint32_t>(word); }         // var1_dw: bits 0-31
    std::uint16_t second() const { return static_cast<std::uint16_t>(word >> 32); }  // var2_w: bits 32-47
    std::uint16_t third() const { return static_cast<std::uint16_t>(word >> 48); }   // var3_w: bits 48-63
};

// UserStack is a copy of the top of the user stack, lowest address first; it begins at the stack pointer.
struct UserStack {
    Bytes bytes;                  // only what the kernel could copy
    std::uint64_t asked_for = 0;  // bytes that the kernel was to copy; 0: the thread had no user stack
};

// SampleDetails walks the sample once. Parts that are missing from the sample or cut off by its record are empty. Views
// live as long as the record's block.
template <class Order>
class SampleDetails {
  public:
    // Valid if `record` has `size` bytes, at least layout.variable_offset(). The layout must outlive this.
    SampleDetails(const std::byte* record, std::size_t size, const SampleLayout& layout, Order order)
        : record_(record),
          size_(size),
          layout_(&layout),
          order_(order),
          parts_(sample_parts(record, size, layout.variable_offset(), layout.shape(), order)) {}

    const SampleParts& parts() const { return parts_; }  // where each part lies

    // read() returns the counters of the event, or of its group; see ReadValues.
    std::optional<ReadValues<Order>> read() const {
        if (!parts_.has(SamplePart::read)) return {};
        const auto begin = parts_.begin_of(SamplePart::read);
        return ReadValues<Order>::parse(record_ + begin, size_ - begin, layout_->shape().read_format(), order_);
    }
    // callchain() returns addresses and markers: see for_each_frame().
    std::optional<U64View<Order>> callchain() const {
        if (!parts_.has(SamplePart::callchain)) return {};
        return words(SamplePart::callchain);
    }
    // raw() returns the event's own data, including padding: for a tracepoint its fields, in the writer's byte order.
    std::optional<Bytes> raw() const {
        if (!parts_.has(SamplePart::raw)) return {};
        const auto* at = begin(SamplePart::raw);
        return Bytes(at + 4, order_.template load<std::uint32_t>(at));
    }
    // branch_stack() is empty if the event records none; see BranchStack::size() for one without entries.
    std::optional<BranchStack<Order>> branch_stack() const {
        if (!parts_.has(SamplePart::branch_stack)) return {};
        const auto* at = begin(SamplePart::branch_stack);
        const bool empty = order_.template load<std::uint64_t>(at) == 0;
        const bool has_index =
            layout_->shape().hw_index() && (!empty || parts_.reading.empty_branch_stack_has_hw_index);
        return BranchStack<Order>(at, has_index, parts_.reading.branch_counters, order_);
    }
    // user_registers() returns those of the thread in user space: where it was sampled or entered the kernel
    // (REGS_USER).
    std::optional<Registers<Order>> user_registers() const {
        return registers(SamplePart::regs_user, layout_->user_registers());
    }
    // interrupt_registers() returns those at the sampled instruction, in kernel mode too (REGS_INTR).
    std::optional<Registers<Order>> interrupt_registers() const {
        return registers(SamplePart::regs_intr, layout_->interrupt_registers());
    }
    // user_stack() returns the copy for unwinding (STACK_USER); without bytes for a kernel thread.
    std::optional<UserStack> user_stack() const {
        if (!parts_.has(SamplePart::stack_user)) return {};
        const auto* at = begin(SamplePart::stack_user);
        UserStack stack;
        stack.asked_for = order_.template load<std::uint64_t>(at);
        if (stack.asked_for == 0) return stack;
        const auto copied = order_.template load<std::uint64_t>(at + 8 + stack.asked_for);
        stack.bytes = Bytes(at + 8, static_cast<std::size_t>(least(copied, stack.asked_for)));
        return stack;
    }
    // weight() returns WEIGHT or WEIGHT_STRUCT, whichever the event records.
    std::optional<Weight> weight() const {
        const auto weight = word(SamplePart::weight);
        if (!weight) return {};
        return Weight{*weight, layout_->shape().weight_struct()};
    }
    // data_source() returns where the data of a memory access came from (DATA_SRC).
    std::optional<DataSource> data_source() const {
        const auto source = word(SamplePart::data_src);
        if (!source) return {};
        return DataSource{*source};
    }
    // transaction(): flags in bits 0-7, abort code in bits 32-63.
    std::optional<std::uint64_t> transaction() const { return word(SamplePart::transaction); }
    // physical_address() returns that of the accessed data (PHYS_ADDR); 0 if the kernel could not find it.
    std::optional<Address> physical_address() const {
        const auto address = word(SamplePart::phys_addr);
        if (!address) return {};
        return Address{*address};
    }
    // cgroup() returns the id that a CGROUP record maps to a path.
    std::optional<std::uint64_t> cgroup() const { return word(SamplePart::cgroup); }
    std::optional<std::uint64_t> data_page_size() const { return word(SamplePart::data_page_size); }
    std::optional<std::uint64_t> code_page_size() const { return word(SamplePart::code_page_size); }
    // aux() returns a slice of the AUX trace.
    std::optional<Bytes> aux() const {
        if (!parts_.has(SamplePart::aux)) return {};
        const auto* at = begin(SamplePart::aux);
        return Bytes(at + 8, static_cast<std::size_t>(order_.template load<std::uint64_t>(at)));
    }

  private:
    const std::byte* begin(SamplePart part) const { return record_ + parts_.begin_of(part); }

    U64View<Order> words(SamplePart part) const {
        const auto* at = begin(part);
        return {at + 8, static_cast<std::size_t>(order_.template load<std::uint64_t>(at)), order_};
    }
    std::optional<std::uint64_t> word(SamplePart part) const {
        if (!parts_.has(part)) return {};
        return order_.template load<std::uint64_t>(begin(part));
    }
    std::optional<Registers<Order>> registers(SamplePart part, std::uint64_t mask) const {
        if (!parts_.has(part)) return {};
        const auto* at = begin(part);
        const auto abi = order_.template load<std::uint64_t>(at);
        const auto count = abi == 0 ? 0u : static_cast<std::size_t>(std::popcount(mask));
        return Registers<Order>(abi, mask, {at + 8, count, order_});
    }

    const std::byte* record_;
    std::size_t size_;
    const SampleLayout* layout_;
    [[no_unique_address]] Order order_;
    SampleParts parts_;
};

}  // namespace perfdata
