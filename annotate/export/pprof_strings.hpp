// SPDX-License-Identifier: MIT
// The string table of a profile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/words.hpp"

namespace perfdata {

// PprofStrings numbers texts by first use. Number 0 is the empty text. It holds each text once; a text is at most
// about 4 times most_shown bytes long.
class PprofStrings {
  public:
    PprofStrings() { number(""); }

    // Returns the number of a foreign text, as shown(): valid UTF-8, which readers require.
    std::int64_t operator()(std::string_view text) { return number(shown(text)); }

    // By number; each lives as long as the table.
    const std::vector<const std::string*>& texts() const { return texts_; }

  private:
    std::int64_t number(std::string text) {
        const auto [entry, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::int64_t>(texts_.size()));
        if (is_new) texts_.push_back(&entry->first);
        return entry->second;
    }

    std::map<std::string, std::int64_t> numbers_;  // a tree: log n each, whatever texts a file chooses
    std::vector<const std::string*> texts_;
};

}  // namespace perfdata
