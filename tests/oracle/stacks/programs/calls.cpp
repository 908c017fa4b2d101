// SPDX-License-Identifier: MIT
// A program to record: the calls that one thread can make by itself. calls ROUNDS
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "work.hpp"

namespace {

[[gnu::noinline]] std::uint64_t leaf(std::uint64_t steps) {
    work(steps);
    return sink;
}

// Recursion: longer than a short copy of the stack, shorter than perf's limit of frames.
[[gnu::noinline]] std::uint64_t nested(unsigned depth) {
    work(20);
    if (depth == 0) return leaf(5000);
    const auto below = nested(depth - 1);
    work(20);
    return below ^ depth;
}

[[gnu::noinline]] std::uint64_t odd(unsigned depth);

[[gnu::noinline]] std::uint64_t even(unsigned depth) {
    if (depth == 0) return leaf(2000);
    const auto below = odd(depth - 1);
    work(30);
    return below + 1;
}

std::uint64_t odd(unsigned depth) {
    if (depth == 0) return leaf(1000);
    const auto below = even(depth - 1);
    work(30);
    return below + 2;
}

// Inlined into each other, out of line only at the end.
inline std::uint64_t inner(std::uint64_t steps) {
    work(steps);
    return leaf(steps / 2) + 1;
}

inline std::uint64_t middle(std::uint64_t steps) {
    return inner(steps) ^ inner(steps / 2);
}

[[gnu::noinline]] std::uint64_t outer(std::uint64_t steps) {
    return middle(steps) + inner(300);
}

template <unsigned Level>
[[gnu::noinline]] std::uint64_t level(std::uint64_t steps) {
    work(steps / 8);
    if constexpr (Level == 0) {
        return leaf(steps);
    } else {
        const auto below = level<Level - 1>(steps);
        work(10);
        return below * Level;
    }
}

struct Shape {
    virtual ~Shape() = default;
    virtual std::uint64_t area(std::uint64_t steps) const = 0;
};

struct Square final : Shape {
    std::uint64_t area(std::uint64_t steps) const override { return leaf(steps) * 2; }
};

// Called through a thunk, which adjusts `this` and jumps.
struct Named {
    virtual ~Named() = default;
    virtual std::uint64_t named(std::uint64_t steps) const = 0;
    std::uint64_t id = 3;
};

struct Circle : Shape, Named {
    std::uint64_t area(std::uint64_t steps) const override {
        work(100);
        return leaf(steps) * 3;
    }
    std::uint64_t named(std::uint64_t steps) const override {
        work(200);
        return leaf(steps) + id;
    }
};

[[gnu::noinline]] std::uint64_t shapes(const std::vector<std::unique_ptr<Shape>>& all, const Named& named) {
    std::uint64_t sum = 0;
    for (const auto& shape : all) sum += shape->area(1500);
    return sum + named.named(1500);
}

// A frame whose size is known at run time only.
[[gnu::noinline]] std::uint64_t varied(std::size_t size) {
    auto* bytes = static_cast<volatile char*>(__builtin_alloca(size));
    bytes[size / 2] = 1;
    work(200);
    const auto below = leaf(1500);
    work(100);
    return below + static_cast<std::uint64_t>(bytes[size / 2]);
}

// The stack is aligned, while arguments lie on it: the frame is found by an expression, not by a register.
[[gnu::noinline]] std::uint64_t aligned(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                                        std::uint64_t e, std::uint64_t f, std::uint64_t g, std::size_t size) {
    alignas(64) volatile char fixed[128];
    auto* bytes = static_cast<volatile char*>(__builtin_alloca(size));
    fixed[size % 128] = 1;
    bytes[0] = 2;
    work(a + b + c + d + e + f + g);
    const auto below = leaf(1500);
    work(100);
    return below + static_cast<std::uint64_t>(fixed[0] + bytes[0]) + g;
}

// Tail calls: jumps, from -O2 on.
[[gnu::noinline]] std::uint64_t last(std::uint64_t steps) {
    work(steps);
    return sink;
}

[[gnu::noinline]] std::uint64_t second(std::uint64_t steps) {
    work(300);
    return last(steps + 1);
}

[[gnu::noinline]] std::uint64_t first(std::uint64_t steps) {
    work(300);
    return second(steps + 1);
}

// The call is the last instruction: the address of return belongs to the function that follows.
std::jmp_buf place;

[[noreturn, gnu::noinline]] void leave(std::uint64_t steps) {
    work(steps);
    std::longjmp(place, 1);
}

[[noreturn, gnu::noinline]] void give_up(std::uint64_t steps) {
    work(100);
    leave(steps);
}

[[gnu::noinline]] void jumps() {
    if (setjmp(place) == 0) give_up(1500);
}

// Other people's code between ours.
int compare(const void* one, const void* other) {
    work(40);
    const auto left = *static_cast<const int*>(one), right = *static_cast<const int*>(other);
    return left < right ? -1 : left > right ? 1 : 0;
}

[[gnu::noinline]] int sorted(std::uint64_t seed) {
    int numbers[64];
    for (auto& each : numbers)
        each = static_cast<int>((seed = seed * 6364136223846793005U + 1442695040888963407U) >> 40);
    std::qsort(numbers, std::size(numbers), sizeof numbers[0], compare);
    std::sort(std::begin(numbers), std::end(numbers), [](int left, int right) {
        work(10);
        return left > right;
    });
    return numbers[0];
}

[[gnu::noinline]] std::size_t printed(std::uint64_t round) {
    char text[200];
    std::size_t sum = 0;
    for (int time = 0; time < 8; ++time) {
        sum += static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.17g %s %lld %e",
                                                      static_cast<double>(round) / 7, "text", 1LL << time, 1e300));
        sum += static_cast<std::size_t>(std::strtod(text, nullptr));
    }
    return sum;
}

[[gnu::noinline]] std::uint64_t memory(std::size_t size) {
    std::vector<std::unique_ptr<char[]>> pieces;
    for (std::size_t piece = 0; piece < 40; ++piece) pieces.push_back(std::make_unique<char[]>(size + piece * 16));
    for (std::size_t piece = 1; piece < 40; ++piece) std::memcpy(pieces[piece].get(), pieces[piece - 1].get(), size);
    return static_cast<unsigned char>(pieces.back()[size / 2]);
}

[[gnu::noinline]] std::size_t words(std::uint64_t round) {
    std::map<std::string, std::uint64_t> known;
    for (std::uint64_t word = 0; word < 40; ++word)
        known["a word of some length " + std::to_string(round * word % 37)] = word;
    std::function<std::uint64_t(std::uint64_t)> function = [&](std::uint64_t value) {
        return leaf(value + known.size());
    };
    return known.size() + function(1000);
}

[[gnu::noinline]] void round_of(std::uint64_t round) {
    static const std::vector<std::unique_ptr<Shape>> all = [] {
        std::vector<std::unique_ptr<Shape>> made;
        made.push_back(std::make_unique<Square>());
        made.push_back(std::make_unique<Circle>());
        return made;
    }();
    static const Circle circle;
    nested(40);
    even(9);
    outer(900);
    level<12>(1500);
    shapes(all, circle);
    varied(100 + round % 3000);
    aligned(1, 2, 3, 4, 5, 6, 7, 100 + round % 500);
    first(1000);
    jumps();
    sorted(round);
    printed(round);
    memory(2000);
    words(round);
}

}  // namespace

int main(int count, char** arguments) {
    const auto rounds = number(count, arguments, 1, 1000);
    for (std::uint64_t round = 0; round < rounds; ++round) round_of(round);
    return static_cast<int>(sink & 0);
}
