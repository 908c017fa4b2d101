// SPDX-License-Identifier: MIT
#include "streams.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

namespace perfdata::tool {
namespace {

// Waits until a non-blocking descriptor accepts more. Returns 0 or an errno.
int wait_for_room(int descriptor, int patience) noexcept {
    ::pollfd wanted{descriptor, POLLOUT, 0};
    for (;;) {
        const int ready = ::poll(&wanted, 1, patience);
        if (ready > 0) return 0;
        if (ready == 0) return EAGAIN;
        if (errno != EINTR) return errno;
    }
}

}  // namespace

void raise_open_files() noexcept {
    ::rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

void open_closed_streams() noexcept {
    for (int wanted = STDIN_FILENO; wanted <= STDERR_FILENO; ++wanted) {
        if (::fcntl(wanted, F_GETFD) >= 0) continue;
        // The result is the wanted descriptor: it is the lowest free one, as those below it are open. Standard output
        // is opened read-only, so that writing to it fails.
        int opened = ::open("/dev/null", wanted == STDERR_FILENO ? O_WRONLY : O_RDONLY);
        if (opened < 0) opened = ::open("/", O_RDONLY);  // without devices: not writable either
        if (opened < 0) std::_Exit(1);
    }
}

int write_all(int descriptor, std::string_view text, int patience) noexcept {
    while (!text.empty()) {
        const auto written = ::write(descriptor, text.data(), text.size());
        if (written > 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (written == 0) {
            return EIO;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (const int problem = wait_for_room(descriptor, patience); problem != 0) return problem;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

int write_all(std::FILE* stream, std::string_view text, int patience) noexcept {
    // A memory stream has no descriptor.
    const int descriptor = ::fileno(stream);
    if (descriptor >= 0) return write_all(descriptor, text, patience);
    return std::fwrite(text.data(), 1, text.size(), stream) == text.size() ? 0 : errno;
}

void say(std::string_view text) noexcept {
    constexpr int a_moment = 100;
    (void)write_all(stderr, text, a_moment);
}

bool is_reader_gone(int problem) noexcept {
    return problem == EPIPE || problem == ECONNRESET;
}

}  // namespace perfdata::tool
