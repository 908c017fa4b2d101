// SPDX-License-Identifier: MIT
#include "made_permissions.hpp"

#include "perfdata/recording/file_state.hpp"

namespace perfdata::tool {

std::uint32_t input_permissions(const Source* content, const std::optional<platform::FileStatus>& name) {
    const auto main = content == nullptr ? std::nullopt : file_state(*content);
    const auto of_file = name && name->is_regular() ? name->permissions : owner_permissions;
    return ((main ? main->permissions : of_file) & all_permissions) | owner_permissions;
}

}  // namespace perfdata::tool
