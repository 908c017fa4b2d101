// SPDX-License-Identifier: MIT
#include "made_permissions.hpp"

#include "perfdata/recording/file_state.hpp"

namespace perfdata::tool {

std::uint32_t input_permissions(const Source* content, const std::optional<platform::FileStatus>& name) {
    const auto main = content == nullptr ? std::nullopt : file_state(*content);
    const auto of_file = name && name->is_regular() ? name->permissions : owner_permissions;
    return ((main ? main->permissions : of_file) & all_permissions) | owner_permissions;
}

bool others_may_read(const Source& content) {
    constexpr std::uint32_t others_read = 04;
    const auto state = file_state(content);
    return !state || (state->permissions & others_read) != 0;
}

}  // namespace perfdata::tool
