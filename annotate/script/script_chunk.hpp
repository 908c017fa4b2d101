// SPDX-License-Identifier: MIT
// Samples that wait for being formatted, with copies of all that they refer to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/text_arena.hpp"

#include "script_item.hpp"

namespace perfdata {

// ScriptChunk holds some hundred samples. Its memory is bounded by them, and is kept when it is cleared.
class ScriptChunk {
  public:
    struct Entry {
        ScriptItem item;
        std::string_view text;  // if the sample is formatted already
    };

    // add(item, with_record) copies the item; without the record, item.sample() must not be used. It returns false if
    // the chunk is full: an empty one takes any item.
    bool add(const ScriptItem& item, bool with_record) {
        const auto record = with_record ? item.record.bytes : Bytes();
        if (!has_room(item.comm.size() + record.size(), item.lines.size())) return false;
        auto copy = item;
        copy.comm = keep(item.comm);
        copy.chain = {};
        const auto begin = lines_.size();
        lines_.insert(lines_.end(), item.lines.begin(), item.lines.end());
        copy.lines = std::span(lines_).subspan(begin);
        copy.record.bytes = std::as_bytes(std::span(keep(as_text(record))));
        entries_.push_back({copy, {}});
        return true;
    }
    // add_text(item, done) adds a sample that is formatted already.
    bool add_text(const ScriptItem& item, std::string_view done) {
        if (!has_room(done.size(), 0)) return false;
        entries_.push_back({item, keep(done)});
        return true;
    }
    const std::vector<Entry>& entries() const { return entries_; }
    bool is_empty() const { return entries_.empty(); }
    const std::shared_ptr<const TextArena>& places() const { return places_; }

    // clear() makes an empty chunk, whose lines of places will be in `places`.
    void clear(std::shared_ptr<const TextArena> places) {
        entries_.clear();
        bytes_.clear();
        lines_.clear();
        text.clear();
        places_ = std::move(places);
    }

    std::string text;  // of all, once they are formatted

  private:
    static constexpr std::size_t most_entries = 512, most_bytes = std::size_t{128} << 10, most_lines = 8192;

    // Views of bytes_ and lines_ must stay valid, so these never grow beyond their room.
    bool has_room(std::size_t bytes, std::size_t lines) {
        if (is_empty()) {
            entries_.reserve(most_entries);
            bytes_.reserve(std::max(bytes, most_bytes));
            lines_.reserve(std::max(lines, most_lines));
        }
        return entries_.size() < most_entries && bytes <= bytes_.capacity() - bytes_.size() &&
               lines <= lines_.capacity() - lines_.size();
    }
    std::string_view keep(std::string_view part) {
        const auto begin = bytes_.size();
        bytes_.insert(bytes_.end(), part.begin(), part.end());
        return {bytes_.data() + begin, part.size()};
    }

    std::vector<Entry> entries_;
    std::vector<char> bytes_;
    std::vector<std::string_view> lines_;
    std::shared_ptr<const TextArena> places_;  // keeps alive what lines_ and ScriptItem::place_text refer to
};

}  // namespace perfdata
