// SPDX-License-Identifier: MIT
// perfdata info: the page as text.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/recording/left_out.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/wire/attr_words.hpp"

#include "format/loss_text.hpp"
#include "format/words.hpp"
#include "info_feature_text.hpp"
#include "info_page.hpp"
#include "info_profile.hpp"
#include "page/titles.hpp"

namespace perfdata::tool {
namespace {

// InfoText writes the page line by line: texts of a recording may be long, and must not pile up.
class InfoText {
  public:
    InfoText(const InfoPage& page, const Sink& sink) : page_(page), recording_(page.recording), sink_(sink) {
        if (page.verbose) {
            // A bitmap of a few bytes may be a very long list. JSON has all of it.
            constexpr auto all = std::numeric_limits<std::size_t>::max();
            limits_ = {.elements = all, .values = 4096, .bytes = all};
        }
    }

    void write() {
        head();
        text_ += "\nEvents\n";
        events();
        if (!page_.features.empty()) text_ += "\nFeatures\n";
        for (const auto& shown : page_.features) feature(shown);
        if (page_.scanned) completeness();
        if (!text_.empty()) sink_(text_);
    }

  private:
    template <class... T>
    void add(fmt::format_string<T...> format, T&&... values) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
        constexpr std::size_t block = std::size_t{1} << 16;
        if (text_.size() < block) return;
        sink_(text_);
        std::string().swap(text_);
    }
    void line(std::string_view name, const std::string& content) {
        if (!content.empty()) add("{:<13}{}\n", name, printable(content));
    }

    void head() {
        // The size of a profile's recordings is in its own line.
        const auto size = recording_.is_profile() ? std::string() : fmt::format("{} bytes, ", recording_.bytes());
        line("recording", fmt::format("{}, {}{}-endian{}", recording_.path(), size,
                                      recording_.order().endian() == std::endian::little ? "little" : "big",
                                      recording_.interrupted() ? ", not ended properly" : ""));
        line("container", recording_.is_profile() ? "profile file" : container());
        if (recording_.is_profile()) {
            for (const auto& [name, text] : profile_lines(recording_, page_.verbose)) line(name, text);
        }
        if (recording_.bundle()) bundle(*recording_.bundle());
        if (!recording_.is_profile())
            line("records", fmt::format("{} bytes at {}", recording_.data().size, recording_.data().offset));
        line("recorded by", recording_.perf_version().empty() ? "" : "perf " + recording_.perf_version());
        line("command", fmt::format("{}", fmt::join(recording_.command_line(), " ")));
        line("machine", fmt::format("{}{}{}", recording_.hostname(), recording_.hostname().empty() ? "" : ", ",
                                    recording_.arch()));
        line("kernel", recording_.os_release());
        line("cpu", recording_.cpu_description());
        times();
        if (!page_.scanned) losses();
    }

    // What perfdata collect packed, and what it did not find.
    void bundle(const Bundle& bundle) {
        constexpr std::size_t few = 10;
        const auto& facts = bundle.facts();
        const auto counts = [](std::string_view what, const auto& kinds) {
            std::string text;
            for (const auto& [kind, count] : kinds)
                text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
            return text.empty() ? text : fmt::format("{}: {}", what, text);
        };
        const auto left_out = [](const auto& kinds) {
            std::vector<std::string> texts;
            for (const auto& [kind, count] : kinds) texts.push_back(left_out_text(count, kind));
            return texts.empty() ? std::string() : fmt::format("left out: {}", fmt::join(texts, ", "));
        };
        if (facts.version == 0) return line("bundle", fmt::format("{} files, no index", bundle.files().size()));
        const bool any_source =
            std::ranges::any_of(bundle.files(), [](const BundledFile& file) { return file.kind == "source"; });
        line("bundle", fmt::format("version {}, {} files, debug information: {}, {}", facts.version,
                                   bundle.files().size(), facts.debug,
                                   !facts.sources ? "source files not packed"
                                   : any_source   ? "source files packed"
                                                  : "source files asked for, and none packed"));
        line("", left_out(facts.left_out));
        line("", counts("anonymized", facts.anonymized));
        const auto shown = page_.verbose ? facts.missing.size() : std::min(facts.missing.size(), few);
        for (std::size_t at = 0; at < shown; ++at) {
            const auto& file = facts.missing[at];
            const auto why = file.explained();
            const auto samples = file.samples ? fmt::format(" ({})", how_many(*file.samples, "sample")) : std::string();
            line("", fmt::format("missing: {}{}: {}", std::string_view(InLine(file.path, InLine::Keep::end)), samples,
                                 why));
        }
        if (shown < facts.missing.size()) {
            line("", fmt::format("and {} more are missing; see --verbose", facts.missing.size() - shown));
        }
    }

