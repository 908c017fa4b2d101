// SPDX-License-Identifier: MIT
#include "streams.hpp"

#include <cerrno>

#include "core/platform.hpp"

namespace perfdata::tool {

int write_all(std::FILE* stream, std::string_view text, int patience) noexcept {
    // A memory stream has no descriptor.
    const int descriptor = platform::descriptor_of(stream);
    if (descriptor >= 0) return platform::write_all(descriptor, text, patience);
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
