// SPDX-License-Identifier: MIT
// Programs, libraries, vdsos and modules that samples hit, and their debug files.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/recording/file_state.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"

#include "needed_parts.hpp"
#include "process_files.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t no_bytes_type = 8;  // SHT_NOBITS

// Opened is an ELF file that the work opened and still uses.
struct OpenedElf {
    const TracedFiles::Opened* opened = nullptr;
    std::shared_ptr<const Source> content;
    ElfFile file;
};

bool has_any(const ElfFile& file, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) {
        const auto* section = file.section(name);
        return section != nullptr && section->type != no_bytes_type && section->size != 0;
    });
}
bool has_frames(const ElfFile& file) {
    return has_any(file, {".debug_frame", ".zdebug_frame"});
}

// Returns true if a file names functions of its own. A program that was stripped still names the calls into libraries,
// and some toolchains leave it the functions that begin and end each program.
bool has_own_symbols(const ElfFile& file, const Limits& limits) {
    const auto symbols = ElfSymbols::load(file, nullptr, limits);
    if (!symbols) return false;
    for (std::size_t index = 0; index < symbols->size(); ++index) {
        const auto name = symbols->symbol(index).name;
        if (!name.ends_with("@plt") && name != "_init" && name != "_fini" && name != "_start") return true;
    }
    return false;
}

// Returns why a debug file is not used, as a clause.
std::string_view why_no_debug(SymbolMiss why) {
    switch (why) {
        case SymbolMiss::build_id_differs: return explain(why);
        case SymbolMiss::no_build_id: return "it is not used, as the program has no build id that proves it";
        case SymbolMiss::offline: return "it was not looked for (--offline)";
        case SymbolMiss::not_opened: return "the system does not let it be opened";
        case SymbolMiss::unreadable: return "it is damaged or no ELF file";
        default: return "it was not found";
    }
}

// Returns what would supply an object to whoever collects.
std::string_view remedy_for(SymbolMiss why, bool vdso, bool allow_local) {
    if (vdso && (why == SymbolMiss::build_id_differs || why == SymbolMiss::not_found)) {
        return "it is that of another kernel: collect before the machine boots again";
    }
    switch (why) {
        case SymbolMiss::build_id_differs:
            return "the file has changed since: record again, or give the old one with --buildid-dir or --symfs";
        case SymbolMiss::not_found:
        case SymbolMiss::only_debug_file:
            return "collect on the recorded machine while it has the file; for a process in a container while it runs, "
                   "or with --root PID=DIR; or give the file with --buildid-dir or --symfs";
        case SymbolMiss::no_build_id:
            if (allow_local) {
                return "for a process in a container collect while it runs, or with --root PID=DIR; or give the "
                       "recording machine's files with --symfs; `perf record --buildid-mmap` notes build ids";
            }
            return "for a process in a container add --allow-local while it runs, or with --root PID=DIR; or give the "
                   "recording machine's files with --symfs; `perf record --buildid-mmap` notes build ids";
        default: return remedy(why);
    }
}

class ObjectsAdder {
  public:
    ObjectsAdder(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users, Needed& needed)
        : from_(from), options_(options), users_(users), needed_(needed) {}

    Result<void> add() {
        if (auto found = find_opened(); !found) return found;
        for (const auto index : used_objects()) {
            if (options_.watch.stop.stop_requested()) return stopped();
            if (auto added = add_object(index); !added) return added;
        }
        return {};
    }

  private:
    static std::unexpected<Error> stopped() {
        return fail(ErrorCode::cancelled, Error::no_offset, "objects", "asked to stop");
    }

    Result<void> find_opened() {
        traced_ = from_.files.elf_files();
        for (const auto& one : traced_) {
            auto content = one.in_use();
            if (!content) continue;  // it was no use to anybody
            auto file = ElfFile::open(content, from_.recording.limits(), {options_.watch.stop, {}});
            if (!file) {
                if (file.error().code == ErrorCode::cancelled) return fail(std::move(file.error()));
                continue;
            }
            opened_.push_back({&one, std::move(content), std::move(*file)});
        }
        for (std::size_t number = 0; number < opened_.size(); ++number) {
            const auto id = hexadecimal(opened_[number].file.build_id());
            if (!id.empty()) opened_by_id_[id].push_back(number);
        }
        return {};
    }

