// SPDX-License-Identifier: MIT
// Names of members of a bundle.
#pragma once

#include <algorithm>
#include <string_view>

namespace perfdata {

constexpr std::string_view bundle_recording = "perf.data";       // of a file
constexpr std::string_view bundle_main_file = "perf.data/data";  // of a directory recording
constexpr std::string_view bundle_directory = "perf.data/";      // before the names of all its files
constexpr std::string_view bundle_index = "bundle.json";
constexpr std::string_view bundle_root = "root";  // files by their recorded paths
constexpr std::string_view bundle_kallsyms = "kernel/kallsyms";
constexpr std::string_view bundle_vmlinux = "kernel/vmlinux";
constexpr std::string_view bundle_kcore = "kernel/kcore";
constexpr std::size_t longest_bundled_name = 4096;  // PATH_MAX of Linux

// Returns true for a relative name without empty parts, "." and "..": it means the same to everybody who unpacks it.
inline bool is_bundled_name(std::string_view name) {
    if (name.empty() || name.size() > longest_bundled_name || name.contains('\0')) return false;
    for (;;) {
        const auto part = name.substr(0, name.find('/'));
        if (part.empty() || part == "." || part == "..") return false;
        if (part.size() == name.size()) return true;
        name.remove_prefix(part.size() + 1);
    }
}

}  // namespace perfdata
