// SPDX-License-Identifier: MIT
#include "listing_texts.hpp"

#include <utility>

namespace perfdata {

void add_texts(Listing& listing, const Symbolizer& symbolizer) {
    if (listing.lines.empty() && listing.inlined.empty()) return;
    std::vector<LineStart> lines(listing.lines.size() + listing.inlined.size());
    auto next = lines.begin();
    for (const auto& line : listing.lines) (next++)->source = line.source;
    for (const auto& calls : listing.inlined) (next++)->inlined = calls;
    lines = symbolizer.with_texts(listing.version.function, std::move(lines));
    next = lines.begin();
    for (auto& line : listing.lines) line.source = (next++)->source;
    for (auto& calls : listing.inlined) calls = std::move((next++)->inlined);
}

void ListingTexts::ready(std::size_t number) {
    std::unique_lock lock(mutex_);
    ready_[number] = true;
    if (adding_) return;
    adding_ = true;  // for ever, if memory runs out: then all of the listings are given up
    for (; next_ < ready_.size() && ready_[next_]; ++next_) {
        auto& listing = listings_[next_];
        lock.unlock();
        add_texts(listing, symbolizer_);
        lock.lock();
    }
    adding_ = false;
}

}  // namespace perfdata
