// SPDX-License-Identifier: MIT
#include "perfdata/annotate/report/without_build_id.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "format/percent.hpp"
#include "format/words.hpp"
#include "report/most_sampled.hpp"

namespace perfdata {
namespace {

constexpr std::string_view trust = "add --allow-local if this machine made the recording";
constexpr std::string_view give = "give the recording machine's files with --symfs";

// The vdso has no file to supply and no name to look for.
bool has_file(std::string_view object) {
    return !object.starts_with('[');
}

using Samples = std::map<std::string_view, std::uint64_t>;  // by object; not a hash: files control the names

WithoutBuildId::Part part_of(const Samples& objects, std::uint64_t samples) {
    WithoutBuildId::Part part{samples, objects.size(), {}};
    for (const auto name : most_sampled({objects.begin(), objects.end()})) part.names.emplace_back(short_name(name));
    return part;
}

// FrameStates finds frames in objects without a build id.
class FrameStates {
  public:
    FrameStates(const SampleCounts& counts, const Symbolizer& symbolizer)
        : objects_(counts.frames().size()), kernel_(counts.frames().size()) {
        for (std::size_t number = 0; number < objects_.size(); ++number) {
            const auto& frame = counts.frames()[number];
            kernel_[number] = is_unproven_kernel(symbolizer, frame);
            if (frame.kind != FrameKind::object) continue;
            // Ask for the file first: finding names is slower, and most objects have their file.
            if (const auto file = symbolizer.file(frame.index); file || !lacks_build_id(file.error())) continue;
            const auto name = symbolizer.name(frame);
            if (!name.symbol.empty() || name.kind != CodeClass::user) continue;
            if (!lacks_build_id(name.miss) || name.object.empty() || !has_file(name.object)) continue;
            objects_[number] = name.object;
            has_objects_ = true;
            local_ = local_ || name.miss == SymbolMiss::unproven;
        }
    }

    // object(frame) returns the frame's object if that lacks a build id; else empty.
    std::string_view object(std::uint32_t frame) const { return objects_[frame]; }
    bool in_kernel(std::uint32_t frame) const { return kernel_[frame]; }
    bool local() const { return local_; }
    bool has_objects() const { return has_objects_; }  // of any frame

  private:
    static bool is_unproven_kernel(const Symbolizer& symbolizer, const Frame& frame) {
        if (symbolizer.has_kernel_names() || !symbolizer.name(frame).symbol.empty()) return false;
        return symbolizer.why_unnamed(frame).reason == no_kernel_build_id;
    }

