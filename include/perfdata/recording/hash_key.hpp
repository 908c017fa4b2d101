// SPDX-License-Identifier: MIT
// The hash of all tables whose keys come from a file: keyed, so that the author of a file cannot predict collisions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// HashKey is a key and the hash with it. Use the leading bits of the result.
//
// The hash of up to four words is k0 + k1 * w1 + k2 * w2 + ... modulo 2^128, of which the upper half counts: with
// random keys of 128 bits this is strongly universal (Dietzfelbinger 1996). The hashes of any two different keys in a
// file are jointly as good as random, so they agree in any b bits with a probability of 2^-b: with n keys in a table
// of at least 2n slots, a search probes one other key on average. This holds for everybody who does not know the key,
// and a file is written before the key is drawn. The final step is a fixed permutation; it preserves this property and
// scatters arithmetic progressions, which the sum alone would leave in long runs.
//
// The hash of a text is a polynomial in a random point modulo 2^61 - 1, with one coefficient per 4 bytes: two texts of
// n bytes collide with a probability of n / 2^63. The size is hashed as well.
class PERFDATA_EXPORT HashKey {
  public:
    static constexpr std::size_t most_words = 4;                 // of a key that is not a text
    using Seed = std::array<std::uint64_t, 2 * most_words + 3>;  // see process()

    // A key of the caller's own, for tests: with a known key anybody can find collisions.
    constexpr explicit HashKey(const Seed& seed) : seed_(seed) {}

    // process() returns a key drawn once per process from the system's random source. Results do not depend on it: no
    // table is iterated in hash order.
    static const HashKey& process() noexcept;

    // Returns the hash of one to most_words integers, each converted to 64 bits. The number of words is not hashed.
    template <class... Words>
    constexpr std::uint64_t operator()(Words... words) const noexcept {
        static_assert(sizeof...(words) >= 1 && sizeof...(words) <= most_words);
        auto sum = wide(0);
        std::size_t at = 0;
        ((sum += wide(++at) * static_cast<std::uint64_t>(words)), ...);
        auto upper = static_cast<std::uint64_t>(sum >> 64);
        upper ^= upper >> 32;
        return upper * 0x9e3779b97f4a7c15u;
    }

    // text(text) returns the hash of any bytes.
    std::uint64_t text(std::string_view text) const noexcept {
        const auto point = seed_.back() & prime;
        std::uint64_t sum = 0;
        const auto take = [&](std::uint64_t coefficient) {
            const auto product = Wide{sum + coefficient} * point;
            sum = (static_cast<std::uint64_t>(product) & prime) + static_cast<std::uint64_t>(product >> 61);
            sum = (sum & prime) + (sum >> 61);
        };
        for (auto rest = text; !rest.empty(); rest.remove_prefix(rest.size() < 4 ? rest.size() : 4)) {
            std::uint32_t part = 0;
            std::memcpy(&part, rest.data(), rest.size() < 4 ? rest.size() : 4);
            take(part);
        }
        return (*this)(sum, text.size());
    }

  private:
    __extension__ typedef unsigned __int128 Wide;
    static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

    constexpr Wide wide(std::size_t at) const { return Wide{seed_[2 * at]} << 64 | seed_[2 * at + 1]; }

    Seed seed_;
};

// KeyedHash is the same for hash tables of the standard library.
struct KeyedHash {
    const HashKey* key = &HashKey::process();  // never null; must outlive the table

    // The hash of an integer or of an EventId.
    std::size_t operator()(std::uint64_t word) const noexcept { return static_cast<std::size_t>((*key)(word)); }
    std::size_t operator()(EventId id) const noexcept { return (*this)(id.value); }
};

}  // namespace perfdata
