// SPDX-License-Identifier: MIT
// PMU_MAPPINGS (16): the attr types of the PMUs. write_pmu_mappings in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

//     u32 type . string name
struct PmuMapping {
    // The size on disk with empty texts and lists, and the name in errors: see FeatureList.
    static constexpr std::size_t min_bytes = 8;
    static constexpr std::string_view what = "a PMU";

    std::uint32_t type = 0;  // Attr::type of its events
    std::string_view name;   // lives as long as the section

    // read(in) reads one; the caller checks in.ok().
    static PmuMapping read(Cursor& in) {
        PmuMapping pmu;
        pmu.type = in.u32();
        pmu.name = read_feature_string(in);
        return pmu;
    }
};

//     u32 count . count x PmuMapping, packed; in pipes padding may follow. The count may be 0 in old pipes.
using PmuMappingReader = FeatureList<PmuMapping>;

}  // namespace perfdata
