// SPDX-License-Identifier: MIT
#include "perfdata/timeline/function_index.hpp"

#include "perfdata/timeline/stack_unwinder.hpp"

namespace perfdata {

Shared<StackUnwinder> FunctionIndex::unwinder(const StopToken&) const {
    return nullptr;
}

}  // namespace perfdata
