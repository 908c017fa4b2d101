// SPDX-License-Identifier: MIT
// Where perf's build-id cache and debug packages keep the file of a build id.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "perfdata/wire/record/mmap2.hpp"

namespace perfdata {

inline std::string hex(Bytes bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const auto byte : bytes) {
        const auto value = std::to_integer<unsigned>(byte);
        text += digits[value >> 4];
        text += digits[value & 0xf];
    }
    return text;
}

// id_link(directory, id) is "directory/.build-id/ab/cdef...". In a cache it is a link to the directory of that file,
// or, as old versions of perf made it, to the file.
inline std::string id_link(const std::string& directory, const BuildId& id) {
    const auto text = hex(id.bytes());
    return directory + "/.build-id/" + text.substr(0, 2) + "/" + text.substr(2);
}

inline std::array<std::string, 3> cached_objects(const std::string& cache, const BuildId& id) {
    const auto link = id_link(cache, id);
    return {link + "/elf", link + "/vdso", link};
}
inline std::string cached_debug_file(const std::string& cache, const BuildId& id) {
    return id_link(cache, id) + "/debug";
}
inline std::array<std::string, 2> cached_kallsyms(const std::string& cache, const BuildId& id) {
    const auto link = id_link(cache, id);
    return {link + "/kallsyms", link};
}
inline std::string debug_file_by_id(const std::string& root, const BuildId& id) {
    return id_link(root, id) + ".debug";
}

}  // namespace perfdata