    std::vector<std::string_view> objects_;
    std::vector<bool> kernel_;
    bool local_ = false;
    bool has_objects_ = false;
};

}  // namespace

WithoutBuildId WithoutBuildId::count(const SampleCounts& counts, const Symbolizer& symbolizer,
                                     std::span<const std::uint8_t> unwanted, std::optional<std::uint64_t> all) {
    WithoutBuildId without;
    const FrameStates states(counts, symbolizer);
    without.local = states.local();
    without.has_some = symbolizer.has_build_ids();
    without.has_callers = true;
    Samples sampled, callers;
    std::uint64_t in_sampled = 0, in_callers = 0;
    const auto rows = counts.rows();
    const auto chains = counts.chains();
    const auto wanted = [&](std::size_t row) {
        return unwanted.empty() || unwanted[chains[counts.sampled(rows[row].chain)].frame] == 0;
    };
    std::uint64_t counted = 0;
    for (std::size_t number = 0; number < rows.size(); ++number) {
        if (!wanted(number)) continue;
        const auto count = hits(counts.cells(number));
        counted += count;
        const auto frame = chains[counts.sampled(rows[number].chain)].frame;
        if (states.in_kernel(frame)) without.kernel += count;
        const auto object = states.object(frame);
        if (object.empty()) continue;
        sampled[object] += count;
        in_sampled += count;
    }
    if (states.has_objects()) {
        // Find each chain's nearest caller in an object without samples of its own: one of its frames. Callers precede
        // their callees.
        constexpr auto none = ~std::uint32_t{0};
        std::vector<std::uint32_t> caller(chains.size(), none);
        for (std::size_t node = 0; node < chains.size(); ++node) {
            const auto above = chains[node].caller;
            if (above == ChainNode::none) continue;
            const auto frame = chains[above].frame;
            const auto object = states.object(frame);
            caller[node] = object.empty() || sampled.contains(object) ? caller[above] : frame;
        }
        for (std::size_t number = 0; number < rows.size(); ++number) {
            const auto frame = caller[rows[number].chain];
            if (frame == none || !wanted(number)) continue;
            const auto count = hits(counts.cells(number));
            callers[states.object(frame)] += count;
            in_callers += count;
        }
    }
    without.all = all.value_or(counted);
    without.sampled = part_of(sampled, in_sampled);
    without.callers = part_of(callers, in_callers);
    return without;
}

WithoutBuildId WithoutBuildId::count(const Profile& profile) {
    WithoutBuildId without;
    without.all = hits(profile.totals());
    Samples sampled;
    std::uint64_t samples = 0;
    for (const auto& [why, cells] : profile.unnamed()) {
        if (why.reason == no_kernel_build_id) without.kernel = add_up_to_most(without.kernel, hits(cells));
        const bool unproven = why.reason == explain(SymbolMiss::unproven);
        if (!unproven && why.reason != explain(SymbolMiss::no_build_id)) continue;
        without.local = without.local || unproven;
        samples = add_up_to_most(samples, hits(cells));
        const auto objects = profile.unnamed_objects().find(why);
        if (objects == profile.unnamed_objects().end()) continue;
        for (const auto& object : objects->second) {
            if (has_file(object.object)) {
                sampled[object.object] = add_up_to_most(sampled[object.object], object.hits);
            } else {
                samples -= std::min(samples, object.hits);
            }
        }
    }
    without.sampled = part_of(sampled, samples);
    return without;
}

WithoutBuildId WithoutBuildId::list(const std::map<std::string_view, SymbolMiss>& objects,
                                    const Symbolizer& symbolizer) {
    WithoutBuildId without;
    without.has_some = symbolizer.has_build_ids();
    Samples listed;
    for (const auto& [object, miss] : objects) {
        if (!has_file(object)) continue;
        listed[object] = 0;
        without.local = without.local || miss == SymbolMiss::unproven;
    }
    without.sampled = part_of(listed, 0);
    return without;
}

std::string_view WithoutBuildId::remedy() const {
    return local || sampled.objects + callers.objects == 0 ? trust : give;
}

std::string WithoutBuildId::list_text() const {
    if (sampled.objects == 0) return {};
    return fmt::format("{} object{} ({}) {} no build id here, so no function names: {}{}", sampled.objects,
                       sampled.objects == 1 ? "" : "s", listed(sampled.names, sampled.objects),
                       sampled.objects == 1 ? "has" : "have", remedy(),
                       has_some ? "; `perf record --buildid-all` notes them" : "");
}

std::string WithoutBuildId::sampled_text() const {
    const auto text = [&](std::string_view what, bool one, std::string_view help) {
        return fmt::format("{} {} no build id here, so no function names: {}", what, one ? "has" : "have", help);
    };
    const auto the_kernel = fmt::format("the kernel ({}% of samples)", share_text(kernel, all));
    const auto objects = fmt::format("{} object{} ({}% of samples)", sampled.objects, sampled.objects == 1 ? "" : "s",
                                     share_text(sampled.samples, all));
    if (sampled.objects == 0) return kernel == 0 ? std::string() : text(the_kernel, true, trust);
    if (kernel == 0) return text(objects, sampled.objects == 1, remedy());
    if (local) return text(the_kernel + " and " + objects, false, trust);
    return text(the_kernel, true, trust) + "; " + text(objects, sampled.objects == 1, give);
}

std::string WithoutBuildId::callers_text() const {
    if (callers.objects == 0) return {};
    const auto what = fmt::format(
        "callers of {} sample{} have no names, as the recording has no build ids of their "
        "objects ({})",
        callers.samples, callers.samples == 1 ? "" : "s", listed(callers.names, callers.objects));
    // Without any build id, perf's choice of sampled objects cannot be the reason: do not suggest --buildid-all.
    return fmt::format("{}: {}{}", what, remedy(), has_some ? "; `perf record --buildid-all` notes them" : "");
}

}  // namespace perfdata
