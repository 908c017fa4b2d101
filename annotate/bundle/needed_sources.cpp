// SPDX-License-Identifier: MIT
// Files of source text.
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "needed_parts.hpp"
#include "owned_source.hpp"
#include "trusted_sources.hpp"

namespace perfdata {
namespace {

class SourcesAdder {
  public:
    SourcesAdder(const NeededFrom& from, const NeededOptions& options, Needed& needed)
        : options_(options),
          needed_(needed),
          sources_({from.symbolizer, from.options, from.files, &from.files, from.recording.limits(),
                    options.why_no_private, options.owner_only, options.watch}),
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
                file.samples = add_up_to_most(file.samples, samples);
                file.by.insert(naming_object(function));
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
        TrustedSources::NamedBy by;
    };

    Result<void> add_file(std::string_view recorded, const Named& named) {
        auto source = sources_.read(recorded, named.by, room_);
        if (!source) return fail(std::move(source.error()));
        if (!source->found) return {};  // the recording has the text, as that of BPF programs
        if (!source->left_out.empty()) {
            needed_.leave_out(source->left_out);
            needed_.example = sources_.example();
            return {};
        }
        NeededFile needed;
        needed.member = {below_root(recorded), "source", std::string(recorded), {}};
        needed.from = std::move(source->from);
        needed.recorded = std::string(recorded);
        needed.by.samples = named.samples;
        const auto size = source->text.size();
        // They are small, and many: none stays open.
        needed.content = std::make_shared<const OwnedSource>(std::move(source->text));
        if (needed_.add(std::move(needed))) room_ -= size;
        return {};
    }

    const NeededOptions& options_;
    Needed& needed_;
    TrustedSources sources_;
    std::uint64_t room_;
};

}  // namespace

Result<void> add_sources(const NeededFrom& from, const NeededOptions& options, std::span<const Listing> listings,
                         Needed& needed) {
    return SourcesAdder(from, options, needed).add(listings);
}

}  // namespace perfdata
