// SPDX-License-Identifier: MIT
#include "temporary_file.hpp"

#include <atomic>
#include <cerrno>
#include <random>
#include <string_view>
#include <utility>

namespace perfdata::tool {

// A list that a signal handler may traverse at any time: entries stay in it until the process ends.
struct TemporaryFile::Listed {
    std::string path;
    std::atomic<bool> there{false};
    Listed* next = nullptr;

    static std::atomic<Listed*> first;
    static std::atomic<bool> handles_signals;  // once there are files
    static std::atomic<bool> ending;           // a signal ends the process: other threads must leave no more files

    static Listed* add(std::string path) {
        auto* listed = new Listed{std::move(path), {}, first.load()};
        while (!first.compare_exchange_weak(listed->next, listed)) {
        }
        return listed;
    }
    static void remove_all() noexcept {
        for (const auto* listed = first.load(); listed != nullptr; listed = listed->next) {
            if (listed->there.load()) platform::remove(listed->path.c_str());
        }
    }
    static void on_signal(int signal) {
        const int kept = errno;
        ending.store(true);
        remove_all();
        errno = kept;
        platform::end_by_signal(signal);
    }
};

constinit std::atomic<TemporaryFile::Listed*> TemporaryFile::Listed::first{nullptr};
constinit std::atomic<bool> TemporaryFile::Listed::ending{false};
constinit std::atomic<bool> TemporaryFile::Listed::handles_signals{false};

std::expected<TemporaryFile, int> TemporaryFile::create(const std::string& directory, std::uint32_t permissions) {
    constexpr int attempts = 100;
    // Not before there is something to remove: most commands make no file, and this takes a hundred system calls.
    [[maybe_unused]] static const bool handled = [] {
        if (Listed::handles_signals.load()) platform::handle_ending_signals(Listed::on_signal);
        return true;
    }();
    std::random_device random;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        // Not derived from the name of the place, which may have the maximum length.
        std::string name = directory + "/.perfdata-";
        constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
        for (int count = 0; count < 10; ++count) name += letters[random() % letters.size()];
        auto* listed = Listed::add(std::move(name));
        listed->there = true;  // set before the file exists: a signal in between removes nothing
        if (Listed::ending.load()) return std::unexpected(EINTR);
        auto opened = platform::open(
            listed->path, {.what = platform::OpenMode::For::both, .no_link = true, .fresh = true}, permissions);
        if (opened) {
            // The handler, on another thread, may have been here before the file was.
            if (Listed::ending.load()) platform::remove(listed->path.c_str());
            TemporaryFile file;
            file.descriptor_ = std::move(*opened);
            file.listed_ = listed;
            return file;
        }
        listed->there = false;
        if (opened.error() != EEXIST) return std::unexpected(opened.error());
    }
    return std::unexpected(EEXIST);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : descriptor_(std::move(other.descriptor_)), listed_(std::exchange(other.listed_, nullptr)) {}

TemporaryFile::~TemporaryFile() {
    (void)descriptor_.close();
    if (listed_ == nullptr) return;
    platform::remove(listed_->path.c_str());
    listed_->there = false;
}

int TemporaryFile::rest() {
    return descriptor_.close();
}

int TemporaryFile::wake() {
    if (descriptor_.is_open()) return 0;
    auto opened =
        platform::open(listed_->path, {.what = platform::OpenMode::For::both, .no_link = true, .append = true});
    if (!opened) return opened.error();
    descriptor_ = std::move(*opened);
    return 0;
}

int TemporaryFile::move_to(const std::string& path) {
    if (const int problem = rest(); problem != 0) return problem;
    if (const int problem = platform::rename(listed_->path, path); problem != 0) return problem;
    std::exchange(listed_, nullptr)->there = false;
    return 0;
}

void remove_temporaries_on_signals() {
    TemporaryFile::Listed::handles_signals.store(true);
}

}  // namespace perfdata::tool
