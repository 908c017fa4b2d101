// SPDX-License-Identifier: MIT
// Random numbers from a seed, the same on every machine (unlike <random>'s distributions).
#pragma once

#include <string>

#include "support/writer.hpp"

namespace perfdata::test {

// Random is SplitMix64.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t u64() {
        state_ += 0x9e3779b97f4a7c15;
        auto mixed = state_;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return mixed ^ mixed >> 31;
    }
    std::uint32_t u32() { return static_cast<std::uint32_t>(u64() >> 32); }
    std::uint16_t u16() { return static_cast<std::uint16_t>(u64() >> 48); }
    std::uint8_t u8() { return static_cast<std::uint8_t>(u64() >> 56); }
    // below(limit) returns 0 ... limit - 1.
    std::uint64_t below(std::uint64_t limit) { return u64() % limit; }
    std::size_t size(std::size_t limit) { return static_cast<std::size_t>(below(limit)); }
    bool one_in(std::uint64_t count) { return below(count) == 0; }

    Blob bytes(std::size_t count) {
        Blob blob;
        for (std::size_t index = 0; index < count; ++index) blob.push_back(static_cast<std::byte>(u8()));
        return blob;
    }
    // text(most) returns at most that many characters, without NUL, some not ASCII.
    std::string text(std::size_t most) {
        std::string text;
        for (auto left = size(most + 1); left != 0; --left) text += static_cast<char>(1 + below(255));
        return text;
    }

  private:
    std::uint64_t state_;
};

// noise(size, mask) hardly packs: nothing in it repeats nearby. Each byte is of the bits of `mask`.
inline Blob noise(std::size_t size = std::size_t{1} << 20, std::uint8_t mask = 0xff) {
    Blob made(size);
    std::uint64_t state = 88172645463325252;  // of xorshift64
    for (auto& byte : made) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        byte = static_cast<std::byte>(state & mask);
    }
    return made;
}

}  // namespace perfdata::test
