// SPDX-License-Identifier: MIT
// Part of describe.hpp: features about the machine, its CPUs, memory and PMUs.
#pragma once

#include "perfdata/wire/feature/cache.hpp"
#include "perfdata/wire/feature/cln_size.hpp"
#include "perfdata/wire/feature/cpu_domain_info.hpp"
#include "perfdata/wire/feature/cpu_pmu_caps.hpp"
#include "perfdata/wire/feature/cpu_topology.hpp"
#include "perfdata/wire/feature/describe/lists.hpp"
#include "perfdata/wire/feature/e_machine.hpp"
#include "perfdata/wire/feature/hybrid_topology.hpp"
#include "perfdata/wire/feature/mem_topology.hpp"
#include "perfdata/wire/feature/nrcpus.hpp"
#include "perfdata/wire/feature/numa_topology.hpp"
#include "perfdata/wire/feature/pmu_caps.hpp"
#include "perfdata/wire/feature/pmu_mappings.hpp"
#include "perfdata/wire/feature/total_mem.hpp"

namespace perfdata {

// FeatureContext is what a feature needs from other features.
struct FeatureContext {
    std::optional<std::uint32_t> available_cpus;  // from NRCPUS; without it most of CPU_TOPOLOGY stays opaque
};

namespace detail {

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
Result<void> describe_cpu_topology(Cursor in, const FeatureContext& context, Visit& visit) {
    const auto topology = CpuTopology::decode(in, context.available_cpus);
    if (!topology) return fail(topology.error());
    auto done = describe_strings(visit, "sockets", {}, topology->sockets());
    if (done) done = describe_strings(visit, "threads", {}, topology->threads());
    if (done && !topology->cpus().empty()) {
        done =
            describe_array(visit, "cpus", topology->cpus(), [](auto& fields, const CpuPlace& cpu, std::size_t index) {
                fields("cpu", std::uint64_t{index});
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
Result<void> describe_pmu_mappings(Cursor in, Visit& visit) {
    return describe_table(visit, "pmus", PmuMappingReader(in), [](auto& fields, const PmuMapping& pmu) {
        fields("type", std::uint64_t{pmu.type});
        fields("name", pmu.name);
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
}  // namespace perfdata
