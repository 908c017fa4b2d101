// SPDX-License-Identifier: MIT
// A program of which the demo builds several versions: PRICE says how much work price() is.
#include <stdlib.h>

volatile unsigned long sink;

__attribute__((noinline)) static void price(long n) {
  for (long i = 0; i < n; ++i) sink += (unsigned long)i * 7;
}

__attribute__((noinline)) static void list(long n) {
  for (long i = 0; i < n; ++i) sink ^= (unsigned long)i * 31;
}

int main(int count, char** words) {
  const long n = count > 1 ? atol(words[1]) : 1000000;
  list(4 * n);
  price(PRICE * n);
  return 0;
}
