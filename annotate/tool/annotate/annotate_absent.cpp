// SPDX-License-Identifier: MIT
#include "annotate_absent.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "perfdata/annotate/listing/flame.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"

#include "format/words.hpp"
#include "tool/options/event_choice.hpp"

namespace perfdata::tool {
namespace {

constexpr std::size_t most_told = 3;  // objects or events in one message

class Reasons {
  public:
    Reasons(const std::vector<std::string>& wanted, const NamesOf& names_of, const Recording& recording,
            const Symbolizer& symbolizer, const Profile& profile, bool alone)
        : wanted_(wanted),
          names_of_(names_of),
          recording_(recording),
          symbolizer_(symbolizer),
          profile_(profile),
          alone_(alone) {
        absent_.why.resize(wanted.size());
        std::vector<bool> counted(recording.events().events().size());
        for (const auto event : profile.events()) counted[event] = true;
        for (std::uint32_t event = 0; event < counted.size(); ++event) {
            if (!counted[event]) other_events_.push_back(event);
        }
    }

    Result<Absent> find() && {
        if (has_chains(recording_)) {
            if (auto found = find_callers(); !found) return fail(found.error());
        }
        if (!other_events_.empty()) {
            if (auto found = find_other_events(); !found) return fail(found.error());
        }
        for (std::size_t name = 0; name < wanted_.size(); ++name) {
            if (absent_.why[name].text.empty()) absent_.why[name].text = in_files(wanted_[name]);
        }
        return std::move(absent_);
    }

  private:
    Result<SampleCounts> count(const std::vector<std::uint32_t>& events, bool chains) const {
        auto counting = flame_counting(symbolizer_, chains);
        if (chains && alone_ && is_nowhere()) {
            // Only objects of callers matter then, and one frame for each makes few chains: half of the time. The code
            // of one file all has or all lacks a build-id.
            counting.fold = [](const Frame& frame) {
                if (frame.kind != FrameKind::object) return Frame::nowhere({}, Miss::kernel, CpuMode::kernel);
                auto object = frame;
                object.offset = 0;
                return object;
            };
            counting.by_name = false;
        }
        counting.filter.events = events;
        return SampleCounts::count(recording_, symbolizer_.timeline(), counting);
    }

    // Returns true if no code of the recording can have any of the names.
    bool is_nowhere() const {
        const auto& timeline = symbolizer_.timeline();
        const auto places = symbolizer_.functions().places_of(wanted_);
        if (!places || !places->nowhere()) return false;
        for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
            if (!names_of_(Frame::in_code(index, 0)).empty()) return false;
        }
        // A perf map may name code in memory without a file.
        return std::ranges::none_of(timeline.tasks().objects(),
                                    [](const Object& object) { return object.kind == ObjectKind::anonymous; });
    }

    // frames_of(counts) returns, by wanted name, the numbers of the frames with that name.
    std::vector<std::vector<std::uint32_t>> frames_of(const SampleCounts& counts) const {
        std::vector<std::vector<std::uint32_t>> frames(wanted_.size());
        for (std::uint32_t frame = 0; frame < counts.frames().size(); ++frame) {
            for (const auto name : names_of_(counts.frames()[frame])) frames[name].push_back(frame);
        }
        return frames;
    }

    Result<void> find_callers() {
        const auto counted = count(profile_.events(), true);
        if (!counted) return fail(counted.error());
        absent_.unnamed_callers = WithoutBuildId::count(*counted, symbolizer_).callers_text();
        const auto frames = frames_of(*counted);
        std::string option;
        for (const auto event : profile_.events()) {
            if (!other_events_.empty()) option += fmt::format(" -e '{}'", name_of(event));
        }
        for (std::size_t name = 0; name < wanted_.size(); ++name) {
            if (frames[name].empty()) continue;
            const auto samples = samples_below(*counted, frames[name]);
            if (samples == 0) continue;
            // perfdata report knows functions by their symbols only.
            const auto symbol = symbolizer_.name(counted->frames()[frames[name].front()]).symbol;
            absent_.why[name] = {
                fmt::format("{} has no samples of its own{}, but called what {} sample{} fell into: perfdata "
                            "report --children{} -S '{}'",
                            wanted_[name], among_events(), samples, samples == 1 ? "" : "s", option, shown(symbol)),
                true};
        }
        return {};
    }

