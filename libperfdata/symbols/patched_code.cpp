// SPDX-License-Identifier: MIT
#include "patched_code.hpp"

#include <algorithm>
#include <optional>

namespace perfdata {
namespace {

// Returns nothing where there was no code.
std::optional<std::byte> byte_of(Bytes bytes, std::size_t index) {
    if (index >= bytes.size()) return {};
    return bytes[index];
}

std::string hex(std::uint64_t value) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    do {
        text.insert(text.begin(), digits[value & 15]);
        value >>= 4;
    } while (value != 0);
    return text;
}

std::string shown(Bytes bytes) {
    constexpr std::size_t most = 16;
    std::string text;
    for (const auto byte : bytes.first(std::min(bytes.size(), most))) {
        const auto value = std::to_integer<unsigned>(byte);
        text += (text.empty() ? "" : " ") + hex(value >> 4) + hex(value & 15);
    }
    return bytes.size() > most ? text + " ..." : text;
}

}  // namespace

void PatchedCode::put(std::uint64_t offset, Bytes bytes) {
    if (offset >= bytes_.size()) return;
    const auto at = static_cast<std::size_t>(offset);
    bytes = bytes.first(std::min(bytes.size(), bytes_.size() - at));
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
    std::fill_n(known_.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), true);
}

PatchedCode::Overlap PatchedCode::overlap(const TextPatch& patch) const {
    const auto range = patch.range();
    const auto skip = patch.address < begin_ ? begin_ - patch.address : 0;
    const auto first = patch.address < begin_ ? 0 : patch.address - begin_;
    if (skip >= range.size || first >= bytes_.size()) return {};
    const auto count = std::min<std::uint64_t>(range.size - skip, bytes_.size() - first);
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(first + count), static_cast<std::size_t>(skip)};
}

// A place is a run of bytes that overlapping patches change. It goes through states 0, 1, 2...: each patch begins a new
// one. The copy is right if all its known bytes agree with one state:
//
//     state             0    1    2      patch 1: 0f 1f -> e8 10
//     byte 0           0f   e8   cc      patch 2: e8    -> cc
//     byte 1           1f   10   10
//     copy e8 10             x           right: taken between patches 1 and 2
//     copy 0f 10                         byte 0 agrees with state 0, byte 1 with 1 and 2: a problem
//
// Each byte agrees with a range of states, and `fits` has only the changes at its two ends. So the cost is O(n log n)
// in the number of patches and linear in their bytes.
std::vector<Error> PatchedCode::check(std::span<const TextPatch* const> patches) const {
    struct Meeting {
        Overlap where;
        const TextPatch* patch;
    };
    std::vector<Meeting> meetings;
    for (const auto* patch : patches) {
        if (const auto where = overlap(*patch); where.first < where.last) meetings.push_back({where, patch});
    }
    std::ranges::sort(meetings, {}, [](const Meeting& meeting) { return meeting.where.first; });

    std::vector<Error> problems;
    for (auto place = meetings.begin(); place != meetings.end();) {
        auto end = place + 1;
        const auto first = place->where.first;
        auto last = place->where.last;
        for (; end != meetings.end() && end->where.first < last; ++end) last = std::max(last, end->where.last);
        // Patches lie in memory in order of time.
        std::sort(place, end, [](const Meeting& a, const Meeting& b) { return a.patch < b.patch; });

        struct Track {
            std::optional<std::byte> value;  // what the last patch left here
            std::size_t since = 0;           // the first state with this value
            bool touched = false;
        };
        const auto states = static_cast<std::size_t>(end - place) + 1;
        std::vector<Track> tracks(last - first);
        std::vector<std::ptrdiff_t> fits(states + 1);  // agreeing bytes, less those of the state before
        std::ptrdiff_t bytes = 0;
        const auto agree = [&](std::size_t offset, std::optional<std::byte> value, std::size_t from, std::size_t to) {
            if (!known_[offset] || (value && *value != bytes_[offset])) return;
            ++fits[from];
            --fits[to];
        };
        const TextPatch* broken = nullptr;
        for (std::size_t state = 1; state < states; ++state) {
            const auto& [where, patch] = place[static_cast<std::ptrdiff_t>(state) - 1];
            for (auto offset = where.first; offset < where.last; ++offset) {
                auto& track = tracks[offset - first];
                const auto index = where.skip + (offset - where.first);
                const auto before = byte_of(patch->old_bytes, index), after = byte_of(patch->new_bytes, index);
                // A patch that two events recorded finds its own bytes.
                if (broken == nullptr && track.value && before && *track.value != *before && track.value != after) {
                    broken = patch;
                }
                if (known_[offset] && !track.touched) ++bytes;
                agree(offset, track.touched ? track.value : before, track.since, state);
                track = {after, state, true};
            }
        }
        for (auto offset = first; offset < last; ++offset) {
            if (const auto& track = tracks[offset - first]; track.touched) {
                agree(offset, track.value, track.since, states);
            }
        }
        std::ptrdiff_t agreeing = 0;
        const bool fitting = std::any_of(fits.begin(), fits.end() - 1, [&](std::ptrdiff_t more) {
            agreeing += more;
            return agreeing == bytes;
        });
        const auto& patch = *place->patch;
        const auto where = "the code at " + hex((begin_ + first).value);
        if (!fitting) {
            problems.push_back({ErrorCode::mismatch, patch.offset, where,
                                "it has " + shown(Bytes(bytes_).subspan(first, last - first)) +
                                    ", which none of the recorded changes found or left there (the first one found " +
                                    shown(patch.old_bytes) + "); shown as recorded, but the rest may be other code"});
        }
        if (broken != nullptr) {
            problems.push_back({ErrorCode::mismatch, broken->offset, where,
                                "a recorded change found there " + shown(broken->old_bytes) +
                                    ", which the one before it did not leave: a record in between was lost"});
        }
        place = end;
    }
    return problems;
}

void PatchedCode::apply(std::span<const TextPatch* const> patches, Time until) {
    std::vector<bool> done(bytes_.size());
    const auto take = [&](const TextPatch& patch, Bytes from) {
        const auto where = overlap(patch);
        for (auto offset = where.first; offset < where.last; ++offset) {
            const auto byte = byte_of(from, where.skip + (offset - where.first));
            if (!byte || done[offset]) continue;
            bytes_[offset] = *byte;
            known_[offset] = done[offset] = true;
        }
    };
    // The last patch before the time counts. Without one, what the first patch after it found counts.
    const auto later = std::ranges::lower_bound(patches, until, {}, [](const TextPatch* patch) { return patch->time; });
    for (auto patch = later; patch != patches.begin();) {
        --patch;
        take(**patch, (*patch)->new_bytes);
    }
    for (auto patch = later; patch != patches.end(); ++patch) take(**patch, (*patch)->old_bytes);
}

void PatchedCode::finish(CodeImage& image) && {
    auto end = known_.size();
    while (end != 0 && !known_[end - 1]) --end;
    for (std::size_t offset = 0; offset < end; ++offset) {
        if (known_[offset]) continue;
        bytes_[offset] = {};
        if (!image.gaps.empty() && image.gaps.back().offset + image.gaps.back().size == offset) {
            ++image.gaps.back().size;
        } else {
            image.gaps.push_back({offset, 1});
        }
    }
    bytes_.resize(end);
    bytes_.shrink_to_fit();
    image.bytes = std::move(bytes_);
}

}  // namespace perfdata
