// SPDX-License-Identifier: MIT
#include "../parts/steps.hpp"

namespace steps {
namespace {

Counter counter;

long walk(const std::string& text) {
    for (const char letter : text) counter.add(outer(letter));
    return counter.count();
}

}  // namespace

long count() {
    return counter.count();
}

std::string describe(int value) {
    std::string text = "value ";
    text += std::to_string(value);
    if (walk(text) == 42) text += '!';
    return text;
}

}  // namespace steps
