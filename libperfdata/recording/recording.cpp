// SPDX-License-Identifier: MIT
#include "perfdata/recording/recording.hpp"

#include <algorithm>
#include <array>

#include "perfdata/wire/feature/event_desc.hpp"
#include "perfdata/wire/feature/strings.hpp"

namespace perfdata {
namespace {

// The feature table has at most one entry a bit of the bitmap.
constexpr std::size_t feature_entry_bytes = 16;

std::string feature_place(unsigned number) {
    const auto name = feature_name(number);
    return "feature " + (name.empty() ? std::to_string(number) : std::string(name));
}

}  // namespace

Result<Recording> Recording::open(const std::string& path, const OpenOptions& options) {
    auto source = open_source(path, options.limits);
    if (!source) return fail(std::move(source.error()));
    return open(std::move(*source), path, options);
}

Result<Recording> Recording::from_memory(Bytes bytes, const OpenOptions& options) {
    return open(memory_source(bytes), "", options);
}

Result<Recording> Recording::open(std::shared_ptr<const Source> source, std::string path, const OpenOptions& options) {
    Recording recording;
    recording.source_ = std::move(source);
    recording.path_ = std::move(path);
    recording.limits_ = options.limits;
    recording.diagnostics_ = DiagnosticLog(options.limits.diagnostics);
    if (auto read = recording.read_header(); !read) return fail(std::move(read.error()));
    recording.find_data();
    recording.read_feature_table();
    if (auto read = recording.read_events(); !read) return fail(std::move(read.error()));
    recording.read_texts();
    return recording;
}

Result<void> Recording::read_header() {
    std::array<std::byte, FileHeader::bytes> start{};
    const auto got = source_->read_at(0, start);
    if (!got) return fail(got.error());
    auto header = FileHeader::parse(Bytes(start).first(*got));
    if (!header) return fail(std::move(header.error()));
    header_ = *header;
    if (header_.pipe) {
        return fail(ErrorCode::unsupported, 0, "file header",
                    "a pipe-mode recording (perf record -o -); record with -o FILE to get program infos too");
    }
    return {};
}

void Recording::find_data() {
    const auto total = source_->size();
    data_ = header_.data;
    if (data_.offset > total) {
        diagnostics_.add(
            {ErrorCode::truncated, 40, "file header",
             "data section at byte " + std::to_string(data_.offset) + " of a file of " + std::to_string(total)});
        data_ = {total, 0};
        return;
    }
    const auto left = total - data_.offset;
    if (interrupted()) {
        data_.size = left;
        diagnostics_.add({ErrorCode::truncated, 48, "file header",
                          "the recorder did not end properly (data size 0): reading records up to the end of the "
                          "file; there are no features"});
    } else if (data_.size > left) {
        diagnostics_.add({ErrorCode::truncated, 48, "file header",
                          "data section of " + std::to_string(data_.size) + " bytes, the file has " +
                              std::to_string(left) + " of them; the features behind it are lost"});
        data_.size = left;
    }
}

void Recording::read_feature_table() {
    if (interrupted() || header_.data.size != data_.size) return;
    auto entry_offset = data_.offset + data_.size;
    for (unsigned number = 0; number < 256; ++number) {
        if (!header_.has_feature(number)) continue;
        std::array<std::byte, feature_entry_bytes> entry{};
        const auto got = source_->read_at(entry_offset, entry);
        if (!got || *got != entry.size()) {
            diagnostics_.add({ErrorCode::truncated, entry_offset, "feature table",
                              "the file ends before the entry of " + feature_place(number)});
            return;
        }
        FeatureSection feature{
            number, {order().load<std::uint64_t>(entry.data()), order().load<std::uint64_t>(entry.data() + 8)}, false};
        feature.inside_file =
            feature.section.offset <= bytes() && feature.section.size <= bytes() - feature.section.offset;
        if (!feature.inside_file) {
            diagnostics_.add({ErrorCode::truncated, entry_offset, feature_place(number),
                              "section of " + std::to_string(feature.section.size) + " bytes at byte " +
                                  std::to_string(feature.section.offset) + " goes beyond the file's " +
                                  std::to_string(bytes())});
        }
        features_.push_back(feature);
        entry_offset += feature_entry_bytes;
    }
}

const FeatureSection* Recording::feature(Feature feature) const {
    const auto found = std::ranges::find(features_, static_cast<unsigned>(feature), &FeatureSection::number);
    return found == features_.end() ? nullptr : &*found;
}

Result<std::vector<std::byte>> Recording::read_section(FileSection section, std::string where) const {
    if (section.offset > bytes() || section.size > bytes() - section.offset) {
        return fail(ErrorCode::truncated, section.offset, std::move(where),
                    std::to_string(section.size) + " bytes go beyond the file's " + std::to_string(bytes()));
    }
    if (section.size > limits_.section_bytes) {
        return fail(
            ErrorCode::limit, section.offset, std::move(where),
            std::to_string(section.size) + " bytes; at most " + std::to_string(limits_.section_bytes) + " are read");
    }
    std::vector<std::byte> content(static_cast<std::size_t>(section.size));
    const auto got = source_->read_at(section.offset, content);
    if (!got) return fail(got.error());
    if (*got != content.size()) {
        return fail(ErrorCode::truncated, section.offset + *got, std::move(where), "the file has become shorter");
    }
    return content;
}

Result<std::vector<std::byte>> Recording::read_feature(Feature which) const {
    const auto place = feature_place(static_cast<unsigned>(which));
    const auto* found = feature(which);
    if (found == nullptr) return fail(ErrorCode::missing, Error::no_offset, place, "not in this recording");
    return read_section(found->section, place);
}

Result<std::vector<EventId>> Recording::read_ids(FileSection section) const {
    const auto content = read_section(section, "event ids");
    if (!content) return fail(content.error());
    std::vector<EventId> ids;
    ids.reserve(content->size() / 8);
    for (std::size_t at = 0; at + 8 <= content->size(); at += 8) {
        ids.push_back({order().load<std::uint64_t>(content->data() + at)});
    }
    return ids;
}

// Each entry of the attr section is a perf_event_attr and then the place of the event's ids. The stride is the header's
// attr_size; the ids end the entry, except where attr.size and the stride disagree and only the other place makes
// sense (files rewritten by an old perf inject).
Result<std::vector<Event>> Recording::read_attrs() {
    const auto stride = header_.attr_size;
    constexpr std::uint64_t pair = sizeof(FileSection);
    if (stride < Attr::min_bytes + pair || stride > 65536) {
        return fail(ErrorCode::malformed, 16, "file header",
                    "attr size " + std::to_string(stride) + "; between 80 and 65536 expected");
    }
    const auto count = header_.attrs.size / stride;
    if (count > limits_.events) {
        return fail(ErrorCode::limit, 32, "attr section",
                    std::to_string(count) + " events; at most " + std::to_string(limits_.events) + " are read");
    }
    const auto content = read_section({header_.attrs.offset, count * stride}, "attr section");
    if (!content) return fail(content.error());

    std::vector<Event> events;
    std::size_t ids_in_all = 0;
    for (std::uint64_t index = 0; index < count; ++index) {
        const auto entry =
            Bytes(*content).subspan(static_cast<std::size_t>(index * stride), static_cast<std::size_t>(stride));
        const auto claimed = order().load<std::uint32_t>(entry.data() + 4);
        const auto pair_at = [&](std::uint64_t at) {
            return FileSection{order().load<std::uint64_t>(entry.data() + at),
                               order().load<std::uint64_t>(entry.data() + at + 8)};
        };
        const auto sensible = [&](FileSection ids) {
            return ids.size % 8 == 0 && ids.offset <= bytes() && ids.size <= bytes() - ids.offset;
        };
        auto ids_place = pair_at(stride - pair);
        if (!sensible(ids_place) && claimed >= Attr::min_bytes && claimed + pair < stride &&
            sensible(pair_at(claimed))) {
            ids_place = pair_at(claimed);
        }
        const auto attr_bytes = claimed >= Attr::min_bytes && claimed <= stride - pair
                                    ? claimed
                                    : (claimed == 0 ? Attr::min_bytes : stride - pair);
        Event event;
        event.attr = Attr::decode(entry.first(static_cast<std::size_t>(attr_bytes)), order());
        auto ids = ids_in_all + ids_place.size / 8 > limits_.ids
                       ? fail(ErrorCode::limit, ids_place.offset, "event ids",
                              "more than " + std::to_string(limits_.ids) + " ids in all")
                       : read_ids(ids_place);
        if (ids) {
            ids_in_all += ids->size();
            id_sections_.push_back(ids_place);
            event.ids = std::move(*ids);
        } else {
            diagnostics_.add(std::move(ids.error()));
        }
        events.push_back(std::move(event));
    }
    return events;
}

std::vector<Event> Recording::read_event_descriptions() {
    std::vector<Event> events;
    const auto* section = feature(Feature::event_desc);
    if (section == nullptr || !section->inside_file) return events;
    const auto content = read_feature(Feature::event_desc);
    if (!content) {
        diagnostics_.add(content.error());
        return events;
    }
    EventDescReader reader({*content, order(), {.where = "feature EVENT_DESC", .offset = section->section.offset}});
    for (;;) {
        const auto described = reader.next();
        if (!described) {
            diagnostics_.add(described.error());
            break;
        }
        if (!*described) break;
        if (events.size() == limits_.events) {
            diagnostics_.add({ErrorCode::limit, section->section.offset, "feature EVENT_DESC", "too many events"});
            break;
        }
        Event event;
        event.name = (*described)->name;
        event.attr = (*described)->attr;
        for (std::size_t index = 0; index < (*described)->ids.size(); ++index) {
            event.ids.push_back({(*described)->ids[index]});
        }
        events.push_back(std::move(event));
    }
    return events;
}

Result<void> Recording::read_events() {
    auto described = read_event_descriptions();
    auto events = read_attrs();
    if (events && !events->empty()) {
        for (std::size_t index = 0; index < events->size() && index < described.size(); ++index) {
            auto& event = (*events)[index];
            event.name = std::move(described[index].name);
            if (event.ids.empty()) event.ids = std::move(described[index].ids);
        }
    } else if (!described.empty()) {
        // EVENT_DESC repeats attrs and ids: a recording with a damaged attr section is still readable.
        diagnostics_.add(events ? Error{ErrorCode::malformed, 24, "attr section", "no events in it"} : events.error());
        events = std::move(described);
    } else if (!events) {
        return fail(std::move(events.error()));
    } else {
        return fail(ErrorCode::malformed, 24, "attr section",
                    "no events in it, and no EVENT_DESC feature to take them from");
    }
    for (auto& event : *events) {
        if (event.name.empty()) event.name = default_event_name(event.attr);
    }
    events_ = EventTable(std::move(*events));
    return {};
}

std::string Recording::read_text(Feature which) {
    const auto* section = feature(which);
    if (section == nullptr || !section->inside_file) return {};
    const auto content = read_feature(which);
    if (!content) {
        diagnostics_.add(content.error());
        return {};
    }
    Cursor in(*content, order(), {.where = "feature text", .offset = section->section.offset});
    std::string text(read_feature_string(in));
    if (!in.ok()) {
        diagnostics_.add({ErrorCode::truncated, section->section.offset, feature_place(section->number),
                          "the text goes beyond its section of " + std::to_string(content->size()) + " bytes"});
    }
    return text;
}

void Recording::read_texts() {
    hostname_ = read_text(Feature::hostname);
    os_release_ = read_text(Feature::osrelease);
    perf_version_ = read_text(Feature::version);
    arch_ = read_text(Feature::arch);
    cpu_description_ = read_text(Feature::cpudesc);

    const auto* section = feature(Feature::cmdline);
    if (section == nullptr || !section->inside_file) return;
    const auto content = read_feature(Feature::cmdline);
    if (!content) {
        diagnostics_.add(content.error());
        return;
    }
    FeatureStringList list({*content, order(), {.where = "feature CMDLINE", .offset = section->section.offset}});
    std::string_view text;
    while (list.next(text)) command_line_.emplace_back(text);
    if (!list.ok()) diagnostics_.add(list.cursor().failure("the command line").error());
}

RecordStream Recording::records() const {
    return {source_, order(), data_.offset, data_.offset + data_.size};
}

// The recorder lays the table out for all features that it means to write. One that it then cannot write loses its bit,
// and its entry stays unused at the end of the table, in front of the first section.
FileSection Recording::feature_table() const {
    const auto begin = data_.offset + data_.size;
    const auto used = features_.size() * feature_entry_bytes;
    auto first_section = bytes();
    for (const auto& feature : features_) {
        if (feature.inside_file && feature.section.offset >= begin + used) {
            first_section = std::min(first_section, feature.section.offset);
        }
    }
    const auto unused = first_section - std::min(first_section, begin + used);
    constexpr auto most_entries = 256;
    const bool entries = unused % feature_entry_bytes == 0 && unused <= most_entries * feature_entry_bytes;
    return {begin, used + (entries ? unused : 0)};
}

// Sections of a damaged file may overlap each other or the records: each byte counts once, records first.
std::uint64_t Recording::outside_records() const {
    std::vector<FileSection> parts = {{0, header_.size}, header_.attrs};
    parts.insert(parts.end(), id_sections_.begin(), id_sections_.end());
    if (!features_.empty()) parts.push_back(feature_table());
    for (const auto& feature : features_) {
        if (feature.inside_file) parts.push_back(feature.section);
    }
    std::ranges::sort(parts, {}, &FileSection::offset);
    const auto data_end = data_.offset + data_.size;
    std::uint64_t covered = 0;
    std::uint64_t reached = 0;
    for (const auto& part : parts) {
        const auto begin = std::min(std::max(part.offset, reached), bytes());
        const auto end = part.size > bytes() - std::min(part.offset, bytes()) ? bytes() : part.offset + part.size;
        if (end <= begin) continue;
        const auto data_from = std::clamp(data_.offset, begin, end);
        const auto data_to = std::clamp(data_end, begin, end);
        covered += (end - begin) - (data_to - data_from);
        reached = end;
    }
    return covered;
}

}  // namespace perfdata
