// SPDX-License-Identifier: MIT
#include "needed.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/bundle/bundle_packer.hpp"
#include "perfdata/symbols/object_architecture.hpp"

#include "export/exported.hpp"
#include "needed_parts.hpp"

namespace perfdata {
namespace {

// Names what branch stacks recorded of calls: of no chain, but of the page.
Result<void> name_branches(const NeededFrom& from, std::span<Listing> listings, const std::string& arch,
                           const Watch& watch) {
    if (listings.empty() || !CallEdges::has_branches(from.recording)) return {};
    std::vector<CodeVersion> functions;
    for (const auto& listing : listings) functions.push_back(listing.version);
    CallEdges edges;
    CallOptions counting;
    counting.stop = watch.stop;
    counting.progress = watch.progress;
    if (auto added = edges.add_branches(from.recording, from.symbolizer.versions(), functions, counting); !added) {
        return added;
    }
    add_calls(listings, edges, from.symbolizer, arch);
    return {};
}

std::uint64_t kernel_without_code(std::span<const Listing> listings) {
    std::uint64_t samples = 0;
    for (const auto& listing : listings) {
        const bool kernel = listing.kind == CodeClass::kernel || listing.kind == CodeClass::module ||
                            listing.kind == CodeClass::out_of_line;
        if (kernel && !listing.image) samples = add_up_to_most(samples, hits(listing.total));
    }
    return samples;
}

Result<Needed> do_the_work(const NeededFrom& from, const NeededOptions& options) {
    Needed needed;
    // Exports read the most: each address, its line, and what was inlined there.
    ExportedOptions all;
    all.stop = options.watch.stop;
    all.progress = options.watch.progress;
    auto exported = Exported::make(from.recording, from.symbolizer, all);
    if (!exported) return fail(std::move(exported.error()));
    const auto users = NeededUsers::of(*exported, from.symbolizer);

    const auto profile = Profile::count(from.recording, from.symbolizer.versions(),
                                        {options.watch.stop, options.watch.progress, {}, options.jobs});
    if (!profile) return fail(profile.error());
    const auto arch = find_architecture(from.recording, from.symbolizer, {options.watch.stop, {}});
    ListingOptions how;
    how.arch = arch.name;
    how.jobs = options.jobs;
    how.limits = from.recording.limits();
    how.stop = options.watch.stop;
    auto listings = annotate_all(profile->functions(), from.symbolizer, how);
    if (!listings) return fail(std::move(listings.error()));
    if (auto named = name_branches(from, *listings, arch.name, options.watch); !named) return fail(named.error());

    if (auto added = add_objects(from, options, users, needed); !added) return fail(added.error());
    if (auto added = add_kernel(from, options, users, kernel_without_code(*listings), needed); !added)
        return fail(added.error());
    if (auto added = add_jit(from, options, users, needed); !added) return fail(added.error());
    if (options.sources) {
        if (auto added = add_sources(from, options, users, *listings, needed); !added) return fail(added.error());
    }
    std::vector<NeededBy*> who;
    for (auto& file : needed.files) who.push_back(&file.by);
    for (auto& missing : needed.missing) who.push_back(&missing.by);
    users.count_once(who);
    needed.finish();
    return needed;
}

}  // namespace

bool Needed::add(NeededFile file) {
    // Recorded paths have any bytes, and any length.
    if (!is_bundled_name(file.member.name)) {
        leave_out("files whose names cannot be in a bundle", 1, file.from);
        return false;
    }
    const auto [place, fresh] = places_.try_emplace(file.member.name, files.size());
    if (!fresh) {
        files[place->second].by.add(file.by);
        return false;
    }
    files.push_back(std::move(file));
    return true;
}

void Needed::leave_out(std::string_view what, std::uint64_t number, std::string_view of) {
    if (number == 0) return;
    auto at = std::ranges::find(left_out, what, &NeededLeftOut::what);
    if (at == left_out.end()) at = left_out.insert(at, {std::string(what), 0, {}});
    at->number = add_up_to_most(at->number, number);
    auto& examples = at->examples;
    if (of.empty() || examples.size() == NeededLeftOut::most_examples) return;
    if (std::ranges::find(examples, of) == examples.end()) examples.emplace_back(of);
}

void Needed::finish() {
    std::ranges::sort(files, {}, [](const NeededFile& one) { return std::string_view(one.member.name); });
    for (std::size_t at = 0; at < files.size(); ++at) places_.insert_or_assign(files[at].member.name, at);
    std::ranges::sort(missing, [](const NeededMissing& one, const NeededMissing& other) {
        if (one.by.samples != other.by.samples) return one.by.samples > other.by.samples;
        return std::tie(one.path, one.build_id, one.kind) < std::tie(other.path, other.build_id, other.kind);
    });
    std::ranges::sort(left_out, {}, &NeededLeftOut::what);
}

Result<Needed> find_needed(const NeededFrom& from, const NeededOptions& options) {
    return catch_bad_alloc([&]() -> Result<Needed> { return do_the_work(from, options); });
}

}  // namespace perfdata
