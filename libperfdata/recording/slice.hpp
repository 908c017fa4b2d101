// SPDX-License-Identifier: MIT
// A part of a source.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "perfdata/recording/source.hpp"

namespace perfdata {

// Slice is a part of a source. It keeps the source open.
class Slice final : public Source {
  public:
    // `damage` says why it is shorter than it should be.
    Slice(std::shared_ptr<const Source> whole, std::uint64_t offset, std::uint64_t size,
          std::optional<Error> damage = {})
        : whole_(std::move(whole)), offset_(offset), size_(size), damage_(std::move(damage)) {}

    std::uint64_t size() const override { return size_; }
    std::optional<Error> damage() const override { return damage_; }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset >= size_) return std::size_t{0};
        return whole_->read_at(offset_ + offset, out.first(std::min<std::uint64_t>(out.size(), size_ - offset)));
    }

  private:
    std::shared_ptr<const Source> whole_;
    std::uint64_t offset_, size_;
    std::optional<Error> damage_;
};

}  // namespace perfdata
