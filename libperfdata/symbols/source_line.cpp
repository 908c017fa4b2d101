// SPDX-License-Identifier: MIT
#include "perfdata/symbols/source_line.hpp"

#include <memory>
#include <utility>

namespace perfdata {

InlinedCalls::InlinedCalls(std::vector<InlinedCall> calls)
    : calls_(calls.empty() ? nullptr : std::make_shared<const std::vector<InlinedCall>>(std::move(calls))) {}

}  // namespace perfdata
