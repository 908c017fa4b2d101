// SPDX-License-Identifier: MIT
// Any feature as names and values, in file order: for tools that print features without knowing them.
//
// A visitor `visit` has
//
//     visit(name, value)               void; value is a std::uint64_t, std::int64_t, bool, Address, Time,
//                                      std::string_view or Bytes; also accept double, which is not in use yet
//     visit.list(name, count, body)    Result<void>: a list. Call body(elements) once, with a visitor (itself or
//                                      another), and return what it returned. `count` is a
//                                      std::optional<std::uint64_t>: as written in the file, not checked, do not
//                                      allocate for it; nothing if the format does not tell
//     elements.element(body)           Result<void>: one element with several values, in a list. Call body(fields)
//                                      once, with a visitor, and return what it returned
//
// The elements of a list are either all element(...) or all plain values, elements(name, value) with an empty name.
// Where a body returns an error the list or element ends there: what was visited before is good, and lists and
// elements are closed like whole ones. Names are lower case words joined with '_'; `bytes`, `kib` and `ns` in them
// are units. A view may be used during the call only.
#pragma once

#include <type_traits>

#include "perfdata/wire/feature/auxtrace.hpp"
#include "perfdata/wire/feature/bpf_btf.hpp"
#include "perfdata/wire/feature/bpf_prog_info.hpp"
#include "perfdata/wire/feature/build_id.hpp"
#include "perfdata/wire/feature/cache.hpp"
#include "perfdata/wire/feature/cln_size.hpp"
#include "perfdata/wire/feature/clock_data.hpp"
#include "perfdata/wire/feature/clockid.hpp"
#include "perfdata/wire/feature/compressed.hpp"
#include "perfdata/wire/feature/cpu_domain_info.hpp"
#include "perfdata/wire/feature/cpu_pmu_caps.hpp"
#include "perfdata/wire/feature/cpu_topology.hpp"
#include "perfdata/wire/feature/dir_format.hpp"
#include "perfdata/wire/feature/e_machine.hpp"
#include "perfdata/wire/feature/event_desc.hpp"
#include "perfdata/wire/feature/flags.hpp"
#include "perfdata/wire/feature/group_desc.hpp"
#include "perfdata/wire/feature/hybrid_topology.hpp"
#include "perfdata/wire/feature/mem_topology.hpp"
#include "perfdata/wire/feature/nrcpus.hpp"
#include "perfdata/wire/feature/numa_topology.hpp"
#include "perfdata/wire/feature/number.hpp"
#include "perfdata/wire/feature/pmu_caps.hpp"
#include "perfdata/wire/feature/pmu_mappings.hpp"
#include "perfdata/wire/feature/sample_time.hpp"
#include "perfdata/wire/feature/strings.hpp"
#include "perfdata/wire/feature/total_mem.hpp"
#include "perfdata/wire/feature/tracing_data.hpp"

