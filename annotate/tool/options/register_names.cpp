// SPDX-License-Identifier: MIT
#include "register_names.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "perfdata/symbols/object_architecture.hpp"

namespace perfdata::tool {

RegisterNames register_names(const Recording& recording, const Symbolizer* names) {
    const bool registers = std::ranges::any_of(recording.events().events(), [](const Event& event) {
        return event.attr.has(sample_bit::regs_user | sample_bit::regs_intr);
    });
    if (!registers || !recording.arch().empty()) return {recording.arch(), {}};
    const auto found = names == nullptr ? find_architecture(recording) : find_architecture(recording, *names);
    if (found.name.empty()) {
        return {{},
                "the recording does not say its architecture, and nothing in it tells: registers have the numbers "
                "that the kernel's perf_regs.h gives them"};
    }
    return {found.name,
            fmt::format("the recording does not say its architecture; registers have the names of {}, as {} "
                        "tells",
                        found.name, found.told_by)};
}

}  // namespace perfdata::tool
