// SPDX-License-Identifier: MIT
#include "diff_pairing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "format/words.hpp"

namespace perfdata {

DiffSides::DiffSides(std::span<const DiffCounts> old_side, std::span<const DiffCounts> new_side)
    : old_size(old_side.size()) {
    for (const auto& one : old_side) all.push_back(&one);
    for (const auto& one : new_side) all.push_back(&one);
}

std::string DiffSides::label(std::size_t recording) const {
    return shown(all[recording]->recording.path);
}

namespace {

constexpr std::size_t most_told = 20;  // names in one note

// EventPairer finds events by one of their two names, in recordings of any number of events.
class EventPairer {
  public:
    explicit EventPairer(const DiffSides& sides) : sides_(sides) {
        for (const auto* one : sides_.all) {
            paired_.event_of.emplace_back(one->events.size(), PairedEvents::none);
        }
    }

    PairedEvents pair() {
        pair_by(&DiffEvent::name);
        pair_by(&DiffEvent::plain);
        in_order();
        note_others();
        return std::move(paired_);
    }

  private:
    // Pairs what is left by a name that one event of each recording has.
    void pair_by(std::string DiffEvent::*name) {
        std::vector<std::map<std::string_view, std::uint32_t>> found(sides_.all.size());
        for (std::size_t recording = 0; recording < sides_.all.size(); ++recording) {
            const auto& events = sides_.all[recording]->events;
            for (std::uint32_t at = 0; at < events.size(); ++at) {
                if (paired_.event_of[recording][at] != PairedEvents::none) continue;
                const auto [entry, is_new] = found[recording].try_emplace(events[at].*name, at);
                if (!is_new) entry->second = PairedEvents::none;  // several
            }
        }
        for (const auto& [text, first] : found.front()) {
            std::vector<std::uint32_t> columns;
            for (const auto& names : found) {
                const auto at = names.find(text);
                if (at == names.end() || at->second == PairedEvents::none) break;
                columns.push_back(at->second);
            }
            if (columns.size() != sides_.all.size()) continue;
            // 0 marks what is paired; in_order() numbers it.
            for (std::size_t at = 0; at < columns.size(); ++at) paired_.event_of[at][columns[at]] = 0;
            paired_.columns.push_back(std::move(columns));
        }
    }

    void in_order() {
        std::ranges::sort(paired_.columns);
        for (std::uint32_t event = 0; event < paired_.columns.size(); ++event) {
            for (std::size_t at = 0; at < sides_.all.size(); ++at) {
                paired_.event_of[at][paired_.columns[event][at]] = event;
            }
        }
    }

    void note_others() {
        std::map<std::string, std::set<std::size_t>> having;  // by name: recordings
        for (std::size_t recording = 0; recording < sides_.all.size(); ++recording) {
            const auto& events = sides_.all[recording]->events;
            for (std::size_t at = 0; at < events.size(); ++at) {
                const bool lone = paired_.event_of[recording][at] == PairedEvents::none;
                if (lone && events[at].whole.hits != 0) having[events[at].name].insert(recording);
            }
        }
        for (const auto& [name, recordings] : having) {
            if (paired_.notes.size() == most_told) {
                paired_.notes.push_back(fmt::format("{} more events are not in all recordings: they are not compared",
                                                    having.size() - most_told));
                break;
            }
            const bool one_each = sides_.all.size() == 2;
            paired_.notes.push_back(one_each ? fmt::format("event {} is in {} only: it is not compared", shown(name),
                                                           sides_.label(*recordings.begin()))
                                             : fmt::format("event {} is in {} of {} recordings: it is not compared",
                                                           shown(name), recordings.size(), sides_.all.size()));
        }
    }

    const DiffSides& sides_;
    PairedEvents paired_;
};

// Sorts versions by id and adds up those of one id. n log n, however many recordings they are of.
void add_up(std::vector<DiffVersion>& versions) {
    std::ranges::sort(versions, {}, &DiffVersion::id);
    std::size_t kept = 0;
    for (std::size_t at = 1; at < versions.size(); ++at) {
        if (versions[at].id == versions[kept].id) {
            versions[kept].hits = add_up_to_most(versions[kept].hits, versions[at].hits);
        } else if (++kept != at) {
            versions[kept] = std::move(versions[at]);
        }
    }
    if (!versions.empty()) versions.resize(kept + 1);
}

bool same_ids(const std::vector<DiffVersion>& one, const std::vector<DiffVersion>& other) {
    return std::ranges::equal(one, other, {}, &DiffVersion::id, &DiffVersion::id);
}

DiffCode code_of(const DiffPair& pair) {
    const auto known = [](const std::vector<DiffVersion>& versions) {
        return !versions.empty() && std::ranges::none_of(versions, [](const auto& one) { return one.id.empty(); });
    };
    if (!known(pair.old_versions) || !known(pair.new_versions)) return DiffCode::unknown;
    if (same_ids(pair.old_versions, pair.new_versions)) return DiffCode::same;
    return pair.kind == CodeClass::bpf ? DiffCode::changed : DiffCode::rebuilt;
}

// ComparedObject is what is known of an object with all of its functions. A file that was built anew may have samples
// in other functions than before, and where its names are missing, in none.
struct ComparedObject {
    std::set<std::string_view> old_ids, new_ids;  // of files
    std::set<std::size_t> named, lacks;           // recordings in which functions have names, or the file is missing

