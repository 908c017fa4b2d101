// SPDX-License-Identifier: MIT
// Files of source text.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "perfdata/recording/left_out.hpp"

#include "needed_parts.hpp"
#include "owned_source.hpp"
#include "trusted_sources.hpp"

namespace perfdata {
namespace {

class SourcesAdder {
  public:
    SourcesAdder(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users, Needed& needed)
        : symbolizer_(from.symbolizer),
          options_(options),
          users_(users),
          needed_(needed),
          sources_({from.symbolizer, from.options, from.files, &from.files, from.recording.limits(),
                    options.why_no_private, options.owner_only, options.watch}),
          room_(from.recording.limits().source_file_bytes) {}

    Result<void> add(std::span<const Listing> listings) {
        // A file whose text is not shown here, as it is newer than the program, is no use there either.
        std::map<std::string_view, TrustedSources::NamedBy> files;
        std::map<std::string_view, TextMiss> without_text;
        for (const auto& listing : listings) {
            const auto& function = listing.version.function;
            const auto take = [&](const SourceLine& source) {
                if (source.file.empty()) return;
                if (!source.text.empty()) {
                    files[source.file].insert(naming_object(function));
                } else if (const auto miss = symbolizer_.text_miss(function, source.file); miss != TextMiss::none) {
                    without_text.emplace(source.file, miss);
                }
            };
            for (const auto& line : listing.lines) take(line.source);
            for (const auto& calls : listing.inlined) {
                for (const auto& call : calls) take(call.call);
            }
        }
        for (const auto& [recorded, by] : files) {
            if (options_.watch.stop.stop_requested()) {
                return fail(ErrorCode::cancelled, Error::no_offset, "source files", "asked to stop");
            }
            if (auto added = add_file(recorded, by); !added) return added;
            without_text.erase(recorded);  // it may be newer than one program, and older than another
        }
        leave_out(without_text);
        return {};
    }

  private:
    // The first examples are those that are told: files with most samples.
    void leave_out(const std::map<std::string_view, TextMiss>& without_text) {
        std::vector<std::tuple<std::uint64_t, std::string_view, TextMiss>> sorted;
        for (const auto& [file, miss] : without_text) sorted.emplace_back(users_.by_source(file).samples, file, miss);
        std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto& one) { return std::get<0>(one); });
        for (const auto& [samples, file, miss] : sorted) {
            needed_.leave_out(miss == TextMiss::newer ? left_out_newer : left_out_not_here, 1, file);
            ++needed_.sources_outside;
        }
    }

    Result<void> add_file(std::string_view recorded, const TrustedSources::NamedBy& by) {
        auto source = sources_.read(recorded, by, room_);
        if (!source) return fail(std::move(source.error()));
        if (!source->found) return {};  // the recording has the text, as that of BPF programs
        if (!source->left_out.empty()) {
            needed_.leave_out(source->left_out, 1, recorded);
            ++needed_.sources_outside;
            needed_.example = sources_.example();
            return {};
        }
        NeededFile needed;
        needed.member = {below_root(recorded), "source", std::string(recorded), {}};
        needed.from = std::move(source->from);
        needed.recorded = std::string(recorded);
        needed.by = users_.by_source(recorded);
        const auto size = source->text.size();
        // They are small, and many: none stays open.
        needed.content = std::make_shared<const OwnedSource>(std::move(source->text));
        if (needed_.add(std::move(needed))) room_ -= size;
        return {};
    }

    const Symbolizer& symbolizer_;
    const NeededOptions& options_;
    const NeededUsers& users_;
    Needed& needed_;
    TrustedSources sources_;
    std::uint64_t room_;
};

}  // namespace

Result<void> add_sources(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users,
                         std::span<const Listing> listings, Needed& needed) {
    return SourcesAdder(from, options, users, needed).add(listings);
}

}  // namespace perfdata
