// SPDX-License-Identifier: MIT
#include "json_parts.hpp"

#include <algorithm>
#include <limits>

#include "format/loss_text.hpp"

namespace perfdata {
namespace {

std::string record_key(std::uint32_t type) {
    const auto name = record_type_name(type);
    return name.empty() ? std::to_string(type) : std::string(name);
}

// Writes the member "losses": what the recorder itself left out; nothing if there is nothing.
void write_losses(JsonWriter& json, const Completeness& completeness) {
    if (!recorder_lost(completeness) && completeness.filtered_samples == 0) return;
    const auto counts = [&](std::uint64_t samples, std::uint64_t lost, std::uint64_t by_filter) {
        json.member("samples", samples);
        json.member("lost_samples", lost);
        json.member("percent", loss_percent(lost, samples));
        json.member("dropped_by_bpf_filter", by_filter);
    };
    json.key("losses");
    json.begin_object();
    counts(recorded_samples(completeness), completeness.lost_samples, completeness.filtered_samples);
    json.member("lost_elsewhere", completeness.lost_elsewhere());
    json.key("events");
    json.begin_array();
    for (const auto* event : losses_by_share(completeness)) {
        json.begin_object();
        json.name("name", event->event);
        counts(event->samples, event->lost, event->by_filter);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

}  // namespace

void write_error(JsonWriter& json, const Error& error) {
    json.begin_object();
    json.member("code", to_string(error.code));
    json.key("offset");
    if (error.offset == Error::no_offset) {
        json.null();
    } else {
        json.value(error.offset);
    }
    json.member("where", error.where);
    json.member("detail", error.detail);
    json.end_object();
}

namespace {

void ratio_members(JsonWriter& json, const EventRatio::Value& value) {
    json.exact("value", value.ratio.value_or(std::numeric_limits<double>::quiet_NaN()));
    json.member("samples", value.samples);
}

}  // namespace

void write_ratios(JsonWriter& json, std::span<const EventRatio> ratios, std::span<const EventCount> cells,
                  std::string_view name) {
    if (ratios.empty()) return;
    json.key(name);
    json.begin_array();
    for (const auto& ratio : ratios) {
        json.begin_object();
        ratio_members(json, ratio.of(cells));
        json.end_object();
    }
    json.end_array();
}

void write_ratio_names(JsonWriter& json, std::span<const EventRatio> ratios, std::span<const EventCount> cells) {
    if (ratios.empty()) return;
    const auto column = [](std::size_t number) {
        return number == EventRatio::no_column ? std::nullopt : std::optional<std::uint64_t>(number);
    };
    json.key("ratios");
    json.begin_array();
    for (const auto& ratio : ratios) {
        json.begin_object();
        json.name("name", ratio.name);
        json.member("numerator", column(ratio.numerator));
        json.member("denominator", column(ratio.denominator));
        ratio_members(json, ratio.of(cells));
        json.end_object();
    }
    json.end_array();
}

void write_completeness(JsonWriter& json, const Completeness& completeness, bool scanned) {
    write_completeness(json, completeness, scanned, &completeness);
}

void write_completeness(JsonWriter& json, const Completeness& completeness, bool scanned, const Completeness* losses) {
    const auto known = [&](std::uint64_t count) { return scanned ? std::optional(count) : std::nullopt; };
    const auto& bytes = completeness.bytes;
    json.key("completeness");
    json.begin_object();
    json.key("bytes");
    json.begin_object();
    json.member("total", bytes.total);
    json.member("records", known(bytes.records));
    json.member("outside_records", known(bytes.outside_records));
    json.member("unread", known(bytes.unread));
    json.end_object();
    json.key("records");
    json.begin_object();
    RecordCounts samples;
    for (const auto& [type, counts] : completeness.records) {
        json.key(record_key(type));
        json.begin_object();
        json.member("decoded", counts.decoded);
        json.member("skipped", counts.skipped);
        json.member("damaged", counts.damaged);
        json.end_object();
        if (type == static_cast<std::uint32_t>(RecordType::sample)) samples = counts;
    }
    json.end_object();
    json.key("samples");
    json.begin_object();
    json.member("total", known(samples.total()));
    json.member("decoded", known(samples.decoded));
    json.end_object();
    json.member("lost_events", known(completeness.lost_events));
    json.member("lost_samples", known(completeness.lost_samples));
    if (losses != nullptr) {
        write_losses(json, *losses);
    } else {
        json.member("losses", std::optional<bool>());
    }
    json.member("stacks_not_unwound", known(completeness.stacks_not_unwound));
    json.key("diagnostics");
    json.begin_array();
    for (const auto& diagnostic : completeness.diagnostics.kept()) write_error(json, diagnostic);
    json.end_array();
    json.member("diagnostics_total", completeness.diagnostics.count());
    json.end_object();
}

void write_recording(JsonWriter& json, const RecordingFacts& recording) {
    json.key("recording");
    json.begin_object();
    json.member("path", recording.path);
    json.member("arch", recording.arch);
    json.member("perf_version", recording.perf_version);
    json.member("os_release", recording.os_release);
    json.member("hostname", recording.hostname);
    json.member("byte_order", recording.byte_order == std::endian::little ? "little" : "big");
    json.key("events");
    json.begin_array();
    for (const auto& event : recording.events) {
        json.begin_object();
        json.member("name", event.name);
        json.member("samples", event.samples);
        json.end_object();
    }
    json.end_array();
    json.member("first_time", recording.first_time);
    json.member("last_time", recording.last_time);
    json.end_object();
}

void write_dropped(JsonWriter& json, std::span<const DroppedSamples> dropped) {
    if (dropped.empty()) return;
    json.key("dropped");
    json.begin_object();
    for (const auto& one : dropped) json.member(dropped_key(one.part), one.samples);
    json.end_object();
}

void write_histograms(JsonWriter& json, std::span<const FieldHistogram> histograms, std::uint64_t without_field,
                      const std::function<std::string_view(std::uint32_t)>& event_name) {
    if (histograms.empty()) return;
    json.key("histograms");
    json.begin_array();
    for (const auto& one : histograms) {
        const auto value = [&](std::string_view name, std::uint64_t number) {
            if (one.is_signed) {
                json.member(name, static_cast<std::int64_t>(number));
            } else {
                json.member(name, number);
            }
        };
        json.begin_object();
        json.name("event", event_name(one.event));
        json.name("field", one.field);
        json.member("samples", one.samples);
        json.member("no_value", one.no_value);
        if (one.samples != 0) {
            value("least", one.least);
            value("most", one.most);
            json.exact("mean", one.mean);
        }
        json.key("buckets");
        json.begin_array();
        for (const auto& bucket : one.buckets) {
            json.begin_object();
            value("first", bucket.first);
            value("last", bucket.last);
            json.member("samples", bucket.samples);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.member("without_field", without_field);
}

void write_without_build_id(JsonWriter& json, const WithoutBuildId& without) {
    if (without.sampled.objects + without.callers.objects == 0 && without.kernel == 0) return;
    const auto part = [&](const WithoutBuildId::Part& one) {
        json.member("samples", one.samples);
        json.member("objects", one.objects);
        json.array("names", one.names, [](const std::string& name) { return name; });
    };
    json.key("without_build_id");
    json.begin_object();
    part(without.sampled);
    if (without.kernel != 0) json.member("kernel", without.kernel);
    if (without.has_callers) {
        json.key("callers");
        json.begin_object();
        part(without.callers);
        json.end_object();
    }
    json.member("remedy", without.remedy());
    json.end_object();
}

void write_stacks(JsonWriter& json, const StackFacts& stacks) {
    const auto& counts = stacks.counts;
    if (counts.stacks() + counts.not_unwound() == 0) return;
    json.key("user_stacks");
    json.begin_object();
    json.member("unwound", counts.stacks());
    json.member("not_unwound", counts.not_unwound());
    json.key("ends");
    json.begin_object();
    for (std::size_t end = 0; end < stack_ends; ++end) {
        const auto one = static_cast<StackEnd>(end);
        if (counts.ended(one) != 0) json.member(to_string(one), counts.ended(one));
    }
    json.end_object();
    json.key("short_copies");
    json.begin_array();
    for (const auto& [size, count] : counts.short_copies()) {
        json.begin_object();
        json.member("bytes", size);
        json.member("stacks", count);
        const auto wanted = counts.wanted_copies().find(size);
        if (wanted != counts.wanted_copies().end() && wanted->second != 0) json.member("wanted", wanted->second);
        json.end_object();
    }
    json.end_array();
    constexpr std::size_t most = 100;
    const auto objects = [&](std::string_view name, const std::vector<StackFacts::Object>& list) {
        json.key(name);
        json.begin_array();
        for (std::size_t at = 0; at < std::min(most, list.size()); ++at) {
            json.begin_object();
            json.name("object", list[at].object);
            json.member("stacks", list[at].stacks);
            if (!list[at].reason.empty()) json.member("reason", list[at].reason);
            if (!list[at].remedy.empty()) json.name("remedy", list[at].remedy);
            json.end_object();
        }
        json.end_array();
    };
    objects("without_file", stacks.without_file);
    objects("without_unwind_information", stacks.without_information);
    json.end_object();
}

}  // namespace perfdata
