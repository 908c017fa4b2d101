// SPDX-License-Identifier: MIT
#include "literals.hpp"

#include <algorithm>

namespace perfdata {

void Literals::add(const Literal& literal, std::uint64_t at) {
    const auto offset = literal.address - base_;
    if (offset < at || offset >= size_ || size_ - offset < literal.size) return;
    auto& size = ahead_[offset];
    size = std::max(size, literal.size);
}

std::uint64_t Literals::next(std::uint64_t at) {
    ahead_.erase(ahead_.begin(), ahead_.lower_bound(at));
    return ahead_.empty() ? size_ : ahead_.begin()->first;
}

std::optional<std::uint64_t> Literals::take(std::uint64_t at) const {
    const auto found = ahead_.find(at);
    if (found == ahead_.end()) return {};
    return found->second;
}

}  // namespace perfdata
