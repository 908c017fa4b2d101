// SPDX-License-Identifier: MIT
// Any feature as names and values, in file order: for tools that print features without knowing them.
//
// A visitor `visit` has
//
//     visit(name, value)               void; value is a std::uint64_t, std::int64_t, bool, Address, Time,
//                                      std::string_view or Bytes; also accept double, which is not in use yet
//     visit.list(name, count, body)    Result<void>: a list. Call body(elements) once, with a visitor (itself or
//                                      another), and return its result. `count` is a
//                                      std::optional<std::uint64_t>: as written in the file, not checked, do not
//                                      allocate for it; empty if the format has no count
//     elements.element(body)           Result<void>: one element with several values, in a list. Call body(fields)
//                                      once, with a visitor, and return its result
//
// The elements of a list are either all element(...) or all plain values, elements(name, value) with an empty name. If
// a body returns an error, the list or element ends there: earlier values are valid, and lists and elements are closed
// like complete ones. Names are lower case words joined with '_'; `bytes`, `kib` and `ns` in them are units. A view may
// only be used during the call.
#pragma once

#include "perfdata/wire/feature/describe/machine.hpp"
#include "perfdata/wire/feature/describe/recording.hpp"
#include "perfdata/wire/feature/number.hpp"

namespace perfdata {

// describe_feature(number, section, context, visit) visits the values of one feature. An unknown number gives its
// payload as one Bytes called "payload"; bytes that belong to no field are called "undecoded". After an error the
// values visited so far are valid.
//
// In a pipe the features end with a record HEADER_FEATURE with an empty payload and the number after the writer's last
// feature, which this version may know: it is not a feature, do not describe it.
template <class Visit>
Result<void> describe_feature(unsigned number, Cursor section, const FeatureContext& context, Visit&& visit) {
    switch (number <= 255 ? static_cast<Feature>(number) : Feature{}) {
        case Feature::tracing_data: return detail::describe_tracing_data(section, visit);
        case Feature::build_id: return detail::describe_build_ids(section, visit);
        case Feature::hostname: return detail::describe_string(section, visit, "hostname");
        case Feature::osrelease: return detail::describe_string(section, visit, "os_release");
        case Feature::version: return detail::describe_string(section, visit, "perf_version");
        case Feature::arch: return detail::describe_string(section, visit, "arch");
        case Feature::nrcpus: return detail::describe_nrcpus(section, visit);
        case Feature::cpudesc: return detail::describe_string(section, visit, "cpu_description");
        case Feature::cpuid: return detail::describe_string(section, visit, "cpu_id");
        case Feature::total_mem: return detail::describe_total_mem(section, visit);
        case Feature::cmdline: return detail::describe_command_line(section, visit);
        case Feature::event_desc: return detail::describe_event_desc(section, visit);
        case Feature::cpu_topology: return detail::describe_cpu_topology(section, context, visit);
        case Feature::numa_topology: return detail::describe_numa_topology(section, visit);
        case Feature::branch_stack:
        case Feature::stat: return detail::describe_flag(section, visit);
        case Feature::pmu_mappings: return detail::describe_pmu_mappings(section, visit);
        case Feature::group_desc: return detail::describe_group_desc(section, visit);
        case Feature::auxtrace: return detail::describe_auxtrace(section, visit);
        case Feature::cache: return detail::describe_cache(section, visit);
        case Feature::sample_time: return detail::describe_sample_time(section, visit);
        case Feature::mem_topology: return detail::describe_mem_topology(section, visit);
        case Feature::clockid: return detail::describe_clockid(section, visit);
        case Feature::dir_format: return detail::describe_dir_format(section, visit);
        case Feature::bpf_prog_info: return detail::describe_bpf_prog_info(section, visit);
        case Feature::bpf_btf: return detail::describe_bpf_btf(section, visit);
        case Feature::compressed: return detail::describe_compressed(section, visit);
        case Feature::cpu_pmu_caps: return detail::describe_capabilities(visit, PmuCapabilityReader(section));
        case Feature::clock_data: return detail::describe_clock_data(section, visit);
        case Feature::hybrid_topology: return detail::describe_hybrid_topology(section, visit);
        case Feature::pmu_caps: return detail::describe_pmu_caps(section, visit);
        case Feature::cpu_domain_info: return detail::describe_cpu_domain_info(section, visit);
        case Feature::e_machine: return detail::describe_e_machine(section, visit);
        case Feature::cln_size: return detail::describe_cln_size(section, visit);
    }
    visit("payload", section.rest());
    return {};
}

}  // namespace perfdata
