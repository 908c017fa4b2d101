// SPDX-License-Identifier: MIT
#include "made_permissions.hpp"

namespace perfdata::tool {

bool is_own_vdso(const Source& source) {
    const auto bytes = source.in_memory();
    return bytes.data() != nullptr && bytes.data() == platform::own_vdso().data();
}

}  // namespace perfdata::tool
