// SPDX-License-Identifier: MIT
// perfdata info: what a recording is and what it holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/walk.hpp"

#include "../json_parts.hpp"
#include "../words.hpp"
#include "tool.hpp"

namespace perfdata::tool {
namespace {

struct InfoOptions {
    Common common;
    bool completeness = false;
};

std::string feature_key(unsigned number) {
    const auto name = feature_name(number);
    return name.empty() ? std::to_string(number) : std::string(name);
}

// The text features, shown with their content.
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

class Info {
  public:
    Info(const InfoOptions& options, const Recording& recording)
        : recording_(recording), bpf_(BpfFeatures::read(recording)) {
        completeness_.diagnostics = DiagnosticLog(recording.limits().diagnostics);
        completeness_.diagnostics.append(recording.diagnostics());
        completeness_.diagnostics.append(bpf_.diagnostics());
        completeness_.bytes.total = recording.bytes();
        if (options.completeness || options.common.strict) scan();
    }

    const Completeness& completeness() const { return completeness_; }

    void json(const Sink& sink) const {
        JsonWriter json(sink);
        json.begin_object();
        json.member("schema", "perfdata.info/1");
        write_recording(json, recording_, nullptr);
        json.key("header");
        json.begin_object();
        json.member("bytes", recording_.header().size);
        json.member("attr_bytes", recording_.header().attr_size);
        json.member("data_offset", recording_.data().offset);
        json.member("data_bytes", recording_.data().size);
        json.member("interrupted", recording_.interrupted());
        json.end_object();
        json.key("features");
        json.begin_object();
        for (const auto& feature : recording_.features()) json_feature(json, feature);
        json.end_object();
        json.key("events");
        json.begin_array();
        for (const auto& event : recording_.events().events()) json_event(json, event);
        json.end_array();
        write_completeness(json, completeness_, scanned_);
        json.end_object();
        json.finish();
    }

    void text(const Sink& sink) const {
        std::string text;
        const auto line = [&](std::string_view name, const std::string& content) {
            if (!content.empty()) fmt::format_to(std::back_inserter(text), "{:<13}{}\n", name, printable(content));
        };
        line("recording", fmt::format("{}, {} bytes, {}-endian{}", recording_.path(), recording_.bytes(),
                                      recording_.order().endian() == std::endian::little ? "little" : "big",
                                      recording_.interrupted() ? ", not ended properly" : ""));
        line("recorded by", recording_.perf_version().empty() ? "" : "perf " + recording_.perf_version());
        line("command", fmt::format("{}", fmt::join(recording_.command_line(), " ")));
        line("machine", fmt::format("{}{}{}", recording_.hostname(), recording_.hostname().empty() ? "" : ", ",
                                    recording_.arch()));
        line("kernel", recording_.os_release());
        line("cpu", recording_.cpu_description());
        text += "\nEvents\n";
        for (const auto& event : recording_.events().events()) {
            const auto& attr = event.attr;
            fmt::format_to(std::back_inserter(text),
                           "  {:<24} type {}, config 0x{:x}, {} {}, sample_type 0x{:x}, {} ids\n",
                           printable(event.name), attr.type, attr.config, attr.freq() ? "frequency" : "period",
                           attr.sample_period, attr.sample_type, event.ids.size());
        }
        text += "\nFeatures\n";
        for (const auto& feature : recording_.features()) {
            fmt::format_to(std::back_inserter(text), "  {:<16} {:>8} bytes at {}{}\n", feature_key(feature.number),
                           feature.section.size, feature.section.offset,
                           feature.inside_file ? "" : "  (outside the file)");
        }
        fmt::format_to(std::back_inserter(text),
                       "\nBPF          {} programs, {} BTF blobs; `perfdata bpf` lists them\n", bpf_.programs().size(),
                       bpf_.btf().size());
        if (scanned_) text_completeness(text);
        sink(text);
    }

