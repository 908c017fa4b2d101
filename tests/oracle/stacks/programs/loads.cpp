// SPDX-License-Identifier: MIT
// A program to record: libraries that come and go at the same addresses. loads ROUNDS LIBRARY...
#include <dlfcn.h>

#include "work.hpp"

namespace {

[[gnu::noinline]] std::uint64_t back(std::uint64_t steps) {
    work(steps);
    return sink;
}

using Entry = std::uint64_t (*)(std::uint64_t, std::uint64_t (*)(std::uint64_t));

[[gnu::noinline]] bool one(const char* path) {
    auto* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    const auto entry = reinterpret_cast<Entry>(dlsym(library, "plugin_entry"));
    for (int time = 0; entry != nullptr && time < 200; ++time) sink = sink + entry(2000, back);
    return dlclose(library) == 0 && entry != nullptr;
}

}  // namespace

int main(int count, char** arguments) {
    const auto rounds = number(count, arguments, 1, 10);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (int at = 2; at < count; ++at) {
            if (!one(arguments[at])) return 1;
        }
    }
    return static_cast<int>(sink & 0);
}
