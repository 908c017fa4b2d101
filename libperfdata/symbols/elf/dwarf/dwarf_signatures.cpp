// SPDX-License-Identifier: MIT
#include "dwarf_signatures.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t first_size = 11, looks_for_each = 64, some_looks = 1 << 20;

bool is_prime(std::uint64_t number) {
    for (std::uint64_t divisor = 3; divisor * divisor <= number; divisor += 2) {
        if (number % divisor == 0) return false;
    }
    return number % 2 != 0;
}

}  // namespace

// Double hashing: a first slot, then steps (Knuth, volume 3, algorithm 6.4 D).
void DwarfSignatures::insert(std::uint64_t signature) {
    auto at = 1 + signature % size_;
    const auto step = 1 + signature % (size_ - 2);
    const auto most = looks_for_each * all_.size() + some_looks;
    for (++looks_; taken_[at] && places_[at] != signature && looks_ <= most; ++looks_) {
        at = at <= step ? size_ + at - step : at - step;
    }
    taken_[at] = true;
    places_[at] = signature;
}

bool DwarfSignatures::add(std::uint64_t signature) {
    const bool grows = 100 * (all_.size() + 1) > 90 * size_;
    if (grows) {
        size_ = size_ == 0 ? first_size : 2 * size_ + 1;
        while (!is_prime(size_)) size_ += 2;
        taken_.assign(size_ + 1, false);
        places_.assign(size_ + 1, 0);
        for (const auto one : all_) insert(one);
    }
    all_.push_back(signature);
    insert(signature);
    return looks_ <= looks_for_each * all_.size() + some_looks;
}

}  // namespace perfdata
