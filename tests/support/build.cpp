// SPDX-License-Identifier: MIT
#include "support/build.hpp"

#include <array>

namespace perfdata::test {

RecordingBuilder& RecordingBuilder::event(const Attr& attr, std::vector<std::uint64_t> ids) {
    events_.push_back({attr, std::move(ids)});
    return *this;
}

RecordingBuilder& RecordingBuilder::add(const Blob& record) {
    data_.insert(data_.end(), record.begin(), record.end());
    return *this;
}

RecordingBuilder& RecordingBuilder::feature(unsigned number, Blob payload) {
    features_[number] = std::move(payload);
    return *this;
}

Blob RecordingBuilder::build() {
    places_ = {};
    Writer out(order_);
    out.zeros(layout.header_size);
    if (!layout.attrs_after_data) write_attrs(out);
    if (layout.features_before_data) write_payloads(out);
    places_.data = out.size();
    out.bytes(data_);
    places_.data_end = out.size();
    // The feature table must follow the records directly.
    write_feature_table(out);
    if (layout.attrs_after_data) write_attrs(out);

    Writer header(order_);
    write_header(header, events_.size() * layout.attr_stride);
    auto file = out.take();
    std::copy(header.blob().begin(), header.blob().end(), file.begin());
    return file;
}

void RecordingBuilder::write_header(Writer& out, std::uint64_t attrs_size) const {
    const std::string_view magic = layout.legacy ? "PERFFILE" : "PERFILE2";
    if (order_ == std::endian::little || layout.legacy) {
        // Readers compare version 1's magic as text, so it is written as text in both orders.
        out.text(magic);
    } else {
        out.text(std::string(magic.rbegin(), magic.rend()));
    }
    out.u64(layout.header_size).u64(layout.attr_stride).u64(places_.attrs).u64(attrs_size);
    out.u64(places_.data).u64(places_.data_end - places_.data);
    out.u64(0).u64(0);
    if (layout.header_size < 104) return;
    if (layout.bitmap_of_32_bit_words) {
        std::array<std::uint32_t, 8> words{};
        for (const auto& [number, payload] : features_) words[number / 32] |= std::uint32_t{1} << number % 32;
        for (const auto word : words) out.u32(word);
    } else {
        std::array<std::uint64_t, 4> words{};
        for (const auto& [number, payload] : features_) words[number / 64] |= std::uint64_t{1} << number % 64;
        for (const auto word : words) out.u64(word);
    }
}

void RecordingBuilder::write_attrs(Writer& out) {
    for (const auto& event : events_) {
        places_.ids.push_back(out.size());
        for (const auto id : event.ids) out.u64(id);
    }
    places_.attrs = out.size();
    for (std::size_t index = 0; index < events_.size(); ++index) {
        const auto begin = out.size();
        write_attr(out, events_[index].attr, layout.attr_stride);
        out.patch(begin + layout.ids_at, places_.ids[index]);
        out.patch(begin + layout.ids_at + 8, std::uint64_t{events_[index].ids.size() * 8});
    }
}

void RecordingBuilder::write_payloads(Writer& out) {
    const auto write = [&](unsigned number, const Blob& payload) {
        places_.features[number] = {out.size(), payload.size()};
        out.bytes(payload);
    };
    if (layout.features_backwards) {
        for (auto entry = features_.rbegin(); entry != features_.rend(); ++entry) write(entry->first, entry->second);
    } else {
        for (const auto& [number, payload] : features_) write(number, payload);
    }
}

void RecordingBuilder::write_feature_table(Writer& out) {
    for (const auto& [number, payload] : features_) {
        places_.feature_entries[number] = out.size();
        out.zeros(16);
    }
    if (!layout.features_before_data) write_payloads(out);
    for (const auto& [number, section] : places_.features) {
        out.patch(places_.feature_entries[number], section.offset);
        out.patch(places_.feature_entries[number] + 8, section.size);
    }
}

}  // namespace perfdata::test
