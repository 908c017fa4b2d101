// SPDX-License-Identifier: MIT
#include "trusted_sources.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "perfdata/recording/content.hpp"
#include "perfdata/recording/file_state.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/timeline/mapping.hpp"

#include "needed_parts.hpp"
#include "process_files.hpp"

namespace perfdata {

FileName TrustedSources::resolved(const FileName& name) const {
    return reader_.traced == nullptr ? name : reader_.traced->resolved(name);
}

bool TrustedSources::was_read(const FileName& name) const {
    return reader_.traced == nullptr ? reader_.files.has(name) : reader_.traced->read_text(name);
}

std::optional<TrustedSources::Found> TrustedSources::find(std::string_view recorded) const {
    const auto& finder = reader_.options.finder;
    const auto path = below_root(recorded).substr(std::string_view("root").size());
    const auto if_read = [&](Found found) {
        return was_read(found.name) ? std::optional(std::move(found)) : std::nullopt;
    };
    const bool machine = finder.machine();
    for (const auto& directory : reader_.options.sources.source_dirs) {
        constexpr std::size_t most_parts = 64;  // of a path
        std::string rest = path;
        for (std::size_t part = 0; part < most_parts && !rest.empty(); ++part) {
            const FileName inside{directory, rest};
            const auto name = machine ? FileName{"", directory + rest} : inside;
            if (auto found = if_read({name, true, false, inside})) return found;
            const auto slash = rest.find('/', 1);
            rest = slash == std::string::npos ? std::string() : rest.substr(slash);
        }
    }
    const bool absolute = recorded.starts_with('/');
    if (absolute && !finder.symfs.empty()) {
        if (auto found = if_read({{finder.symfs, path}, true})) return found;
    }
    if (!finder.bundle.empty()) {
        if (auto found = if_read({{finder.bundle_root(), path}, false, true})) return found;
    }
    return absolute && machine ? if_read({{"", path}}) : std::nullopt;
}

// Returns whose words the names of source files are that lines of an object had: those of the owner of the program, if
// the lines were read from the very file at its recorded path, or from a copy of it. A build id proves nothing here:
// whoever links a program chooses it, and perf copies programs of other namespaces to its cache by it. Nor do debug
// files prove anything, which may be anybody's. Nothing if it is nobody's. Errors: cancelled.
Result<TrustedSources::Owner> TrustedSources::owner_of(std::uint32_t object) {
    if (const auto known = owners_.find(object); known != owners_.end()) return known->second;
    const auto owner = find_owner(object);
    if (!owner && owner.error().code == ErrorCode::cancelled) return fail(owner.error());
    return owners_[object] = owner ? *owner : std::nullopt;
}

Result<TrustedSources::Owner> TrustedSources::find_owner(std::uint32_t object) const {
    const auto used = reader_.symbolizer.file(object);
    if (!used) return std::nullopt;
    const auto& elf = *(*used)->file;
    if (!has_line_table(elf) || elf.alternate_link()) return std::nullopt;
    if (!is_of_this_root(**used)) return std::nullopt;
    NamedFileOptions how;
    how.content = Content::elf;
    how.trusted_links = true;
    how.watch = {reader_.watch.stop, {}};
    // Nothing proves whose program it is in a file system that somebody brought.
    const auto& recorded = reader_.symbolizer.recorded_object(object);
    const auto program = open_owned_file({"", std::string(without_deleted(recorded.path))}, reader_.limits, how);
    if (!program) return fail(program.error());
    if (program->writable || !program->proven) return std::nullopt;
    const auto here = file_state(*program->content), read = file_state(elf.source());
    if (here && read && here->is_same_file(*read)) return program->owner;
    // Lines are read long before this. So nobody else may be able to make a copy equal meanwhile.
    if (read && ((read->owner != 0 && read->owner != reader_.user) || read->writable || !read->proven)) {
        return std::nullopt;
    }
    const auto same = equal_bytes(*program->content, elf.source(), how.watch);
    if (!same) return fail(same.error());
    return *same ? Owner(program->owner) : std::nullopt;
}

// A process may change what is below its own root at any time.
bool TrustedSources::is_of_this_root(const FoundObject& used) const {
    if (reader_.traced == nullptr) return used.root.empty();
    return std::ranges::any_of(reader_.traced->elf_files(), [&](const TracedFiles::Opened& one) {
        return one.actual.root.empty() && std::ranges::any_of(one.contents, [&](const auto& content) {
                   return content.lock().get() == &used.file->source();
               });
    });
}

// Opens a file of a directory that the user gave. It must be below that directory: links that lead out of it, and those
// of other users, lead to files that only this user may read. Errors: mismatch if one does.
TrustedSources::Opening TrustedSources::open_given(const Found& found, const Limits& limits,
                                                   NamedFileOptions how) const {
    const auto& files = reader_.traced == nullptr ? reader_.files : reader_.traced->beneath();
    how.trusted_links = true;
    if (!found.name.root.empty()) return open_named_file(found.name, limits, how);
    const auto whole = files.identity(found.name), confined = files.identity(found.inside);
    if (!whole || whole != confined) {
        return fail(ErrorCode::mismatch, Error::no_offset, found.name.shown(), "a link leads out of the directory");
    }
    // The directory itself may be another one by now, but no link of another user made it so.
    return open_named_file(found.name, limits, how);
}

// Returns the processes with that root that mapped a program which names a file, if that program is the one whose lines
// were read. Errors: cancelled.
Result<std::vector<std::uint32_t>> TrustedSources::processes_of(const std::string& root, const NamedBy& by) {
    std::vector<std::uint32_t> found;
    if (!mapped_) {
        mapped_.emplace();
        for (const auto& mapping : reader_.symbolizer.timeline().tasks().mappings()) {
            if (reader_.roots->contains(mapping.pid.value)) mapped_->emplace(mapping.pid.value, mapping.object);
        }
    }
    for (const auto& [pid, directory] : *reader_.roots) {
        if (directory != root) continue;
        for (const auto& object : by) {
            if (!object || !mapped_->contains({pid, *object})) continue;
            const auto [known, is_new] = in_roots_.try_emplace({root, *object}, false);
            if (is_new) {
                const auto mapped = has_mapped(root, *object);
                if (!mapped) {
                    in_roots_.erase(known);
                    return fail(mapped.error());
                }
                known->second = *mapped;
            }
            if (!known->second) continue;
            found.push_back(pid);
            break;
        }
    }
    return found;
}

// Returns true if the program at the recorded path of an object, below a root, is the one that the lines are from: two
// processes may have different programs of one path and, which whoever links chooses, one build id. Errors: cancelled.
Result<bool> TrustedSources::has_mapped(const std::string& root, std::uint32_t object) const {
    const auto used = reader_.symbolizer.file(object);
    if (!used) return false;
    const auto& elf = *(*used)->file;
    if (!has_line_table(elf) || elf.alternate_link()) return false;
    NamedFileOptions how;
    how.content = Content::elf;
    how.watch = {reader_.watch.stop, {}};
    const auto& recorded = reader_.symbolizer.recorded_object(object);
    const auto program = open_named_file({root, std::string(without_deleted(recorded.path))}, reader_.limits, how);
    if (!program && program.error().code == ErrorCode::cancelled) return fail(program.error());
    if (!program) return false;
    const auto here = file_state(**program), read = file_state(elf.source());
    if (here && read && here->is_same_file(*read)) return true;
    auto same = equal_bytes(**program, elf.source(), how.watch);
    if (!same && same.error().code != ErrorCode::cancelled) return false;
    return same;
}

// Opens a file below the root of a process, for programs that this very process mapped: others name files there that
// they never could read. Errors: mismatch if none of them did.
TrustedSources::Opening TrustedSources::open_in_root(const FileName& there, const NamedBy& by, const Limits& limits,
                                                     NamedFileOptions how) {
    Opening opened = fail(ErrorCode::mismatch, Error::no_offset, there.shown(),
                          "no process with this root directory runs the program that names it");
    const auto pids = processes_of(there.root, by);
    if (!pids) return fail(pids.error());
    for (const auto pid : *pids) {
        if (process_of_root(there.root)) {
            opened = open_of_process(pid, there, limits, how);
        } else {
            how.on_behalf_of = no_user;
            how.trusted_links = true;
            how.inside_process = true;
            opened = open_named_file(there, limits, how);
        }
        if (opened || opened.error().code != ErrorCode::mismatch) break;
    }
    return opened;
}

// Opens a file. Programs name any file as their source: one that only root may read, for example. So it must be one
// that everybody may read, or be one of the program's owner, unless the program is root's or this user's own. Nor may
// others have put it where it is: who may write to a directory on the way makes a link there to any file. Errors:
// mismatch if none of that is so.
TrustedSources::Opening TrustedSources::open(const Found& found, const NamedBy& by, const Limits& limits) {
    // Who packed it has looked at it, and whoever may read the bundle may read it.
    if (found.packed) return reader_.files.open_watched(found.name, limits, Content::text, reader_.watch);
    auto actual = resolved(found.name);
    NamedFileOptions how;
    how.content = Content::text;
    how.watch = reader_.watch;
    if (found.given) {
        auto opened = open_given(found, limits, how);
        if (opened || opened.error().code != ErrorCode::mismatch) return opened;
        // Whether everybody may pass is known of absolute paths.
        std::error_code unknown;
        const auto absolute = std::filesystem::absolute(actual.path, unknown);
        if (!unknown) actual.path = absolute.string();
    } else if (reader_.roots != nullptr && !actual.root.empty()) {
        return open_in_root(actual, by, limits, how);
    } else if (actual.path.starts_with("/proc/")) {
        // No compiler reads sources there. Modes do not say who may pass /proc/PID/root and others.
        return fail(ErrorCode::mismatch, Error::no_offset, actual.path, "is below /proc");
    }
    how.on_behalf_of = no_user;
    auto opened = open_named_file(actual, limits, how);
    if (found.given) return opened;
    how.trusted_way = true;
    for (const auto& object : by) {
        if (opened || opened.error().code != ErrorCode::mismatch) break;
        if (!object) continue;
        const auto owner = owner_of(*object);
        if (!owner) return fail(owner.error());
        if (!*owner) continue;
        how.on_behalf_of = *owner;
        if (**owner == 0 || **owner == reader_.user) how.on_behalf_of.reset();
        opened = open_named_file(actual, limits, how);
    }
    return opened;
}

Result<SourceText> TrustedSources::read(std::string_view recorded, const NamedBy& by, std::uint64_t room) {
    const auto found = find(recorded);
    if (!found) return SourceText{};
    auto limits = reader_.limits;
    limits.unpacked_bytes = std::min(limits.unpacked_bytes, room);
    const auto source = open(*found, by, limits);
    auto text = source ? read_whole(**source, room, reader_.watch) : fail(source.error());
    if (text) return SourceText{true, {}, std::move(*text), resolved(found->name).shown()};
    if (text.error().code == ErrorCode::cancelled) return fail(std::move(text.error()));
    const bool refused = !source && source.error().code == ErrorCode::mismatch;
    return SourceText{true, refused ? untrusted : unreadable, {}, {}};
}

}  // namespace perfdata
