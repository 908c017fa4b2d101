// SPDX-License-Identifier: MIT
#include "profile_summary.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/timeline/code_class.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "format/count_problems.hpp"
#include "format/json_writer.hpp"
#include "recording/stored/problems.hpp"
#include "recording/stored/shared_facts.hpp"
#include "tool/profile/kept_dimensions.hpp"
#include "tool/profile/profile_lacks.hpp"

namespace perfdata::tool {
namespace {

std::vector<EventCount> stored_totals(const stored::Model& model) {
    std::vector<EventCount> totals(model.events.size());
    for (const auto& cell : model.cells) totals[cell.event.number] += {cell.hits, cell.periods};
    return totals;
}

// As UnwoundStacks::lost().
bool stacks_lost(const stored::Facts& facts) {
    const auto has = [&](StackEnd end) {
        const auto at = static_cast<std::size_t>(end);
        return at < facts.stacks_by_end.size() && facts.stacks_by_end[at] != 0;
    };
    return facts.stacks_not_unwound != 0 || has(StackEnd::damaged) || has(StackEnd::unsupported);
}

void write_source(JsonWriter& json, const stored::Model& model, const stored::Source& source) {
    json.begin_object();
    json.member("content", Bytes(std::as_bytes(std::span(source.content))));
    json.member("times", source.times);
    json.name("hostname", model.text(source.hostname));
    json.name("os_release", model.text(source.os_release));
    json.name("perf_version", model.text(source.perf_version));
    json.array("command_line", source.command_line, [&](stored::Ref<stored::Text> word) { return model.text(word); });
    json.end_object();
}

void write_unnamed(JsonWriter& json, const stored::Model& model) {
    const auto unnamed = unnamed_samples(model);
    json.key("no_symbol");
    json.begin_array();
    for (const auto& one : unnamed.reasons) {
        json.begin_object();
        json.member("reason", one.reason);
        json.member("remedy", one.remedy.empty() ? std::nullopt : std::optional<std::string_view>(one.remedy));
        json.member("samples", one.samples);
        json.array("objects", one.names, [](const std::string& object) { return std::string_view(object); });
        json.end_object();
    }
    json.end_array();
}

void write_rows(JsonWriter& json, const stored::Model& model) {
    const auto rows = [&](std::string_view name, std::size_t count) {
        json.member(name, static_cast<std::uint64_t>(count));
    };
    json.key("rows");
    json.begin_object();
    rows("objects", model.objects.size());
    rows("bpf_loads", model.loads.size());
    rows("functions", model.functions.size());
    rows("versions", model.versions.size());
    rows("frames", model.frames.size());
    rows("chain_nodes", model.nodes.size());
    rows("tasks", model.tasks.size());
    rows("cells", model.cells.size());
    json.end_object();
}

}  // namespace

void write_profile_summary(const ProfileSummary& summary, const Sink& sink) {
    const auto& model = summary.model;
    JsonWriter json(sink);
    json.begin_object();
    json.member("schema", "perfdata.profile/1");
    json.name("profile", summary.path);
    json.member("bytes", summary.bytes);
    json.member("arch", model.text(model.facts.arch));
    json.member("recordings", stored::recordings(model));
    json.key("sources");
    json.begin_array();
    for (const auto& source : model.sources) write_source(json, model, source);
    json.end_array();
    json.array("keeps", dimension_words(model.facts.keeps),
               [](const std::string& word) { return std::string_view(word); });
    json.key("events");
    json.begin_array();
    const auto totals = stored_totals(model);
    for (std::size_t at = 0; at < totals.size(); ++at) {
        json.begin_object();
        json.name("name", model.text(model.events[at].name));
        json.member("samples", totals[at].hits);
        json.member("periods", totals[at].periods);
        json.end_object();
    }
    json.end_array();
    write_rows(json, model);
    json.member("differing_versions", stored::differing(model));
    write_unnamed(json, model);
    write_lacks(json, model, "partial");
    json.member("lost_events", model.facts.lost_events);
    json.member("lost_samples", model.facts.lost_samples);
    json.member("diagnostics_total",
                model.facts.diagnostics.count + model.facts.losses.count + full_sums(model).size());
    json.end_object();
    json.finish();
}

std::vector<std::string> partial_texts(const stored::Model& model) {
    std::vector<std::string> texts;
    for (const auto& row : model.facts.partial) texts.push_back(stored::partial_text(model, row));
    return texts;
}

std::vector<std::string> left_out_texts(const stored::Model& model) {
    std::vector<std::string> texts;
    for (const auto& row : model.facts.left_out) texts.push_back(stored::left_out_text(model, row));
    return texts;
}

std::vector<Error> full_sums(const stored::Model& model) {
    std::vector<Error> problems;
    const auto totals = stored_totals(model);
    for (std::size_t at = 0; at < totals.size(); ++at) {
        auto text = full_sum_text(model.text(model.events[at].name), totals[at]);
        if (!text.empty()) problems.push_back({ErrorCode::limit, Error::no_offset, "sums", std::move(text)});
    }
    return problems;
}

std::string pprof_sums_text(const stored::Model& model) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto exceeds = [](const EventCount& sum) { return sum.hits > most || sum.periods > most; };
    if (!std::ranges::any_of(stored_totals(model), exceeds)) return {};
    return "sums beyond 2^63-1 are cut to that where pprof reads the file: its numbers end there";
}

UnnamedSamples unnamed_samples(const stored::Model& model) {
    UnnamedCounter counter;
    if (!model.keeps(stored::Dimension::symbol)) return counter.result(0);
    std::uint64_t all = 0;
    for (const auto& cell : model.cells) {
        all = add_up_to_most(all, cell.hits);
        const auto& frame = model.at(model.at(cell.node).frame);
        if (!frame.nameless || !frame.kind.is(FrameKind::object)) continue;
        const auto& row = model.at(frame.nameless);
        if (!row.kind.is(CodeClass::user) || !is_about_file(row.miss.as<SymbolMiss>())) continue;
        auto& sum = counter.object({model.text(row.reason), model.text(row.remedy)}, model.text(row.object));
        sum = add_up_to_most(sum, cell.hits);
    }
    return counter.result(all);
}

bool has_stored_losses(const stored::Model& model) {
    const auto& facts = model.facts;
    const auto damaged = [](const stored::RecordSum& sum) { return sum.damaged != 0; };
    const auto held_back = [&](const stored::LeftOut& row) { return stored::is_loss(model, row); };
    const auto limit = [](const stored::Partial& row) { return row.kind.is(stored::PartialKind::limit); };
    return facts.bytes_unread != 0 || facts.diagnostics.count != 0 || facts.losses.count != 0 ||
           std::ranges::any_of(facts.records, damaged) || std::ranges::any_of(facts.partial, limit) ||
           std::ranges::any_of(facts.left_out, held_back) || stacks_lost(facts) || facts.counters_unknown != 0 ||
           facts.counters_went_back != 0 || facts.counters_not_kept != 0 || facts.in_further_tasks != 0 ||
           !full_sums(model).empty();
}

}  // namespace perfdata::tool
