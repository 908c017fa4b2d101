// SPDX-License-Identifier: MIT
#include "perfdata/timeline/function_index.hpp"

#include <algorithm>

#include "perfdata/timeline/stack_unwinder.hpp"

namespace perfdata {

bool CodePlaces::nowhere() const {
    return !all_kernel && kernel.empty() && std::ranges::find(objects, true) == objects.end();
}

std::optional<CodePlaces> FunctionIndex::places_of(std::span<const std::string>) const {
    return {};
}

ShownName FunctionIndex::shown_name(const Frame&) const {
    return {};
}

bool FunctionIndex::load(const Frame&, CodeDetail, const Watch&) const {
    return true;
}

Shared<StackUnwinder> FunctionIndex::unwinder(const StopToken&) const {
    return nullptr;
}

}  // namespace perfdata
