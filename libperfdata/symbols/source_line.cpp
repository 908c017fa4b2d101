// SPDX-License-Identifier: MIT
#include "perfdata/symbols/source_line.hpp"

#include <utility>

namespace perfdata {

InlinedCalls::InlinedCalls(std::vector<InlinedCall> calls)
    : calls_(calls.empty() ? nullptr : Shared<const std::vector<InlinedCall>>::make(std::move(calls))) {}

}  // namespace perfdata
