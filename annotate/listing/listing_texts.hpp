// SPDX-License-Identifier: MIT
// Adds the texts of source files to listings, in display order.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"

namespace perfdata {

// Adds the texts of its lines and inlined calls to a listing.
void add_texts(Listing& listing, const Symbolizer& symbolizer);

// ListingTexts gives the room that there is for source files to the first listings, whatever thread makes which when.
// No thread waits: one that makes a listing ready before its turn leaves the texts to whoever makes those before it
// ready.
class ListingTexts {
  public:
    // For the listings from number `first` on, which must outlive it.
    ListingTexts(const Symbolizer& symbolizer, std::span<Listing> listings, std::size_t first)
        : symbolizer_(symbolizer), listings_(listings), next_(first), ready_(listings.size()) {}

    // Says that nobody else changes this listing any more. Once they are all ready, all have their texts.
    void ready(std::size_t number);

  private:
    const Symbolizer& symbolizer_;
    std::span<Listing> listings_;
    std::mutex mutex_;
    std::size_t next_;         // those before it have their texts
    std::vector<bool> ready_;  // by number
    bool adding_ = false;      // a thread is at number next_
};

}  // namespace perfdata
