// SPDX-License-Identifier: MIT
#include "perfdata/symbols/object_finder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "perfdata/timeline/mapping.hpp"

#include "build_id_cache.hpp"

namespace perfdata {
namespace {

std::string parent(std::string_view path) {
    return std::string(path.substr(0, path.rfind('/') + 1));
}

// build_id_of(bytes) is empty if they are none.
std::optional<BuildId> build_id_of(Bytes bytes) {
    BuildId id;
    if (bytes.empty() || bytes.size() > id.value.size()) return {};
    std::ranges::copy(bytes, id.value.begin());
    id.size = static_cast<std::uint8_t>(bytes.size());
    return id;
}

}  // namespace

bool same_build_id(const BuildId& recorded, Bytes in_file) {
    if (in_file.empty() || in_file.size() > recorded.size) return false;
    const auto id = recorded.bytes();
    const auto rest = id.subspan(in_file.size());
    // A shorter id is the same only where the recording has padding of zeros, which it has only behind 20 bytes.
    return std::ranges::equal(id.first(in_file.size()), in_file) &&
           (rest.empty() || recorded.size == recorded.value.size()) &&
           std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{}; });
}

bool is_file_name(std::string_view path) {
    if (path.starts_with("[vdso")) return true;  // an ELF image without a file, but with a build id
    for (const std::string_view start : {"[", "//", "/memfd:", "/SYSV", "/anon_hugepage", "/dev/", "anon_inode:"}) {
        if (path.starts_with(start)) return false;
    }
    return path.starts_with('/');
}

// inside(path) is a recorded path below a directory: ".." does not lead out of it.
std::string inside(std::string_view path) {
    return std::filesystem::path("/" + std::string(path)).lexically_normal().string();
}

// Search is one object's. It remembers the best reason for not finding it.
struct ObjectFinder::Search {
    const FinderOptions& options;
    const FileSystem& files;
    const RecordedObject& object;
    SymbolMiss miss = SymbolMiss::not_found;
    std::optional<FoundObject> found;

    // A better reason is one that is closer to success: they are in this order.
    void missed(SymbolMiss reason) {
        constexpr std::array order{SymbolMiss::not_found, SymbolMiss::offline, SymbolMiss::unproven,
                                   SymbolMiss::unreadable, SymbolMiss::build_id_differs};
        const auto rank = [&](SymbolMiss value) { return std::ranges::find(order, value); };
        if (rank(reason) > rank(miss)) miss = reason;
    }

    // elf(path) is an intact ELF file of the recorded build id, if one was recorded.
    std::shared_ptr<const ElfFile> elf(const std::string& path) {
        auto source = files.open(path, options.limits);
        if (!source) {
            if (source.error().code != ErrorCode::missing) missed(SymbolMiss::unreadable);
            return {};
        }
        auto file = ElfFile::open(std::move(*source), options.limits);
        if (!file) {
            missed(SymbolMiss::unreadable);
            return {};
        }
        if (object.build_id.size != 0 && !same_build_id(object.build_id, file->build_id())) {
            missed(SymbolMiss::build_id_differs);
            return {};
        }
        return std::make_shared<const ElfFile>(std::move(*file));
    }

    bool take(const std::string& path) {
        if (found) return true;
        auto file = elf(path);
        if (!file) return false;
        found = FoundObject{path, {}, std::move(file), {}, object.build_id.size != 0};
        return true;
    }

    void take_from_cache(const std::string& directory) {
        if (directory.empty() || object.build_id.size == 0) return;
        for (const auto& path : cached_objects(directory, object.build_id)) take(path);
    }

    void search() {
        const std::string path(without_deleted(object.path));
        take_from_cache(options.recording_dir);
        if (!options.symfs.empty()) {
            take(options.symfs + inside(path));
            if (path != object.path) take(options.symfs + inside(object.path));
        }
        take_from_cache(options.buildid_dir);
        if (found) return;
        const bool proof = object.build_id.size != 0;
        if (options.offline) return missed(SymbolMiss::offline);
        take_from_cache(options.local_buildid_dir);
        if (!path.starts_with('/')) return;
        if (proof || options.allow_local) {
            take(path);
        } else if (files.open(path, options.limits)) {
            missed(SymbolMiss::unproven);
        }
    }

