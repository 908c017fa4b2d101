// SPDX-License-Identifier: MIT
// A program to record: calls through the procedure linkage table. With LD_BIND_NOT=1 each of them passes through the
// dynamic linker's resolver. binding ROUNDS
#include <cstdlib>
#include <cstring>

#include "work.hpp"

extern "C" std::uint64_t plugin_entry(std::uint64_t steps, std::uint64_t (*back)(std::uint64_t));

namespace {

[[gnu::noinline]] std::uint64_t back(std::uint64_t steps) {
    return static_cast<std::uint64_t>(std::abs(static_cast<int>(steps))) + std::strlen("text");
}

[[gnu::noinline]] std::uint64_t nested(unsigned depth) {
    if (depth == 0) return plugin_entry(20, back) + static_cast<std::uint64_t>(std::rand());
    const auto below = nested(depth - 1);
    work(5);
    return below + static_cast<std::uint64_t>(std::atoi("17"));
}

}  // namespace

int main(int count, char** arguments) {
    const auto rounds = number(count, arguments, 1, 10000);
    for (std::uint64_t round = 0; round < rounds; ++round) nested(4);
    return static_cast<int>(sink & 0);
}
