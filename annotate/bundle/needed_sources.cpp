// SPDX-License-Identifier: MIT
// Files of source text.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "perfdata/recording/file_state.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/timeline/mapping.hpp"

#include "needed_parts.hpp"
#include "owned_source.hpp"
#include "process_files.hpp"

namespace perfdata {
namespace {

class SourcesAdder {
  public:
    SourcesAdder(const NeededFrom& from, const NeededOptions& options, Needed& needed)
        : from_(from),
          options_(options),
          needed_(needed),
          finder_(from.options.finder),
          room_(from.recording.limits().source_file_bytes) {}

    Result<void> add(std::span<const Listing> listings) {
        // A file whose text is not shown here, as it is younger than the program, is no use there either.
        std::map<std::string_view, Named> files;
        for (const auto& listing : listings) {
            const auto samples = hits(listing.total);
            const auto& function = listing.version.function;
            const auto take = [&](const SourceLine& source) {
                if (source.file.empty() || source.text.empty()) return;
                auto& file = files[source.file];
                file.samples += samples;
                file.by.insert(function.kind == FrameKind::object || function.kind == FrameKind::inlined
                                   ? std::optional(function.index)
                                   : std::nullopt);
            };
            for (const auto& line : listing.lines) take(line.source);
            for (const auto& calls : listing.inlined) {
                for (const auto& call : calls) take(call.call);
            }
        }
        for (const auto& [recorded, file] : files) {
            if (options_.watch.stop.stop_requested()) {
                return fail(ErrorCode::cancelled, Error::no_offset, "source files", "asked to stop");
            }
            if (auto added = add_file(recorded, file); !added) return added;
        }
        return {};
    }

  private:
    // Named is a file that lines are of.
    struct Named {
        std::uint64_t samples = 0;
        std::set<std::optional<std::uint32_t>> by;  // objects that name it; nothing: other code
    };
    // Found is where its text is. `given`: in a directory that the user gave for that. `inside` is then the same name,
    // which no link leads out of that directory.
    struct Found {
        FileName name;
        bool given = false;
        FileName inside{};
    };

    // Looks where SourceFiles looks, in the same order.
    std::optional<Found> find(std::string_view recorded) const {
        const auto path = below_root(recorded).substr(std::string_view("root").size());
        const auto read = [&](FileName name, bool given, FileName inside = {}) -> std::optional<Found> {
            if (!from_.files.read_text(name)) return {};
            return Found{std::move(name), given, std::move(inside)};
        };
        const bool machine = finder_.machine();
        for (const auto& directory : from_.options.sources.source_dirs) {
            constexpr std::size_t most_parts = 64;  // of a path
            std::string rest = path;
            for (std::size_t part = 0; part < most_parts && !rest.empty(); ++part) {
                const FileName inside{directory, rest};
                if (auto found = read(machine ? FileName{"", directory + rest} : inside, true, inside)) return found;
                const auto slash = rest.find('/', 1);
                rest = slash == std::string::npos ? std::string() : rest.substr(slash);
            }
        }
        if (!recorded.starts_with('/')) return {};
        if (!finder_.symfs.empty()) {
            if (auto found = read({finder_.symfs, path}, true)) return found;
        }
        return machine ? read({"", path}, false) : std::nullopt;
    }

    // Returns whose words the names of source files are that lines of an object had: those of the owner of the program,
    // if the lines were read from the very file at its recorded path, or from a copy of it. A build id proves nothing
    // here: whoever links a program chooses it, and perf copies programs of other namespaces to its cache by it. Nor do
    // debug files prove anything, which may be anybody's. Nothing if it is nobody's. Errors: cancelled.
    Result<std::optional<std::uint32_t>> owner_of(std::uint32_t index) {
        if (const auto known = owners_.find(index); known != owners_.end()) return known->second;
        const auto owner = find_owner(index);
        if (!owner && owner.error().code == ErrorCode::cancelled) return fail(owner.error());
        return owners_[index] = owner ? *owner : std::nullopt;
    }

    Result<std::optional<std::uint32_t>> find_owner(std::uint32_t index) const {
        const auto used = from_.symbolizer.file(index);
        if (!used) return std::nullopt;
        const auto& elf = *(*used)->file;
        if (!has_line_table(elf) || elf.alternate_link()) return std::nullopt;
        if (!is_of_this_root(elf)) return std::nullopt;
        NamedFileOptions how;
        how.content = Content::elf;
        how.trusted_links = true;
        how.watch = {options_.watch.stop, {}};
        const auto& recorded = from_.symbolizer.recorded_object(index);
        const auto program =
            open_owned_file({"", std::string(without_deleted(recorded.path))}, from_.recording.limits(), how);
        if (!program) return fail(program.error());
        if (program->writable) return std::nullopt;
        const auto here = file_state(*program->content), read = file_state(elf.source());
        if (here && read && here->is_same_file(*read)) return program->owner;
        // Lines are read long before this. So nobody else may be able to make a copy equal meanwhile.
        constexpr std::uint32_t others_write = 022;
        if (read && ((read->owner != 0 && read->owner != options_.user) || (read->permissions & others_write) != 0)) {
            return std::nullopt;
        }
        const auto same = equal_bytes(*program->content, elf.source(), how.watch);
        if (!same) return fail(same.error());
        return *same ? std::optional(program->owner) : std::nullopt;
    }

