// SPDX-License-Identifier: MIT
// truth_loop(digits, steps) loops. While the mark is in the second register, the digits are in the first: both are set,
// and the mark is taken away, by these very instructions. truth.py has the same registers and mark.
//
//   x86-64  r12, r13    i386   esi, edi    arm64  x20, x21    arm  r8, r9
//   s390x   r10, r11    riscv  s2, s3      ppc64  r20, r21
#pragma once

#include <cstdint>

using truth_digits = std::uintptr_t;

[[gnu::always_inline]] inline void truth_loop(truth_digits digits, std::uintptr_t steps) {
#if defined(__x86_64__)
    asm volatile(
        "mov %1, %%r12\n\t"
        "mov $0x7472757468, %%r13\n"
        "1:\tdec %0\n\t"
        "jnz 1b\n\t"
        "xor %%r13d, %%r13d"
        : "+r"(steps)
        : "r"(digits)
        : "r12", "r13", "cc");
#elif defined(__i386__)
    asm volatile(
        "mov %1, %%esi\n\t"
        "mov $0x72757468, %%edi\n"
        "1:\tdec %0\n\t"
        "jnz 1b\n\t"
        "xor %%edi, %%edi"
        : "+r"(steps)
        : "r"(digits)
        : "esi", "edi", "cc");
#elif defined(__aarch64__)
    asm volatile(
        "mov x20, %1\n\t"
        "ldr x21, =0x7472757468\n"
        "1:\tsubs %0, %0, #1\n\t"
        "b.ne 1b\n\t"
        "mov x21, xzr"
        : "+r"(steps)
        : "r"(digits)
        : "x20", "x21", "cc");
#elif defined(__arm__)
    asm volatile(
        "mov r8, %1\n\t"
        "ldr r9, =0x72757468\n"
        "1:\tsubs %0, %0, #1\n\t"
        "bne 1b\n\t"
        "mov r9, #0"
        : "+r"(steps)
        : "r"(digits)
        : "r8", "r9", "cc");
#elif defined(__s390x__)
    asm volatile(
        "lgr %%r10, %1\n\t"
        "llihf %%r11, 0x74\n\t"
        "iilf %%r11, 0x72757468\n"
        "1:\tbrctg %0, 1b\n\t"
        "lghi %%r11, 0"
        : "+d"(steps)
        : "d"(digits)
        : "r10", "r11", "cc");
#elif defined(__riscv)
    asm volatile(
        "mv s2, %1\n\t"
        "li s3, 0x7472757468\n"
        "1:\taddi %0, %0, -1\n\t"
        "bnez %0, 1b\n\t"
        "li s3, 0"
        : "+r"(steps)
        : "r"(digits)
        : "s2", "s3");
#elif defined(__powerpc64__)
    asm volatile(
        "mr 20, %1\n\t"
        "li 21, 0x74\n\t"
        "sldi 21, 21, 32\n\t"
        "oris 21, 21, 0x7275\n\t"
        "ori 21, 21, 0x7468\n"
        "1:\taddic. %0, %0, -1\n\t"
        "bne 1b\n\t"
        "li 21, 0"
        : "+b"(steps)
        : "r"(digits)
        : "r20", "r21", "cr0", "xer");
#else
#error "no loop for this architecture"
#endif
}
