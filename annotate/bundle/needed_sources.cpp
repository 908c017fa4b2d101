// SPDX-License-Identifier: MIT
// Files of source text.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "needed_parts.hpp"
#include "owned_source.hpp"

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
        std::map<std::string_view, std::uint64_t> files;
        for (const auto& listing : listings) {
            const auto samples = hits(listing.total);
            const auto take = [&](const SourceLine& source) {
                if (!source.file.empty() && !source.text.empty()) files[source.file] += samples;
            };
            for (const auto& line : listing.lines) take(line.source);
            for (const auto& calls : listing.inlined) {
                for (const auto& call : calls) take(call.call);
            }
        }
        for (const auto& [recorded, samples] : files) {
            if (options_.watch.stop.stop_requested()) {
                return fail(ErrorCode::cancelled, Error::no_offset, "source files", "asked to stop");
            }
            if (auto added = add_file(recorded, samples); !added) return added;
        }
        return {};
    }

  private:
    // Looks where SourceFiles looks, in the same order.
    std::optional<FileName> find(std::string_view recorded) const {
        const auto path = below_root(recorded).substr(std::string_view("root").size());
        const auto read = [&](FileName name) -> std::optional<FileName> {
            if (!from_.files.read_text(name)) return {};
            return name;
        };
        const bool machine = finder_.machine();
        for (const auto& directory : from_.options.sources.source_dirs) {
            constexpr std::size_t most_parts = 64;  // of a path
            std::string rest = path;
            for (std::size_t part = 0; part < most_parts && !rest.empty(); ++part) {
                if (auto found = read(machine ? FileName{"", directory + rest} : FileName{directory, rest}))
                    return found;
                const auto slash = rest.find('/', 1);
                rest = slash == std::string::npos ? std::string() : rest.substr(slash);
            }
        }
        if (!recorded.starts_with('/')) return {};
        if (!finder_.symfs.empty()) {
            if (auto found = read({finder_.symfs, path})) return found;
        }
        return machine ? read({"", path}) : std::nullopt;
    }

    Result<void> add_file(std::string_view recorded, std::uint64_t samples) {
        const auto found = find(recorded);
        if (!found) return {};  // the recording has the text, as that of BPF programs
        const auto actual = from_.files.resolved(*found);
        auto limits = from_.recording.limits();
        limits.unpacked_bytes = std::min(limits.unpacked_bytes, room_);
        const auto source = from_.files.beneath().open_watched(actual, limits, Content::text, options_.watch);
        auto text = source ? read_whole(**source, room_, options_.watch) : fail(source.error());
        if (!text) {
            if (text.error().code == ErrorCode::cancelled) return fail(std::move(text.error()));
            needed_.leave_out("source files that cannot be read any more, or together are too large");
            return {};
        }
        NeededFile needed;
        needed.member = {below_root(recorded), "source", std::string(recorded), {}};
        needed.from = actual.shown();
        needed.recorded = std::string(recorded);
        needed.by.samples = samples;
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
};

}  // namespace

Result<void> add_sources(const NeededFrom& from, const NeededOptions& options, std::span<const Listing> listings,
                         Needed& needed) {
    return SourcesAdder(from, options, needed).add(listings);
}

}  // namespace perfdata
