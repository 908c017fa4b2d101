// SPDX-License-Identifier: MIT
// Shows chosen parts of an input, and zeros elsewhere.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "perfdata/recording/source.hpp"

namespace perfdata {

// MaskedSource is as long as another input, and zero where nobody said otherwise. Nothing is copied.
class MaskedSource final : public Source {
  public:
    explicit MaskedSource(std::shared_ptr<const Source> whole) : whole_(std::move(whole)) {}

    // keep(offset, size) shows that part of the input, as far as it has it.
    void keep(std::uint64_t offset, std::uint64_t size);
    // replace(offset, bytes) shows other bytes there, whatever is kept.
    void replace(std::uint64_t offset, std::vector<std::byte> bytes);
    // finish() must be called behind the last change, before the first read.
    void finish();

    std::uint64_t size() const override { return whole_->size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override;

  private:
    struct Kept {
        std::uint64_t begin = 0, end = 0;
    };
    struct Replaced {
        std::uint64_t begin = 0;
        std::vector<std::byte> bytes;
    };

    std::shared_ptr<const Source> whole_;
    std::vector<Kept> kept_;  // sorted and apart from each other once finished
    std::vector<Replaced> replaced_;
};

}  // namespace perfdata