    std::string container() const {
        const auto& header = recording_.header();
        if (header.pipe) return "pipe stream";
        auto text = fmt::format("file of version {}, header of {} bytes, attrs of {}", header.legacy ? 1 : 2,
                                header.size, header.attr_size - std::min<std::uint64_t>(header.attr_size, 16));
        if (recording_.data_files() != 0) {
            text += fmt::format("; directory with {} more files of records", recording_.data_files());
        }
        return text;
    }

    void times() {
        const auto& times = page_.times;
        if (times.clock_is_empty) line("clock", "time of day not recorded (CLOCK_DATA holds zeros)");
        if (!times.known()) {
            if (times.clock) {
                line("clock",
                     fmt::format("{} was {}", seconds(times.clock->event_clock), wall_clock(times.clock->wall_clock)));
            }
            return;
        }
        line("samples", fmt::format("{} to {}, {} s", seconds(times.samples.first), seconds(times.samples.last),
                                    seconds(times.duration())));
        if (const auto first = times.wall(times.samples.first)) {
            line("", fmt::format("{} to {}", *first, times.wall(times.samples.last).value_or("")));
        }
    }

    // With --completeness they stand beside the other counts.
    void losses() {
        if (page_.losses() == nullptr) {
            return line("losses", "not counted here; --completeness reads all records");
        }
        std::string_view name = "losses";
        for (const auto& text : loss_lines(*page_.losses())) line(std::exchange(name, ""), text);
    }

    void events() {
        const auto& events = recording_.events().events();
        if (events.empty()) add("  none\n");
        for (std::size_t index = 0; index < events.size(); ++index) {
            if (index == most_events && !page_.verbose) {
                add("  ... and {} more (--verbose shows them)\n", events.size() - most_events);
                return;
            }
            event(events[index]);
        }
    }

    void event(const Event& event) {
        const auto& attr = event.attr;
        const auto pmu = page_.pmu_names.find(attr.type);
        const auto type = pmu == page_.pmu_names.end() ? attr_type_name(attr.type) : std::string_view(pmu->second);
        add("  {}\n", printable(event.name));
        add("      type {} ({}), config {:#x}, {} {}, {}, attr of {} bytes\n", attr.type,
            type.empty() ? "a PMU of its own" : printable(type), attr.config,
            attr.freq() ? "sample_freq" : "sample_period", attr.sample_period, how_many(event.ids.size(), "id"),
            attr.size);
        words("sample_type", attr.sample_type, sample_type_name);
        words("read_format", attr.read_format, read_format_name);
        if (attr.flags != 0) {
            auto flags = bit_names(attr.flags & ~Attr::precise_ip_bits, attr_flag_name, ' ');
            if (attr.precise_ip() != 0) flags += fmt::format(" precise_ip={}", attr.precise_ip());
            add("      flags {}\n", flags);
        }
        words("branch_sample_type", attr.branch_sample_type, branch_sample_type_name);
        others(attr);
    }

    template <class Name>
    void words(std::string_view field, std::uint64_t set, Name name) {
        if (set != 0) add("      {} {}\n", field, bit_names(set, name));
    }

