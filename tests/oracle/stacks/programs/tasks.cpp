// SPDX-License-Identifier: MIT
// A program to record: threads, children without exec, children with exec, one after the other. tasks ROUNDS
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "work.hpp"

namespace {

[[gnu::noinline]] std::uint64_t nested(unsigned depth, std::uint64_t steps) {
    if (depth == 0) {
        work(steps);
        return sink;
    }
    const auto below = nested(depth - 1, steps);
    work(30);
    return below ^ depth;
}

[[gnu::noinline]] void thread_work(unsigned which, std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) nested(which * 5, 4000);
}

[[gnu::noinline]] void threads(std::uint64_t rounds) {
    std::vector<std::jthread> all;
    for (unsigned which = 1; which <= 3; ++which) all.emplace_back([=] { thread_work(which, rounds); });
}

[[gnu::noinline]] void child_work(std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) nested(7, 5000);
    threads(rounds / 4);
}

[[gnu::noinline]] void executed_work(std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) nested(4, 6000);
}

template <typename Work>
[[gnu::noinline]] void in_child(Work work_of_child) {
    const auto child = fork();
    if (child == 0) {
        work_of_child();
        _exit(0);
    }
    waitpid(child, nullptr, 0);
}

}  // namespace

int main(int count, char** arguments) {
    const auto rounds = number(count, arguments, 1, 1000);
    if (count > 2) {
        executed_work(rounds);
        return 0;
    }
    threads(rounds);
    in_child([&] { child_work(rounds); });
    in_child([&] { execl("/proc/self/exe", arguments[0], arguments[1], "again", nullptr); });
    thread_work(2, rounds);
    return static_cast<int>(sink & 0);
}
