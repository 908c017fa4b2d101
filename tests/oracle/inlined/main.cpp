// SPDX-License-Identifier: MIT
// A program with calls that compilers inline: nested, in headers, lambdas, with a cold part.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "parts/steps.hpp"

namespace work {

int calls = 0;

template <class Value>
inline Value twice(Value value) {
    return steps::outer(value) + steps::outer(value + 1);
}

[[gnu::noinline]] long sum(const std::vector<long>& values) {
    return std::accumulate(values.begin(), values.end(), 0L,
                           [](long so_far, long value) { return so_far + steps::middle(value); });
}

[[gnu::noinline]] long risky(long value, const char* text) {
    ++calls;
    if (__builtin_expect(value == 12345, 0)) {
        std::fprintf(stderr, "%s %ld\n", text, steps::middle(value));
        std::abort();
    }
    if (__builtin_expect(text == nullptr, 0)) throw std::string("no text");
    return twice(value);
}

}  // namespace work

int main(int count, char** arguments) {
    std::vector<long> values;
    for (int at = 0; at < count; ++at) values.push_back(work::risky(at, arguments[at]));
    std::printf("%ld %s\n", work::sum(values), steps::describe(work::calls).c_str());
    return steps::count() == 0;
}
