// SPDX-License-Identifier: MIT
// Fuzz target: an anonymized recording opens without complaints, has all samples that can be decoded but for those that
// are counted as left out, and nothing that cannot be decoded; so has a copy of the copy, with another key. If the
// header was damaged, so that events may lack ids, or has fields of samples that this version does not know and the
// copy lacks, records may belong to none or to another event, and the copy only has to open.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "perfdata/recording/walk.hpp"

#include "bundle/anonymize/anonymizer.hpp"
#include "bundle/anonymize/sample_rewriter.hpp"
#include "promise.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

struct Nothing {};

std::vector<std::byte> all_bytes(const Source& source) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(source.size()));
    const auto got = source.read_at(0, bytes);
    require(got && *got == bytes.size());
    return bytes;
}

// Returns how many samples the recording has. `clean`: nothing may be wrong with it.
std::uint64_t samples_in(const Recording& recording, bool clean) {
    Completeness seen;
    Nothing nobody;
    require(walk(recording, seen, nobody).has_value());
    if (clean) {
        require(recording.diagnostics().empty());
        for (const auto& [type, counts] : seen.records) {
            require(counts.damaged == 0 && counts.skipped == 0);
        }
    }
    const auto found = seen.records.find(static_cast<std::uint32_t>(RecordType::sample));
    return found == seen.records.end() ? 0 : found->second.decoded;
}

// Returns true if all events have only fields that are known.
bool is_understood(const Recording& recording) {
    return std::ranges::all_of(recording.events().events(),
                               [](const Event& event) { return (event.attr.sample_type & ~known_sample_bits) == 0; });
}

// Returns how many records are damaged.
std::uint64_t damaged_in(const Recording& recording) {
    Completeness seen;
    Nothing nobody;
    require(walk(recording, seen, nobody).has_value());
    std::uint64_t damaged = 0;
    for (const auto& [type, counts] : seen.records) damaged += counts.damaged;
    return damaged;
}

struct Copy {
    std::vector<std::byte> bytes;
    std::uint64_t dropped = 0;  // records
};

Copy anonymous_copy(const Recording& recording, unsigned char first) {
    const std::array<std::byte, 32> key{std::byte{first}};
    auto anonymizer = Anonymizer::create(key);
    require(anonymizer.has_value());
    const auto made = anonymizer->recording(recording, {});
    require(made.has_value());
    Copy copy{all_bytes(**made), 0};
    for (const auto& [kind, count] : anonymizer->counts()) {
        if (kind == "dropped_damaged_records") copy.dropped = count;
    }
    return copy;
}

// Checks the copy of a recording. `whole`: nothing but the records that are counted may be missing.
void check_copy(const Recording& recording, const Copy& copy, const Recording& opened, bool whole) {
    const auto before = samples_in(recording, false), after = samples_in(opened, whole);
    require(after == before || !whole || (after < before && copy.dropped > damaged_in(recording)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes input(reinterpret_cast<const std::byte*>(data), size);
    OpenOptions options;
    options.limits = perfdata::fuzz::small_limits();
    const auto recording = Recording::from_memory(input, options);
    if (!recording) return 0;
    const auto copy = anonymous_copy(*recording, 1);
    const auto opened = Recording::from_memory(copy.bytes);
    require(opened.has_value());
    const bool whole = recording->diagnostics().empty() && is_understood(*recording);
    check_copy(*recording, copy, *opened, whole);
    const auto again = anonymous_copy(*opened, 2);
    const auto last = Recording::from_memory(again.bytes);
    require(last.has_value());
    check_copy(*opened, again, *last, whole);
    return 0;
}
