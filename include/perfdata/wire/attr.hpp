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
inline constexpr std::uint32_t hardware = 0;    // PERF_TYPE_HARDWARE: config is a PERF_COUNT_HW_*
inline constexpr std::uint32_t software = 1;    // PERF_TYPE_SOFTWARE: config is a PERF_COUNT_SW_*
inline constexpr std::uint32_t tracepoint = 2;  // PERF_TYPE_TRACEPOINT: config is the tracepoint's id
inline constexpr std::uint32_t cache = 3;       // PERF_TYPE_HW_CACHE: config is cache, operation, result, a byte each
inline constexpr std::uint32_t raw = 4;         // PERF_TYPE_RAW: config is what the CPU's manual says
inline constexpr std::uint32_t breakpoint = 5;  // PERF_TYPE_BREAKPOINT: see Attr::bp_type
}  // namespace attr_type

// Bits of Attr::sample_type. Their order in a sample is not their numeric order: see SampleLayout.
namespace sample_bit {
inline constexpr std::uint64_t ip = 1u << 0;             // address of the instruction
inline constexpr std::uint64_t tid = 1u << 1;            // pid and tid
inline constexpr std::uint64_t time = 1u << 2;           // in the event clock
inline constexpr std::uint64_t addr = 1u << 3;           // of the accessed data, or what the event defines
inline constexpr std::uint64_t read = 1u << 4;           // counter values: see ReadValues
inline constexpr std::uint64_t callchain = 1u << 5;      // addresses and markers
inline constexpr std::uint64_t id = 1u << 6;             // of the event: the counter as it was opened
inline constexpr std::uint64_t cpu = 1u << 7;            // on which it was taken
inline constexpr std::uint64_t period = 1u << 8;         // occurrences that the sample stands for
inline constexpr std::uint64_t stream_id = 1u << 9;      // of the counter itself: differs from id for an inherited one
inline constexpr std::uint64_t raw = 1u << 10;           // the event's own data: a tracepoint's fields
inline constexpr std::uint64_t branch_stack = 1u << 11;  // the last branches
inline constexpr std::uint64_t regs_user = 1u << 12;     // registers of user space: attr.sample_regs_user
inline constexpr std::uint64_t stack_user = 1u << 13;    // a copy of the user stack: attr.sample_stack_user
inline constexpr std::uint64_t weight = 1u << 14;        // cost of the event, one word
inline constexpr std::uint64_t data_src = 1u << 15;      // see DataSource
inline constexpr std::uint64_t identifier = 1u << 16;    // the same as id, at a place that is equal for all events
inline constexpr std::uint64_t transaction = 1u << 17;   // how a hardware transaction ended
inline constexpr std::uint64_t regs_intr = 1u << 18;     // registers at the instruction: attr.sample_regs_intr
inline constexpr std::uint64_t phys_addr = 1u << 19;     // physical address of the accessed data
inline constexpr std::uint64_t aux = 1u << 20;           // a slice of the AUX trace
inline constexpr std::uint64_t cgroup = 1u << 21;        // id of the control group: see the record CGROUP
inline constexpr std::uint64_t data_page_size = 1u << 22;  // bytes of the page with the accessed data
inline constexpr std::uint64_t code_page_size = 1u << 23;  // bytes of the page with the instruction
inline constexpr std::uint64_t weight_struct = 1u << 24;   // cost of the event, three numbers
}  // namespace sample_bit

// Attr holds every field in host byte order. Fields unknown to the writer are zero.
struct Attr {
    static constexpr std::size_t min_bytes = 64;      // PERF_ATTR_SIZE_VER0
    static constexpr std::size_t known_bytes = 144;   // PERF_ATTR_SIZE_VER9
    static constexpr unsigned precise_ip_shift = 15;  // in flags

    // the two bits of precise_ip in flags
    static constexpr std::uint64_t precise_ip_bits = std::uint64_t{3} << precise_ip_shift;

    std::uint32_t type = 0;  // attr_type::*, or the number of a PMU
    std::uint32_t size = 0;  // as set by the writer; 0 in the first ABI

    // which event of the type: PERF_COUNT_HW_*, PERF_COUNT_SW_*, a tracepoint's id, or what the PMU defines
    std::uint64_t config = 0;

    std::uint64_t sample_period = 0;  // period, or the frequency in Hz if freq()
    std::uint64_t sample_type = 0;    // sample_bit::*
    std::uint64_t read_format = 0;    // read_bit::*: the values in READ parts and records
    std::uint64_t flags = 0;          // bit n = flag n in little-endian numbering, whatever the writer's order

    // wake the reader after so many samples; after so many bytes if flag 14 (watermark) is set
    std::uint32_t wakeup_events = 0;

    std::uint32_t bp_type = 0;  // of a breakpoint: HW_BREAKPOINT_*, a set of bits

    // of a breakpoint its address; of a probe a pointer of the recorder; else what the PMU defines
    std::uint64_t config1 = 0;

    // of a breakpoint its length in bytes; of probes their offset or address; else what the PMU defines
    std::uint64_t config2 = 0;

    std::uint64_t branch_sample_type = 0;  // PERF_SAMPLE_BRANCH_*: see branch_sample_type_name()
    std::uint64_t sample_regs_user = 0;    // mask of the registers in REGS_USER: bits as in register_name()
    std::uint32_t sample_stack_user = 0;   // most bytes that STACK_USER copies
    std::int32_t clockid = 0;              // valid if use_clockid()
    std::uint64_t sample_regs_intr = 0;    // mask of the registers in REGS_INTR: bits as in register_name()
    std::uint32_t aux_watermark = 0;       // bytes in the AUX area after which the reader wakes
    std::uint16_t sample_max_stack = 0;    // most frames in a call chain; 0: kernel.perf_event_max_stack
    std::uint32_t aux_sample_size = 0;     // most bytes of AUX data in a sample

    // bit 0: the AUX event starts paused; 1: this event pauses it; 2: this event resumes it
    std::uint32_t aux_action = 0;

    std::uint64_t sig_data = 0;  // goes to the siginfo of the SIGTRAP that the event sends (flag 37)
    std::uint64_t config3 = 0;   // what the PMU defines
    std::uint64_t config4 = 0;   // what the PMU defines

    // flag `bit`, below 64, as attr_flag_name() numbers them; precise_ip is not one
    bool flag(unsigned bit) const { return (flags >> bit & 1) != 0; }

    bool inherit() const { return flag(1); }  // new threads of a counted thread are counted as well
    bool freq() const { return flag(10); }    // sample_period is a frequency
    // precise_ip(): 0 any skid, 1 constant skid, 2 no skid requested, 3 no skid.
    unsigned precise_ip() const { return static_cast<unsigned>(flags >> precise_ip_shift & 3); }
    bool sample_id_all() const { return flag(18); }  // records other than SAMPLE have a trailer
    // exclude_callchain_user(): call chains end at the kernel's entry.
    bool exclude_callchain_user() const { return flag(22); }
    bool use_clockid() const { return flag(25); }  // times are in the clock `clockid`, else in perf's own
    // defers_callchains(): the user part of a call chain comes later, or such records come with this event.
    bool defers_callchains() const { return flag(38) || flag(39); }
    bool has(std::uint64_t bits) const { return (sample_type & bits) != 0; }  // at least one of the bits of sample_type

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
