// SPDX-License-Identifier: MIT
// A program to record: functions without any description of their frames, between functions that have one. bare ROUNDS
#include "work.hpp"

extern "C" {

std::uint64_t bare_frames(std::uint64_t (*back)(std::uint64_t), std::uint64_t steps);     // keeps a frame pointer
std::uint64_t bare_frameless(std::uint64_t (*back)(std::uint64_t), std::uint64_t steps);  // does not
}

#if defined(__x86_64__)
asm(R"(
    .text
    .globl bare_frames
    .type bare_frames, @function
bare_frames:
    push %rbp
    mov %rsp, %rbp
    push %rbx
    sub $24, %rsp
    mov %rdi, %rbx
    mov $1000, %ecx
1:  dec %ecx
    jnz 1b
    mov %rsi, %rdi
    call *%rbx
    add $24, %rsp
    pop %rbx
    pop %rbp
    ret
    .size bare_frames, .-bare_frames

    .globl bare_frameless
    .type bare_frameless, @function
bare_frameless:
    sub $40, %rsp
    mov $1000, %ecx
1:  dec %ecx
    jnz 1b
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    add $40, %rsp
    ret
    .size bare_frameless, .-bare_frameless
)");
#elif defined(__i386__)
asm(R"(
    .text
    .globl bare_frames
    .type bare_frames, @function
bare_frames:
    push %ebp
    mov %esp, %ebp
    sub $24, %esp
    mov $1000, %ecx
1:  dec %ecx
    jnz 1b
    mov 16(%ebp), %edx
    mov 12(%ebp), %eax
    mov %eax, (%esp)
    mov %edx, 4(%esp)
    call *8(%ebp)
    leave
    ret
    .size bare_frames, .-bare_frames

    .globl bare_frameless
    .type bare_frameless, @function
bare_frameless:
    sub $28, %esp
    mov $1000, %ecx
1:  dec %ecx
    jnz 1b
    mov 36(%esp), %eax
    mov %eax, (%esp)
    mov 40(%esp), %eax
    mov %eax, 4(%esp)
    call *32(%esp)
    add $28, %esp
    ret
    .size bare_frameless, .-bare_frameless
)");
#else
#error "no functions for this architecture"
#endif

namespace {

[[gnu::noinline]] std::uint64_t back(std::uint64_t steps) {
    work(steps);
    return sink;
}

[[gnu::noinline]] std::uint64_t calls(std::uint64_t steps) {
    const auto frames = bare_frames(back, steps);
    const auto frameless = bare_frameless(back, steps);
    work(steps / 4);
    return frames + frameless;
}

}  // namespace

int main(int count, char** arguments) {
    const auto rounds = number(count, arguments, 1, 10000);
    for (std::uint64_t round = 0; round < rounds; ++round) sink = sink + calls(2000);
    return static_cast<int>(sink & 0);
}
