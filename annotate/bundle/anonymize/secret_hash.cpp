// SPDX-License-Identifier: MIT
#include "bundle/anonymize/secret_hash.hpp"

#include <cstring>
#include <sodium.h>

namespace perfdata {
namespace {

static_assert(crypto_auth_hmacsha256_KEYBYTES == SecretHash::key_bytes);
static_assert(crypto_auth_hmacsha256_BYTES == 32);

// May be called again, and by several threads.
Result<void> start_sodium() {
    if (sodium_init() >= 0) return {};
    return fail(ErrorCode::unsupported, Error::no_offset, "libsodium", "it cannot start: no source of random numbers");
}

}  // namespace

Result<SecretHash> SecretHash::create(std::span<const std::byte, key_bytes> key) {
    if (auto started = start_sodium(); !started) return fail(std::move(started.error()));
    SecretHash hash;
    std::memcpy(hash.key_.data(), key.data(), key.size());
    return hash;
}

Result<std::array<std::byte, SecretHash::key_bytes>> SecretHash::random_key() {
    if (auto started = start_sodium(); !started) return fail(std::move(started.error()));
    std::array<std::byte, key_bytes> key{};
    randombytes_buf(key.data(), key.size());
    return key;
}

SecretHash::Digest SecretHash::digest(char kind, std::string_view of) const {
    crypto_auth_hmacsha256_state state;
    Digest out;
    const auto first = static_cast<unsigned char>(kind);
    // None of them can fail: they only compute.
    (void)crypto_auth_hmacsha256_init(&state, key_.data(), key_.size());
    (void)crypto_auth_hmacsha256_update(&state, &first, 1);
    (void)crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(of.data()), of.size());
    (void)crypto_auth_hmacsha256_final(&state, out.data());
    return out;
}

std::string SecretHash::text(char kind, std::string_view of) const {
    constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxyz234567";
    const auto bytes = digest(kind, of);
    std::string text;
    unsigned waiting = 0, bits = 0;
    for (std::size_t at = 0; text.size() < text_characters;) {
        if (bits < 5) {
            waiting = (waiting << 8 | bytes[at++]) & 0xffff;
            bits += 8;
        }
        bits -= 5;
        text += digits[waiting >> bits & 31];
    }
    return text;
}

std::uint64_t SecretHash::number(char kind, std::uint64_t of) const {
    const auto bytes = digest(kind, std::to_string(of));
    std::uint64_t number = 0;
    for (std::size_t at = 0; at < sizeof number; ++at) number = number << 8 | bytes[at];
    return number >> 2;
}

}  // namespace perfdata
