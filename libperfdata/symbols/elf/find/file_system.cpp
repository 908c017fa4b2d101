// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/find/file_system.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace perfdata {

namespace {

std::unexpected<Error> out_of_reach(const std::string& path) {
    return fail(ErrorCode::missing, Error::no_offset, path, "was not given, and nothing else is looked at");
}

}  // namespace

Result<std::shared_ptr<const Source>> LocalFiles::open(const FileName& name, const Limits& limits,
                                                       Content content) const {
    if (!reaches(name)) return out_of_reach(name.shown());
    const bool anybodys = content == Content::perf_map && name.root.empty();
    return open_named_file(name, limits, {.content = content, .walk = walk_, .trusted_owner = anybodys});
}

Result<std::shared_ptr<const Source>> LocalFiles::open_given(const std::string& path, const Limits& limits,
                                                             Content content) const {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(path, unknown)) return open_source(path, limits, content);
    const std::scoped_lock lock(mutex_);
    if (const auto known = read_once_.find(path); known != read_once_.end()) return known->second;
    return read_once_.emplace(path, open_source(path, limits, content)).first->second;
}

bool LocalFiles::has(const FileName& name) const {
    return reaches(name) && is_named_file(name, walk_);
}

Result<std::string> LocalFiles::read_kernel_file(const std::string& path, std::uint64_t most) const {
    if (reach_ == Reach::given) return out_of_reach(path);
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
    if (reach_ == Reach::given) return out_of_reach(path);
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(ErrorCode::missing, Error::no_offset, path, "cannot be opened");
    std::string text(static_cast<std::size_t>(most), '\0');
    file.read(text.data(), static_cast<std::streamsize>(most));
    if (file.bad()) return fail(ErrorCode::io, Error::no_offset, path, "cannot be read");
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

std::optional<FileTime> LocalFiles::modified(const FileName& name) const {
    if (!reaches(name)) return {};
    const auto time = named_file_time(name, walk_);
    if (!time) return {};
    const auto since = std::chrono::seconds(time->tv_sec) + std::chrono::nanoseconds(time->tv_nsec);
    return std::chrono::file_clock::from_sys(std::chrono::sys_time<std::chrono::nanoseconds>(since));
}

std::optional<FileIdentity> LocalFiles::identity(const FileName& name) const {
    if (!reaches(name)) return {};
    const auto found = named_file_identity(name, walk_);
    return found ? std::optional(*found) : std::nullopt;
}

}  // namespace perfdata