    // Returns the objects of samples and their callers, and those whose files were opened for another reason: a stack
    // that was unwound through them, or an architecture that nothing else told.
    std::set<std::uint32_t> used_objects() const {
        const auto sampled = users_.objects();
        std::set<std::uint32_t> used(sampled.begin(), sampled.end());
        std::set<std::string> paths;
        for (const auto& one : opened_) paths.insert(one.opened->name.path);
        const auto objects = from_.symbolizer.timeline().tasks().objects();
        for (std::uint32_t index = 0; index < objects.size(); ++index) {
            const auto kind = objects[index].kind;
            if (kind != ObjectKind::file && kind != ObjectKind::vdso && kind != ObjectKind::module) continue;
            const auto& recorded = from_.symbolizer.recorded_object(index);
            const bool proof = recorded.build_id.size != 0;
            if (proof ? opened_by_id_.contains(hexadecimal(recorded.build_id.bytes()))
                      : paths.contains(recorded.path)) {
                used.insert(index);
            }
        }
        return used;
    }

    Result<void> add_object(std::uint32_t index) {
        const auto& object = from_.symbolizer.timeline().tasks().objects()[index];
        const auto& recorded = from_.symbolizer.recorded_object(index);
        const auto by = users_.by({CodeOf::Kind::object, index});
        const auto found = from_.symbolizer.file(index);
        if (!found) {
            add_missing(object, recorded, found.error(), by);
            return {};
        }
        const auto& file = **found;
        const bool vdso = object.kind == ObjectKind::vdso;
        if (const auto may = may_hand_on(object, recorded, file); !may) {
            if (may.error().code == ErrorCode::cancelled) return may;
            add_missing(object, recorded, SymbolMiss::untrusted, by, &may.error());
            return {};
        }
        NeededFile needed;
        needed.member.kind = vdso ? "vdso" : "object";
        needed.member.build_id = hexadecimal(recorded.build_id.bytes());
        needed.member.name = recorded.build_id.size != 0 ? id_folder(needed.member.build_id) + (vdso ? "/vdso" : "/elf")
                                                         : below_root(recorded.path);
        const auto* elsewhere = from_.files.added_object(file.name());
        needed.member.path = elsewhere != nullptr ? recorded.path : from_.files.shown(file.path);
        needed.from = elsewhere != nullptr ? elsewhere->shown() : needed.member.path;
        if (recorded.build_id.size == 0 && needed.from == recorded.path) {
            needed.from = from_.files.resolved(file.name()).shown();
        }
        needed.by = by;
        needed.member.recorded = recorded.path;
        if (recorded.build_id.size == 0) needed.recorded = recorded.path;
        if (auto added = add_file(std::move(needed), file.file); !added) return added;
        return add_debug_of(index, file, by);
    }

    // Returns true for what the kernel gives to everybody.
    bool is_own_vdso(const Source& source) const {
        const auto vdso = from_.files.vdso();
        return vdso && source.in_memory().data() != nullptr && source.in_memory().data() == (*vdso)->in_memory().data();
    }

    // Returns an error for an object that no build id proves if nobody may pass it on: others may have had its name
    // lead to what only this user may read.
    Result<void> may_hand_on(const Object& object, const RecordedObject& recorded, const FoundObject& file) const {
        if (recorded.build_id.size != 0 || is_own_vdso(file.file->source())) return {};
        const auto there = from_.files.resolved(file.name());
        const std::shared_ptr<const Source> source(file.file, &file.file->source());
        std::vector<FileInode> mapped;
        if (object.inode) mapped.push_back(*object.inode);
        const auto living = process_of_root(there.root);
        const Watch watch{options_.watch.stop, {}};
        const MayHandOn how{there, Content::elf, &mapped, from_.options.jit.handed_on};
        const auto fit = living ? open_of_process(*living, there, from_, Content::elf, watch)
                                : fit_to_hand_on(source, how, from_.recording.limits(), watch);
        if (!fit) return fail(fit.error());
        const auto read = file_state(*source), opened = file_state(**fit);
        if (*fit == source || (read && opened ? read->is_same_file(*opened) : !read && !opened)) return {};
        return fail(ErrorCode::mismatch, Error::no_offset, there.shown(), "it was replaced while it was opened");
    }

