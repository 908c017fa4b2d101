// SPDX-License-Identifier: MIT
#include "perfdata/profile/call_filter.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace perfdata {

CallFilter::CallFilter(const CodeVersions& versions, std::span<const CodeVersion> functions)
    : pages_((std::size_t{1} << hash_bits) / 64) {
    for (const auto& version : functions) add_place(version);
    sort_places();
    std::map<ObjectIndex, std::vector<const CodeVersion*>> mapped;
    for (const auto& version : functions) {
        if (version.size == 0) {
            all_ = true;  // unknown size: may reach anywhere
        } else if (version.address) {
            add(*version.address, version.size);
        } else if (version.function.kind == FrameKind::object) {
            mapped[version.function.index].push_back(&version);
        } else {
            all_ = true;
        }
    }
    // Beyond this, filtering costs more than it saves.
    constexpr std::size_t most = 1'000'000;
    std::size_t added = 0;
    for (const auto& mapping : versions.timeline().tasks().mappings()) {
        const auto found = mapped.find(mapping.object);
        if (all_ || found == mapped.end()) continue;
        for (const auto* version : found->second) {
            const auto begin = version->function.offset - mapping.file_offset;
            if (begin < mapping.range.size) add(mapping.range.begin + begin, version->size);
        }
        added += found->second.size();
        if (added > most) all_ = true;
    }
}

// Includes the byte after the function, too.
void CallFilter::add_place(const CodeVersion& function) {
    const auto& begin = function.function;
    if (function.size == 0) {
        any_frame_ = true;  // unknown size
        return;
    }
    const auto most = ~std::uint64_t{0} - begin.offset;
    stored_.push_back({begin.kind, begin.index, begin.offset, begin.offset + std::min(function.size, most)});
}

void CallFilter::sort_places() {
    std::ranges::sort(stored_, {}, [](const Place& place) { return std::tuple(place.kind, place.index, place.first); });
    for (std::size_t at = 1; at < stored_.size(); ++at) {
        const auto& before = stored_[at - 1];
        auto& place = stored_[at];
        if (before.kind == place.kind && before.index == place.index) place.last = std::max(place.last, before.last);
    }
}

bool CallFilter::may_hold_frame(const Frame& frame) const {
    if (any_frame_) return true;
    const auto behind =
        std::ranges::upper_bound(stored_, std::tuple(frame.kind, frame.index, frame.offset), {},
                                 [](const Place& place) { return std::tuple(place.kind, place.index, place.first); });
    if (behind == stored_.begin()) return false;
    const auto& place = behind[-1];
    return place.kind == frame.kind && place.index == frame.index && frame.offset <= place.last;
}

// Includes the byte after the function: the return address if a call that never returns is its last instruction.
void CallFilter::add(Address begin, std::uint64_t size) {
    constexpr std::uint64_t page_size = 1u << page_bits, place_size = 1u << place_bits, most_pages = 4096;
    const auto last = begin + size;
    if (size > most_pages * page_size || last < begin) {
        all_ = true;
        return;
    }
    halves_[begin.value >> 63] = halves_[last.value >> 63] = true;
    const auto set = [](std::span<std::uint64_t> bits, std::uint64_t at) {
        bits[at / 64] |= std::uint64_t{1} << at % 64;
    };
    for (auto at = begin.value / page_size; at <= last.value / page_size; ++at) set(pages_, page({at * page_size}));
    auto at = begin.value / place_size;
    for (std::uint64_t done = 0; at <= last.value / place_size && done <= page_size / place_size; ++at, ++done) {
        set(places_, place({at * place_size}));
    }
}

}  // namespace perfdata
