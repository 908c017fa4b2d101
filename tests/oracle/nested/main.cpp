// SPDX-License-Identifier: MIT
// A program to record: compilers inline calls of templates in calls of templates, and call functions from there. No
// function is local to this file, so that all names in its debug information are whole.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace nested {

template <class Word>
struct Mixer {
    Word state;

    [[gnu::always_inline]] inline Word turn(Word by) {
        state = (state ^ by) * Word{0x9e3779b97f4a7c15u};
        return state >> 7;
    }
    [[gnu::always_inline]] inline Word twice(Word by) { return turn(by) + turn(by + 1); }
};

template <class Value, unsigned rounds>
[[gnu::always_inline]] inline Value repeated(Mixer<Value>& mixer) {
    Value sum = 0;
    for (unsigned round = 0; round < rounds; ++round) sum += mixer.twice(round);
    return sum;
}

[[gnu::noinline]] std::uint64_t leaf(std::uint64_t value) {
    // On the stack, so that compilers make a frame.
    volatile std::uint64_t kept = value;
    Mixer<std::uint64_t> mixer{kept};
    kept = repeated<std::uint64_t, 60>(mixer);
    return kept;
}

std::uint64_t total = 0;

// The call is the last thing that the inlined function does: it returns to code of the caller.
[[gnu::always_inline]] inline void noted(std::uint64_t value) {
    total += leaf(value);
}

template <class Value>
[[gnu::always_inline]] inline Value between(Value value) {
    return leaf(value) + leaf(value + 1);
}

[[gnu::always_inline]] inline std::uint64_t outer(std::uint64_t value) {
    const auto found = between<std::uint64_t>(value) * 3;
    noted(found);
    return found;
}

[[gnu::noinline]] std::uint64_t work(std::uint64_t value) {
    const auto one = outer(value);
    return one ^ outer(one + 1);
}

// An exit in the last instruction: a return address behind its function.
[[gnu::noinline, noreturn]] void finish(int status) {
    total += leaf(total);
    std::exit(status);
}

}  // namespace nested

int main(int count, char** arguments) {
    const auto rounds = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000;
    std::uint64_t sum = 1;
    for (unsigned long round = 0; round < rounds; ++round) sum += nested::work(sum);
    std::printf("%llu\n", static_cast<unsigned long long>(sum));
    nested::finish(0);
}
