// SPDX-License-Identifier: MIT
#include "report/unnamed_samples.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "perfdata/core/small_algorithms.hpp"

#include "format/percent.hpp"
#include "format/words.hpp"
#include "report/most_sampled.hpp"

namespace perfdata {

UnnamedSamples UnnamedCounter::result(std::uint64_t all) const {
    UnnamedSamples told;
    told.all = all;
    for (auto entry = sums_.begin(); entry != sums_.end();) {
        const auto [reason, remedy, first] = entry->first;
        UnnamedSamples::Reason one{std::string(reason), std::string(remedy), 0, 0, {}};
        std::vector<SamplesOf> objects;
        for (; entry != sums_.end(); ++entry) {
            const auto& [other, other_remedy, object] = entry->first;
            if (other != reason || other_remedy != remedy) break;
            one.samples = add_up_to_most(one.samples, entry->second);
            objects.emplace_back(object, entry->second);
        }
        one.objects = objects.size();
        for (const auto name : most_sampled(std::move(objects))) one.names.emplace_back(short_name(name));
        told.reasons.push_back(std::move(one));
    }
    std::ranges::stable_sort(told.reasons, std::ranges::greater{}, &UnnamedSamples::Reason::samples);
    return told;
}

UnnamedSamples UnnamedSamples::count(const SampleCounts& counts, const Symbolizer& symbolizer) {
    UnnamedCounter counter;
    const auto frames = counts.frames();
    std::vector<std::optional<std::uint64_t*>> sums(frames.size());  // null: its name is not missing for want of a file
    const auto sum_of = [&](const Frame& frame) -> std::uint64_t* {
        if (frame.kind != FrameKind::object) return nullptr;
        const auto name = symbolizer.name(frame);
        if (!name.symbol.empty() || name.kind != CodeClass::user || !is_about_file(name.miss)) return nullptr;
        return &counter.object(symbolizer.why_unnamed(frame), name.object);
    };
    std::uint64_t all = 0;
    const auto rows = counts.rows();
    for (std::size_t number = 0; number < rows.size(); ++number) {
        const auto samples = hits(counts.cells(number));
        all = add_up_to_most(all, samples);
        const auto frame = counts.chains()[counts.sampled(rows[number].chain)].frame;
        auto& sum = sums[frame];
        if (!sum) sum = sum_of(frames[frame]);
        if (*sum != nullptr) **sum = add_up_to_most(**sum, samples);
    }
    return counter.result(all);
}

UnnamedSamples UnnamedSamples::count(const Profile& profile) {
    const auto is_of_file = [](std::string_view reason) {
        for (unsigned miss = 0; miss < symbol_misses; ++miss) {
            const auto one = static_cast<SymbolMiss>(miss);
            if (is_about_file(one) && explain(one) == reason) return true;
        }
        return false;
    };
    UnnamedCounter counter;
    for (const auto& [why, objects] : profile.unnamed_objects()) {
        if (!is_of_file(why.reason)) continue;
        for (const auto& one : objects) {
            if (one.kind != CodeClass::user) continue;
            auto& sum = counter.object(why, one.object);
            sum = add_up_to_most(sum, one.hits);
        }
    }
    return counter.result(hits(profile.totals()));
}

UnnamedSamples UnnamedSamples::list(const std::map<std::string_view, SymbolMiss>& objects) {
    UnnamedCounter counter;
    for (const auto& [object, miss] : objects) counter.object({explain(miss), remedy(miss)}, object);
    return counter.result(0);
}

std::vector<std::string> UnnamedSamples::notes() const {
    std::vector<std::string> notes;
    for (const auto& one : reasons) {
        const auto names = listed(one.names, one.objects);
        auto text = all == 0 ? fmt::format("{} object{} ({}) {} no function names: {}", one.objects,
                                           one.objects == 1 ? "" : "s", names, one.objects == 1 ? "has" : "have",
                                           shown(one.reason))
                             : fmt::format("{}% of samples ({}) have no symbol: {} ({})", share_text(one.samples, all),
                                           one.samples, shown(one.reason), names);
        if (!one.remedy.empty()) text += " - " + shown(one.remedy);
        notes.push_back(std::move(text));
    }
    return notes;
}

}  // namespace perfdata
