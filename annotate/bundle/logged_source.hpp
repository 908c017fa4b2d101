// SPDX-License-Identifier: MIT
// An input that notes which of its bytes are read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "perfdata/recording/source.hpp"

namespace perfdata {

// LoggedSource may be read from many threads. What it notes grows with the distinct pages that are read.
class LoggedSource final : public Source {
  public:
    static constexpr std::uint64_t page = 4096;

    explicit LoggedSource(std::shared_ptr<const Source> beneath) : beneath_(std::move(beneath)) {}

    std::uint64_t size() const override { return beneath_->size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        auto got = beneath_->read_at(offset, out);
        if (got && *got != 0) note(offset, *got);
        return got;
    }
    std::uint64_t next_data(std::uint64_t offset) const override { return beneath_->next_data(offset); }
    std::optional<Error> damage() const override { return beneath_->damage(); }

    const std::shared_ptr<const Source>& beneath() const { return beneath_; }
    // Returns the ranges [begin, end) that were read, in whole pages, ascending. None touches another one.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges() const {
        const std::scoped_lock lock(mutex_);
        return {ranges_.begin(), ranges_.end()};
    }

  private:
    void note(std::uint64_t offset, std::uint64_t size) const {
        auto begin = offset / page * page, end = offset + size;
        end = end % page == 0 ? end : (end / page + 1) * page;
        const std::scoped_lock lock(mutex_);
        auto at = ranges_.upper_bound(begin);
        if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
        while (at != ranges_.end() && at->first <= end) {
            begin = std::min(begin, at->first);
            end = std::max(end, at->second);
            at = ranges_.erase(at);
        }
        ranges_.emplace(begin, end);
    }

    std::shared_ptr<const Source> beneath_;
    mutable std::mutex mutex_;
    mutable std::map<std::uint64_t, std::uint64_t> ranges_;  // begin and end; they do not touch
};

}  // namespace perfdata
