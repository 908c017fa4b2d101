// SPDX-License-Identifier: MIT
// A directory recording: D/data is a recording of its own, D/data.N are further records without a header.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

#include "perfdata/recording/named_file.hpp"
#include "perfdata/recording/recording.hpp"

#include "data_file.hpp"

namespace perfdata {
bool Recording::is_directory(const std::string& path) {
    std::error_code ignored;
    return path != "-" && std::filesystem::is_directory(path, ignored);
}

std::string Recording::main_file(const std::string& directory) {
    return (std::filesystem::path(directory) / "data").string();
}

// data_file_number("data.12") returns 12; empty for other names, including "data.old".
std::optional<std::uint32_t> Recording::data_file_number(std::string_view name) {
    constexpr std::string_view prefix = "data.";
    if (!name.starts_with(prefix)) return {};
    name.remove_prefix(prefix.size());
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem != std::errc{} || end != name.data() + name.size()) return {};
    return number;
}

Result<void> Recording::open_data_files(const std::string& directory, const Watch& watch) {
    std::vector<DataFile> found;
    std::vector<std::uint32_t> numbers;
    std::error_code problem;
    for (auto entry = std::filesystem::directory_iterator(directory, problem);
         !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
        const auto number = data_file_number(entry->path().filename().string());
        if (!number) continue;
        numbers.push_back(*number);
        std::error_code ignored;
        if (std::filesystem::symlink_status(entry->path(), ignored).type() != std::filesystem::file_type::regular) {
            diagnostics_.add({ErrorCode::unsupported, Error::no_offset, entry->path().string(), "not a regular file"});
            continue;
        }
        auto name = entry->path().filename().string();
        const auto open = [this, &directory, &watch, name] {
            return open_named_file({directory, "/" + name}, limits_, {.content = Content::records, .watch = watch});
        };
        found.push_back({*number, std::move(name), open});
    }
    if (problem) {
        diagnostics_.add({ErrorCode::io, Error::no_offset, directory, "cannot list: " + problem.message()});
    }
    return add_data_files(directory, std::move(numbers), std::move(found));
}

Result<void> Recording::add_data_files(const std::string& directory, std::vector<std::uint32_t> numbers,
                                       std::vector<DataFile> files) {
    // perf numbers them from 0.
    std::ranges::sort(numbers);
    const auto repeated = std::ranges::unique(numbers);
    numbers.erase(repeated.begin(), repeated.end());
    if (!numbers.empty() && numbers.back() != numbers.size() - 1) {
        diagnostics_.add({ErrorCode::missing, Error::no_offset, directory,
                          std::to_string(numbers.back() - (numbers.size() - 1)) + " of its files before data." +
                              std::to_string(numbers.back()) + " are not there"});
    }
    std::ranges::sort(files, {}, [](const DataFile& file) { return std::tie(file.number, file.name); });
    for (const auto& file : files) {
        auto source = file.open();
        if (source) {
            if (auto damage = (*source)->damage()) diagnostics_.add(std::move(*damage));
            data_files_.push_back({file.name, std::move(*source)});
        } else if (source.error().code == ErrorCode::cancelled) {
            return fail(std::move(source.error()));
        } else {
            diagnostics_.add(std::move(source.error()));
        }
    }
    return {};
}

}  // namespace perfdata
