// SPDX-License-Identifier: MIT
// A fast test of whether an address may lie in one of a few functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/wire/sample.hpp"
#include "perfdata/wire/sample/callchain.hpp"

namespace perfdata {

// CallFilter rejects nearly all addresses outside its functions, and never one inside. An exact look-up costs a hundred
// times as much, and most call chains touch none of the functions.
class PERFDATA_EXPORT CallFilter {
  public:
    // Code that each process maps at another address counts at every mapping in the timeline.
    CallFilter(const CodeVersions& versions, std::span<const CodeVersion> functions);

    // Returns false only if the address is in none of the functions.
    bool may_hold(Address address) const {
        return all_ || (halves_[address.value >> 63] && test(places_, place(address)) && test(pages_, page(address)));
    }

    // Returns false only if the frame, which is of a profile, is in none of the functions.
    bool may_hold_frame(const Frame& frame) const;

    // Tests the sampled address and its call chain. A chain that continues in a deferred part or in a copy of the user
    // stack passes: its addresses are not known yet.
    template <class Order>
    bool passes(const BasicSample<Order>& sample) const {
        if (all_ || sample.layout().shape().callers_in_stack()) return true;
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
    // Two bit tables: the 16-byte units of a page, small enough for the fastest cache, then pages by hash. Addresses
    // chosen to pass cost one exact look-up, as without the filter.
    static constexpr unsigned page_bits = 12, place_bits = 4, hash_bits = 22;

    static bool test(std::span<const std::uint64_t> bits, std::uint64_t at) {
        return (bits[at / 64] >> (at % 64) & 1) != 0;
    }
    static std::uint64_t place(Address address) { return (address.value & ((1u << page_bits) - 1)) >> place_bits; }
    static std::uint64_t page(Address address) {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        return ((address.value >> page_bits) * golden) >> (64 - hash_bits);
    }
    // Place is the bytes of a function: offsets as in Frame, both included.
    struct Place {
        FrameKind kind = FrameKind::nowhere;
        std::uint32_t index = 0;
        std::uint64_t first = 0, last = 0;
    };

    void add(Address begin, std::uint64_t size);
    void add_place(const CodeVersion& function);
    void sort_places();

    bool all_ = false;
    std::array<bool, 2> halves_{};  // whether any function lies in user space, in the kernel (upper half)
    std::array<std::uint64_t, (std::size_t{1} << (page_bits - place_bits)) / 64> places_{};
    std::vector<std::uint64_t> pages_;
    std::vector<Place> stored_;  // of a profile: sorted, and by kind and index each `last` is the most so far
    bool any_frame_ = false;     // of a profile: some function may reach anywhere
};

}  // namespace perfdata
