// SPDX-License-Identifier: MIT
// The fields and bits of perf_event_attr by their names in include/uapi/linux/perf_event.h of Linux 7.3.
#pragma once

#include <iterator>
#include <string>
#include <string_view>

#include "perfdata/wire/attr.hpp"

namespace perfdata {

// attr_type_name(type) returns "hardware", "software" and so on; empty for a PMU type (see PMU_MAPPINGS).
constexpr std::string_view attr_type_name(std::uint32_t type) {
    constexpr std::string_view names[] = {"hardware", "software", "tracepoint", "hw_cache", "raw", "breakpoint"};
    return type < std::size(names) ? names[type] : std::string_view{};
}

// attr_flag_name(bit) returns the name of a flag of Attr::flags; empty if unknown. precise_ip, a number of two bits, is
// not a flag: see Attr::precise_ip().
constexpr std::string_view attr_flag_name(unsigned bit) {
    constexpr std::string_view names[] = {"disabled",
                                          "inherit",
                                          "pinned",
                                          "exclusive",
                                          "exclude_user",
                                          "exclude_kernel",
                                          "exclude_hv",
                                          "exclude_idle",
                                          "mmap",
                                          "comm",
                                          "freq",
                                          "inherit_stat",
                                          "enable_on_exec",
                                          "task",
                                          "watermark",
                                          "",
                                          "",
                                          "mmap_data",
                                          "sample_id_all",
                                          "exclude_host",
                                          "exclude_guest",
                                          "exclude_callchain_kernel",
                                          "exclude_callchain_user",
                                          "mmap2",
                                          "comm_exec",
                                          "use_clockid",
                                          "context_switch",
                                          "write_backward",
                                          "namespaces",
                                          "ksymbol",
                                          "bpf_event",
                                          "aux_output",
                                          "cgroup",
                                          "text_poke",
                                          "build_id",
                                          "inherit_thread",
                                          "remove_on_exec",
                                          "sigtrap",
                                          "defer_callchain",
                                          "defer_output"};
    return bit < std::size(names) ? names[bit] : std::string_view{};
}

// sample_type_name(bit) returns the PERF_SAMPLE_* name without the prefix; empty if unknown. The two others do the same
// for PERF_FORMAT_* and PERF_SAMPLE_BRANCH_*.
constexpr std::string_view sample_type_name(unsigned bit) {
    constexpr std::string_view names[] = {"IP",
                                          "TID",
                                          "TIME",
                                          "ADDR",
                                          "READ",
                                          "CALLCHAIN",
                                          "ID",
                                          "CPU",
                                          "PERIOD",
                                          "STREAM_ID",
                                          "RAW",
                                          "BRANCH_STACK",
                                          "REGS_USER",
                                          "STACK_USER",
                                          "WEIGHT",
                                          "DATA_SRC",
                                          "IDENTIFIER",
                                          "TRANSACTION",
                                          "REGS_INTR",
                                          "PHYS_ADDR",
                                          "AUX",
                                          "CGROUP",
                                          "DATA_PAGE_SIZE",
                                          "CODE_PAGE_SIZE",
                                          "WEIGHT_STRUCT"};
    return bit < std::size(names) ? names[bit] : std::string_view{};
}
// read_format_name(bit) returns the PERF_FORMAT_* name without the prefix; empty if unknown.
constexpr std::string_view read_format_name(unsigned bit) {
    constexpr std::string_view names[] = {"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST"};
    return bit < std::size(names) ? names[bit] : std::string_view{};
}
// branch_sample_type_name(bit) returns the PERF_SAMPLE_BRANCH_* name without the prefix; empty if unknown.
constexpr std::string_view branch_sample_type_name(unsigned bit) {
    constexpr std::string_view names[] = {"USER",       "KERNEL",     "HV",       "ANY",       "ANY_CALL",
                                          "ANY_RETURN", "IND_CALL",   "ABORT_TX", "IN_TX",     "NO_TX",
                                          "COND",       "CALL_STACK", "IND_JUMP", "CALL",      "NO_FLAGS",
                                          "NO_CYCLES",  "TYPE_SAVE",  "HW_INDEX", "PRIV_SAVE", "COUNTERS"};
    return bit < std::size(names) ? names[bit] : std::string_view{};
}

// for_each_bit_name(set, name, visit) calls visit(std::string_view) for every set bit, lowest first. A bit without a
// name is "bit 60".
template <class Name, class Visit>
void for_each_bit_name(std::uint64_t set, Name name, Visit&& visit) {
    for (unsigned bit = 0; bit < 64; ++bit) {
        if ((set >> bit & 1) == 0) continue;
        if (const std::string_view known = name(bit); !known.empty()) {
            visit(known);
        } else {
            visit(std::string_view("bit " + std::to_string(bit)));
        }
    }
}

// bit_names(set, name) returns all of them, joined with `separator`: "IP|TID|TIME".
template <class Name>
std::string bit_names(std::uint64_t set, Name name, char separator = '|') {
    std::string text;
    for_each_bit_name(set, name, [&](std::string_view word) {
        if (!text.empty()) text += separator;
        text += word;
    });
    return text;
}

// attr_fields(attr, visit) visits every field by its name, in the order of the struct. sample_period is called
// sample_freq if it is one. flags is the word with its bits in little-endian numbering.
template <class Visit>
void attr_fields(const Attr& attr, Visit&& visit) {
    visit("type", attr.type);
    visit("size", attr.size);
    visit("config", attr.config);
    visit(attr.freq() ? "sample_freq" : "sample_period", attr.sample_period);
    visit("sample_type", attr.sample_type);
    visit("read_format", attr.read_format);
    visit("flags", attr.flags);
    visit("wakeup_events", attr.wakeup_events);
    visit("bp_type", attr.bp_type);
    visit("config1", attr.config1);
    visit("config2", attr.config2);
    visit("branch_sample_type", attr.branch_sample_type);
    visit("sample_regs_user", attr.sample_regs_user);
    visit("sample_stack_user", attr.sample_stack_user);
    visit("clockid", attr.clockid);
    visit("sample_regs_intr", attr.sample_regs_intr);
    visit("aux_watermark", attr.aux_watermark);
    visit("sample_max_stack", attr.sample_max_stack);
    visit("aux_sample_size", attr.aux_sample_size);
    visit("aux_action", attr.aux_action);
    visit("sig_data", attr.sig_data);
    visit("config3", attr.config3);
    visit("config4", attr.config4);
}

}  // namespace perfdata
