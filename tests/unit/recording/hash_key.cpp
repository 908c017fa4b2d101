// SPDX-License-Identifier: MIT
#include "perfdata/recording/hash_key.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

#include "perfdata/profile/hash_slots.hpp"

#include "catch.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

HashKey key_of(std::uint64_t seed) {
    Random random(seed);
    HashKey::Seed words{};
    for (auto& word : words) word = random.u64();
    return HashKey(words);
}

constexpr std::uint64_t inverse_of(std::uint64_t odd) {
    auto inverse = odd;
    for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
    return inverse;
}

// longest_run(hashes) returns the longest run of occupied slots in a half-full table with open addressing.
std::size_t longest_run(const std::vector<std::uint64_t>& hashes) {
    const auto size = std::bit_ceil(2 * hashes.size());
    const auto shift = 64 - static_cast<unsigned>(std::countr_zero(size));
    std::vector<bool> taken(size);
    for (const auto hash : hashes) {
        auto place = static_cast<std::size_t>(hash >> shift);
        while (taken[place]) place = (place + 1) % size;
        taken[place] = true;
    }
    std::size_t longest = 0, run = 0;
    for (const bool one : taken) {
        run = one ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

}  // namespace

TEST_CASE("A hash depends on key and words, and on nothing else", "[recording][hash]") {
    const auto one = key_of(1), other = key_of(2);
    CHECK(one(1u) == one(1u));
    CHECK(one(1u) != one(2u));
    CHECK(one(1u) != other(1u));
    CHECK(one(1u, 2u) != one(2u, 1u));
    CHECK(one(0u, 0u, 1u) != one(0u, 1u, 0u));
    CHECK(one(1u, 2u, 3u, 4u) == one(1u, 2u, 3u, 4u));
    CHECK(&HashKey::process() == &HashKey::process());
}

TEST_CASE("Texts that differ have other hashes", "[recording][hash]") {
    const auto key = key_of(3);
    std::set<std::uint64_t> seen;
    std::string text;
    for (int length = 0; length < 200; ++length) {
        seen.insert(key.text(text));
        text += '\0';  // zeros count
    }
    for (std::size_t at = 0; at < 199; ++at) {
        auto changed = text;
        changed[at] = 'x';
        seen.insert(key.text(changed));
    }
    CHECK(seen.size() == 200 + 199);
    CHECK(key.text("abcdefgh") == key.text(std::string("abcd") + "efgh"));
    CHECK(key.text("abc") != key_of(4).text("abc"));
}

TEST_CASE("Keys that somebody chose do not meet", "[recording][hash]") {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15, count = 20000;
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
        const auto key = key_of(seed);
        for (const auto step : {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{172933}, std::uint64_t{1} << 32,
                                std::uint64_t{1} << 44, inverse_of(golden), inverse_of(0x9ddfea08eb382d69)}) {
            INFO("seed " << seed << ", step " << step);
            std::vector<std::uint64_t> single, first, second;
            for (std::uint64_t at = 0; at < count; ++at) {
                single.push_back(key(at * step));
                first.push_back(key(at * step, 7u));
                second.push_back(key(7u, at * step));
            }
            CHECK(longest_run(single) < 200);
            CHECK(longest_run(first) < 200);
            CHECK(longest_run(second) < 200);
        }
    }
}

TEST_CASE("A table looks at few keys, whoever chose them", "[recording][hash]") {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15, count = 50000;
    const auto& key = HashKey::process();
    HashSlots slots;
    std::vector<std::uint64_t> keys;
    std::size_t looks = 0;
    for (int round = 0; round < 2; ++round) {
        for (std::uint64_t at = 0; at < count; ++at) {
            const auto wanted = at * inverse_of(golden);
            auto& number = slots.number(key(wanted), [&](std::uint32_t known) {
                ++looks;
                return keys[known] == wanted;
            });
            if (number != HashSlots::free) continue;
            number = static_cast<std::uint32_t>(keys.size());
            keys.push_back(wanted);
        }
    }
    CHECK(keys.size() == count);
    CHECK(looks >= count);
    CHECK(looks < count + 100);  // one per known program, and those with equal tags
}
