// SPDX-License-Identifier: MIT
// Anonymized copies in memory.
#pragma once

#include <array>
#include <string_view>

#include "bundle/anonymize/anonymizer.hpp"
#include "support/writer.hpp"

namespace perfdata::test {

inline Anonymizer an_anonymizer(std::uint8_t first = 7) {
    AnonymizeKey key{};
    key[0] = static_cast<std::byte>(first);
    return Anonymizer::create(key).value();
}

inline Blob bytes_of_source(const Source& source) {
    Blob all(static_cast<std::size_t>(source.size()));
    const auto got = source.read_at(0, all);
    all.resize(got.value());
    return all;
}

inline Blob anonymized_recording(const Recording& recording, Anonymizer& anonymizer) {
    return bytes_of_source(*anonymizer.recording(recording, {}).value());
}

inline Blob anonymized(const Blob& file) {
    auto anonymizer = an_anonymizer();
    return anonymized_recording(Recording::from_memory(file).value(), anonymizer);
}

inline bool has_text_in(const Blob& blob, std::string_view text) {
    return std::string_view(reinterpret_cast<const char*>(blob.data()), blob.size()).find(text) !=
           std::string_view::npos;
}

inline std::uint64_t sum_of_kind(const Anonymizer& anonymizer, std::string_view kind) {
    for (const auto& [name, count] : anonymizer.counts()) {
        if (name == kind) return count;
    }
    return 0;
}

}  // namespace perfdata::test
