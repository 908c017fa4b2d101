// SPDX-License-Identifier: MIT
// SHA-256, by libsodium.
#pragma once

#include <array>
#include <cstddef>
#include <sodium/crypto_hash_sha256.h>
#include <string>
#include <string_view>

#include "perfdata/core/types.hpp"

namespace perfdata {

// Sha256 takes bytes piece by piece.
class Sha256 {
  public:
    static constexpr std::size_t bytes = crypto_hash_sha256_BYTES;

    Sha256() { crypto_hash_sha256_init(&state_); }
    void add(Bytes part) {
        crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(part.data()), part.size());
    }
    // hex() ends the hash and returns it as 64 digits.
    std::string hex() {
        std::array<unsigned char, bytes> made{};
        crypto_hash_sha256_final(&state_, made.data());
        constexpr std::string_view digits = "0123456789abcdef";
        std::string text;
        for (const auto byte : made) {
            text += digits[byte >> 4];
            text += digits[byte & 0xf];
        }
        return text;
    }

  private:
    crypto_hash_sha256_state state_;
};

}  // namespace perfdata
