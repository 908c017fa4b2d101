// SPDX-License-Identifier: MIT
#include "perfdata/symbols/file_system.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace perfdata {

Result<std::shared_ptr<const Source>> LocalFiles::open(const std::string& path, const Limits& limits) const {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) {
        return fail(ErrorCode::missing, Error::no_offset, path, "there is no regular file of that name");
    }
    return open_source(path, limits);
}

Result<std::string> LocalFiles::read_kernel_file(const std::string& path, std::uint64_t most) const {
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(ErrorCode::missing, Error::no_offset, path, "cannot be opened");
    // Such a file does not tell its size. What is not used of so much is address space only.
    constexpr std::uint64_t usual = 16 << 20;
    std::string text;
    text.reserve(static_cast<std::size_t>(std::min(most, usual)));
    std::array<char, 65536> buffer;
    while (file.read(buffer.data(), buffer.size()), file.gcount() > 0) {
        text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > most) {
            return fail(ErrorCode::limit, Error::no_offset, path, "more than " + std::to_string(most) + " bytes");
        }
    }
    if (file.bad()) return fail(ErrorCode::io, Error::no_offset, path, "cannot be read");
    return text;
}

Result<std::string> LocalFiles::read_kernel_file_start(const std::string& path, std::uint64_t most) const {
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(ErrorCode::missing, Error::no_offset, path, "cannot be opened");
    std::string text(static_cast<std::size_t>(most), '\0');
    file.read(text.data(), static_cast<std::streamsize>(most));
    if (file.bad()) return fail(ErrorCode::io, Error::no_offset, path, "cannot be read");
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

std::optional<FileTime> LocalFiles::modified(const std::string& path) const {
    std::error_code problem;
    const auto time = std::filesystem::last_write_time(path, problem);
    return problem ? std::nullopt : std::optional(time);
}

}  // namespace perfdata
