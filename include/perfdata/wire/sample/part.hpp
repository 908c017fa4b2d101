// SPDX-License-Identifier: MIT
// The variable parts of a sample: which are present, their order and lengths. Follows perf_output_sample in
// kernel/events/core.c.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "perfdata/core/types.hpp"
#include "perfdata/wire/attr.hpp"

namespace perfdata {

// In file order, which is not the order of the bits.
enum class SamplePart : std::uint8_t {
    read,
    callchain,
    raw,
    branch_stack,
    regs_user,
    stack_user,
    weight,
    data_src,
    transaction,
    regs_intr,
    phys_addr,
    cgroup,
    data_page_size,
    code_page_size,
    aux,
};
// How many kinds of part there are: a SamplePart is below it.
inline constexpr std::size_t sample_part_count = 15;

// to_string(part) returns the name of its bit: "READ", "CALLCHAIN" and so on, as sample_type_name() has it.
constexpr std::string_view to_string(SamplePart part) {
    constexpr std::string_view names[] = {"READ",           "CALLCHAIN",      "RAW",       "BRANCH_STACK",
                                          "REGS_USER",      "STACK_USER",     "WEIGHT",    "DATA_SRC",
                                          "TRANSACTION",    "REGS_INTR",      "PHYS_ADDR", "CGROUP",
                                          "DATA_PAGE_SIZE", "CODE_PAGE_SIZE", "AUX"};
    return names[static_cast<std::size_t>(part)];
}

// Bits of Attr::read_format.
namespace read_bit {
inline constexpr std::uint64_t time_enabled = 1;  // ns that the event was enabled
inline constexpr std::uint64_t time_running = 2;  // ns that it had a counter of the hardware
inline constexpr std::uint64_t id = 4;            // its EventId
inline constexpr std::uint64_t group = 8;         // the values of the whole group, instead of one
inline constexpr std::uint64_t lost = 16;         // its lost samples
}  // namespace read_bit

// Bits of Attr::branch_sample_type that change the layout.
namespace branch_bit {
inline constexpr std::uint64_t hw_index = std::uint64_t{1} << 17;  // a word hw_idx precedes the branches
inline constexpr std::uint64_t counters = std::uint64_t{1} << 19;  // a word of counters for each branch follows them
}  // namespace branch_bit

// read_value_bytes(format) returns the size of one value of a group, or of the only value without its times.
constexpr std::size_t read_value_bytes(std::uint64_t format) {
    return 8 + ((format & read_bit::id) != 0 ? 8 : 0) + ((format & read_bit::lost) != 0 ? 8 : 0);
}
// read_times_bytes(format) returns the size of the two times, which a group has once: 0, 8 or 16.
constexpr std::size_t read_times_bytes(std::uint64_t format) {
    return ((format & read_bit::time_enabled) != 0 ? 8 : 0) + ((format & read_bit::time_running) != 0 ? 8 : 0);
}

// SampleShape is what an attr determines about the variable parts of its samples.
class SampleShape {
  public:
    // compile(attr) returns the shape of the samples of that event.
    static SampleShape compile(const Attr& attr) {
        SampleShape shape;
        constexpr std::array<std::uint64_t, sample_part_count> bits = {sample_bit::read,
                                                                       sample_bit::callchain,
                                                                       sample_bit::raw,
                                                                       sample_bit::branch_stack,
                                                                       sample_bit::regs_user,
                                                                       sample_bit::stack_user,
                                                                       sample_bit::weight | sample_bit::weight_struct,
                                                                       sample_bit::data_src,
                                                                       sample_bit::transaction,
                                                                       sample_bit::regs_intr,
                                                                       sample_bit::phys_addr,
                                                                       sample_bit::cgroup,
                                                                       sample_bit::data_page_size,
                                                                       sample_bit::code_page_size,
                                                                       sample_bit::aux};
        for (std::size_t part = 0; part < sample_part_count; ++part) {
            if (attr.has(bits[part])) shape.present_ |= static_cast<std::uint16_t>(1u << part);
        }
        shape.read_format_ = attr.read_format;
        shape.branch_ = attr.branch_sample_type;
        shape.user_registers_ = static_cast<std::uint8_t>(std::popcount(attr.sample_regs_user));
        shape.interrupt_registers_ = static_cast<std::uint8_t>(std::popcount(attr.sample_regs_intr));
        shape.weight_struct_ = attr.has(sample_bit::weight_struct);
        shape.callers_in_stack_ =
            attr.has(sample_bit::stack_user) && (!attr.has(sample_bit::callchain) || attr.exclude_callchain_user());
        return shape;
    }

