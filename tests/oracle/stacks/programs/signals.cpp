// SPDX-License-Identifier: MIT
// A program to record: signal handlers on the thread's stack and on one of their own, above code of every kind, above
// the kernel's own faults, and above other handlers. signals ROUNDS
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "work.hpp"

namespace {

[[gnu::noinline]] std::uint64_t leaf(std::uint64_t steps) {
    work(steps);
    return sink;
}

[[gnu::noinline]] std::uint64_t below_handler(unsigned depth) {
    if (depth == 0) return leaf(3000);
    const auto below = below_handler(depth - 1);
    work(50);
    return below + depth;
}

// By timer: interrupts whatever runs, between any two instructions.
extern "C" [[gnu::noinline]] void on_timer(int) {
    work(3000);
    below_handler(3);
}

// With the context, on a stack of its own.
extern "C" [[gnu::noinline]] void on_user(int, siginfo_t* info, void*) {
    work(info->si_code == SI_TKILL ? 2000 : 1000);
    below_handler(2);
    if (info->si_signo == SIGUSR1) raise(SIGUSR2);
    work(300);
}

sigjmp_buf after;

// Of a load from nowhere: leaves by a jump.
extern "C" [[gnu::noinline]] void on_fault(int, siginfo_t*, void*) {
    below_handler(2);
    siglongjmp(after, 1);
}

[[gnu::noinline]] void reads(const volatile char* nowhere) {
    work(100);
    sink = sink + static_cast<std::uint64_t>(*nowhere);
    work(100);
}

[[gnu::noinline]] void faults() {
    static void* const nowhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sigsetjmp(after, 1) == 0) reads(static_cast<const volatile char*>(nowhere));
}

[[gnu::noinline]] void raises() {
    work(300);
    raise(SIGUSR1);
    work(300);
}

[[gnu::noinline]] void others(std::uint64_t round) {
    static char from[65536], to[65536];
    for (int time = 0; time < 20; ++time) std::memcpy(to, from + round % 64, sizeof to - 64);
    std::free(std::malloc(2000));
    sink = sink + static_cast<std::uint64_t>(to[5]) + static_cast<std::uint64_t>(getppid());
}

void handle(int signal, int flags, void (*simple)(int), void (*full)(int, siginfo_t*, void*)) {
    struct sigaction action {};
    action.sa_flags = flags;
    if (full != nullptr) {
        action.sa_flags |= SA_SIGINFO;
        action.sa_sigaction = full;
    } else {
        action.sa_handler = simple;
    }
    sigaction(signal, &action, nullptr);
}

}  // namespace

int main(int count, char** arguments) {
    const auto rounds = number(count, arguments, 1, 1000);
    static char other[65536];
    stack_t stack{};
    stack.ss_sp = other;
    stack.ss_size = sizeof other;
    sigaltstack(&stack, nullptr);
    handle(SIGPROF, 0, on_timer, nullptr);
    handle(SIGUSR1, SA_ONSTACK, nullptr, on_user);
    handle(SIGUSR2, 0, nullptr, on_user);
    handle(SIGSEGV, SA_ONSTACK, nullptr, on_fault);
    const itimerval often{{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &often, nullptr);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        below_handler(12);
        raises();
        faults();
        others(round);
    }
    return static_cast<int>(sink & 0);
}
