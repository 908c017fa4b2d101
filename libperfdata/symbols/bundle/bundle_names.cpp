// SPDX-License-Identifier: MIT
#include "bundle_names.hpp"

#include "perfdata/symbols/bundle/bundle_packer.hpp"

namespace perfdata {

bool is_bundled_name(std::string_view name) {
    if (name.empty() || name.size() > longest_bundled_name || name.contains('\0')) return false;
    for (;;) {
        const auto part = name.substr(0, name.find('/'));
        if (part.empty() || part == "." || part == "..") return false;
        if (part.size() == name.size()) return true;
        name.remove_prefix(part.size() + 1);
    }
}

}  // namespace perfdata
