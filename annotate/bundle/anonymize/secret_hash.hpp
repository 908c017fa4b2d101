// SPDX-License-Identifier: MIT
// Keyed hashes of texts, short enough for the names of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "perfdata/core/error.hpp"

namespace perfdata {

// SecretHash is HMAC-SHA256 of libsodium, cut to 65 bits: among a million texts, two share a hash once in 70 million
// keys. Without the key nobody can tell whether a guessed text is right.
class SecretHash {
  public:
    static constexpr std::size_t key_bytes = 32;
    static constexpr std::size_t text_characters = 13;

    // Errors: unsupported (libsodium cannot start).
    static Result<SecretHash> create(std::span<const std::byte, key_bytes> key);
    // random_key() fills a key from the system's random source. Errors: unsupported.
    static Result<std::array<std::byte, key_bytes>> random_key();

    // text(kind, of) returns 13 characters of a-z and 2-7. Equal texts of different kinds have different hashes.
    std::string text(char kind, std::string_view of) const;
    // number(kind, of) returns 62 bits of the hash.
    std::uint64_t number(char kind, std::uint64_t of) const;

  private:
    using Digest = std::array<unsigned char, 32>;

    SecretHash() = default;

    Digest digest(char kind, std::string_view of) const;

    std::array<unsigned char, key_bytes> key_{};
};

}  // namespace perfdata
