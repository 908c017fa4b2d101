// SPDX-License-Identifier: MIT
// An input in memory that owns its bytes.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// OwnedSource holds a text, which others may hold, too.
class OwnedSource final : public Source {
  public:
    explicit OwnedSource(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
    explicit OwnedSource(std::string bytes) : bytes_(std::make_shared<const std::string>(std::move(bytes))) {}

    std::uint64_t size() const override { return bytes_->size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset >= bytes_->size()) return std::size_t{0};
        const auto part = as_bytes(*bytes_).subspan(static_cast<std::size_t>(offset));
        const auto size = std::min(part.size(), out.size());
        std::ranges::copy(part.first(size), out.begin());
        return size;
    }
    Bytes in_memory() const override { return as_bytes(*bytes_); }

  private:
    std::shared_ptr<const std::string> bytes_;
};

}  // namespace perfdata
