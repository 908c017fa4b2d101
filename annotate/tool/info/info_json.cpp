// SPDX-License-Identifier: MIT
// perfdata info --json: schema perfdata.info/1.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/wire/attr_words.hpp"

#include "info_page.hpp"
#include "info_profile.hpp"
#include "page/json/json_parts.hpp"

namespace perfdata::tool {
namespace {

// FeatureJson is a visitor of describe_feature that writes members of the open object.
class FeatureJson {
  public:
    explicit FeatureJson(JsonWriter& json) : json_(json) {}

    template <class T>
    void operator()(std::string_view name, const T& value) {
        if (!name.empty()) json_.key(name);
        json_.value(value);
    }
    template <class Body>
    Result<void> list(std::string_view name, std::optional<std::uint64_t>, Body&& body) {
        json_.key(name);
        json_.begin_array();
        auto done = body(*this);
        json_.end_array();
        return done;
    }
    template <class Body>
    Result<void> element(Body&& body) {
        json_.begin_object();
        auto done = body(*this);
        json_.end_object();
        return done;
    }

  private:
    JsonWriter& json_;
};

void write_header(JsonWriter& json, const Recording& recording) {
    const auto& header = recording.header();
    json.key("header");
    json.begin_object();
    json.member("container", recording.is_profile()        ? "profile"
                             : recording.data_files() != 0 ? "directory"
                             : header.pipe                 ? "pipe"
                                                           : "file");
    json.member("version", std::uint32_t{header.legacy ? 1u : 2u});
    json.member("bytes", header.size);
    json.member("attr_bytes", header.attr_size);
    json.member("data_offset", recording.data().offset);
    json.member("data_bytes", recording.data().size);
    json.member("data_files", std::uint64_t{recording.data_files()});
    json.member("interrupted", recording.interrupted());
    json.end_object();
}

void write_bundle_counts(JsonWriter& json, std::string_view name,
                         const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
    json.key(name);
    json.begin_object();
    for (const auto& [kind, count] : counts) json.member(kind, count);
    json.end_object();
}

void write_bundle_facts(JsonWriter& json, const Bundle& bundle) {
    const auto& facts = bundle.facts();
    json.key("bundle");
    json.begin_object();
    json.member("version", facts.version);
    json.member("files", std::uint64_t{bundle.files().size()});
    json.name("debug", facts.debug);
    json.member("sources", facts.sources);
    json.key("missing");
    json.begin_array();
    for (const auto& file : facts.missing) {
        json.begin_object();
        json.name("path", file.path);
        json.name("build_id", file.build_id);
        json.name("why", file.why);
        json.name("kind", file.kind);
        json.name("reason", file.explained());
        if (file.samples) json.member("samples", *file.samples);
        json.end_object();
    }
    json.end_array();
    write_bundle_counts(json, "left_out", facts.left_out);
    write_bundle_counts(json, "anonymized", facts.anonymized);
    json.end_object();
}

void write_times(JsonWriter& json, const RecordedTimes& times) {
    const auto& [first, last] = times.samples;
    const auto wall = [&](Time time) { return times.known() ? times.wall(time) : std::nullopt; };
    json.key("time");
    json.begin_object();
    json.member("first", times.known() ? std::optional(first) : std::nullopt);
    json.member("last", times.known() ? std::optional(last) : std::nullopt);
    json.member("duration", times.known() ? std::optional(times.duration()) : std::nullopt);
    json.member("first_wall_clock", wall(first));
    json.member("last_wall_clock", wall(last));
    json.end_object();
}

// Returns the content of a text feature under its single historical name.
std::optional<std::string> feature_text(const Recording& recording, unsigned number) {
    switch (static_cast<Feature>(number)) {
        case Feature::hostname: return recording.hostname();
        case Feature::osrelease: return recording.os_release();
        case Feature::version: return recording.perf_version();
        case Feature::arch: return recording.arch();
        case Feature::cpudesc: return recording.cpu_description();
        case Feature::cmdline: return fmt::format("{}", fmt::join(recording.command_line(), " "));
        default: return {};
    }
}

void write_feature(JsonWriter& json, const InfoPage& page, const ShownFeature& feature) {
    const auto& section = feature.section;
    json.key(feature_label(section.number));
    json.begin_object();
    json.member("number", section.number);
    json.member("offset", section.section.offset);
    json.member("size", section.section.size);
    if (const auto text = feature_text(page.recording, section.number)) json.member("text", *text);
    if (feature.is(Feature::bpf_prog_info)) {
        json.member("programs", page.bpf_programs);
    } else if (feature.is(Feature::bpf_btf)) {
        json.member("blobs", page.btf_blobs);
    } else if (feature.known()) {
        // Its errors are already reported.
        (void)open_feature(page.recording, section, [&](const Cursor& in) {
            return describe_feature(section.number, in, page.context, FeatureJson(json));
        });
    }
    if (feature.problem) {
        json.key("error");
        write_error(json, *feature.problem);
    }
    json.end_object();
}

template <class Name>
void write_names(JsonWriter& json, std::string_view key, std::uint64_t set, Name name) {
    json.key(key);
    json.begin_array();
    for_each_bit_name(set, name, [&](std::string_view word) { json.value(word); });
    json.end_array();
}

void write_event(JsonWriter& json, const InfoPage& page, const Event& event) {
    const auto& attr = event.attr;
    json.begin_object();
    json.member("name", event.name);
    json.key("attr");
    json.begin_object();
    attr_fields(attr, [&](std::string_view name, const auto& value) {
        if constexpr (sizeof(value) < sizeof(std::uint32_t)) {
            json.member(name, std::uint32_t{value});
        } else {
            json.member(name, value);
        }
    });
    const auto pmu = page.pmu_names.find(attr.type);
    const auto type = pmu == page.pmu_names.end() ? attr_type_name(attr.type) : std::string_view(pmu->second);
    json.member("type_name", type.empty() ? std::nullopt : std::optional(type));
    write_names(json, "sample_type_names", attr.sample_type, sample_type_name);
    write_names(json, "read_format_names", attr.read_format, read_format_name);
    write_names(json, "flag_names", attr.flags & ~Attr::precise_ip_bits, attr_flag_name);
    json.member("precise_ip", std::uint32_t{attr.precise_ip()});
    write_names(json, "branch_sample_type_names", attr.branch_sample_type, branch_sample_type_name);
    json.end_object();
    json.array("ids", event.ids, [](EventId id) { return id.value; });
    json.end_object();
}

}  // namespace

void InfoPage::write_json(const Sink& sink) const {
    JsonWriter json(sink);
    json.begin_object();
    json.member("schema", "perfdata.info/1");
    write_recording(json, RecordingFacts::of(recording, times.known() ? std::optional(times.samples) : std::nullopt));
    write_header(json, recording);
    if (recording.bundle()) write_bundle_facts(json, *recording.bundle());
    if (recording.is_profile()) write_profile_facts(json, recording);
    write_times(json, times);
    json.key("features");
    json.begin_object();
    for (const auto& feature : features) {
        write_feature(json, *this, feature);
    }
    json.end_object();
    json.key("events");
    json.begin_array();
    for (const auto& event : recording.events().events()) {
        write_event(json, *this, event);
    }
    json.end_array();
    write_completeness(json, completeness, scanned, losses());
    json.end_object();
    json.finish();
}

}  // namespace perfdata::tool
