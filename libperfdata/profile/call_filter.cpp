// SPDX-License-Identifier: MIT
#include "perfdata/profile/call_filter.hpp"

#include <map>

namespace perfdata {

CallFilter::CallFilter(const CodeVersions& versions, std::span<const CodeVersion> functions)
    : pages_((std::size_t{1} << hash_bits) / 64) {
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