    // A process may change what is below its own root at any time.
    bool is_of_this_root(const ElfFile& elf) const {
        return std::ranges::any_of(from_.files.elf_files(), [&](const TracedFiles::Opened& one) {
            return one.actual.root.empty() && std::ranges::any_of(one.contents, [&](const auto& content) {
                       return content.lock().get() == &elf.source();
                   });
        });
    }

    // Opens a file of a directory that the user gave. It must be below that directory: links that lead out of it, and
    // those of other users, lead to files that only this user may read. Errors: mismatch if one does.
    Result<std::shared_ptr<const Source>> open_given(const Found& found, const Limits& limits,
                                                     NamedFileOptions how) const {
        const auto& files = from_.files.beneath();
        if (!found.name.root.empty()) return open_named_file(found.name, limits, how);
        const auto whole = files.identity(found.name), confined = files.identity(found.inside);
        if (!whole || whole != confined) {
            return fail(ErrorCode::mismatch, Error::no_offset, found.name.shown(), "a link leads out of the directory");
        }
        // The directory itself may be another one by now, but no link of another user made it so.
        how.trusted_links = true;
        return open_named_file(found.name, limits, how);
    }

    // Opens a file. Programs name any file as their source: one that only root may read, for example. So it must be one
    // that everybody may read, or be one of the program's owner, unless the program is root's or this user's own. Nor
    // may others have put it where it is: who may write to a directory on the way makes a link there to any file.
    // Errors: mismatch if none of that is so.
    Result<std::shared_ptr<const Source>> open(const Found& found, const Named& named, const Limits& limits) {
        auto actual = from_.files.resolved(found.name);
        NamedFileOptions how;
        how.content = Content::text;
        how.watch = options_.watch;
        if (found.given) {
            auto opened = open_given(found, limits, how);
            if (opened || opened.error().code != ErrorCode::mismatch) return opened;
            // Whether everybody may pass is known of absolute paths.
            std::error_code unknown;
            const auto absolute = std::filesystem::absolute(actual.path, unknown);
            if (!unknown) actual.path = absolute.string();
        } else if (const auto living = process_of_root(actual.root)) {
            return open_of_process(*living, actual, limits, how);
        }
        how.on_behalf_of = no_user;
        auto opened = open_named_file(actual, limits, how);
        if (found.given) return opened;
        how.trusted_way = true;
        for (const auto& object : named.by) {
            if (opened || opened.error().code != ErrorCode::mismatch) break;
            if (!object) continue;
            const auto owner = owner_of(*object);
            if (!owner) return fail(owner.error());
            if (!*owner) continue;
            how.on_behalf_of = *owner;
            if (**owner == 0 || **owner == options_.user) how.on_behalf_of.reset();
            opened = open_named_file(actual, limits, how);
        }
        return opened;
    }

    Result<void> add_file(std::string_view recorded, const Named& named) {
        const auto found = find(recorded);
        if (!found) return {};  // the recording has the text, as that of BPF programs
        auto limits = from_.recording.limits();
        limits.unpacked_bytes = std::min(limits.unpacked_bytes, room_);
        const auto source = open(*found, named, limits);
        auto text = source ? read_whole(**source, room_, options_.watch) : fail(source.error());
        if (!text) {
            if (text.error().code == ErrorCode::cancelled) return fail(std::move(text.error()));
            if (!source && source.error().code == ErrorCode::mismatch) {
                needed_.leave_out(
                    "source files that the owner of the program may not read, or that others may have put there");
                return {};
            }
            needed_.leave_out("source files that cannot be read any more, or together are too large");
            return {};
        }
        NeededFile needed;
        needed.member = {below_root(recorded), "source", std::string(recorded), {}};
        needed.from = from_.files.resolved(found->name).shown();
        needed.recorded = std::string(recorded);
        needed.by.samples = named.samples;
        const auto size = text->size();
        // They are small, and many: none stays open.
        needed.content = std::make_shared<const OwnedSource>(std::move(*text));
        if (needed_.add(std::move(needed))) room_ -= size;
        return {};
    }

    const NeededFrom& from_;
    const NeededOptions& options_;
    Needed& needed_;
    const FinderOptions& finder_;
    std::uint64_t room_;
    std::map<std::uint32_t, std::optional<std::uint32_t>> owners_;  // user numbers by object; nothing: nobody's
};

}  // namespace

Result<void> add_sources(const NeededFrom& from, const NeededOptions& options, std::span<const Listing> listings,
                         Needed& needed) {
    return SourcesAdder(from, options, needed).add(listings);
}

}  // namespace perfdata
