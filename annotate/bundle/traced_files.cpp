// SPDX-License-Identifier: MIT
#include "traced_files.hpp"

#include <utility>

namespace perfdata {
namespace {

constexpr std::string_view kernel_table_path = "/proc/kallsyms";

// Returns the build id of a name in a cache, ".../.build-id/ab/cdef/elf"; empty for other names.
std::string cached_id(const std::string& path) {
    constexpr std::string_view folder = "/.build-id/", file = "/elf";
    const auto at = path.rfind(folder);
    if (at == std::string::npos || !path.ends_with(file)) return {};
    const auto begin = at + folder.size();
    if (path.size() < begin + file.size()) return {};
    const auto id = path.substr(begin, path.size() - file.size() - begin);
    if (id.size() < 4 || id[2] != '/') return {};
    return id.substr(0, 2) + id.substr(3);
}

}  // namespace

const FileName* TracedFiles::added_object(const FileName& name) const {
    if (objects_.empty()) return nullptr;
    const auto found = objects_.find(cached_id(name.path));
    return found == objects_.end() ? nullptr : &found->second;
}

std::string TracedFiles::shown(const std::string& name) const {
    const auto& [virtual_one, real] = renamed_;
    if (virtual_one.empty() || !name.starts_with(virtual_one)) return beneath_->shown(name);
    return real + name.substr(virtual_one.size());
}

FileName TracedFiles::resolved(const FileName& name) const {
    const auto& [virtual_one, real] = renamed_;
    if (!virtual_one.empty()) {
        if (name.root == virtual_one) return {real, name.path};
        if (name.root.empty() && name.path.starts_with(virtual_one + "/")) return {"", shown(name.path)};
    }
    if (const auto* object = added_object(name)) return *object;
    if (const auto other = redirected_.find(name.path); other != redirected_.end() && name.root.empty()) {
        return other->second;
    }
    if (roots_.empty() || !name.root.empty() || !name.path.starts_with('/') || beneath_->has(name)) return name;
    for (const auto& root : roots_) {
        FileName there{root, name.path};
        if (beneath_->has(there)) return there;
    }
    return name;
}

std::vector<TracedFiles::Opened> TracedFiles::elf_files() const {
    const std::scoped_lock lock(mutex_);
    std::vector<Opened> all;
    for (const auto& [name, opened] : elf_files_) all.push_back(opened);
    return all;
}

bool TracedFiles::read_text(const FileName& name) const {
    const auto actual = resolved(name);
    const auto identity = beneath_->identity(actual);
    const std::scoped_lock lock(mutex_);
    return identity ? texts_.contains(*identity) : text_files_.contains(shown(name.shown()));
}

std::optional<FileName> TracedFiles::text_file(const std::string& shown) const {
    const std::scoped_lock lock(mutex_);
    const auto found = text_files_.find(shown);
    return found == text_files_.end() ? std::nullopt : std::optional(found->second);
}

std::shared_ptr<const std::string> TracedFiles::kernel_table() const {
    const std::scoped_lock lock(mutex_);
    return kernel_table_;
}

std::shared_ptr<const LoggedSource> TracedFiles::core() const {
    const std::scoped_lock lock(mutex_);
    return core_;
}

std::string TracedFiles::core_path() const {
    const std::scoped_lock lock(mutex_);
    return core_path_;
}

TracedFiles::Opening TracedFiles::noted(Opening opened, const FileName& name, const FileName& actual, Content content,
                                        bool given) const {
    if (!opened) return opened;
    // Copies that nobody gave are in the recording's directory.
    const auto shown_name = name.shown();
    if (content == Content::elf && (given || !name.root.empty()) && cores_.contains(shown_name)) {
        auto logged = std::make_shared<const LoggedSource>(std::move(*opened));
        const std::scoped_lock lock(mutex_);
        core_ = logged;
        core_path_ = shown_name;
        return logged;
    }
    if (content == Content::elf) {
        const std::scoped_lock lock(mutex_);
        auto& file = elf_files_.try_emplace({name.root, name.path}, Opened{name, actual, {}}).first->second;
        std::erase_if(file.contents, [](const auto& one) { return one.expired(); });
        file.contents.push_back(*opened);
    } else if (content == Content::text) {
        const auto identity = beneath_->identity(actual);
        const std::scoped_lock lock(mutex_);
        if (identity) texts_.insert(*identity);
        text_files_.insert_or_assign(shown(name.shown()), actual);
    }
    return opened;
}

TracedFiles::Opening TracedFiles::open(const FileName& name, const Limits& limits, Content content) const {
    return TracedFiles::open_watched(name, limits, content, {});
}

TracedFiles::Opening TracedFiles::open_watched(const FileName& name, const Limits& limits, Content content,
                                               const Watch& watch) const {
    // Maps of other processes may have the same name in another root.
    const bool anywhere = content == Content::elf || content == Content::text;
    const auto actual = anywhere ? resolved(name) : name;
    return noted(beneath_->open_watched(actual, limits, content, watch), name, actual, content, false);
}

TracedFiles::Opening TracedFiles::open_given(const std::string& path, const Limits& limits, Content content) const {
    return TracedFiles::open_given_watched(path, limits, content, {});
}

TracedFiles::Opening TracedFiles::open_given_watched(const std::string& path, const Limits& limits, Content content,
                                                     const Watch& watch) const {
    const FileName name{"", path};
    return noted(beneath_->open_given_watched(path, limits, content, watch), name, name, content, true);
}

Result<std::string> TracedFiles::noted(Result<std::string> text, const std::string& path) const {
    if (text && path == kernel_table_path) {
        const std::scoped_lock lock(mutex_);
        kernel_table_ = std::make_shared<const std::string>(*text);
    }
    return text;
}

Result<std::string> TracedFiles::read_kernel_file(const std::string& path, std::uint64_t most) const {
    return noted(beneath_->read_kernel_file(path, most), path);
}

Result<std::string> TracedFiles::read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                          const Watch& watch) const {
    return noted(beneath_->read_kernel_file_watched(path, most, watch), path);
}

}  // namespace perfdata