    // Only a debug file was found: it has the build id, but perhaps not the offsets of the code.
    bool only_debug() {
        if (object.build_id.size == 0) return false;
        std::vector<std::string> paths;
        for (const auto& directory : options.debug_dirs) {
            if (!options.symfs.empty())
                paths.push_back(debug_file_by_id(options.symfs + "/" + directory, object.build_id));
            if (!options.offline) paths.push_back(debug_file_by_id(directory, object.build_id));
        }
        return std::ranges::any_of(paths, [&](const std::string& path) { return take(path); });
    }
};

// DebugSearch is for what belongs to one file. Such files are proven by build ids.
struct ObjectFinder::DebugSearch {
    const FinderOptions& options;
    const FileSystem& files;
    BuildId id;
    const std::function<bool(const ElfFile&)>& accept;
    DebugFile found{};

    void take(const std::string& path) {
        if (found.file) return;
        auto source = files.open(path, options.limits);
        if (!source) return;
        auto file = ElfFile::open(std::move(*source), options.limits);
        if (!file || !accept(*file) || !same_build_id(id, file->build_id())) return;
        found = {path, std::make_shared<const ElfFile>(std::move(*file))};
    }

    // roots() is the directories of debug files that may be looked into.
    std::vector<std::string> roots() const {
        std::vector<std::string> all;
        for (const auto& directory : options.debug_dirs) {
            if (!options.symfs.empty()) all.push_back(options.symfs + "/" + directory);
            if (!options.offline) all.push_back(directory);
        }
        return all;
    }

    void caches_and_roots() {
        std::vector<std::string> caches{options.recording_dir, options.buildid_dir};
        if (!options.offline) caches.push_back(options.local_buildid_dir);
        for (const auto& cache : caches) {
            if (!cache.empty()) take(cached_debug_file(cache, id));
        }
        for (const auto& root : roots()) take(debug_file_by_id(root, id));
    }
};

ObjectFinder::DebugFile ObjectFinder::find_debug(const RecordedObject& object, const FoundObject& found,
                                                 const std::function<bool(const ElfFile&)>& accept) const {
    const auto id = build_id_of(found.file->build_id());
    if (!id) return {};
    DebugSearch search{options_, *files_, *id, accept};
    search.caches_and_roots();
    const auto roots = search.roots();
    const std::string own(without_deleted(object.path));
    if (const auto link = found.file->debug_link()) {
        const auto beside = parent(found.path);
        if (beside + link->name != found.path) search.take(beside + link->name);
        search.take(beside + ".debug/" + link->name);
        for (const auto& root : roots) search.take(root + parent(own) + link->name);
    }
    for (const auto& root : roots) search.take(root + own + ".debug");
    return std::move(search.found);
}

std::shared_ptr<const ElfFile> ObjectFinder::find_alternate(const ElfFile& file, const std::string& path) const {
    const auto link = file.alternate_link();
    if (!link) return {};
    const auto id = build_id_of(as_bytes(link->build_id));
    if (!id) return {};
    const std::function<bool(const ElfFile&)> any = [](const ElfFile&) { return true; };
    DebugSearch search{options_, *files_, *id, any};
    search.caches_and_roots();
    if (!link->path.starts_with('/')) {
        search.take(parent(path) + link->path);
    } else {
        if (!options_.symfs.empty()) search.take(options_.symfs + inside(link->path));
        if (!options_.offline) search.take(link->path);
    }
    // "DIR/.dwz/NAME", as distributions have it, also where the directory itself is elsewhere.
    if (const auto at = link->path.rfind("/.dwz/"); at != std::string::npos) {
        for (const auto& root : search.roots()) search.take(root + link->path.substr(at));
    }
    return std::move(search.found.file);
}

ObjectFinder::ObjectFinder(FinderOptions options, std::shared_ptr<const FileSystem> files)
    : options_(std::move(options)), files_(std::move(files)) {
    if (!files_) files_ = std::make_shared<const LocalFiles>();
}

std::expected<FoundObject, SymbolMiss> ObjectFinder::find(const RecordedObject& object) const {
    if (!is_file_name(object.path)) return std::unexpected(SymbolMiss::not_a_file);
    Search search{options_, *files_, object, SymbolMiss::not_found, {}};
    search.search();
    if (!search.found && search.only_debug() && !search.found->file->layout_known()) {
        return std::unexpected(SymbolMiss::only_debug_file);
    }
    if (!search.found) return std::unexpected(search.miss);
    auto& found = *search.found;
    if (found.file->section(".symtab") == nullptr) {
        auto debug = find_debug(object, found, [](const ElfFile& file) { return file.section(".symtab") != nullptr; });
        found.debug = std::move(debug.file);
        found.debug_path = std::move(debug.path);
    }
    return std::move(found);
}

}  // namespace perfdata
