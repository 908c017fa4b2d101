// SPDX-License-Identifier: MIT
// Numbers and names of the header features. Follows tools/perf/util/header.h of Linux 7.3.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfdata {

// Feature is the number of a header feature: HEADER_* of perf, its bit in FileHeader::features.
enum class Feature : std::uint8_t {
    tracing_data = 1,
    build_id,
    hostname,
    osrelease,
    version,
    arch,
    nrcpus,
    cpudesc,
    cpuid,
    total_mem,
    cmdline,
    event_desc,
    cpu_topology,
    numa_topology,
    branch_stack,
    pmu_mappings,
    group_desc,
    auxtrace,
    stat,
    cache,
    sample_time,
    mem_topology,
    clockid,
    dir_format,
    bpf_prog_info,
    bpf_btf,
    compressed,
    cpu_pmu_caps,
    clock_data,
    hybrid_topology,
    pmu_caps,
    cpu_domain_info,
    e_machine,
    cln_size,
};

// feature_name(number) returns the name in header.h without HEADER_; empty for an unknown number.
constexpr std::string_view feature_name(unsigned number) {
    constexpr std::string_view names[] = {"",
                                          "TRACING_DATA",
                                          "BUILD_ID",
                                          "HOSTNAME",
                                          "OSRELEASE",
                                          "VERSION",
                                          "ARCH",
                                          "NRCPUS",
                                          "CPUDESC",
                                          "CPUID",
                                          "TOTAL_MEM",
                                          "CMDLINE",
                                          "EVENT_DESC",
                                          "CPU_TOPOLOGY",
                                          "NUMA_TOPOLOGY",
                                          "BRANCH_STACK",
                                          "PMU_MAPPINGS",
                                          "GROUP_DESC",
                                          "AUXTRACE",
                                          "STAT",
                                          "CACHE",
                                          "SAMPLE_TIME",
                                          "MEM_TOPOLOGY",
                                          "CLOCKID",
                                          "DIR_FORMAT",
                                          "BPF_PROG_INFO",
                                          "BPF_BTF",
                                          "COMPRESSED",
                                          "CPU_PMU_CAPS",
                                          "CLOCK_DATA",
                                          "HYBRID_TOPOLOGY",
                                          "PMU_CAPS",
                                          "CPU_DOMAIN_INFO",
                                          "E_MACHINE",
                                          "CLN_SIZE"};
    return number < std::size(names) ? names[number] : std::string_view{};
}

}  // namespace perfdata
