// SPDX-License-Identifier: MIT
// HYBRID_TOPOLOGY (30): the CPUs of each kind, on hybrid machines. write_hybrid_topology in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

//     string pmu . string cpus
struct HybridCpus {
    // The size on disk with empty texts and lists, and the name in errors: see FeatureList.
    static constexpr std::size_t min_bytes = 8;
    static constexpr std::string_view what = "a kind of CPU";

    std::string_view pmu;   // "cpu_core", "cpu_atom"; both live as long as the section
    std::string_view cpus;  // a list like "0-15"

    // read(in) reads one; the caller checks in.ok().
    static HybridCpus read(Cursor& in) {
        HybridCpus kind;
        kind.pmu = read_feature_string(in);
        kind.cpus = read_feature_string(in);
        return kind;
    }
};

//     u32 count . count x HybridCpus, packed
using HybridTopologyReader = FeatureList<HybridCpus>;

}  // namespace perfdata
