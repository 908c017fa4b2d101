// SPDX-License-Identifier: MIT
// Names of members of a bundle.
#pragma once

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

}  // namespace perfdata
