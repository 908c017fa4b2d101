// SPDX-License-Identifier: MIT
// The frame of every record, the numbers of the record types, and the CPU mode in `misc`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// RecordHeader is the first 8 bytes of every record.
struct RecordHeader {
    static constexpr std::size_t bytes = 8;  // size on disk

    std::uint32_t type = 0;  // a RecordType, or one of a newer kernel or perf
    std::uint16_t misc = 0;  // cpu_mode() in bits 0-2; the others depend on the type
    std::uint16_t size = 0;  // of the whole record, including this header

    // load(at, order) reads the 8 bytes at `at`, which may be unaligned.
    template <class Order>
    static RecordHeader load(const std::byte* at, Order order) {
        return {order.template load<std::uint32_t>(at), order.template load<std::uint16_t>(at + 4),
                order.template load<std::uint16_t>(at + 6)};
    }
};

// Types below 64 are the kernel's (uapi perf_event.h), the others perf's (tools/lib/perf/include/perf/event.h).
enum class RecordType : std::uint32_t {
    mmap = 1,
    lost,
    comm,
    exit,
    throttle,
    unthrottle,
    fork,
    read,
    sample,
    mmap2,
    aux,
    itrace_start,
    lost_samples,
    context_switch,
    switch_cpu_wide,
    namespaces,
    ksymbol,
    bpf_event,
    cgroup,
    text_poke,
    aux_output_hw_id,
    callchain_deferred,
    header_attr = 64,
    header_event_type,
    header_tracing_data,
    header_build_id,
    finished_round,
    id_index,
    auxtrace_info,
    auxtrace,
    auxtrace_error,
    thread_map,
    cpu_map,
    stat_config,
    stat,
    stat_round,
    event_update,
    time_conv,
    header_feature,
    compressed,
    finished_init,
    compressed2,
    bpf_metadata,
    schedstat_cpu,
    schedstat_domain,
};

namespace detail {

// By type. Outside of the function: as its variables they would be copied to the stack at each call.
inline constexpr std::string_view kernel_record_names[] = {"",
                                                           "MMAP",
                                                           "LOST",
                                                           "COMM",
                                                           "EXIT",
                                                           "THROTTLE",
                                                           "UNTHROTTLE",
                                                           "FORK",
                                                           "READ",
                                                           "SAMPLE",
                                                           "MMAP2",
                                                           "AUX",
                                                           "ITRACE_START",
                                                           "LOST_SAMPLES",
                                                           "SWITCH",
                                                           "SWITCH_CPU_WIDE",
                                                           "NAMESPACES",
                                                           "KSYMBOL",
                                                           "BPF_EVENT",
                                                           "CGROUP",
                                                           "TEXT_POKE",
                                                           "AUX_OUTPUT_HW_ID",
                                                           "CALLCHAIN_DEFERRED"};
// By type behind 64.
inline constexpr std::string_view tool_record_names[] = {
    "HEADER_ATTR",   "HEADER_EVENT_TYPE", "HEADER_TRACING_DATA", "HEADER_BUILD_ID", "FINISHED_ROUND",  "ID_INDEX",
    "AUXTRACE_INFO", "AUXTRACE",          "AUXTRACE_ERROR",      "THREAD_MAP",      "CPU_MAP",         "STAT_CONFIG",
    "STAT",          "STAT_ROUND",        "EVENT_UPDATE",        "TIME_CONV",       "HEADER_FEATURE",  "COMPRESSED",
    "FINISHED_INIT", "COMPRESSED2",       "BPF_METADATA",        "SCHEDSTAT_CPU",   "SCHEDSTAT_DOMAIN"};

}  // namespace detail

// record_type_name(type) returns the name in the headers without PERF_RECORD_; empty for an unknown type.
constexpr std::string_view record_type_name(std::uint32_t type) {
    if (type < std::size(detail::kernel_record_names)) return detail::kernel_record_names[type];
    if (type >= 64 && type - 64 < std::size(detail::tool_record_names)) return detail::tool_record_names[type - 64];
    return {};
}

// The highest type with a name.
inline constexpr std::uint32_t last_record_type = [] {
    std::uint32_t type = static_cast<std::uint32_t>(RecordType::header_attr);
    while (!record_type_name(type + 1).empty()) ++type;
    return type;
}();

// Bits 0-2 of misc: the CPU mode.
enum class CpuMode : std::uint8_t { unknown = 0, kernel, user, hypervisor, guest_kernel, guest_user };

// cpu_mode(misc) returns the mode in which the CPU was, or to which a mapping belongs; unknown for an undefined number.
constexpr CpuMode cpu_mode(std::uint16_t misc) {
    const auto mode = misc & 7;
    return mode <= 5 ? static_cast<CpuMode>(mode) : CpuMode::unknown;
}

// RecordView is one framed record: `bytes` is exactly header().size long. It lives as long as the block that contains
// it.
struct RecordView {
    Bytes bytes;               // the whole record, with its header; may lie unaligned
    AnyOrder order;            // of all integers in it
    std::uint64_t offset = 0;  // in the file; for an unpacked record: of its COMPRESSED record
    bool unpacked = false;     // it comes from a COMPRESSED record

    RecordHeader header() const { return RecordHeader::load(bytes.data(), order); }  // loaded anew with each call

    // type() may be a number that RecordType does not name.
    RecordType type() const { return static_cast<RecordType>(header().type); }

    // body(trailer_size) returns a cursor over the bytes between the header and the trailer. Valid if the trailer fits.
    Cursor body(std::size_t trailer_size, std::string_view where) const {
        const auto end = bytes.size() - trailer_size;
        return {bytes.subspan(RecordHeader::bytes, end - RecordHeader::bytes),
                order,
                {.where = where, .offset = offset + RecordHeader::bytes}};
    }
};

}  // namespace perfdata
