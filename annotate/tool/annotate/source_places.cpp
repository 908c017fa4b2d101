// SPDX-License-Identifier: MIT
#include "source_places.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/platform.hpp"
#include "format/path_suffix.hpp"

namespace perfdata::tool {
namespace {

constexpr std::size_t longest_path = 4096;  // as PATH_MAX of Linux
constexpr std::size_t most_parts = 64;      // each is a file to look for, in each directory

bool is_file(const std::string& path) {
    const auto status = platform::status(path);
    return status && status->is_regular();
}

// Returns the ends of a path, the longest first, without "." and "..": "a/b.c", "b.c".
std::vector<std::string> ends_of(std::string_view path) {
    std::vector<std::string> ends;
    PathEnd end(path);
    std::string whole;
    for (auto part = end.next(); !part.empty() && ends.size() < most_parts; part = end.next()) {
        if (part.size() + whole.size() > longest_path) break;
        whole = whole.empty() ? std::string(part) : std::string(part) + "/" + whole;
        ends.push_back(whole);
    }
    std::ranges::reverse(ends);
    return ends;
}

std::string place_of(const std::string& recorded, const std::vector<std::string>& directories, bool local) {
    if (recorded.find('\0') != std::string::npos) return {};
    const auto ends = ends_of(recorded);
    for (const auto& directory : directories) {
        for (const auto& end : ends) {
            auto path = directory + "/" + end;
            if (is_file(path)) return path;
        }
    }
    return local && recorded.starts_with('/') && recorded.size() <= longest_path && is_file(recorded) ? recorded : "";
}

}  // namespace

std::vector<std::string> source_places(const std::vector<std::string>& recorded,
                                       const std::vector<std::string>& directories, bool local) {
    std::vector<std::string> places;
    places.reserve(recorded.size());
    for (const auto& path : recorded) places.push_back(place_of(path, directories, local));
    return places;
}

}  // namespace perfdata::tool