    // Prints fields that are rarely used and not shown elsewhere.
    void others(const Attr& attr) {
        constexpr std::string_view elsewhere[] = {"type",        "size",          "config",
                                                  "sample_freq", "sample_period", "sample_type",
                                                  "read_format", "flags",         "branch_sample_type"};
        constexpr std::string_view decimal[] = {"wakeup_events", "sample_stack_user", "clockid",
                                                "aux_watermark", "sample_max_stack",  "aux_sample_size"};
        std::string text;
        attr_fields(attr, [&](std::string_view name, const auto& value) {
            const bool used = value != 0 || (name == "clockid" && attr.use_clockid());
            if (!used || std::ranges::find(elsewhere, name) != std::end(elsewhere)) return;
            if (!text.empty()) text += ", ";
            const bool plain = std::ranges::find(decimal, name) != std::end(decimal);
            text += plain ? fmt::format("{} {}", name, value) : fmt::format("{} {:#x}", name, value);
            if (name == "clockid") text += fmt::format(" ({})", clock_name(static_cast<std::uint32_t>(value)));
        });
        if (!text.empty()) add("      {}\n", text);
    }

    void feature(const ShownFeature& shown) {
        const auto& section = shown.section;
        FeatureText fields(shown.is(Feature::event_desc) && !page_.verbose ? only_counts_ : limits_);
        std::string summary;
        const bool bpf = shown.is(Feature::bpf_prog_info) || shown.is(Feature::bpf_btf);
        if (bpf) {
            summary = shown.is(Feature::bpf_btf) ? how_many(page_.btf_blobs, "BTF blob")
                                                 : how_many(page_.bpf_programs, "program");
            if (page_.bpf_lists) summary += "; `perfdata bpf` lists them";
        } else if (shown.known()) {
            // Its errors are already reported.
            (void)open_feature(recording_, section, [&](const Cursor& in) {
                return describe_feature(section.number, in, page_.context, fields);
            });
            summary = fields.summary();
        } else {
            summary = "not known to this version";
        }
        auto place = fmt::format("{} bytes at {}", section.section.size, section.section.offset);
        if (!section.inside_file) place += ", outside the file";
        if (page_.verbose || !shown.known() || shown.problem) {
            summary += summary.empty() ? "[" : "  [";
            summary += place + "]";
        }
        add("  {:<18}{}\n", feature_label(section.number), summary);
        text_ += fields.tables();
        if (shown.problem) add("      damaged: {}\n", printable(shown.problem->message()));
    }

    void completeness() {
        const auto& completeness = page_.completeness;
        const auto& bytes = completeness.bytes;
        add("\nCompleteness\n  bytes          {:>12} = {} in records + {} outside + {} unread\n", bytes.total,
            bytes.records, bytes.outside_records, bytes.unread);
        add("  {:<24} {:>10} {:>10} {:>10}\n", "records", "decoded", "skipped", "damaged");
        for (const auto& [type, counts] : completeness.records) {
            const auto name = record_type_name(type);
            add("    {:<22} {:>10} {:>10} {:>10}\n", name.empty() ? std::to_string(type) : std::string(name),
                counts.decoded, counts.skipped, counts.damaged);
        }
        add("  lost by the recorder: {} records, {} samples\n", completeness.lost_events, completeness.lost_samples);
        if (completeness.lost_events != completeness.lost_elsewhere()) {
            add("      the samples include {} of these records\n",
                completeness.lost_events - completeness.lost_elsewhere());
        }
        for (const auto& losses : loss_lines(completeness)) add("      {}\n", losses);
        if (completeness.stacks_not_unwound != 0) {
            add("  user stacks: {} copied; report, script and annotate unwind them\n", completeness.stacks_not_unwound);
        }
    }

    static constexpr std::size_t most_events = 20;

    const InfoPage& page_;
    const Recording& recording_;
    const Sink& sink_;
    TextLimits limits_;
    TextLimits only_counts_{.elements = 0, .values = 0};  // EVENT_DESC repeats what is under Events
    std::string text_;
};

}  // namespace

void InfoPage::write_text(const Sink& sink) const {
    InfoText(*this, sink).write();
}

}  // namespace perfdata::tool
