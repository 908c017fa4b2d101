// SPDX-License-Identifier: MIT
// PMU_CAPS (31): the capabilities of each PMU that has any; replaces CPU_PMU_CAPS on hybrid machines. write_pmu_caps in
// tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/cpu_pmu_caps.hpp"

namespace perfdata {

//     u32 count . count x PmuCapability . string name
class PmuCapabilities {
  public:
    // The size on disk with empty texts and lists, and the name in errors: see FeatureList.
    static constexpr std::size_t min_bytes = 8;
    static constexpr std::string_view what = "the capabilities of a PMU";

    // read(in) reads one; the caller checks in.ok().
    static PmuCapabilities read(Cursor& in) {
        PmuCapabilities pmu(in);
        const auto count = in.u32();
        if (!in.fits(count, PmuCapability::min_bytes)) return pmu;
        for (std::uint32_t index = 0; index < count && in.ok(); ++index) (void)PmuCapability::read(in);
        pmu.name_ = read_feature_string(in);
        return pmu;
    }

    // name() lives as long as the section.
    std::string_view name() const { return name_; }
    // capabilities() starts from the beginning with every call; there may be none.
    PmuCapabilityReader capabilities() const { return capabilities_; }

  private:
    explicit PmuCapabilities(const Cursor& in) : capabilities_(in) {}

    PmuCapabilityReader capabilities_;
    std::string_view name_;
};

//     u32 count . count x PmuCapabilities, packed
using PmuCapabilitiesReader = FeatureList<PmuCapabilities>;

}  // namespace perfdata