    // samples_below(counts, frames) counts the samples with any of these frames among their callers.
    static std::uint64_t samples_below(const SampleCounts& counts, const std::vector<std::uint32_t>& frames) {
        std::vector<bool> is_wanted(counts.frames().size());
        for (const auto frame : frames) is_wanted[frame] = true;
        const auto chains = counts.chains();
        std::vector<bool> is_below(chains.size());  // callers precede their callees
        for (std::size_t node = 0; node < chains.size(); ++node) {
            const auto caller = chains[node].caller;
            is_below[node] = caller != ChainNode::none && (is_below[caller] || is_wanted[chains[caller].frame]);
        }
        std::uint64_t samples = 0;
        for (std::size_t row = 0; row < counts.rows().size(); ++row) {
            if (is_below[counts.rows()[row].chain]) samples = add_up_to_most(samples, hits(counts.cells(row)));
        }
        return samples;
    }

    Result<void> find_other_events() {
        const auto counted = count(other_events_, false);
        if (!counted) return fail(counted.error());
        const auto frames = frames_of(*counted);
        for (std::size_t name = 0; name < wanted_.size(); ++name) {
            if (frames[name].empty() || !absent_.why[name].text.empty()) continue;
            std::vector<bool> is_wanted(counted->frames().size());
            for (const auto frame : frames[name]) is_wanted[frame] = true;
            EventCounts cells(counted->events().size());
            for (std::size_t row = 0; row < counted->rows().size(); ++row) {
                const auto& chain = counted->chains()[counted->rows()[row].chain];
                if (is_wanted[chain.frame]) add(cells, counted->cells(row));
            }
            if (hits(cells) == 0) continue;
            absent_.why[name] = {
                fmt::format("{} has no samples{}, but {}", wanted_[name], among_events(), by_event(*counted, cells)),
                true};
        }
        return {};
    }

    // by_event(counts, cells) returns "445 of cpu-clock:u, 2 of page-faults:u", most first.
    std::string by_event(const SampleCounts& counts, const EventCounts& cells) const {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> most;
        for (std::size_t at = 0; at < cells.size(); ++at) {
            if (cells[at].hits != 0) most.emplace_back(~cells[at].hits, counts.events()[at]);
        }
        std::ranges::sort(most);
        std::vector<std::string> parts;
        for (const auto& [less, event] : most) parts.push_back(fmt::format("{} of {}", ~less, name_of(event)));
        return first_of(std::move(parts));
    }

    // among_events() names the profile's events if the recording has others; else empty.
    std::string among_events() const {
        if (other_events_.empty()) return {};
        std::vector<std::string> names;
        for (const auto event : profile_.events()) names.push_back(name_of(event));
        return " of " + first_of(std::move(names));
    }

    std::string name_of(std::uint32_t event) const { return shown(recording_.events().events()[event].name); }

    // in_files(name) returns a clause about the files that contain the name.
    std::string in_files(const std::string& name) const {
        auto objects = symbolizer_.objects_with(name);
        if (objects.empty()) return {};
        for (auto& object : objects) object = shown(short_name(object));
        return fmt::format("{} has no samples; it is a function of {}", name, first_of(std::move(objects)));
    }

    static std::string first_of(std::vector<std::string> parts) {
        const bool more = parts.size() > most_told;
        if (more) parts.resize(most_told);
        return fmt::format("{}{}", fmt::join(parts, ", "), more ? ", ..." : "");
    }

    const std::vector<std::string>& wanted_;
    const NamesOf& names_of_;
    const Recording& recording_;
    const Symbolizer& symbolizer_;
    const Profile& profile_;
    bool alone_;
    std::vector<std::uint32_t> other_events_;  // not counted by the profile
    Absent absent_;
};

}  // namespace

Result<Absent> why_absent(const std::vector<std::string>& wanted, const NamesOf& names_of, const Recording& recording,
                          const Symbolizer& symbolizer, const Profile& profile, bool alone) {
    return Reasons(wanted, names_of, recording, symbolizer, profile, alone).find();
}

}  // namespace perfdata::tool
