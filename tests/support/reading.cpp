// SPDX-License-Identifier: MIT
#include "support/reading.hpp"

#include <algorithm>

#include "perfdata/wire/feature/describe.hpp"

#include "unit/wire/features/lines.hpp"

namespace perfdata::test {
namespace {

bool is_container(RecordType type) {
    switch (type) {
        case RecordType::header_attr:
        case RecordType::header_feature:
        case RecordType::header_tracing_data:
        case RecordType::event_update:
        case RecordType::compressed:
        case RecordType::compressed2:
        case RecordType::finished_round:
        case RecordType::finished_init: return true;
        default: return false;
    }
}

std::string joined_lines(const Lines& lines) {
    std::string all;
    for (const auto& line : lines) all += line + " ";
    return all;
}

std::string trailer_text(const Trailer& trailer) {
    std::string text;
    const auto add = [&](std::string_view name, const auto& value) {
        if (value) text += " " + std::string(name) + ":" + std::to_string(value->value);
    };
    add("pid", trailer.pid);
    add("tid", trailer.tid);
    add("id", trailer.id);
    if (trailer.time) text += " at:" + std::to_string(trailer.time->nanoseconds);
    if (trailer.stream_id) text += " stream:" + std::to_string(*trailer.stream_id);
    if (trailer.cpu) text += " cpu:" + std::to_string(*trailer.cpu);
    return text;
}

class Collector {
  public:
    explicit Collector(Reading& reading) : reading_(&reading) {}

    template <class R>
    void operator()(const RecordContext& context, const R& record) {
        const auto header = context.view.header();
        if (is_container(context.view.type())) return;
        Lines lines;
        if constexpr (requires { record.details(); }) {
            if (const auto time = record.time()) lines.push_back("t=" + std::to_string(time->nanoseconds));
            // Name registers by bit numbers: their names depend on a feature, which the container may lack.
            sample_fields(record, RegisterSet::unknown, FieldText(lines));
        } else {
            record.fields(FieldText(lines));
        }
        std::string event;
        if (context.event != RecordContext::no_event) event = " event " + std::to_string(context.event);
        reading_->records.push_back(std::string(record_type_name(header.type)) + " " + std::to_string(header.misc) +
                                    " of " + std::to_string(header.size) + event + trailer_text(context.trailer) +
                                    ": " + joined_lines(lines));
        if (header.type < 64) reading_->times.push_back(context.time.nanoseconds);
    }
    void unknown(const RecordView& record) {
        Lines lines;
        FieldText{lines}("bytes", record.bytes.subspan(8));
        reading_->records.push_back("type " + std::to_string(record.header().type) + ": " + joined_lines(lines));
    }

  private:
    Reading* reading_;
};

}  // namespace

Reading read_all(const Recording& recording, RecordOrder order) {
    Reading reading;
    WalkOptions options;
    options.order = order;
    const auto walked = walk(recording, reading.completeness, Collector(reading), options);
    if (!walked) reading.completeness.diagnostics.add(walked.error());
    return reading;
}

Lines event_lines(const Recording& recording) {
    Lines lines;
    for (const auto& event : recording.events().events()) {
        Lines fields;
        HeaderAttr{event.attr, {}}.fields(FieldText(fields));
        auto line = "'" + event.name + "' " + joined_lines(fields) + "ids";
        for (const auto id : event.ids) line += " " + std::to_string(id.value);
        lines.push_back(std::move(line));
    }
    return lines;
}

Lines feature_lines(const Recording& recording) {
    Lines all;
    FeatureContext context;
    if (const auto content = recording.read_feature(Feature::nrcpus)) {
        const auto cpus = CpuCounts::decode(Cursor(*content, recording.order(), {.where = "feature"}));
        if (cpus) context.available_cpus = cpus->available;
    }
    for (const auto& section : recording.features()) {
        const auto title = "feature " + std::to_string(section.number) + " ";
        all.push_back(title);
        const auto content = recording.read_feature(static_cast<Feature>(section.number));
        if (!content) {
            all.push_back(title + content.error().message());
            continue;
        }
        Lines lines;
        const auto described = describe_feature(
            section.number, Cursor(*content, recording.order(), {.where = "feature"}), context, FeatureLines(lines));
        for (const auto& line : lines) all.push_back(title + line);
        if (!described) all.push_back(title + described.error().message());
    }
    return all;
}

std::string incompleteness(const Reading& reading, const Recording& recording) {
    std::string text;
    const auto say = [&](const std::string& line) { text += line + "; "; };
    for (const auto& error : recording.diagnostics().kept()) say("opening: " + error.message());
    for (const auto& error : reading.completeness.diagnostics.kept()) say(error.message());
    const auto& bytes = reading.completeness.bytes;
    if (bytes.total != bytes.records + bytes.outside_records + bytes.unread) say("the bytes do not add up");
    if (bytes.unread != 0) say(std::to_string(bytes.unread) + " bytes unread");
    for (const auto& [type, counts] : reading.completeness.records) {
        if (counts.damaged != 0) say(std::to_string(counts.damaged) + " damaged of type " + std::to_string(type));
    }
    return text;
}

std::string first_difference(const Lines& got, const Lines& want) {
    constexpr std::size_t before = 80, shown = 240;
    for (std::size_t index = 0; index < std::max(got.size(), want.size()); ++index) {
        const auto line = [&](const Lines& lines) { return index < lines.size() ? lines[index] : "(nothing)"; };
        if (line(got) == line(want)) continue;
        const auto longer = std::max(line(got).size(), line(want).size());
        std::size_t at = 0;
        while (at < longer && line(got).substr(0, at + 1) == line(want).substr(0, at + 1)) ++at;
        const auto excerpt = [&](const Lines& lines) {
            const auto text = line(lines);
            return text.substr(0, 40) + " ... " + text.substr(std::min(text.size(), at - std::min(at, before)), shown);
        };
        return "line " + std::to_string(index) + "\ngot:  " + excerpt(got) + "\nwant: " + excerpt(want);
    }
    return {};
}

}  // namespace perfdata::test
