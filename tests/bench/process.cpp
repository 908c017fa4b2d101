// SPDX-License-Identifier: MIT
#include "process.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fcntl.h>
#include <mutex>
#include <signal.h>
#include <spawn.h>
#include <stop_token>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace perfdata::bench {
namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Starts the program in a process group of its own; returns 0 if that fails.
pid_t start(const std::vector<std::string>& arguments) {
    std::vector<char*> words;
    for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
        posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t child = 0;
    const auto problem = posix_spawnp(&child, words.front(), &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return problem == 0 ? child : 0;
}

}  // namespace

Cost run(const std::vector<std::string>& arguments, std::chrono::seconds most) {
    // What the child leaves behind becomes a child of this process.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const auto began = std::chrono::steady_clock::now();
    const auto child = start(arguments);
    Cost cost;
    if (child == 0) return cost;
    std::atomic<bool> stopped = false;
    std::jthread clock;
    if (most.count() != 0) {
        clock = std::jthread([&stopped, child, most](const std::stop_token& ended) {
            std::mutex mutex;
            std::condition_variable_any wake;
            std::unique_lock lock(mutex);
            wake.wait_for(lock, ended, most, [] { return false; });
            if (ended.stop_requested()) return;
            stopped = true;
            ::kill(-child, SIGKILL);
        });
    }
    int status = 0;
    rusage usage{};
    for (pid_t ended = 0; (ended = ::wait4(-1, &status, 0, &usage)) > 0;) {
        cost.cpu_seconds += seconds(usage.ru_utime) + seconds(usage.ru_stime);
        cost.peak_mebibytes = std::max(cost.peak_mebibytes, static_cast<double>(usage.ru_maxrss) / 1024);
        if (ended != child) continue;
        cost.ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        cost.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    }
    cost.stopped = stopped;
    return cost;
}

}  // namespace perfdata::bench