    void add(const DiffFunction& function, std::size_t recording, bool is_new) {
        if (!function.name.empty()) named.insert(recording);
        if (function.lacks_file) lacks.insert(recording);
        if (function.kind == CodeClass::bpf || function.kind == CodeClass::jit) return;
        for (const auto& version : function.versions) (is_new ? new_ids : old_ids).insert(version.id);
    }

    bool is_rebuilt() const {
        const auto known = [](const std::set<std::string_view>& ids) { return !ids.empty() && !ids.contains({}); };
        const auto is_new = [&](std::string_view id) { return !old_ids.contains(id); };
        return known(old_ids) && known(new_ids) && std::ranges::all_of(new_ids, is_new);
    }

    // Returns the first recording in which it has no names, if it has some in others.
    std::optional<std::size_t> nameless_in() const {
        if (named.empty()) return {};
        const auto at = std::ranges::find_if(lacks, [&](std::size_t recording) { return !named.contains(recording); });
        return at == lacks.end() ? std::nullopt : std::optional(*at);
    }
};

}  // namespace

PairedEvents pair_events(const DiffSides& sides) {
    return EventPairer(sides).pair();
}

PairedFunctions pair_functions(const DiffSides& sides) {
    struct Known {
        std::string_view object, name;
        std::size_t recording;
        std::uint32_t function;
    };
    PairedFunctions paired;
    std::vector<Known> known;
    for (std::size_t recording = 0; recording < sides.all.size(); ++recording) {
        const auto& functions = sides.all[recording]->functions;
        paired.number.emplace_back(functions.size());
        for (std::uint32_t at = 0; at < functions.size(); ++at) {
            known.push_back({functions[at].object, functions[at].name, recording, at});
        }
    }
    std::ranges::sort(known, {},
                      [](const Known& one) { return std::tuple(one.object, one.name, one.recording, one.function); });
    std::set<std::string_view> rebuilt;
    std::map<std::string_view, ComparedObject> objects;
    for (const auto& one : known) {
        const auto& function = sides.all[one.recording]->functions[one.function];
        if (paired.pairs.empty() || paired.pairs.back().object != one.object || paired.pairs.back().name != one.name) {
            paired.pairs.push_back({function.object, function.name, function.kind, {}, {}, {}});
        }
        auto& pair = paired.pairs.back();
        if (pair.kind != function.kind) pair.kind = CodeClass::unknown;
        auto& versions = sides.is_new(one.recording) ? pair.new_versions : pair.old_versions;
        versions.insert(versions.end(), function.versions.begin(), function.versions.end());
        paired.number[one.recording][one.function] = static_cast<std::uint32_t>(paired.pairs.size() - 1);
        objects[one.object].add(function, one.recording, sides.is_new(one.recording));
    }
    for (const auto& [name, object] : objects) {
        if (object.is_rebuilt()) rebuilt.insert(name);
        const auto nameless = object.nameless_in();
        if (!nameless) continue;
        paired.nameless.emplace_back(name);
        paired.notes.push_back(
            fmt::format("{} is not compared: its functions have no names in {}", shown(name), sides.label(*nameless)));
    }
    for (auto& pair : paired.pairs) {
        add_up(pair.old_versions);
        add_up(pair.new_versions);
        pair.code = code_of(pair);
        if (pair.code == DiffCode::rebuilt) rebuilt.insert(pair.object);
        if (pair.code == DiffCode::changed) paired.reloaded.push_back(pair.name);
    }
    paired.rebuilt.assign(rebuilt.begin(), rebuilt.end());
    return paired;
}

std::vector<std::string> differences(const DiffSides& sides) {
    std::vector<std::string> notes;
    const auto compare = [&](std::string_view what, std::string RecordingFacts::*fact) {
        std::set<std::string> of_old, of_new;
        for (std::size_t at = 0; at < sides.all.size(); ++at) {
            const auto& text = sides.all[at]->recording.*fact;
            if (!text.empty()) (sides.is_new(at) ? of_new : of_old).insert(shown(text));
        }
        if (of_old.empty() || of_new.empty() || of_old == of_new) return;
        notes.push_back(fmt::format("the sides are of different {}: {} and {}", what, fmt::join(of_old, ", "),
                                    fmt::join(of_new, ", ")));
    };
    compare("architectures", &RecordingFacts::arch);
    compare("kernels", &RecordingFacts::os_release);
    return notes;
}

}  // namespace perfdata
