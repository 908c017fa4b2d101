// SPDX-License-Identifier: MIT
// libsodium, for hashes of bundles and profiles: it was 0.15 of the 2.7 ms of `perfdata info`.
#define SODIUM_STATIC  // hidden functions, which do not come between libsodium's own
#include <cstddef>
#include <sodium.h>

#include "on_demand.hpp"

namespace perfdata::tool {
namespace {

const OnDemand& libsodium() {
    static const auto* const loaded = new OnDemand(PERFDATA_LIBSODIUM);
    return *loaded;
}

template <auto function>
auto in_sodium(const char* name) {
    return on_demand<libsodium, function>(name);
}

}  // namespace
}  // namespace perfdata::tool

using perfdata::tool::in_sodium;

extern "C" {

int crypto_auth_hmacsha256_final(crypto_auth_hmacsha256_state* state, unsigned char* out) {
    return in_sodium<crypto_auth_hmacsha256_final>("crypto_auth_hmacsha256_final")(state, out);
}
int crypto_auth_hmacsha256_init(crypto_auth_hmacsha256_state* state, const unsigned char* key, std::size_t size) {
    return in_sodium<crypto_auth_hmacsha256_init>("crypto_auth_hmacsha256_init")(state, key, size);
}
int crypto_auth_hmacsha256_update(crypto_auth_hmacsha256_state* state, const unsigned char* in,
                                  unsigned long long size) {
    return in_sodium<crypto_auth_hmacsha256_update>("crypto_auth_hmacsha256_update")(state, in, size);
}
int crypto_hash_sha256_final(crypto_hash_sha256_state* state, unsigned char* out) {
    return in_sodium<crypto_hash_sha256_final>("crypto_hash_sha256_final")(state, out);
}
int crypto_hash_sha256_init(crypto_hash_sha256_state* state) {
    return in_sodium<crypto_hash_sha256_init>("crypto_hash_sha256_init")(state);
}
int crypto_hash_sha256_update(crypto_hash_sha256_state* state, const unsigned char* in, unsigned long long size) {
    return in_sodium<crypto_hash_sha256_update>("crypto_hash_sha256_update")(state, in, size);
}
void randombytes_buf(void* const buffer, const std::size_t size) {
    in_sodium<randombytes_buf>("randombytes_buf")(buffer, size);
}
int sodium_init() {
    return in_sodium<sodium_init>("sodium_init")();
}

}  // extern "C"
