// SPDX-License-Identifier: MIT
// The feature table and the features that every user of a recording needs.
#include <algorithm>
#include <array>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/recording/source.hpp"
#include "perfdata/wire/feature/compressed.hpp"
#include "perfdata/wire/feature/strings.hpp"

#include "look_out.hpp"

namespace perfdata {
namespace {

// The feature table has at most one entry per bit of the bitmap.
constexpr std::size_t feature_entry_bytes = 16;

std::string feature_place(unsigned number) {
    const auto name = feature_name(number);
    return "feature " + (name.empty() ? std::to_string(number) : std::string(name));
}

}  // namespace

void Recording::read_feature_table() {
    if (header_.pipe || interrupted() || header_.data.size != data_.size) return;
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
        feature.inside_file = feature.section.offset <= source_->size() &&
                              feature.section.size <= source_->size() - feature.section.offset;
        if (!feature.inside_file) {
            diagnostics_.add({ErrorCode::truncated, entry_offset, feature_place(number),
                              "section of " + std::to_string(feature.section.size) + " bytes at byte " +
                                  std::to_string(feature.section.offset) + " goes beyond the file's " +
                                  std::to_string(source_->size())});
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
    return catch_bad_alloc([&] { return read_part(section, std::move(where)); });
}

// Reads large sections in parts if somebody looks.
Result<std::vector<std::byte>> Recording::read_part(FileSection section, std::string where, LookOut* look) const {
    if (section.offset > source_->size() || section.size > source_->size() - section.offset) {
        return fail(ErrorCode::truncated, section.offset, std::move(where),
                    std::to_string(section.size) + " bytes go beyond the file's " + std::to_string(source_->size()));
    }
    if (section.size > limits_.section_bytes) {
        return fail(
            ErrorCode::limit, section.offset, std::move(where),
            std::to_string(section.size) + " bytes; at most " + std::to_string(limits_.section_bytes) + " are read");
    }
    std::vector<std::byte> content(static_cast<std::size_t>(section.size));
    constexpr std::size_t bytes_a_look = std::size_t{8} << 20;
    const auto step = look != nullptr ? bytes_a_look : content.size();
    for (std::size_t at = 0; at < content.size();) {
        const auto part = std::span(content).subspan(at, std::min(step, content.size() - at));
        const auto got = source_->read_at(section.offset + at, part);
        if (!got) return fail(got.error());
        at += *got;
        if (*got != part.size()) {
            return fail(ErrorCode::truncated, section.offset + at, std::move(where), "the file has become shorter");
        }
        if (look != nullptr && at < content.size()) look->look();
    }
    return content;
}

Result<std::vector<std::byte>> Recording::read_feature(Feature which) const {
    const auto place = feature_place(static_cast<unsigned>(which));
    const auto* found = feature(which);
    if (found == nullptr) return fail(ErrorCode::missing, Error::no_offset, place, "not in this recording");
    return read_section(found->section, place);
}

Result<std::vector<std::byte>> Recording::read_feature(const FeatureSection& section) const {
    return read_section(section.section, feature_place(section.number));
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

void Recording::read_compression() {
    constexpr std::uint64_t sane = std::uint64_t{1} << 30;
    const auto* section = feature(Feature::compressed);
    if (section == nullptr || !section->inside_file) return;
    const auto content = read_feature(Feature::compressed);
    if (!content) {
        diagnostics_.add(content.error());
        return;
    }
    const Cursor in(*content, order(), {.where = "feature COMPRESSED", .offset = section->section.offset});
    const auto info = CompressionInfo::decode(in);
    if (!info) {
        diagnostics_.add(info.error());
        return;
    }
    if (compression_name(info->type).empty()) {
        diagnostics_.add({ErrorCode::unsupported, section->section.offset + 4, "feature COMPRESSED",
                          "compression type " + std::to_string(info->type) + "; only 1 (zstd) is known"});
    }
    // A value that is too small is damage, and must not cost records.
    const auto bound = info->mmap_len;
    if (bound <= sane)
        unpacked_record_bytes_ = std::max<std::uint64_t>(bound, RecordStreamOptions{}.unpacked_record_bytes);
}

// The recorder lays out the table for all features that it intends to write. One that it then cannot write loses its
// bit, and its entry stays unused at the end of the table, in front of the first section.
FileSection Recording::feature_table() const {
    const auto begin = data_.offset + data_.size;
    const auto used = features_.size() * feature_entry_bytes;
    auto first_section = source_->size();
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

}  // namespace perfdata
