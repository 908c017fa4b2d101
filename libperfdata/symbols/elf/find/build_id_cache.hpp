// SPDX-License-Identifier: MIT
// Places of a file in perf's build-id cache and in debug packages, by build-id.
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

// Returns "directory/.build-id/ab/cdef...". In a cache this links to the directory of the file; old versions of perf
// linked it to the file.
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
