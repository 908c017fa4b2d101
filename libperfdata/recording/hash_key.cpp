// SPDX-License-Identifier: MIT
#include "perfdata/recording/hash_key.hpp"

#include <chrono>

#include "core/platform.hpp"

namespace perfdata {
namespace {

// Fallback where the kernel provides no random bytes (an old one, a sandbox, early boot): what it gave the process at
// its start, and values that the author of a file cannot know exactly.
void draw_without_kernel(HashKey::Seed& seed) {
    const auto given = platform::start_secret();
    const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    const auto since = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    std::uint64_t state = given[0] ^ now ^ reinterpret_cast<std::uintptr_t>(&seed);
    for (auto& word : seed) {  // SplitMix64, twice stirred
        state += 0x9e3779b97f4a7c15u;
        auto mixed = state ^ given[1];
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        word ^= mixed ^ mixed >> 31;
        state ^= since + platform::process_id();
    }
}

HashKey draw() {
    HashKey::Seed seed{};
    if (!platform::random_bytes(std::as_writable_bytes(std::span(seed)))) draw_without_kernel(seed);
    return HashKey(seed);
}

}  // namespace

const HashKey& HashKey::process() noexcept {
    static const HashKey key = draw();
    return key;
}

}  // namespace perfdata
