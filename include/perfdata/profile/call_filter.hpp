// SPDX-License-Identifier: MIT
// A quick look whether an address may lie in one of a few functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/types.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/wire/sample.hpp"
#include "perfdata/wire/sample/callchain.hpp"

namespace perfdata {

// CallFilter says no for nearly all addresses that are in none of its functions, and never for one that is: whether an
// address is in a function at all costs a hundred times as much, and most call chains never come by.
class CallFilter {
  public:
    // Of code that lies elsewhere in each process all places count where the timeline has it mapped.
    CallFilter(const CodeVersions& versions, std::span<const CodeVersion> functions);

    bool may_hold(Address address) const {
        return all_ || (halves_[address.value >> 63] && test(places_, place(address)) && test(pages_, page(address)));
    }

    // passes(sample) is for the sampled address and its call chain. What a deferred chain will hold is not known yet.
    template <class Order>
    bool passes(const BasicSample<Order>& sample) const {
        if (all_) return true;
        if (const auto ip = sample.ip(); ip && may_hold(*ip)) return true;
        const auto chain = sample.callchain();
        if (!chain) return false;
        for (const std::uint64_t value : *chain) {
            if (may_hold({value})) return true;
            if (static_cast<ChainContext>(value) == ChainContext::user_deferred) return true;
        }
        return false;
    }

  private:
    // Addresses that are chosen to pass cost the look-up that they would cost without the filter.
    // Two tables: which 16 bytes of a page, small enough to stay in the fastest cache, then which pages by their hash.
    static constexpr unsigned page_bits = 12, place_bits = 4, hash_bits = 22;

    static bool test(std::span<const std::uint64_t> bits, std::uint64_t at) {
        return (bits[at / 64] >> (at % 64) & 1) != 0;
    }
    static std::uint64_t place(Address address) { return (address.value & ((1u << page_bits) - 1)) >> place_bits; }
    static std::uint64_t page(Address address) {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        return ((address.value >> page_bits) * golden) >> (64 - hash_bits);
    }
    void add(Address begin, std::uint64_t size);

    bool all_ = false;
    std::array<bool, 2> halves_{};  // of the address space: whether any function is in it: user space, the kernel
    std::array<std::uint64_t, (std::size_t{1} << (page_bits - place_bits)) / 64> places_{};
    std::vector<std::uint64_t> pages_;
};

}  // namespace perfdata