namespace perfdata {

// FeatureContext is what a feature takes from other features.
struct FeatureContext {
    std::optional<std::uint32_t> available_cpus;  // of NRCPUS; without it most of CPU_TOPOLOGY stays opaque
};

// describe_feature(number, section, context, visit) visits the values of one feature. A number that is not known gives
// its payload as one Bytes called "payload", and bytes that no field accounts for are called "undecoded". After an
// error the values visited so far are good.
//
// In a pipe the features end with a record HEADER_FEATURE of an empty payload and the number after the writer's last
// feature, which may be one that this version knows: that is no feature, do not describe it.
template <class Visit>
Result<void> describe_feature(unsigned number, Cursor section, const FeatureContext& context, Visit&& visit);

namespace detail {

using ListCount = std::optional<std::uint64_t>;

// describe_elements(visit, name, count, reader, describe) makes a list of what reader.next() gives;
// describe(fields, element) gives void or Result<void>.
template <class Visit, class Reader, class Describe>
Result<void> describe_elements(Visit& visit, std::string_view name, ListCount count, Reader& reader,
                               Describe describe) {
    return visit.list(name, count, [&](auto&& elements) -> Result<void> {
        for (;;) {
            auto next = reader.next();
            if (!next) return fail(std::move(next).error());
            if (!*next) return {};
            auto done = elements.element([&](auto&& fields) -> Result<void> {
                if constexpr (std::is_void_v<decltype(describe(fields, **next))>) {
                    describe(fields, **next);
                    return {};
                } else {
                    return describe(fields, **next);
                }
            });
            if (!done) return done;
        }
    });
}

// describe_table: the same for a FeatureList.
template <class Visit, class Element, class Describe>
Result<void> describe_table(Visit& visit, std::string_view name, FeatureList<Element> list, Describe describe) {
    if (!list.cursor().ok()) return fail(list.next().error());
    return describe_elements(visit, name, list.count(), list, describe);
}

// describe_counted: the same for a reader of a section that begins with a u32 count.
template <class Reader, class Visit, class Describe>
Result<void> describe_counted(Cursor in, Visit& visit, std::string_view name, Describe describe) {
    Reader reader(in);
    const auto count = in.u32();
    if (!in.ok()) return in.failure("the count");
    return describe_elements(visit, name, count, reader, describe);
}

// describe_array: the same for a FeatureArray.
template <class Visit, class Element, class Describe>
Result<void> describe_array(Visit& visit, std::string_view name, const FeatureArray<Element>& array,
                            Describe describe) {
    return visit.list(name, ListCount(array.size()), [&](auto&& elements) -> Result<void> {
        for (std::size_t index = 0; index < array.size(); ++index) {
            auto done = elements.element([&](auto&& fields) -> Result<void> {
                describe(fields, array[index]);
                return {};
            });
            if (!done) return done;
        }
        return {};
    });
}

// describe_values makes a list of the plain values value(0) ... value(count - 1).
template <class Visit, class Value>
Result<void> describe_values(Visit& visit, std::string_view name, std::size_t count, Value value) {
    return visit.list(name, ListCount(count), [&](auto&& elements) -> Result<void> {
        for (std::size_t index = 0; index < count; ++index) elements("", value(index));
        return {};
    });
}

// describe_strings makes a list of a string list; `count` as it is written there.
template <class Visit>
Result<void> describe_strings(Visit& visit, std::string_view name, ListCount count, FeatureStringList strings) {
    return visit.list(name, count, [&](auto&& elements) -> Result<void> {
        std::string_view text;
        while (strings.next(text)) elements("", text);
        if (!strings.ok()) return strings.cursor().failure("a list of texts");
        return {};
    });
}

template <class Visit>
Result<void> describe_string(Cursor in, Visit& visit, std::string_view name) {
    const auto text = read_feature_string(in);
    if (!in.ok()) return in.failure("the text");
    visit(name, text);
    return {};
}

template <class Visit>
Result<void> describe_command_line(Cursor in, Visit& visit) {
    const FeatureStringList arguments(in);
    const auto count = in.u32();
    if (!in.ok()) return in.failure("the count");
    return describe_strings(visit, "arguments", count, arguments);
}

template <class Visit>
Result<void> describe_tracing_data(Cursor in, Visit& visit) {
    auto data = TracingData::decode(in);
    if (!data) return fail(data.error());
    visit("version", data->version());
    visit("big_endian", data->order().endian() == std::endian::big);
    visit("long_size", std::uint64_t{data->long_size()});
    visit("page_size", std::uint64_t{data->page_size()});
    visit("header_page_bytes", std::uint64_t{data->header_page().size()});
    visit("header_event_bytes", std::uint64_t{data->header_event().size()});
    const auto start = *data;
    const auto formats = describe_elements(visit, "formats", {}, *data, [](auto& fields, const TraceFormat& format) {
        fields("system", format.system);
        fields("name", format.name());
        if (const auto id = format.id()) fields("id", std::uint64_t{*id});
        fields("bytes", std::uint64_t{format.text.size()});
    });
    if (!formats) return formats;
    const auto tail = start.tail();
    if (!tail) return fail(tail.error());
    visit("kallsyms_bytes", std::uint64_t{tail->kallsyms.size()});
    visit("printk_formats_bytes", std::uint64_t{tail->printk_formats.size()});
    visit("command_lines_bytes", std::uint64_t{tail->command_lines.size()});
    return {};
}

template <class Visit>
Result<void> describe_build_ids(Cursor in, Visit& visit) {
    BuildIdReader reader(in);
    return describe_elements(visit, "build_ids", {}, reader, [](auto& fields, const BuildIdEntry& entry) {
        fields("misc", std::uint64_t{entry.misc});
        fields("pid", std::int64_t{entry.pid});
        fields("build_id", entry.build_id);
        fields("size_known", entry.size_known);
        fields("name", entry.name);
    });
}

template <class Visit>
Result<void> describe_nrcpus(Cursor in, Visit& visit) {
    const auto cpus = CpuCounts::decode(in);
    if (!cpus) return fail(cpus.error());
    visit("available", std::uint64_t{cpus->available});
    visit("online", std::uint64_t{cpus->online});
    return {};
}

template <class Visit>
Result<void> describe_total_mem(Cursor in, Visit& visit) {
    const auto memory = TotalMemory::decode(in);
    if (!memory) return fail(memory.error());
    visit("kib", memory->kib);
    return {};
}

template <class Visit>
Result<void> describe_event_desc(Cursor in, Visit& visit) {
    return describe_counted<EventDescReader>(in, visit, "events", [](auto& fields, const EventDescription& event) {
        fields("name", event.name);
        fields("type", std::uint64_t{event.attr.type});
        fields("size", std::uint64_t{event.attr.size});
        fields("config", event.attr.config);
        fields(event.attr.freq() ? "sample_freq" : "sample_period", event.attr.sample_period);
        fields("sample_type", event.attr.sample_type);
        fields("read_format", event.attr.read_format);
        fields("flags", event.attr.flags);
        return describe_values(fields, "ids", event.ids.size(), [&](std::size_t index) { return event.ids[index]; });
    });
}

template <class Visit>
Result<void> describe_cpu_topology(Cursor in, const FeatureContext& context, Visit& visit) {
    const auto topology = CpuTopology::decode(in, context.available_cpus);
    if (!topology) return fail(topology.error());
    auto done = describe_strings(visit, "sockets", {}, topology->sockets());
    if (done) done = describe_strings(visit, "threads", {}, topology->threads());
    if (done && !topology->cpus().empty()) {
        done = describe_array(visit, "cpus", topology->cpus(), [](auto& fields, const CpuPlace& cpu) {
            fields("core", std::int64_t{cpu.core});
            fields("socket", std::int64_t{cpu.socket});
        });
    }
    if (done && topology->dies()) {
        const auto& dies = topology->die_of_cpu();
        done = describe_strings(visit, "dies", {}, *topology->dies());
        if (done) {
            done = describe_values(visit, "die_of_cpu", dies.size(),
                                   [&](std::size_t cpu) { return std::uint64_t{dies[cpu]}; });
        }
    }
    if (done && !topology->undecoded().empty()) visit("undecoded", topology->undecoded());
    return done;
}

template <class Visit>
Result<void> describe_numa_topology(Cursor in, Visit& visit) {
    return describe_table(visit, "nodes", NumaTopologyReader(in), [](auto& fields, const NumaNode& node) {
        fields("node", std::uint64_t{node.node});
        fields("total_kib", node.total_kib);
        fields("free_kib", node.free_kib);
        fields("cpus", node.cpus);
    });
}

template <class Visit>
Result<void> describe_flag(Cursor in, Visit& visit) {
    visit("present", true);
    if (in.remaining() != 0) visit("undecoded", in.rest());
    return {};
}

template <class Visit>
Result<void> describe_pmu_mappings(Cursor in, Visit& visit) {
    return describe_table(visit, "pmus", PmuMappingReader(in), [](auto& fields, const PmuMapping& pmu) {
        fields("type", std::uint64_t{pmu.type});
        fields("name", pmu.name);
    });
}

template <class Visit>
Result<void> describe_group_desc(Cursor in, Visit& visit) {
    return describe_table(visit, "groups", EventGroupReader(in), [](auto& fields, const EventGroup& group) {
        fields("name", group.name);
        fields("leader", std::uint64_t{group.leader});
        fields("members", std::uint64_t{group.members});
    });
}

template <class Visit>
Result<void> describe_auxtrace(Cursor in, Visit& visit) {
    const auto index = AuxtraceIndex::decode(in);
    if (!index) return fail(index.error());
    return describe_array(visit, "records", index->entries, [](auto& fields, const AuxtraceIndexEntry& entry) {
        fields("offset", entry.offset);
        fields("bytes", entry.size);
    });
}

template <class Visit>
Result<void> describe_cache(Cursor in, Visit& visit) {
    const auto caches = CpuCaches::decode(in);
    if (!caches) return fail(caches.error());
    visit("version", std::uint64_t{caches->version});
    return describe_table(visit, "caches", caches->caches, [](auto& fields, const CpuCache& cache) {
        fields("level", std::uint64_t{cache.level});
        fields("line_bytes", std::uint64_t{cache.line_size});
        fields("sets", std::uint64_t{cache.sets});
        fields("ways", std::uint64_t{cache.ways});
        fields("type", cache.type);
        fields("size", cache.size);
        fields("cpus", cache.cpus);
    });
}

template <class Visit>
Result<void> describe_sample_time(Cursor in, Visit& visit) {
    const auto times = SampleTimes::decode(in);
    if (!times) return fail(times.error());
    visit("first", times->first);
    visit("last", times->last);
    return {};
}

template <class Visit>
Result<void> describe_mem_topology(Cursor in, Visit& visit) {
    const auto topology = MemoryTopology::decode(in);
    if (!topology) return fail(topology.error());
    visit("version", topology->version);
    visit("block_bytes", topology->block_size);
    return describe_table(visit, "nodes", topology->nodes, [](auto& fields, const MemoryNode& node) {
        fields("node", node.node);
        fields("size_blocks", node.size);
        return fields.list("blocks", {}, [&](auto&& ranges) -> Result<void> {
            auto done = Result<void>{};
            node.blocks.for_each_range([&](std::uint64_t first, std::uint64_t last) {
                if (!done) return;
                done = ranges.element([&](auto&& range) -> Result<void> {
                    range("first", first);
                    range("last", last);
                    return {};
                });
            });
            return done;
        });
    });
}

template <class Visit>
Result<void> describe_clockid(Cursor in, Visit& visit) {
    const auto resolution = ClockResolution::decode(in);
    if (!resolution) return fail(resolution.error());
    visit("resolution_ns", resolution->nanoseconds);
    return {};
}

template <class Visit>
Result<void> describe_dir_format(Cursor in, Visit& visit) {
    const auto format = DirFormat::decode(in);
    if (!format) return fail(format.error());
    visit("version", format->version);
    return {};
}

template <class Visit>
Result<void> describe_bpf_prog_info(Cursor in, Visit& visit) {
    return describe_counted<BpfProgramReader>(in, visit, "programs", [](auto& fields, const BpfProgramInfo& program) {
        fields("id", std::uint64_t{program.id.value});
        fields("type", std::uint64_t{program.type});
        fields("type_name", bpf_program_type_name(program.type));
        fields("name", program.name);
        fields("tag", Bytes(program.tag));
        fields("load_time_ns", program.load_time);
        fields("created_by_uid", std::uint64_t{program.created_by_uid});
        fields("btf_id", std::uint64_t{program.btf_id});
        fields("jited_bytes", std::uint64_t{program.jited_size});
        fields("xlated_bytes", std::uint64_t{program.xlated_size});
        const auto addresses = program.jited_ksyms();
        const auto sizes = program.jited_func_lens();
        return fields.list("functions", ListCount(addresses.size()), [&](auto&& elements) -> Result<void> {
            for (std::size_t index = 0; index < addresses.size(); ++index) {
                auto element = elements.element([&](auto&& function) -> Result<void> {
                    function("address", Address{addresses[index]});
                    if (index < sizes.size()) function("bytes", std::uint64_t{sizes[index]});
                    if (index < program.tags()) {
                        const auto tag = program.function_tag(index);
                        function("tag", Bytes(tag));
                    }
                    return {};
                });
                if (!element) return element;
            }
            return {};
        });
    });
}

template <class Visit>
Result<void> describe_bpf_btf(Cursor in, Visit& visit) {
    return describe_counted<BtfReader>(in, visit, "btf", [](auto& fields, const BtfBlob& blob) {
        fields("id", std::uint64_t{blob.id});
        fields("bytes", std::uint64_t{blob.data.size()});
    });
}

template <class Visit>
Result<void> describe_compressed(Cursor in, Visit& visit) {
    const auto info = CompressionInfo::decode(in);
    if (!info) return fail(info.error());
    visit("version", std::uint64_t{info->version});
    visit("type", std::uint64_t{info->type});
    visit("type_name", compression_name(info->type));
    visit("level", std::uint64_t{info->level});
    visit("ratio", std::uint64_t{info->ratio});
    visit("mmap_len_bytes", std::uint64_t{info->mmap_len});
    return {};
}

template <class Visit>
Result<void> describe_capabilities(Visit& visit, const PmuCapabilityReader& reader) {
    return describe_table(visit, "capabilities", reader, [](auto& fields, const PmuCapability& capability) {
        fields("name", capability.name);
        fields("value", capability.value);
    });
}

template <class Visit>
Result<void> describe_pmu_caps(Cursor in, Visit& visit) {
    return describe_table(visit, "pmus", PmuCapabilitiesReader(in), [](auto& fields, const PmuCapabilities& pmu) {
        auto done = describe_capabilities(fields, pmu.capabilities());
        fields("name", pmu.name());
        return done;
    });
}

template <class Visit>
Result<void> describe_clock_data(Cursor in, Visit& visit) {
    const auto clock = ClockData::decode(in);
    if (!clock) return fail(clock.error());
    visit("version", std::uint64_t{clock->version});
    visit("clockid", std::uint64_t{clock->clockid});
    visit("clock_name", clock_name(clock->clockid));
    visit("wall_clock_ns", clock->wall_clock);
    visit("event_clock", clock->event_clock);
    return {};
}

template <class Visit>
Result<void> describe_hybrid_topology(Cursor in, Visit& visit) {
    return describe_table(visit, "kinds", HybridTopologyReader(in), [](auto& fields, const HybridCpus& kind) {
        fields("pmu", kind.pmu);
        fields("cpus", kind.cpus);
    });
}

template <class Visit>
Result<void> describe_cpu_domain_info(Cursor in, Visit& visit) {
    CpuDomainReader reader(in);
    if (!reader.ok()) return fail(reader.next().error());
    visit("schedstat_version", std::uint64_t{reader.schedstat_version()});
    visit("max_domains", std::uint64_t{reader.max_domains()});
    const bool named = reader.schedstat_version() >= CpuDomainReader::first_named_version;
    return describe_elements(visit, "cpus", {}, reader, [named](auto& fields, const CpuDomains& cpu) {
        fields("cpu", std::uint64_t{cpu.cpu});
        auto domains = cpu.domains;
        return describe_elements(fields, "domains", domains.count(), domains,
                                 [named](auto& field, const SchedDomain& domain) {
                                     field("domain", std::uint64_t{domain.domain});
                                     if (named) field("name", domain.name);
                                     field("cpu_mask", domain.cpu_mask);
                                     field("cpus", domain.cpus);
                                 });
    });
}

template <class Visit>
Result<void> describe_e_machine(Cursor in, Visit& visit) {
    const auto elf = ElfMachine::decode(in);
    if (!elf) return fail(elf.error());
    visit("machine", std::uint64_t{elf->machine});
    visit("flags", std::uint64_t{elf->flags});
    return {};
}

template <class Visit>
Result<void> describe_cln_size(Cursor in, Visit& visit) {
    const auto line = CacheLineSize::decode(in);
    if (!line) return fail(line.error());
    visit("bytes", std::uint64_t{line->bytes});
    return {};
}

}  // namespace detail

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
