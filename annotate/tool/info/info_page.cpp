// SPDX-License-Identifier: MIT
#include "info_page.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/walk.hpp"

#include "format/words.hpp"
#include "info_feature_text.hpp"
#include "info_profile.hpp"

namespace perfdata::tool {
namespace {

template <class Value>
std::optional<Value> read_value(const Recording& recording, Feature feature) {
    const auto* section = recording.feature(feature);
    if (section == nullptr) return {};
    const auto value = open_feature(recording, *section, Value::decode);
    return value ? std::optional(*value) : std::nullopt;
}

std::map<std::uint32_t, std::string> read_pmu_names(const Recording& recording) {
    std::map<std::uint32_t, std::string> names;
    const auto* section = recording.feature(Feature::pmu_mappings);
    if (section == nullptr) return names;
    // Errors in the feature have been found before.
    (void)open_feature(recording, *section, [&](const Cursor& in) -> Result<void> {
        PmuMappingReader reader(in);
        for (;;) {
            const auto pmu = reader.next();
            if (!pmu) return fail(pmu.error());
            if (!*pmu) return {};
            names.emplace((*pmu)->type, (*pmu)->name);
        }
    });
    return names;
}

}  // namespace

std::optional<std::string> RecordedTimes::wall(Time time) const {
    if (!clock) return {};
    return wall_clock(clock->wall(time));
}

std::string feature_label(unsigned number) {
    const auto name = feature_name(number);
    return name.empty() ? std::to_string(number) : std::string(name);
}

InfoPage::InfoPage(const Recording& from, bool all, bool scan, Progress progress) : recording(from), verbose(all) {
    auto& diagnostics = completeness.diagnostics;
    diagnostics = DiagnosticLog(recording.limits().diagnostics);
    diagnostics.append(recording.diagnostics());
    const auto bpf = BpfFeatures::read(recording);
    diagnostics.append(bpf.diagnostics());
    bpf_programs = bpf.programs().size();
    btf_blobs = bpf.btf().size();
    // Timeline knows a program without a record BPF_EVENT by the places of its functions.
    bpf_lists = std::ranges::any_of(bpf.programs(), [](const BpfProgramInfo& info) {
        return !info.jited_ksyms().empty() && info.jited_ksyms().size() == info.jited_func_lens().size();
    });
    completeness.bytes.total = recording.bytes();

    if (const auto cpus = read_value<CpuCounts>(recording, Feature::nrcpus)) {
        context.available_cpus = cpus->available;
    }
    times.samples = read_value<SampleTimes>(recording, Feature::sample_time).value_or(SampleTimes{});
    times.clock = read_value<ClockData>(recording, Feature::clock_data);
    // perf stat also writes the section, but has no clocks to put there.
    times.clock_is_empty = times.clock && times.clock->wall_clock == 0 && times.clock->event_clock == Time{};
    if (times.clock_is_empty) times.clock.reset();
    for (const auto& section : recording.features()) {
        ShownFeature feature{section, {}};
        if (feature.known()) {
            const auto described = open_feature(recording, section, [&](const Cursor& in) {
                return describe_feature(section.number, in, context, Unseen{});
            });
            if (!described) {
                feature.problem = described.error();
                // Opening has already reported some of them.
                const auto& told = diagnostics.kept();
                const auto same_place = [&](const Error& other) {
                    return other.where == described.error().where && other.offset == described.error().offset;
                };
                if (section.inside_file && std::ranges::none_of(told, same_place)) diagnostics.add(described.error());
            }
        }
        features.push_back(std::move(feature));
    }
    pmu_names = read_pmu_names(recording);
    const auto count = [&](Completeness& into, const WalkBudget& budget) {
        const auto nothing = [](const RecordContext&, const auto&) {};
        const auto walked = walk(recording, into, nothing,
                                 {.order = {}, .stop = {}, .progress = std::move(progress), .budget = budget});
        // Without a stop token the walk fails if memory runs out, if nothing can be read, or if the budget is used up.
        if (!walked && walked.error().code == ErrorCode::out_of_memory) throw std::bad_alloc();
        return walked.has_value();
    };
    if (recording.is_profile()) {
        // What was counted when it was made.
        scanned = scan;
        (scanned ? completeness : counted.emplace()) = profile_completeness(recording);
    } else if (scan) {
        scanned = count(completeness, {});
    } else if (recording.bytes() <= most_counted) {
        // Damage of records is for --completeness to tell.
        counted.emplace().diagnostics = DiagnosticLog(0);
        if (!count(*counted, count_budget)) counted.reset();
    }
}

}  // namespace perfdata::tool
