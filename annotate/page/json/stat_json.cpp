// SPDX-License-Identifier: MIT
// Counters as JSON: schema perfdata.stat/1. Rounds come first, because what they have in common may change until the
// end.
#include <memory>

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
            json.member("socket", place.socket);
            if (mode != StatMode::socket) json.member("die", place.die);
            if (mode == StatMode::core) json.member("core", place.core);
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

void write_read(JsonWriter& json, const StatReading& reading) {
    json.key("read");
    json.begin_object();
    json.member("values", reading.values);
    json.member("unknown_event", reading.unknown_event);
    json.member("unknown_cpu", reading.unknown_cpu);
    json.member("unknown_thread", reading.unknown_thread);
    json.member("unplaced", reading.unplaced);
    json.member("outside_groups", reading.outside_groups);
    json.member("other_threads", reading.other_threads);
    json.member("behind_last_round", reading.behind);
    json.member("rounds", reading.rounds);
    json.member("hidden_rounds", reading.hidden_rounds);
    json.member("cpus_without_place", reading.unknown_places);
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
