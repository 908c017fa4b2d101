// SPDX-License-Identifier: MIT
#include "batch_names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

namespace perfdata::tool {
namespace {

constexpr std::size_t longest_name = 255;  // of a file, in bytes, on all usual file systems
constexpr std::size_t number_room = 8;     // for "-1234567"

// FNV-1a: names must be the same everywhere and forever, and need no secrecy. Where two hashes are equal, flat_names()
// numbers them.
std::uint64_t stable_hash(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text) {
        hash ^= static_cast<unsigned char>(byte);
        hash *= 0x100000001b3;
    }
    return hash;
}

// Returns the path without "./" and doubled slashes, which change nothing. ".." stays: what is before it may be a link.
std::string without_detours(std::string_view path) {
    std::string text;
    if (path.starts_with('/')) text += '/';
    while (!path.empty()) {
        const auto part = path.substr(0, path.find('/'));
        path.remove_prefix(part.size() == path.size() ? part.size() : part.size() + 1);
        if (part.empty() || part == ".") continue;
        if (!text.empty() && text.back() != '/') text += '/';
        text += part;
    }
    return text;
}

std::string stem_of(std::string_view path) {
    const auto plain = without_detours(path);
    std::string name;
    for (const char byte : plain) {
        const bool usual = byte > ' ' && byte < 0x7f && byte != '+' && byte != '%';
        const bool first = name.empty() && (byte == '.' || byte == '-');
        if (byte == '/') {
            name += '+';
        } else if (usual && !first) {
            name += byte;
        } else {
            name += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
        }
    }
    return name.empty() ? "%2E" : name;  // "."
}

}  // namespace

std::string flat_name(std::string_view path, std::string_view ending) {
    auto name = stem_of(path);
    const auto hash = fmt::format("-{:016x}", stable_hash(path));
    const auto room = longest_name - number_room - ending.size();
    if (name.size() > room) {
        name.resize(std::min(name.size(), room - hash.size()));
        name += hash;
    }
    return name += ending;
}

std::vector<std::string> flat_names(const std::vector<std::string>& paths, std::string_view ending) {
    std::unordered_map<std::string, std::size_t> numbers;       // the last one of each name, which has none: 1
    std::unordered_map<std::string_view, std::string> name_of;  // by path
    std::vector<std::string> names;
    names.reserve(paths.size());
    for (const auto& path : paths) {
        const auto known = name_of.find(path);
        if (known != name_of.end()) {
            names.push_back(known->second);
            continue;
        }
        auto name = flat_name(path, ending);
        if (const auto [taken, fresh] = numbers.emplace(name, 1); !fresh) {
            auto& number = taken->second;  // stays where it is when others are added
            const auto stem = name.substr(0, name.size() - ending.size());
            do {
                name = fmt::format("{}-{}{}", stem, ++number, ending);
            } while (!numbers.emplace(name, 1).second);
        }
        names.push_back(name);
        name_of.emplace(path, std::move(name));
    }
    return names;
}

}  // namespace perfdata::tool
