// SPDX-License-Identifier: MIT
#include "trusted_sources.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/recording/content.hpp"
#include "perfdata/recording/file_state.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/timeline/mapping.hpp"

#include "needed_parts.hpp"

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

// Returns why the names of source files that lines of an object had are not this user's own words; empty if they are.
// They are if the lines were read from the very file that ran, or from a copy of it, and that is this user's own. A
// build id proves nothing here: whoever links a program chooses it. Nor do debug files, which may be anybody's. Errors:
// cancelled.
Result<std::string> TrustedSources::why_not_own(std::uint32_t object) const {
    const auto used = reader_.symbolizer.file(object);
    if (!used) return "the program that names it is not here";
    const auto& elf = *(*used)->file;
    if (!has_line_table(elf) || elf.alternate_link()) return "a debug file names it";
    const Watch watch{reader_.watch.stop, {}};
    const std::string path(without_deleted(reader_.symbolizer.recorded_object(object).path));
    const auto& inode = reader_.symbolizer.timeline().tasks().objects()[object].inode;
    const auto program = open_own_program({"", path}, inode, reader_.limits, watch);
    if (!program && program.error().code == ErrorCode::cancelled) return fail(program.error());
    if (!program) return path + ", which names it, is not proven to be yours: " + program.error().detail;
    const auto here = file_state(**program), read = file_state(elf.source());
    if (here && read && here->is_same_file(*read)) return std::string();
    // Lines are read long before this. So nobody else may be able to make a copy equal meanwhile.
    if (!read || (here && read->owner == here->owner && !read->writable && read->proven)) {
        const auto same = equal_bytes(**program, elf.source(), watch);
        if (!same && same.error().code == ErrorCode::cancelled) return fail(same.error());
        if (same && *same) return std::string();
    }
    return "another file than " + path + " names it";
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

// Opens a file. Programs name any file as their source: one that only root may read, for example. So everybody must be
// able to read it, or this user's own program names it. Nor may others have put it where it is then: who may write to a
// directory on the way makes a link there to any file. Errors: mismatch if none of that is so.
TrustedSources::Opening TrustedSources::open(const Found& found, const NamedBy& by, const Limits& limits) {
    // Who packed it has looked at it, and whoever may read the bundle may read it.
    if (found.packed) return reader_.files.open_watched(found.name, limits, Content::text, reader_.watch);
    const auto actual = resolved(found.name);
    NamedFileOptions how;
    how.content = Content::text;
    how.watch = reader_.watch;
    auto given = found.given ? open_given(found, limits, how) : Opening(nullptr);
    if (found.given && (given || given.error().code != ErrorCode::mismatch)) return given;
    if (found.given && !actual.root.empty()) {
        how.on_behalf_of = no_user;  // only what everybody may read below that root
        return open_named_file(actual, limits, how);
    }
    auto opened = open_named_file(actual, limits, how);
    if (!opened || everybody_may_read(**opened)) return opened;
    if (found.given) return given;
    std::string why(reader_.why_no_private);
    how.trusted_way = true;
    how.for_others = !reader_.owner_only;
    for (const auto& object : by) {
        if (!object || !reader_.why_no_private.empty() || !actual.root.empty()) continue;
        auto known = not_own_.find(*object);
        if (known == not_own_.end()) {
            auto found_out = why_not_own(*object);
            if (!found_out) return fail(std::move(found_out.error()));
            known = not_own_.emplace(*object, std::move(*found_out)).first;
        }
        why = known->second;
        if (!why.empty()) continue;
        opened = open_named_file(actual, limits, how);
        if (!opened && how.for_others && !private_takes_one_) {
            how.for_others = false;
            private_takes_one_ = open_named_file(actual, limits, how).has_value();
        }
        return opened;
    }
    if (why.empty()) why = actual.root.empty() ? "no program names it" : "it is below another root";
    return fail(ErrorCode::mismatch, Error::no_offset, actual.shown(), "not everybody may read it, and " + why);
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
    if (refused && example_.empty()) {
        // No directory is suggested: a program's author chose the name, of a file such as /etc/shadow perhaps.
        example_ = resolved(found->name).shown() + ": " + source.error().detail +
                   "; --source-dir DIR takes all that programs name in DIR: give only directories of sources";
        if (private_takes_one_) example_ += "; --private takes what your own programs name";
    }
    return SourceText{true, refused ? untrusted : unreadable, {}, {}};
}

}  // namespace perfdata
