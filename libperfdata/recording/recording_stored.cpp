// SPDX-License-Identifier: MIT
// A profile file as a recording: its events and facts, without records.
#include <algorithm>
#include <utility>

#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"

#include "look_out.hpp"
#include "stored/profile_file.hpp"
#include "stored/shared_facts.hpp"

namespace perfdata {

Result<void> Recording::read_stored(const Watch& watch) {
    // What is behind the damage of a packed file is not there: sums of a part would be wrong.
    if (auto damage = source_->damage()) return fail(std::move(*damage));
    auto model = stored::read_profile(*source_, path_.empty() ? "profile" : path_, limits_, watch);
    if (!model) return fail(std::move(model.error()));
    try {
        LookOut look(watch, source_->size());
        take_stored(Shared<const stored::Model>::make(std::move(*model)), look);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, path_, "asked to stop");
    }
    // Everything is in memory: an unpacked copy need not stay.
    source_ = memory_source({});
    return {};
}

void Recording::take_stored(Shared<const stored::Model> model, LookOut& look) {
    stored_ = std::move(model);
    const auto& facts = stored_->facts;
    const auto shared = [&](stored::Ref<stored::Text> stored::Source::*member) {
        return std::string(stored::shared_fact(*stored_, member));
    };
    header_ = {};
    header_.order = AnyOrder(facts.big_endian ? std::endian::big : std::endian::little);
    hostname_ = shared(&stored::Source::hostname);
    os_release_ = shared(&stored::Source::os_release);
    perf_version_ = shared(&stored::Source::perf_version);
    cpu_description_ = shared(&stored::Source::cpu_description);
    arch_ = stored_->text(facts.arch);
    const auto& sources = stored_->sources;
    const auto same = [&](const stored::Source& source) { return source.command_line == sources.front().command_line; };
    if (!sources.empty() && std::ranges::all_of(sources, same)) {
        for (const auto word : sources.front().command_line) command_line_.emplace_back(stored_->text(word));
    }
    std::vector<Event> events;
    events.reserve(stored_->events.size());
    for (const auto& row : stored_->events) {
        look();
        events.push_back({.name = std::string(stored_->text(row.name)),
                          .perf_name = std::string(stored_->text(row.perf_name)),
                          .attr = stored::decode_attr(row.attr),
                          .ids = {},
                          .sample = {},
                          .trailer = {}});
    }
    events_ = EventTable(std::move(events), look);
}

std::uint64_t Recording::wall_time() const {
    std::uint64_t first = 0;
    if (!stored_) return first;
    for (const auto& source : stored_->sources) {
        if (source.wall_time != 0 && (first == 0 || source.wall_time < first)) first = source.wall_time;
    }
    return first;
}

}  // namespace perfdata
