// SPDX-License-Identifier: MIT
// Many records of each type that perf and the kernel write.
#include "cost/case.hpp"
#include "support/crafted.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

// of_type<type> writes n records of that type with random content.
template <RecordType type>
Command of_type(const Files& files, std::size_t n) {
    Sketch sketch;
    Random random(7);
    for (std::uint64_t at = 1; at <= n; ++at) {
        const bool kernel = type < RecordType::header_attr;
        const auto trailer = Writer(Sketch::order).u32(1).u32(1).u64(at).take();
        sketch.add(random_record(type, random, Sketch::order, kernel ? trailer : Blob{}));
    }
    return {"dump", files.write("perf.data", sketch.sample(1, 1, 5000).build())};
}

Command samples(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::uint64_t at = 1; at <= n; ++at) sketch.sample(at * 64, static_cast<std::uint32_t>(at % 100), 1 + at);
    return {"dump", files.write("perf.data", sketch.sample(1, 1, 5000).build())};
}

template <RecordType type>
Command marks(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::uint64_t at = 1; at <= n; ++at) sketch.record(type, {});
    return {"dump", files.write("perf.data", sketch.sample(1, 1, 5000).build())};
}

template <RecordType type>
CostCase one(std::string_view name, std::size_t n = 600) {
    return {name, n, of_type<type>, "dump"};
}

}  // namespace

CostCases record_cases() {
    using enum RecordType;
    return {
        one<mmap>("mmap"),
        one<lost>("lost"),
        one<comm>("comm"),
        one<exit>("exit"),
        one<throttle>("throttle"),
        one<unthrottle>("unthrottle"),
        one<fork>("fork"),
        one<read>("read"),
        {"sample", 600, samples, "dump"},
        one<mmap2>("mmap2"),
        one<aux>("aux"),
        one<itrace_start>("itrace_start"),
        one<lost_samples>("lost_samples"),
        one<context_switch>("context_switch"),
        one<switch_cpu_wide>("switch_cpu_wide"),
        one<namespaces>("namespaces"),
        one<ksymbol>("ksymbol"),
        one<bpf_event>("bpf_event"),
        one<cgroup>("cgroup"),
        one<text_poke>("text_poke", 300),
        one<aux_output_hw_id>("aux_output_hw_id"),
        one<callchain_deferred>("callchain_deferred"),
        one<header_event_type>("header_event_type"),
        one<header_build_id>("header_build_id"),
        {"finished_round", 600, marks<finished_round>, "dump"},
        {"finished_init", 600, marks<finished_init>, "dump"},
        one<id_index>("id_index"),
        one<auxtrace_info>("auxtrace_info"),
        one<auxtrace_error>("auxtrace_error"),
        one<thread_map>("thread_map"),
        one<cpu_map>("cpu_map"),
        one<stat_config>("stat_config"),
        one<stat>("stat"),
        one<stat_round>("stat_round"),
        one<time_conv>("time_conv"),
        one<bpf_metadata>("bpf_metadata", 100),
        one<schedstat_cpu>("schedstat_cpu"),
        one<schedstat_domain>("schedstat_domain"),
    };
}

}  // namespace perfdata::test