    Result<void> add_file(NeededFile needed, const std::shared_ptr<const ElfFile>& file) {
        return add_content(std::move(needed), std::shared_ptr<const Source>(file, &file->source()), *file);
    }

    Result<void> add_content(NeededFile needed, std::shared_ptr<const Source> content, const ElfFile& file) {
        needed.read_from = content;
        auto trimmed = trimmed_object(std::move(content), file, options_.debug);
        if (!trimmed) return fail(std::move(trimmed.error()));
        needed.content = std::move(trimmed->content);
        if (needed_.add(std::move(needed))) needed_.leave_out("bytes of debug information", trimmed->left_out);
        return {};
    }

    void add_missing(const Object& object, const RecordedObject& recorded, SymbolMiss why, const NeededBy& by,
                     const Error* error = nullptr) {
        if (why == SymbolMiss::not_a_file || by.samples == 0) return;
        // The kernel's table names modules, too: then only their lines are missing.
        if (object.kind == ObjectKind::module && from_.symbolizer.kernel() != nullptr) return;
        const auto id = hexadecimal(recorded.build_id.bytes());
        // Mappings of one file at different times are one file.
        const auto [same, first] = missing_.try_emplace({recorded.path, id}, needed_.missing.size());
        if (!first) return needed_.missing[same->second].by.add(by);
        const bool vdso = object.kind == ObjectKind::vdso;
        needed_.missing.push_back({vdso ? "vdso" : "object", recorded.path, id, std::string(to_string(why)),
                                   error == nullptr ? std::string(explain(why)) : error->detail,
                                   std::string(remedy_for(why, vdso, from_.options.finder.allow_local)), by,
                                   error != nullptr && is_private(*error)});
    }

    // Adds the debug files that were read for an object: its symbols, its lines, its unwind information may each be in
    // another one.
    Result<void> add_debug_of(std::uint32_t index, const FoundObject& object, const NeededBy& by) {
        const auto id = hexadecimal(object.file->build_id());
        const auto recorded = from_.symbolizer.recorded_object(index).path;
        std::vector<const ElfFile*> chain{object.file.get()};
        if (const auto same_id = opened_by_id_.find(id); same_id != opened_by_id_.end()) {
            const bool lines = has_line_table(*object.file), frames = has_frames(*object.file);
            for (const auto number : same_id->second) {
                const auto& one = opened_[number];
                if (one.content.get() == &object.file->source()) continue;
                const bool symbols = object.debug && one.content.get() == &object.debug->source();
                const bool wanted =
                    symbols || (!lines && has_line_table(one.file)) || (!frames && has_frames(one.file));
                if (!wanted) continue;
                if (auto added = add_debug(one, id, recorded, by); !added) return added;
                chain.push_back(&one.file);
            }
        }
        if (chain.size() == 1) note_missing_debug(index, object, by);
        for (const auto* file : chain) {
            if (auto added = add_alternate(*file, recorded, by); !added) return added;
        }
        return {};
    }

    Result<void> add_debug(const OpenedElf& one, const std::string& id, const std::string& recorded,
                           const NeededBy& by) {
        const auto shown = from_.files.shown(one.opened->name.shown());
        if (options_.debug == DebugDetail::none) {
            if (without_.insert(one.content.get()).second) needed_.leave_out("debug files", 1, shown);
            return {};
        }
        NeededFile needed;
        needed.member.kind = "debug";
        needed.member.build_id = id;
        needed.member.path = shown;
        needed.member.recorded = recorded;
        needed.from = from_.files.shown(one.opened->actual.shown());
        needed.by = by;
        auto& place = debug_places_[id];
        const auto known = std::ranges::find(place, one.content.get());
        const auto number = static_cast<std::size_t>(known - place.begin());
        if (known == place.end()) place.push_back(one.content.get());
        if (number > 1) {
            needed_.leave_out("further debug files of one build id", 1, shown);
            return {};
        }
        needed.member.name = number == 0 ? id_folder(id) + "/debug" : id_folder(id) + ".debug";
        return add_content(std::move(needed), one.content, one.file);
    }

