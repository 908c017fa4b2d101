// SPDX-License-Identifier: MIT
#include "collect_recording.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "perfdata/recording/named_file.hpp"

namespace perfdata::tool {
namespace {

bool is_data_file(const std::string& name) {
    constexpr std::string_view before = "data.";
    return name.starts_with(before) && name.size() > before.size() &&
           std::ranges::all_of(name.substr(before.size()), [](char digit) { return digit >= '0' && digit <= '9'; });
}

// Returns the names of regular files in a directory of the recording, sorted; none if there is no such directory.
std::vector<std::string> files_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code problem;
    for (auto entry = std::filesystem::directory_iterator(directory, problem);
         !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
        std::error_code ignored;
        const auto type = std::filesystem::symlink_status(entry->path(), ignored).type();
        if (type == std::filesystem::file_type::regular) names.push_back(entry->path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

Result<std::vector<BundleContent>> recording_members(const Recording& recording, const Watch& watch) {
    std::error_code none;
    const auto& directory = recording.path();
    if (directory.empty() || !std::filesystem::is_directory(directory, none)) {
        return std::vector{BundleContent{{bundled_recording, "recording", {}, {}}, recording.source()}};
    }
    const std::string folder = std::string(bundled_recording) + "/";
    std::vector<BundleContent> members{{{folder + "data", "recording", {}, {}}, recording.source()}};
    std::vector<std::string> names;
    for (const auto& name : files_in(directory)) {
        if (is_data_file(name)) names.push_back(name);
    }
    for (const auto& name : files_in(directory + "/kcore_dir")) names.push_back("kcore_dir/" + name);
    for (const auto& name : names) {
        NamedFileOptions options;
        options.watch = watch;
        auto content = open_named_file({directory, "/" + name}, recording.limits(), options);
        // perf leaves empty files for CPUs without samples, and these have no bytes to show.
        if (!content && content.error().code == ErrorCode::missing) continue;
        if (!content) return fail(std::move(content.error()));
        members.push_back({{folder + name, "recording", {}, {}}, std::move(*content)});
    }
    return members;
}

}  // namespace perfdata::tool