  private:
    void scan() {
        const auto nothing = [](const RecordContext&, const auto&) {};
        // Without a stop token the walk cannot fail.
        scanned_ = walk(recording_, completeness_, nothing).has_value();
    }

    void json_feature(JsonWriter& json, const FeatureSection& feature) const {
        json.key(feature_key(feature.number));
        json.begin_object();
        json.member("number", feature.number);
        json.member("offset", feature.section.offset);
        json.member("size", feature.section.size);
        if (const auto text = feature_text(recording_, feature.number)) json.member("text", *text);
        if (feature.number == static_cast<unsigned>(Feature::bpf_prog_info)) {
            json.member("programs", std::uint64_t{bpf_.programs().size()});
        }
        if (feature.number == static_cast<unsigned>(Feature::bpf_btf)) {
            json.member("blobs", std::uint64_t{bpf_.btf().size()});
        }
        json.end_object();
    }

    static void json_event(JsonWriter& json, const Event& event) {
        const auto& attr = event.attr;
        json.begin_object();
        json.member("name", event.name);
        json.key("attr");
        json.begin_object();
        json.member("type", attr.type);
        json.member("size", attr.size);
        json.member("config", attr.config);
        json.member(attr.freq() ? "sample_freq" : "sample_period", attr.sample_period);
        json.member("sample_type", attr.sample_type);
        json.member("read_format", attr.read_format);
        json.member("flags", attr.flags);
        json.member("branch_sample_type", attr.branch_sample_type);
        json.member("sample_regs_user", attr.sample_regs_user);
        json.member("sample_regs_intr", attr.sample_regs_intr);
        json.member("sample_stack_user", attr.sample_stack_user);
        json.end_object();
        json.array("ids", event.ids, [](EventId id) { return id.value; });
        json.end_object();
    }

    void text_completeness(std::string& text) const {
        const auto& bytes = completeness_.bytes;
        fmt::format_to(std::back_inserter(text),
                       "\nCompleteness\n  bytes          {:>12} = {} in records + {} outside + {} unread\n",
                       bytes.total, bytes.records, bytes.outside_records, bytes.unread);
        fmt::format_to(std::back_inserter(text), "  {:<24} {:>10} {:>10} {:>10}\n", "records", "decoded", "skipped",
                       "damaged");
        for (const auto& [type, counts] : completeness_.records) {
            const auto name = record_type_name(type);
            fmt::format_to(std::back_inserter(text), "    {:<22} {:>10} {:>10} {:>10}\n",
                           name.empty() ? std::to_string(type) : std::string(name), counts.decoded, counts.skipped,
                           counts.damaged);
        }
        fmt::format_to(std::back_inserter(text), "  lost by the recorder: {} records, {} samples\n",
                       completeness_.lost_events, completeness_.lost_samples);
    }

    const Recording& recording_;
    BpfFeatures bpf_;
    Completeness completeness_;
    bool scanned_ = false;
};

int run(const InfoOptions& options) {
    const auto recording = Recording::open(options.common.file);
    if (!recording) {
        complain(recording.error());
        return failed;
    }
    const Info info(options, *recording);
    auto output = Output::open(options.common.output);
    if (!output) {
        complain(output.error());
        return failed;
    }
    const auto sink = output->sink();
    if (options.common.json) {
        info.json(sink);
    } else {
        info.text(sink);
    }
    if (auto committed = output->commit(); !committed) {
        complain(committed.error());
        return failed;
    }
    warn_losses(options.common, info.completeness());
    return exit_code(options.common, info.completeness());
}

}  // namespace

void add_info(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("info", "Show header, events and features of a recording");
    auto options = std::make_shared<InfoOptions>();
    options->common.add_to(*command);
    command->add_flag("--completeness", options->completeness,
                      "Read all records and say what could be decoded and what not (--strict implies it)");
    command->callback([options, &exit] { exit = run(*options); });
}

}  // namespace perfdata::tool
