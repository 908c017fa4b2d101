// SPDX-License-Identifier: MIT
#include "bundle/anonymize/masked_source.hpp"

#include <algorithm>
#include <cstring>

namespace perfdata {

void MaskedSource::keep(std::uint64_t offset, std::uint64_t size) {
    const auto all = whole_->size();
    if (offset >= all || size == 0) return;
    kept_.push_back({offset, offset + std::min(size, all - offset)});
}

void MaskedSource::replace(std::uint64_t offset, std::vector<std::byte> bytes) {
    replaced_.push_back({offset, std::move(bytes)});
}

void MaskedSource::finish() {
    std::ranges::sort(kept_, {}, &Kept::begin);
    std::vector<Kept> apart;
    for (const auto& part : kept_) {
        if (!apart.empty() && part.begin <= apart.back().end) {
            apart.back().end = std::max(apart.back().end, part.end);
        } else {
            apart.push_back(part);
        }
    }
    kept_ = std::move(apart);
}

Result<std::size_t> MaskedSource::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    const auto all = size();
    if (offset >= all || out.empty()) return std::size_t{0};
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), all - offset));
    const auto end = offset + wanted;
    std::fill_n(out.begin(), wanted, std::byte{0});
    for (auto part = std::ranges::upper_bound(kept_, offset, {}, &Kept::end); part != kept_.end() && part->begin < end;
         ++part) {
        const auto begin = std::max(part->begin, offset);
        const auto piece = out.subspan(static_cast<std::size_t>(begin - offset),
                                       static_cast<std::size_t>(std::min(part->end, end) - begin));
        const auto got = whole_->read_at(begin, piece);
        if (!got) return got;
    }
    // Few: headers and tables of names.
    for (const auto& part : replaced_) {
        if (part.begin >= end || part.begin + part.bytes.size() <= offset) continue;
        const auto begin = std::max(part.begin, offset);
        const auto stop = std::min<std::uint64_t>(part.begin + part.bytes.size(), end);
        std::memcpy(out.data() + (begin - offset), part.bytes.data() + (begin - part.begin),
                    static_cast<std::size_t>(stop - begin));
    }
    return wanted;
}

}  // namespace perfdata
