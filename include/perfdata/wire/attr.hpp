// SPDX-License-Identifier: MIT
// perf_event_attr: what an event was configured to record. Follows include/uapi/linux/perf_event.h of Linux 7.3.
#pragma once

#include <array>
#include <cstdint>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/small_algorithms.hpp"

namespace perfdata {

// Event types: enum perf_type_id of the kernel. Numbers above these are PMUs.
namespace attr_type {
inline constexpr std::uint32_t hardware = 0, software = 1, tracepoint = 2, cache = 3, raw = 4, breakpoint = 5;
}  // namespace attr_type

// Bits of Attr::sample_type. Their order in a sample is not their numeric order: see SampleLayout.
namespace sample_bit {
inline constexpr std::uint64_t ip = 1u << 0, tid = 1u << 1, time = 1u << 2, addr = 1u << 3, read = 1u << 4,
                               callchain = 1u << 5, id = 1u << 6, cpu = 1u << 7, period = 1u << 8, stream_id = 1u << 9,
                               raw = 1u << 10, branch_stack = 1u << 11, regs_user = 1u << 12, stack_user = 1u << 13,
                               weight = 1u << 14, data_src = 1u << 15, identifier = 1u << 16, transaction = 1u << 17,
                               regs_intr = 1u << 18, phys_addr = 1u << 19, aux = 1u << 20, cgroup = 1u << 21,
                               data_page_size = 1u << 22, code_page_size = 1u << 23, weight_struct = 1u << 24;
}  // namespace sample_bit

// Attr holds every field in host byte order. Fields unknown to the writer are zero.
struct Attr {
    static constexpr std::size_t min_bytes = 64;      // PERF_ATTR_SIZE_VER0
    static constexpr std::size_t known_bytes = 144;   // PERF_ATTR_SIZE_VER9
    static constexpr unsigned precise_ip_shift = 15;  // in flags
    static constexpr std::uint64_t precise_ip_bits = std::uint64_t{3} << precise_ip_shift;

    std::uint32_t type = 0;  // attr_type::*, or the number of a PMU
    std::uint32_t size = 0;  // as set by the writer; 0 in the first ABI
    std::uint64_t config = 0;
    std::uint64_t sample_period = 0;  // period, or the frequency in Hz if freq()
    std::uint64_t sample_type = 0;    // sample_bit::*
    std::uint64_t read_format = 0;
    std::uint64_t flags = 0;  // bit n = flag n in little-endian numbering, whatever the writer's order
    std::uint32_t wakeup_events = 0;
    std::uint32_t bp_type = 0;
    std::uint64_t config1 = 0;
    std::uint64_t config2 = 0;
    std::uint64_t branch_sample_type = 0;
    std::uint64_t sample_regs_user = 0;
    std::uint32_t sample_stack_user = 0;
    std::int32_t clockid = 0;  // valid if use_clockid()
    std::uint64_t sample_regs_intr = 0;
    std::uint32_t aux_watermark = 0;
    std::uint16_t sample_max_stack = 0;
    std::uint32_t aux_sample_size = 0;
    std::uint32_t aux_action = 0;
    std::uint64_t sig_data = 0;
    std::uint64_t config3 = 0;
    std::uint64_t config4 = 0;

    bool flag(unsigned bit) const { return (flags >> bit & 1) != 0; }
    bool freq() const { return flag(10); }
    // precise_ip(): 0 any skid, 1 constant skid, 2 no skid requested, 3 no skid.
    unsigned precise_ip() const { return static_cast<unsigned>(flags >> precise_ip_shift & 3); }
    bool sample_id_all() const { return flag(18); }
    // exclude_callchain_user(): call chains end at the kernel's entry.
    bool exclude_callchain_user() const { return flag(22); }
    bool use_clockid() const { return flag(25); }
    // defers_callchains(): the user part of a call chain comes later, or such records come with this event.
    bool defers_callchains() const { return flag(38) || flag(39); }
    bool has(std::uint64_t bits) const { return (sample_type & bits) != 0; }

    // decode(bytes) reads the known prefix of an attr of `bytes.size()` bytes; the rest belongs to newer kernels. Valid
    // if bytes.size() >= min_bytes.
    static Attr decode(Bytes bytes, AnyOrder order);
};

inline Attr Attr::decode(Bytes bytes, AnyOrder order) {
    std::array<std::byte, known_bytes> padded{};
    copy_bytes(bytes.first(least(bytes.size(), padded.size())), padded.data());
    Cursor in(padded, order, {.where = "attr"});
    Attr attr;
    attr.type = in.u32();
    attr.size = in.u32();
    attr.config = in.u64();
    attr.sample_period = in.u64();
    attr.sample_type = in.u64();
    attr.read_format = in.u64();
    attr.flags = in.u64();
    if (order.endian() == std::endian::big) {
        // C allocates bit-fields from the other end on big-endian machines: flag n is bit 63 - n of the word.
        // precise_ip (two bits, 15 and 16) is one number, whose bits must not be swapped.
        std::uint64_t mirrored = 0;
        for (unsigned bit = 0; bit < 64; ++bit) mirrored |= (attr.flags >> (63 - bit) & 1) << bit;
        const auto precise = attr.flags >> 47 & 3;
        attr.flags = (mirrored & ~(std::uint64_t{3} << 15)) | precise << 15;
    }
    attr.wakeup_events = in.u32();
    attr.bp_type = in.u32();
    attr.config1 = in.u64();
    attr.config2 = in.u64();
    attr.branch_sample_type = in.u64();
    attr.sample_regs_user = in.u64();
    attr.sample_stack_user = in.u32();
    attr.clockid = static_cast<std::int32_t>(in.u32());
    attr.sample_regs_intr = in.u64();
    attr.aux_watermark = in.u32();
    attr.sample_max_stack = in.u16();
    in.skip(2);
    attr.aux_sample_size = in.u32();
    attr.aux_action = in.u32();
    attr.sig_data = in.u64();
    attr.config3 = in.u64();
    attr.config4 = in.u64();
    return attr;
}

}  // namespace perfdata
