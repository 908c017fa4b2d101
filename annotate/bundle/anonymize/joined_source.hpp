// SPDX-License-Identifier: MIT
// Several inputs, one behind the other.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "perfdata/recording/source.hpp"

namespace perfdata {

// OwnedBytes is an input in memory that owns its bytes.
class OwnedBytes final : public Source {
  public:
    explicit OwnedBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

    std::uint64_t size() const override { return bytes_.size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    Bytes in_memory() const override { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

// JoinedSource reads its parts as one input: a header that is only known at the end needs not be written first.
class JoinedSource final : public Source {
  public:
    // No part is null.
    explicit JoinedSource(std::vector<std::shared_ptr<const Source>> parts);

    std::uint64_t size() const override { return size_; }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override;

  private:
    std::vector<std::shared_ptr<const Source>> parts_;
    std::uint64_t size_ = 0;
};

}  // namespace perfdata
