// SPDX-License-Identifier: MIT
#include "other_roots.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "perfdata/recording/file_state.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"

#include "needed_parts.hpp"

namespace perfdata {
namespace {

constexpr std::size_t most_roots = 64;

// Returns true if the process lives and sees other files than this one.
bool has_other_root(const std::string& process) {
    std::error_code gone;
    const auto root = process + "/root";
    if (!std::filesystem::exists(root, gone)) return false;
    const auto its_mounts = std::filesystem::read_symlink(process + "/ns/mnt", gone);
    if (gone) return false;
    std::error_code none;
    const auto own_mounts = std::filesystem::read_symlink("/proc/self/ns/mnt", none);
    if (none || its_mounts != own_mounts) return true;
    return !std::filesystem::equivalent(root, "/", none) && !none;
}

bool is_that(const FileSystem& files, const FileName& name, const BuildId& id, const Limits& limits,
             const Watch& watch) {
    auto content = files.open_watched(name, limits, Content::elf, watch);
    if (!content) return false;
    const auto file = ElfFile::open(std::move(*content), limits, watch);
    return file && same_build_id(id, file->build_id());
}

// Returns true if both names are of one file, or of files with the same bytes. Errors: cancelled.
Result<bool> are_equal(const FileSystem& files, const FileName& one, const FileName& other, const Limits& limits,
                       const Watch& watch) {
    const auto identity = files.identity(one);
    if (identity && identity == files.identity(other)) return true;
    const auto first = files.open_watched(one, limits, Content::elf, watch);
    const auto second = files.open_watched(other, limits, Content::elf, watch);
    if (!first || !second) return false;
    auto equal = equal_bytes(**first, **second, watch);
    if (!equal && equal.error().code != ErrorCode::cancelled) return false;
    return equal;
}

// Has a path found in the one root where processes have it. Returns false if they have different files.
Result<bool> redirect(TracedFiles& files, const std::string& path, const std::set<std::string>& roots,
                      const Limits& limits, const Watch& watch) {
    std::optional<FileName> actual;
    for (const auto& root : roots) {
        FileName there{root, path};
        if (!files.beneath().has(there)) continue;
        if (!actual) {
            actual = std::move(there);
            continue;
        }
        const auto equal = are_equal(files.beneath(), *actual, there, limits, watch);
        if (!equal) return fail(equal.error());
        if (*equal) continue;
        files.redirect(path, {});
        return false;
    }
    files.redirect(path, std::move(actual));
    return true;
}

}  // namespace

OtherRoots OtherRoots::find(const Timeline& timeline, std::map<std::uint32_t, std::string> given, const Watch& watch) {
    OtherRoots roots{std::move(given)};
    std::set<std::uint32_t> pids;
    for (const auto& mapping : timeline.tasks().mappings()) pids.insert(mapping.pid.value);
    for (const auto pid : pids) {
        if (watch.stop.stop_requested()) break;
        if (pid == 0 || pid == ~std::uint32_t{0} || roots.of_pid.contains(pid)) continue;
        const auto process = "/proc/" + std::to_string(pid);
        if (has_other_root(process)) roots.of_pid.emplace(pid, process + "/root");
    }
    return roots;
}

std::vector<std::string> OtherRoots::directories() const {
    std::vector<std::string> all;
    for (const auto& [pid, directory] : of_pid) {
        if (all.size() == most_roots) break;
        if (std::ranges::find(all, directory) == all.end()) all.push_back(directory);
    }
    return all;
}

Result<std::vector<std::string>> find_objects(const OtherRoots& roots, const Timeline& timeline, const Limits& limits,
                                              TracedFiles& files, const Watch& watch) {
    std::vector<std::string> different;
    if (roots.of_pid.empty()) return different;
    const auto& tasks = timeline.tasks();
    // Each file is looked at once, and each object once a root.
    std::set<std::pair<std::string, std::string>> here, added, looked_at;
    // Roots of the processes that mapped an object without a build id, by its path. Here: empty.
    std::map<std::string, std::set<std::string>> unproven;
    for (const auto& mapping : tasks.mappings()) {
        if (watch.stop.stop_requested()) return fail(ErrorCode::cancelled, Error::no_offset, "roots", "asked to stop");
        const auto root = roots.of_pid.find(mapping.pid.value);
        const auto& object = tasks.object(mapping);
        if (object.kind != ObjectKind::file) continue;
        auto id = object.build_id.value_or(BuildId{});
        if (id.size == 0) {
            const auto known = timeline.build_ids().find(object.path);
            if (known != timeline.build_ids().end()) id = known->second;
        }
        const std::string path(without_deleted(object.path));
        if (id.size == 0) unproven[path].insert(root == roots.of_pid.end() ? std::string() : root->second);
        if (id.size == 0 || root == roots.of_pid.end()) continue;
        const std::pair key(path, hexadecimal(id.bytes()));
        if (here.contains(key) || added.contains(key)) continue;
        if (!looked_at.emplace(root->second + '\0' + path, key.second).second) continue;
        if (is_that(files.beneath(), {"", path}, id, limits, watch)) {
            here.insert(key);
            continue;
        }
        const FileName there{root->second, path};
        if (!is_that(files.beneath(), there, id, limits, watch)) continue;
        files.add_object(key.second, there);
        added.insert(key);
    }
    for (const auto& [path, of] : unproven) {
        if (of == std::set<std::string>{""}) continue;
        const auto one = redirect(files, path, of, limits, watch);
        if (!one) return fail(one.error());
        if (!*one) different.push_back(path);
    }
    return different;
}

}  // namespace perfdata