    // the attr asks for the part
    bool has(SamplePart part) const { return (present_ >> static_cast<unsigned>(part) & 1) != 0; }
    // next(part) returns the first part present from `part` on, sample_part_count if there is none.
    std::size_t next(std::size_t part) const {
        const auto rest = static_cast<std::uint16_t>(present_ >> part << part);
        return rest == 0 ? sample_part_count : static_cast<std::size_t>(std::countr_zero(rest));
    }
    std::uint64_t read_format() const { return read_format_; }  // see read_bit

    // branch stacks have a hw_idx word, unless the PMU delivered no stack
    bool hw_index() const { return (branch_ & branch_bit::hw_index) != 0; }

    // this event asks for counters behind the branches
    bool branch_counters() const { return (branch_ & branch_bit::counters) != 0; }

    // No event of the recording asks for counters: none follow the branches, whatever the size of a record suggests.
    void forbid_branch_counters() { may_have_counters_ = false; }
    bool may_have_branch_counters() const { return may_have_counters_; }

    bool weight_struct() const { return weight_struct_; }  // the weight is WEIGHT_STRUCT
    // callers_in_stack() returns true if callers in user space are only in a copy of the user stack and need unwinding:
    // `perf record --call-graph dwarf`.
    bool callers_in_stack() const { return callers_in_stack_; }

    // Interpretations of a sample that its layout alone does not determine: see sample_parts().
    struct Reading {
        bool empty_branch_stack_has_hw_index = false;  // hw_idx follows a count of 0
        bool branch_counters = false;                  // counters follow the branches
    };

    static constexpr std::uint64_t overrun = ~std::uint64_t{0};  // what size_of() returns for a part that does not fit

    // size_of(part, at, left) returns the size of a part that begins at `at` with `left` bytes behind it; overrun if it
    // would be longer.
    template <class Order>
    std::uint64_t size_of(SamplePart part, const std::byte* at, std::uint64_t left, Order order,
                          Reading reading) const {
        if (left < (part == SamplePart::raw ? 4u : 8u)) return overrun;
        const auto word = [&] { return order.template load<std::uint64_t>(at); };
        switch (part) {
            case SamplePart::read:
                if ((read_format_ & read_bit::group) == 0) {
                    return counted(read_times_bytes(read_format_) + read_value_bytes(read_format_), 0, 1, left);
                }
                return counted(8 + read_times_bytes(read_format_), word(), read_value_bytes(read_format_), left);
            case SamplePart::callchain: return counted(8, word(), 8, left);
            case SamplePart::raw: return counted(4, order.template load<std::uint32_t>(at), 1, left);
            case SamplePart::branch_stack: {
                const auto count = word();
                const bool has_index = hw_index() && (count != 0 || reading.empty_branch_stack_has_hw_index);
                return counted(has_index ? 16 : 8, count, reading.branch_counters ? 32 : 24, left);
            }
            case SamplePart::regs_user: return counted(8, word() == 0 ? 0 : user_registers_, 8, left);
            case SamplePart::regs_intr: return counted(8, word() == 0 ? 0 : interrupt_registers_, 8, left);
            case SamplePart::stack_user: return counted(word() == 0 ? 8 : 16, word(), 1, left);
            case SamplePart::aux: return counted(8, word(), 1, left);
            default: return 8;
        }
    }

  private:
    static std::uint64_t counted(std::uint64_t fixed, std::uint64_t count, std::uint64_t size, std::uint64_t left) {
        if (fixed > left || count > (left - fixed) / size) return overrun;
        return fixed + count * size;
    }

    std::uint64_t read_format_ = 0, branch_ = 0;
    std::uint16_t present_ = 0;
    std::uint8_t user_registers_ = 0, interrupt_registers_ = 0;
    bool weight_struct_ = false, callers_in_stack_ = false, may_have_counters_ = true;
};

}  // namespace perfdata
