// SPDX-License-Identifier: MIT
// Counters as JSON: schema perfdata.stat/1. Rounds come first, because what they have in common may change until the
// end.
#include <memory>
#include <string_view>
#include <utility>

#include "perfdata/annotate/page/stat_page.hpp"

#include "json_parts.hpp"

namespace perfdata {
namespace {

void write_stat_place(JsonWriter& json, StatMode mode, const StatRow& row) {
    const auto& place = row.place;
    switch (mode) {
        case StatMode::global: return;
        case StatMode::none: return json.member("cpu", place.cpu);
        case StatMode::thread: return json.member("thread", place.thread);
        case StatMode::node: json.member("node", place.node); break;
        case StatMode::socket:
        case StatMode::die:
        case StatMode::core:
        case StatMode::cache:
            json.member("socket", place.socket);
            if (mode != StatMode::socket) json.member("die", place.die);
            if (mode == StatMode::core) json.member("core", place.core);
            if (mode != StatMode::cache) break;
            json.member("cache_level", place.cache_level);
            json.member("cache", place.cache);
            break;
    }
    json.member("cpus", row.cpus);
}

void write_metric(JsonWriter& json, const StatMetric& metric) {
    json.begin_object();
    json.exact("value", metric.value);
    json.member("unit", metric.unit);
    json.end_object();
}

void write_row(JsonWriter& json, StatMode mode, const StatRow& row) {
    const bool counted = row.state == StatState::counted;
    json.begin_object();
    json.member("event", row.event);
    write_stat_place(json, mode, row);
    json.member("state", to_string(row.state));
    json.member("raw", row.raw);
    json.member("enabled_ns", row.enabled);
    json.member("running_ns", row.running);
    json.member("value", counted ? std::optional(row.value) : std::nullopt);
    if (counted) {
        json.exact("amount", row.amount);
    } else {
        json.member("amount", std::optional<std::uint64_t>());
    }
    json.key("metrics");
    json.begin_array();
    if (row.metric) write_metric(json, *row.metric);
    if (row.second) write_metric(json, *row.second);
    json.end_array();
    json.end_object();
}

void write_facts(JsonWriter& json, const StatFacts& facts) {
    json.member("mode", to_string(facts.mode));
    json.member("recorded_mode", facts.recorded ? std::optional(to_string(*facts.recorded)) : std::nullopt);
    json.member("interval_ms", facts.interval);
    json.member("scaled", facts.scales);
    json.member("per_cpu", facts.per_cpu);
    if (!facts.programs.empty()) {
        json.key("bpf_programs");
        json.begin_array();
        for (const auto& program : facts.programs) {
            json.begin_object();
            json.member("program_id", program.id);
            json.name_or_null("program_name", program.name);
            json.member("named_by", to_string(program.named_by));
            json.end_object();
        }
        json.end_array();
        if (facts.more_programs != 0) json.member("bpf_programs_left_out", std::uint64_t{facts.more_programs});
    }
    json.key("events");
    json.begin_array();
    for (const auto& event : facts.events) {
        json.begin_object();
        json.name("name", event.name);
        json.name("unit", event.unit);
        json.exact("scale", event.scale);
        json.member("supported", event.supported);
        json.end_object();
    }
    json.end_array();
    json.key("threads");
    json.begin_array();
    for (const auto& thread : facts.threads) {
        json.begin_object();
        json.member("tid", thread.tid);
        json.member("comm", thread.comm);
        json.end_object();
    }
    json.end_array();
}

// The counts of a reading, in the order of the document.
constexpr std::pair<std::string_view, std::uint64_t StatReading::*> stat_read_counts[] = {
    {"values", &StatReading::values},
    {"unknown_event", &StatReading::unknown_event},
    {"unknown_cpu", &StatReading::unknown_cpu},
    {"unknown_thread", &StatReading::unknown_thread},
    {"unplaced", &StatReading::unplaced},
    {"outside_groups", &StatReading::outside_groups},
    {"other_threads", &StatReading::other_threads},
    {"behind_last_round", &StatReading::behind},
    {"rounds", &StatReading::rounds},
    {"hidden_rounds", &StatReading::hidden_rounds},
    {"cpus_without_place", &StatReading::unknown_places},
};

void write_read(JsonWriter& json, const StatReading& reading) {
    json.key("read");
    json.begin_object();
    for (const auto& [name, count] : stat_read_counts) json.member(name, reading.*count);
    json.end_object();
}

}  // namespace

class StatJson::Writer {
  public:
    Writer(const Recording& recording, const Sink& sink) : json(sink) {
        json.begin_object();
        json.member("schema", "perfdata.stat/1");
        write_recording(json, RecordingFacts::of(recording));
        json.key("rounds");
        json.begin_array();
    }

    JsonWriter json;
};

StatJson::StatJson(const Recording& recording, const Sink& sink) : writer_(std::make_unique<Writer>(recording, sink)) {}
StatJson::~StatJson() = default;

void StatJson::add(const StatFacts& facts, const StatTable& round) {
    auto& json = writer_->json;
    json.begin_object();
    json.member("time", round.time);
    json.member("final", round.is_final);
    json.key("values");
    json.begin_array();
    for (const auto& row : round.rows) write_row(json, facts.mode, row);
    json.end_array();
    json.end_object();
}

void StatJson::finish(const StatReading& reading, std::string_view what_else) {
    auto& json = writer_->json;
    json.end_array();
    write_facts(json, reading.facts);
    write_read(json, reading);
    if (!what_else.empty()) json.member("without_values", what_else);
    write_completeness(json, reading.completeness, true);
    json.end_object();
    json.finish();
}

}  // namespace perfdata
