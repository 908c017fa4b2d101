// SPDX-License-Identifier: MIT
#include "temporary_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <memory>
#include <random>
#include <unistd.h>
#include <utility>

namespace perfdata::tool {

// A list that a signal handler may traverse at any time: entries stay in it until the process ends.
struct TemporaryFile::Listed {
    std::string path;
    std::atomic<bool> there{false};
    Listed* next = nullptr;

    static std::atomic<Listed*> first;

    static Listed* add(std::string path) {
        auto* listed = new Listed{std::move(path), {}, first.load()};
        while (!first.compare_exchange_weak(listed->next, listed)) {
        }
        return listed;
    }
    static void remove_all() noexcept {
        for (const auto* listed = first.load(); listed != nullptr; listed = listed->next) {
            if (listed->there.load()) ::unlink(listed->path.c_str());
        }
    }
    static void on_signal(int signal) {
        const int kept = errno;
        remove_all();
        errno = kept;
        ::raise(signal);  // SA_RESETHAND: this time it ends the process
    }
};

constinit std::atomic<TemporaryFile::Listed*> TemporaryFile::Listed::first{nullptr};

std::expected<TemporaryFile, int> TemporaryFile::create(const std::string& directory, ::mode_t mode) {
    constexpr int attempts = 100;
    std::random_device random;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        // Not derived from the name of the place, which may have the maximum length.
        std::string name = directory + "/.perfdata-";
        constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
        for (int count = 0; count < 10; ++count) name += letters[random() % letters.size()];
        auto* listed = Listed::add(std::move(name));
        TemporaryFile file;
        listed->there = true;  // set before the file exists: a signal in between removes nothing
        file.descriptor_ =
            ::open(listed->path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, mode);
        if (file.descriptor_ >= 0) {
            file.listed_ = listed;
            return file;
        }
        const int problem = errno;
        listed->there = false;
        if (problem != EEXIST && problem != EINTR) return std::unexpected(problem);
    }
    return std::unexpected(EEXIST);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), listed_(std::exchange(other.listed_, nullptr)) {}

TemporaryFile::~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (listed_ == nullptr) return;
    ::unlink(listed_->path.c_str());
    listed_->there = false;
}

int TemporaryFile::rest() {
    const int closed = descriptor_ < 0 ? 0 : ::close(std::exchange(descriptor_, -1));
    return closed == 0 || errno == EINTR ? 0 : errno;
}

int TemporaryFile::wake() {
    if (descriptor_ >= 0) return 0;
    do {
        descriptor_ = ::open(listed_->path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
    } while (descriptor_ < 0 && errno == EINTR);
    return descriptor_ >= 0 ? 0 : errno;
}

int TemporaryFile::move_to(const std::string& path) {
    if (const int problem = rest(); problem != 0) return problem;
    if (::rename(listed_->path.c_str(), path.c_str()) != 0) return errno;
    std::exchange(listed_, nullptr)->there = false;
    return 0;
}

void remove_temporaries_on_signals() {
    const auto handle = [](int signal) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
        action = {};
        action.sa_handler = TemporaryFile::Listed::on_signal;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        ::sigaction(signal, &action, nullptr);
    };
    // All signals that end a process by default, except for memory and instruction errors. Writing handles SIGPIPE and
    // SIGXFSZ.
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF,
                             SIGABRT, SIGSYS, SIGTRAP}) {
        handle(signal);
    }
#ifdef SIGIO
    handle(SIGIO);
#endif
#ifdef SIGPWR
    handle(SIGPWR);
#endif
#ifdef SIGSTKFLT
    handle(SIGSTKFLT);
#endif
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) handle(signal);
}

}  // namespace perfdata::tool
