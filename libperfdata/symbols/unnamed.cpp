// SPDX-License-Identifier: MIT
#include "perfdata/symbols/unnamed.hpp"

namespace perfdata {

Unnamed why_unnamed(const Names& names, const Frame& frame) {
    constexpr Unnamed no_names{
        no_kernel_names,
        "give --kallsyms, a copy of the recorded machine's /proc/kallsyms of the same boot, or --vmlinux"};
    if (frame.kind == FrameKind::nowhere) {
        const auto miss = static_cast<Miss>(frame.index);
        if (miss == Miss::kernel && names.kernel() == nullptr) return no_names;
        return {to_string(miss), {}};
    }
    const auto name = names.name(frame);
    if (name.kind == CodeClass::kernel || name.kind == CodeClass::module) {
        if (names.kernel() == nullptr) return no_names;
        return {name.kind == CodeClass::module ? "the names of the kernel do not cover its module"
                                               : "none of the kernel's names covers the address",
                {}};
    }
    return {explain(name.miss), remedy(name.miss)};
}

}  // namespace perfdata
