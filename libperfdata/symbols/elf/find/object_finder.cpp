// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/find/object_finder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "perfdata/core/arch.hpp"
#include "perfdata/timeline/mapping.hpp"

#include "build_id_cache.hpp"
#include "recording/look_out.hpp"
#include "symbols/bundle/bundle_files.hpp"
#include "symbols/elf/file_store.hpp"

namespace perfdata {
namespace {

std::string parent(std::string_view path) {
    return std::string(path.substr(0, path.rfind('/') + 1));
}

// Joins a directory and a name that begins with a slash, as cached_objects("", id) returns.
FileName below(const FileName& directory, const std::string& name) {
    return {directory.root, directory.path + name};
}

// Returns the bytes as a build-id; empty if they are none.
std::optional<BuildId> build_id_of(Bytes bytes) {
    BuildId id;
    if (bytes.empty() || bytes.size() > id.value.size()) return {};
    std::ranges::copy(bytes, id.value.begin());
    id.size = static_cast<std::uint8_t>(bytes.size());
    return id;
}

// Returns the better of two reasons for not finding a file. Better ones are closer to success, in this order.
SymbolMiss closer(SymbolMiss one, SymbolMiss other) {
    constexpr std::array order{SymbolMiss::not_found, SymbolMiss::no_build_id,   SymbolMiss::offline,
                               SymbolMiss::unproven,  SymbolMiss::other_machine, SymbolMiss::not_opened,
                               SymbolMiss::untrusted, SymbolMiss::unreadable,    SymbolMiss::build_id_differs};
    const auto rank = [&](SymbolMiss value) { return std::ranges::find(order, value); };
    return rank(other) > rank(one) ? other : one;
}

}  // namespace

bool same_build_id(const BuildId& recorded, Bytes in_file) {
    if (in_file.empty() || in_file.size() > recorded.size) return false;
    const auto id = recorded.bytes();
    const auto rest = id.subspan(in_file.size());
    // A shorter id is equal only if the recording padded it with zeros to 20 bytes.
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

// Returns a recorded path below a directory, for showing: ".." does not lead out of the directory.
std::string inside(std::string_view path) {
    return std::filesystem::path("/" + std::string(path)).lexically_normal().string();
}

// Links in the user's own cache, or in one that the user gave, may lead to any file of the machine if such files may be
// read anyway. The recording's directory is trusted as little as the recording.
std::vector<FileName> FinderOptions::caches() const {
    std::vector<FileName> all;
    if (!recording_dir.empty()) all.push_back({recording_dir, ""});
    if (!buildid_dir.empty()) all.push_back(machine() ? FileName{"", buildid_dir} : FileName{buildid_dir, ""});
    if (!symfs.empty()) all.push_back({symfs, "/.debug"});  // as perf does
    if (!bundle.empty()) all.push_back({bundle, ""});
    if (machine() && !local_buildid_dir.empty()) all.push_back({"", local_buildid_dir});
    return all;
}

namespace {

// Returns the directories of debug files that the user gave, as they are searched.
std::vector<FileName> given_roots(const FinderOptions& options) {
    std::vector<FileName> all;
    for (const auto& directory : options.given_debug_dirs) {
        if (!options.symfs.empty()) all.push_back({options.symfs, "/" + directory});
        all.push_back(options.machine() ? FileName{"", directory} : FileName{directory, ""});
    }
    return all;
}

}  // namespace

std::vector<FileName> FinderOptions::debug_roots() const {
    std::vector<FileName> all;
    for (const auto& directory : debug_dirs) {
        if (!symfs.empty()) all.push_back({symfs, "/" + directory});
        if (machine()) all.push_back({"", directory});
    }
    std::ranges::move(given_roots(*this), std::back_inserter(all));
    if (!bundle.empty()) all.push_back({bundle, ""});
    return all;
}

// Returns the reason for not finding a file: of one that is missing from a bundle, that of where the bundle was made.
static SymbolMiss told(SymbolMiss miss, const FileSystem& files, const std::string& path, Bytes build_id) {
    if (miss != SymbolMiss::not_found && miss != SymbolMiss::no_build_id) return miss;
    return bundled_miss(files, path, build_id).value_or(miss);
}

// Opened is the store of files, and the place in it that is this finder's.
struct ObjectFinder::Opened {
    std::expected<std::shared_ptr<const ElfFile>, SymbolMiss> open(const FileSystem& files, const FileName& name,
                                                                   const BuildId& recorded, const LookOut& look) const {
        return store->open(realm, files, name, recorded, limits, look);
    }

    std::shared_ptr<FileStore> store;
    FileStore::Realm realm = 0;
    Limits limits;
};

// Search looks for one object. It remembers the best reason for not finding it.
struct ObjectFinder::Search {
    const FinderOptions& options;
    const FileSystem& files;
    Opened& opened;
    const RecordedObject& object;
    const LookOut& look;
    SymbolMiss miss = SymbolMiss::not_found;
    std::optional<FoundObject> found{};

    void missed(SymbolMiss reason) { miss = closer(miss, reason); }

    bool take(const FileName& name) {
        if (found) return true;
        auto file = opened.open(files, name, object.build_id, look);
        if (!file) {
            missed(file.error());
            return false;
        }
        if (object.build_id.size == 0 && is_of_other_machine(**file)) {
            missed(SymbolMiss::other_machine);
            return false;
        }
        if ((*file)->type() == ElfFile::Type::core) {  // the memory of a process is no code that one mapped
            missed(SymbolMiss::unreadable);
            return false;
        }
        if (object.build_id.size == 0 && options.handed_on != HandedOn::no && !may_hand_on(name, **file)) {
            missed(SymbolMiss::untrusted);
            return false;
        }
        found = FoundObject{name.shown(), {}, std::move(*file), {}, object.build_id.size != 0, name.root, {}};
        return true;
    }

    // Takes the running kernel's vdso: as unproven as any local file, unless its build-id is the recorded one.
    void take_vdso() {
        if (found) return;
        const bool proof = object.build_id.size != 0;
        auto source = files.vdso();
        if (!source) return;
        auto file = ElfFile::open(std::move(*source), options.limits);
        if (!file) return missed(SymbolMiss::unreadable);
        if (proof && !same_build_id(object.build_id, file->build_id())) return missed(SymbolMiss::build_id_differs);
        if (is_of_other_machine(*file)) return missed(SymbolMiss::other_machine);
        if (!proof && !options.allow_local) return missed(SymbolMiss::unproven);
        found = FoundObject{object.path, {}, std::make_shared<const ElfFile>(std::move(*file)), {}, proof, {}, {}};
    }

    bool may_hand_on(const FileName& name, const ElfFile& file) const {
        std::vector<FileInode> mapped;
        if (object.inode) mapped.push_back(*object.inode);
        // Only to look at: the file lives longer than this.
        const std::shared_ptr<const Source> source(std::shared_ptr<const Source>(), &file.source());
        return fit_to_hand_on(source, {name, Content::elf, &mapped, options.handed_on}, options.limits).has_value();
    }

    bool is_of_other_machine(const ElfFile& file) const {
        const auto* machine = find_arch(options.architecture);
        const auto* code = find_arch(file.machine(), file.order().endian());
        return machine != nullptr && code != nullptr && !runs_on(*machine, *code);
    }

    void take_from_cache(const FileName& directory) {
        if (object.build_id.size == 0) return;
        for (const auto& name : cached_objects("", object.build_id)) take(below(directory, name));
    }

    void search() {
        const std::string path(without_deleted(object.path));
        const bool proof = object.build_id.size != 0;
        auto caches = options.caches();
        if (!options.recording_dir.empty()) {
            take_from_cache(caches.front());
            caches.erase(caches.begin());
        }
        if (!options.symfs.empty()) {
            take({options.symfs, inside(path)});
            if (path != object.path) take({options.symfs, inside(object.path)});
        }
        for (const auto& cache : caches) take_from_cache(cache);
        if (!options.bundle.empty()) {
            take({options.bundle_root(), inside(path)});
            if (path != object.path) take({options.bundle_root(), inside(object.path)});
        }
        if (found) return;
        if (options.offline) return missed(SymbolMiss::offline);
        if (options.machine() && path == "[vdso]") return take_vdso();
        if (!options.machine() || !path.starts_with('/')) return;
        if (proof || options.allow_local) {
            take({"", path});
        } else if (files.has({"", path})) {
            missed(SymbolMiss::unproven);
        }
    }

    // Only a debug file was found. It has the build-id, but may lack the file offsets of the code.
    bool only_debug() {
        if (object.build_id.size == 0) return false;
        const auto name = debug_file_by_id("", object.build_id);
        return std::ranges::any_of(options.debug_roots(),
                                   [&](const FileName& root) { return take(below(root, name)); });
    }
};

// DebugSearch looks for the debug files of one file, which build-ids prove.
struct ObjectFinder::DebugSearch {
    const FinderOptions& options;
    const FileSystem& files;
    Opened& opened;
    BuildId id;
    const Callback<bool(const ElfFile&)>& accept;
    const LookOut& look;
    DebugFile found{};
    SymbolMiss miss = SymbolMiss::not_found;  // the best reason for not finding one

    void take(const FileName& name) {
        if (found.file) return;
        auto file = opened.open(files, name, id, look);
        if (!file) {
            miss = closer(miss, file.error());
        } else if (accept(**file)) {
            found = {name, std::move(*file)};
        }
    }

    // Looks everywhere for the debug file of an object's file.
    void search(const RecordedObject& object, const FoundObject& of) {
        caches_and_roots();
        const auto roots = options.debug_roots();
        const std::string own(without_deleted(object.path));
        // A debug link is a name, not a path.
        if (const auto link = of.file->debug_link(); link && link->name.find('/') == std::string::npos) {
            const auto name = of.name();
            beside(name, link->name);
            // A cached copy, and one in an archive, lie elsewhere than the file that was recorded.
            if (own.starts_with('/')) {
                if (!options.symfs.empty()) beside_unless({options.symfs, inside(own)}, name, link->name);
                if (options.machine()) beside_unless({"", own}, name, link->name);
            }
            for (const auto& root : roots) take(below(root, parent(own) + link->name));
            for (const auto& root : given_roots(options)) take(below(root, "/" + link->name));
        }
        for (const auto& root : roots) take(below(root, own + ".debug"));
    }

    // Looks for a debug file in the directory of a file.
    void beside(const FileName& file, const std::string& link) {
        const auto directory = parent(file.path);
        if (directory + link != file.path) take({file.root, directory + link});
        take({file.root, directory + ".debug/" + link});
    }
    void beside_unless(const FileName& file, const FileName& searched, const std::string& link) {
        if (!(file == searched)) beside(file, link);
    }

    void caches_and_roots() {
        for (const auto& cache : options.caches()) take(below(cache, cached_debug_file("", id)));
        for (const auto& root : options.debug_roots()) take(below(root, debug_file_by_id("", id)));
    }
};

ObjectFinder::DebugFile ObjectFinder::find_debug(const RecordedObject& object, const FoundObject& found,
                                                 const Callback<bool(const ElfFile&)>& accept) const {
    return find_debug(object, found, accept, LookOut());
}

ObjectFinder::DebugFile ObjectFinder::find_debug(const RecordedObject& object, const FoundObject& found,
                                                 const Callback<bool(const ElfFile&)>& accept,
                                                 const LookOut& look) const {
    const auto id = build_id_of(found.file->build_id());
    if (!id) return {};
    DebugSearch search{options_, *files_, *opened_, *id, accept, look};
    search.search(object, found);
    return std::move(search.found);
}

std::optional<MissingDebugFile> ObjectFinder::missing_debug(const RecordedObject& object,
                                                            const FoundObject& found) const {
    return missing_debug(object, found, LookOut());
}

std::optional<MissingDebugFile> ObjectFinder::missing_debug(const RecordedObject& object, const FoundObject& found,
                                                            const LookOut& look) const {
    auto link = found.file->debug_link();
    if (!link) return {};
    const auto id = build_id_of(found.file->build_id());
    if (!id) return MissingDebugFile{std::move(link->name), SymbolMiss::no_build_id};
    const Callback<bool(const ElfFile&)> any = [](const ElfFile&) { return true; };
    DebugSearch search{options_, *files_, *opened_, *id, any, look};
    search.search(object, found);
    if (search.found.file) return {};
    if (options_.offline) search.miss = closer(search.miss, SymbolMiss::offline);
    search.miss = told(search.miss, *files_, link->name, id->bytes());
    return MissingDebugFile{std::move(link->name), search.miss};
}

std::string MissingDebugFile::text() const {
    const auto which = [&]() -> std::string_view {
        switch (why) {
            case SymbolMiss::build_id_differs: return "but another build of it is here (its build id differs)";
            case SymbolMiss::no_build_id: return "which is not used: no build id of the file proves it";
            case SymbolMiss::offline: return "which was not looked for (--offline)";
            case SymbolMiss::not_opened: return "which the system does not let be opened";
            case SymbolMiss::unreadable: return "which is damaged or no ELF file";
            default: return "which was not found";
        }
    };
    return "names the debug file " + name + ", " + std::string(which());
}

std::shared_ptr<const ElfFile> ObjectFinder::find_alternate(const ElfFile& file, const FileName& name) const {
    return find_alternate(file, name, LookOut());
}

std::shared_ptr<const ElfFile> ObjectFinder::find_alternate(const ElfFile& file, const FileName& name,
                                                            const LookOut& look) const {
    const auto link = file.alternate_link();
    if (!link) return {};
    const auto id = build_id_of(as_bytes(link->build_id));
    if (!id) return {};
    const Callback<bool(const ElfFile&)> any = [](const ElfFile&) { return true; };
    DebugSearch search{options_, *files_, *opened_, *id, any, look};
    search.caches_and_roots();
    if (!link->path.starts_with('/')) {
        search.take({name.root, parent(name.path) + link->path});
    } else {
        if (!options_.symfs.empty()) search.take({options_.symfs, inside(link->path)});
        if (options_.machine()) search.take({"", link->path});
    }
    // Distributions have "DIR/.dwz/NAME"; search for it also if DIR has moved.
    if (const auto at = link->path.rfind("/.dwz/"); at != std::string::npos) {
        for (const auto& root : options_.debug_roots()) search.take(below(root, link->path.substr(at)));
    }
    return std::move(search.found.file);
}

FileStore& ObjectFinder::store() const {
    return *opened_->store;
}

std::uint64_t ObjectFinder::realm() const {
    return opened_->realm;
}

ObjectFinder::ObjectFinder(FinderOptions options, Shared<const FileSystem> files)
    : ObjectFinder(std::move(options), std::move(files), std::make_shared<FileStore>(), 0) {}

ObjectFinder::ObjectFinder(FinderOptions options, Shared<const FileSystem> files, std::shared_ptr<FileStore> store,
                           std::uint64_t realm)
    : options_(std::move(options)),
      files_(std::move(files)),
      opened_(std::make_shared<Opened>(Opened{std::move(store), realm, options_.limits})) {
    if (!files_) files_ = std::make_shared<const LocalFiles>(options_.machine() ? Reach::machine : Reach::given);
}

std::expected<FoundObject, SymbolMiss> ObjectFinder::find(const RecordedObject& object) const {
    return find(object, LookOut());
}

std::expected<FoundObject, SymbolMiss> ObjectFinder::find(const RecordedObject& object, const LookOut& look) const {
    if (!is_file_name(object.path)) return std::unexpected(SymbolMiss::not_a_file);
    const bool known = object.build_id.size != 0;
    Search search{options_, *files_, *opened_, object, look, known ? SymbolMiss::not_found : SymbolMiss::no_build_id};
    search.search();
    if (!search.found && search.only_debug() && !search.found->file->layout_known()) {
        return std::unexpected(SymbolMiss::only_debug_file);
    }
    if (!search.found) return std::unexpected(told(search.miss, *files_, object.path, object.build_id.bytes()));
    auto& found = *search.found;
    if (found.file->section(".symtab") == nullptr) {
        const auto has_symbols = [](const ElfFile& file) { return file.section(".symtab") != nullptr; };
        auto debug = find_debug(object, found, has_symbols, look);
        found.debug = std::move(debug.file);
        if (found.debug) found.debug_path = debug.name.shown();
        found.debug_root = std::move(debug.name.root);
    }
    return std::move(found);
}

}  // namespace perfdata