    // Adds the file that dwz moved common debug information to.
    Result<void> add_alternate(const ElfFile& file, const std::string& recorded, const NeededBy& by) {
        const auto link = file.alternate_link();
        if (!link || options_.debug == DebugDetail::none) return {};
        const auto id = hexadecimal(as_bytes(link->build_id));
        const auto with_id = opened_by_id_.find(id);
        if (with_id == opened_by_id_.end()) {
            needed_.leave_out("alternate debug files that are not here", 1, link->path);
            return {};
        }
        const auto* found = &opened_[with_id->second.front()];
        NeededFile needed;
        needed.member = {
            id_folder(id) + ".debug", "debug", from_.files.shown(found->opened->name.shown()), id, {}, recorded};
        needed.from = from_.files.shown(found->opened->actual.shown());
        needed.by = by;
        return add_content(std::move(needed), found->content, found->file);
    }

    // Debug files are installed on few machines: what lacks them is counted, and not among what is missing, unless one
    // is here that is of another build, or a program that was stripped has no names without it.
    void note_missing_debug(std::uint32_t index, const FoundObject& object, const NeededBy& by) {
        if (options_.debug == DebugDetail::none || has_line_table(*object.file)) return;
        const auto missing = from_.symbolizer.missing_debug(index);
        if (!missing) return;
        const auto& path = from_.symbolizer.recorded_object(index).path;
        const bool differs = missing->why == SymbolMiss::build_id_differs;
        const bool nameless =
            users_.has_unnamed_code(index) && !has_own_symbols(*object.file, from_.recording.limits());
        if (!differs && !nameless) return needed_.leave_out("debug files that are not here", 1, path);
        const auto id = hexadecimal(object.file->build_id());
        const auto [same, first] = missing_debug_.try_emplace({missing->name, id}, needed_.missing.size());
        if (!first) return needed_.missing[same->second].by.add(by);
        std::string text(why_no_debug(missing->why));
        if (nameless) text += ", and " + path + " has no names without it";
        needed_.missing.push_back({"debug", missing->name, id, std::string(to_string(missing->why)), std::move(text),
                                   differs ? "install the debug symbols of the build that was recorded"
                                           : "give its directory with --debug-dir, or install the package with it",
                                   by});
    }

    const NeededFrom& from_;
    const NeededOptions& options_;
    const NeededUsers& users_;
    Needed& needed_;
    std::vector<TracedFiles::Opened> traced_;
    std::vector<OpenedElf> opened_;
    std::map<std::string, std::vector<std::size_t>> opened_by_id_;  // numbers in opened_
    // Numbers in needed_.missing, by name and build id.
    std::map<std::pair<std::string, std::string>, std::size_t> missing_, missing_debug_;
    std::set<const Source*> without_;
    std::map<std::string, std::vector<const Source*>> debug_places_;  // by build id
};

}  // namespace

bool has_line_table(const ElfFile& file) {
    return has_any(file, {".debug_line", ".zdebug_line"});
}

std::string below_root(std::string_view recorded) {
    return "root" + std::filesystem::path("/" + std::string(recorded)).lexically_normal().string();
}

std::string id_folder(std::string_view hexadecimal) {
    return ".build-id/" + std::string(hexadecimal.substr(0, 2)) + "/" + std::string(hexadecimal.substr(2));
}

std::string hexadecimal(Bytes id) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const auto byte : id) {
        text += digits[std::to_integer<unsigned>(byte) >> 4];
        text += digits[std::to_integer<unsigned>(byte) & 0xf];
    }
    return text;
}

Result<void> add_objects(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users,
                         Needed& needed) {
    return ObjectsAdder(from, options, users, needed).add();
}

}  // namespace perfdata
