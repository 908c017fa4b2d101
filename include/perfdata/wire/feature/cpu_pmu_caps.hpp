// SPDX-License-Identifier: MIT
// CPU_PMU_CAPS (28): the capabilities of the CPUs' PMU. write_cpu_pmu_caps in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

//     string name . string value
struct PmuCapability {
    // The size on disk with empty texts and lists, and the name in errors: see FeatureList.
    static constexpr std::size_t min_bytes = 8;
    static constexpr std::string_view what = "a PMU capability";

    std::string_view name;   // as in sysfs: "branches", "max_precise", ...; both live as long as the section
    std::string_view value;  // as sysfs prints it, usually a number

    // read(in) reads one; the caller checks in.ok().
    static PmuCapability read(Cursor& in) {
        PmuCapability capability;
        capability.name = read_feature_string(in);
        capability.value = read_feature_string(in);
        return capability;
    }
};

//     u32 count . count x PmuCapability, packed
using PmuCapabilityReader = FeatureList<PmuCapability>;

}  // namespace perfdata
