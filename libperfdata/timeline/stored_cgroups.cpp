// SPDX-License-Identifier: MIT
#include "stored_cgroups.hpp"

#include <map>
#include <set>

namespace perfdata {

std::vector<std::uint64_t> stored_cgroup_ids(const stored::Model& model) {
    const auto& rows = model.cgroups;
    std::vector<std::uint64_t> ids(rows.size());
    std::map<std::uint64_t, std::size_t> uses;
    for (const auto& row : rows) ++uses[row.id];
    std::set<std::uint64_t> taken{0};
    for (const auto& [id, count] : uses) taken.insert(id);
    std::uint64_t next = 0;  // ids that are given out only go up: each step passes one that is taken
    for (std::size_t index = 0; index < rows.size(); ++index) {
        const auto& row = rows[index];
        // Of a cgroup without a path the id is all that there is to show; no two of them have the same.
        if (row.id != 0 && (uses[row.id] == 1 || !row.path)) {
            ids[index] = row.id;
            continue;
        }
        do ++next;
        while (taken.contains(next));
        ids[index] = next;
    }
    return ids;
}

}  // namespace perfdata
