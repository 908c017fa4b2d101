// SPDX-License-Identifier: MIT
#include "batch_list.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "core/platform.hpp"

namespace perfdata::tool {
namespace {

// How a recording begins, in either byte order.
constexpr std::string_view magics[] = {"PERFILE2", "2ELIFREP", "PERFFILE"};

Result<std::string> read_to_end(int descriptor) {
    std::string text;
    constexpr std::size_t block = std::size_t{64} << 10;
    for (std::size_t size = 0;;) {
        if (size > most_list_bytes) {
            return fail(ErrorCode::limit, Error::no_offset, {},
                        fmt::format("the list has more than {} bytes; split it", most_list_bytes));
        }
        text.resize(size + block);
        const auto got = platform::read(descriptor, std::as_writable_bytes(std::span(text).subspan(size)));
        if (!got) {
            return fail(ErrorCode::io, Error::no_offset, {},
                        fmt::format("cannot read: {}", std::strerror(got.error())));
        }
        size += *got;
        if (*got != 0) continue;
        text.resize(size);
        return text;
    }
}

}  // namespace

Result<std::vector<std::string>> split_list(std::string_view text, char separator) {
    if (std::ranges::any_of(magics, [&](std::string_view magic) { return text.starts_with(magic); })) {
        return fail(ErrorCode::malformed, Error::no_offset, {},
                    "this is a recording; LIST is a file with the paths of recordings, one a line");
    }
    if (separator != '\0' && text.find('\0') != std::string_view::npos) {
        return fail(ErrorCode::malformed, Error::no_offset, {},
                    "this has NUL bytes, which no path has; if they separate the paths, give --null");
    }
    std::vector<std::string> paths;
    while (!text.empty()) {
        const auto path = text.substr(0, text.find(separator));
        text.remove_prefix(std::min(text.size(), path.size() + 1));
        if (!path.empty()) paths.emplace_back(path);
    }
    return paths;
}

Result<std::vector<std::string>> read_list(const std::string& path, char separator) {
    const bool standard = path == "-";
    const auto named = [&](Error error) {
        error.where = standard ? "standard input" : path;
        return fail(std::move(error));
    };
    platform::Descriptor opened;
    if (!standard) {
        auto file = platform::open(path, {});
        if (!file) {
            return named(
                {ErrorCode::io, Error::no_offset, {}, fmt::format("cannot open: {}", std::strerror(file.error()))});
        }
        opened = std::move(*file);
    }
    auto text = read_to_end(standard ? platform::standard_input : opened.get());
    if (!text) return named(std::move(text.error()));
    auto paths = split_list(*text, separator);
    if (!paths) return named(std::move(paths.error()));
    return paths;
}

}  // namespace perfdata::tool
