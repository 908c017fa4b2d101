// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace steps {

inline long inner(long value) {
    return value % 7 == 3 ? value * 31 : value ^ 0x55;
}
inline long middle(long value) {
    long result = inner(value);
    if (result > 100) result -= inner(result);
    return result;
}
inline long outer(long value) {
    return middle(value) + middle(value * 2);
}

class Counter {
  public:
    void add(long value) {
        if (value > 10)
            count_ += inner(value);
        else
            count_ += 1;
    }
    long count() const { return count_; }

  private:
    long count_ = 0;
};

long count();
std::string describe(int value);

}  // namespace steps
