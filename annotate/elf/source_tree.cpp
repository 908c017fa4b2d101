// SPDX-License-Identifier: MIT
#include "source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <vector>

#include "format/words.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t last_line = 1'000'000;  // no file is longer: its lines without text take room, too
constexpr std::size_t longest_part = 200, longest_name = 3000, most_parts = 64;

std::string safe_part(std::string_view part) {
    auto safe = printable(part);
    std::ranges::replace_if(
        safe, [](char letter) { return letter == '\t' || letter == '\\'; }, '_');
    if (safe.size() > longest_part) {
        safe.resize(longest_part);
        safe += fmt::format("-{:x}", std::hash<std::string_view>()(part));
    }
    return safe;
}

std::string safe_name(std::string_view recorded) {
    std::vector<std::string> parts;
    const auto whole = recorded.substr(0, longest_name);
    for (auto rest = whole; !rest.empty();) {
        const auto end = std::min(rest.find('/'), rest.size());
        const auto part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (part == "..") {
            if (!parts.empty()) parts.pop_back();
        } else if (!part.empty() && part != ".") {
            parts.push_back(safe_part(part));
        }
    }
    if (parts.empty()) return "unnamed";
    if (parts.size() > most_parts) {  // each part makes a directory
        parts.erase(parts.begin(), parts.end() - static_cast<std::ptrdiff_t>(most_parts));
        parts.front() = fmt::format("deep-{:x}", std::hash<std::string_view>()(whole));
    }
    return fmt::format("{}", fmt::join(parts, "/"));
}

// each_folder(name, take) calls take(folder) for each directory on the path of a name.
template <class Take>
void each_folder(std::string_view name, Take&& take) {
    for (auto at = name.find('/'); at != std::string_view::npos; at = name.find('/', at + 1)) take(name.substr(0, at));
}

}  // namespace

const std::string& SourceTree::own_name(std::string_view recorded) {
    auto name = safe_name(recorded);
    bool taken = folders_.contains(name);
    each_folder(name, [&](std::string_view folder) { taken = taken || files_.contains(folder); });
    if (taken) name = fmt::format("other-{:x}/{}", std::hash<std::string_view>()(recorded), name);
    each_folder(name, [&](std::string_view folder) { folders_.emplace(folder); });
    return names_.emplace(std::string(recorded), std::move(name)).first->second;
}

std::string_view SourceTree::add(const SourceLine& source) {
    if (source.file.empty()) return {};
    const auto [known, added] = known_.try_emplace({source.file.data(), source.file.size()});
    if (added) {
        const auto name = names_.find(source.file);
        known->second = name != names_.end() ? name->second : own_name(source.file);
    }
    auto& file = files_.try_emplace(std::string(known->second)).first->second;
    if (source.line == 0 || source.text.empty()) return known->second;
    const auto text = source.text.substr(0, source.text.find('\n'));
    if (source.line > last_line) {
        ++left_out_;
        return known->second;
    }
    const auto [line, first] = file.lines.try_emplace(source.line, text);
    const bool same = first || line->second.data() == text.data() || line->second == text;
    if (!same) ++left_out_;
    return known->second;
}

Result<void> SourceTree::write(const std::string& directory, const WriteFile& write_file) const {
    namespace fs = std::filesystem;
    const auto failed = [](const fs::path& path, const std::string& why) {
        return fail(ErrorCode::io, Error::no_offset, path.string(), "cannot write: " + why);
    };
    std::uint64_t bytes = 0;
    for (const auto& [name, file] : files_) {
        if (!file.lines.empty()) bytes += file.lines.rbegin()->first;
        for (const auto& [line, text] : file.lines) bytes += text.size();
    }
    if (bytes > most_bytes) {
        return fail(ErrorCode::limit, Error::no_offset, directory,
                    fmt::format("source files of this code would have {} bytes with their empty lines; at most {} are "
                                "written",
                                bytes, most_bytes));
    }
    std::error_code problem;
    fs::create_directories(directory, problem);
    const auto root = fs::canonical(directory, problem);
    if (problem) return failed(directory, problem.message());
    for (const auto& [name, file] : files_) {
        const auto path = root / name;
        // Existing links could lead elsewhere: nothing is created behind one before it is resolved.
        auto folder = root;
        for (const auto& part : fs::path(name).parent_path()) {
            fs::create_directory(folder / part, problem);
            if (problem) return failed(path, problem.message());
            folder = fs::canonical(folder / part, problem);
            if (problem) return failed(path, problem.message());
            if (std::ranges::mismatch(root, folder).in1 != root.end()) {
                return failed(path, "a link leads out of " + root.string());
            }
        }
        if (fs::is_symlink(path, problem)) return failed(path, "a link leads out of " + root.string());
        std::string content;
        for (std::uint32_t at = 1; const auto& [line, text] : file.lines) {
            content.append(line - at, '\n');
            content += text;
            content += '\n';
            at = line + 1;
        }
        if (auto written = write_file(path.string(), content); !written) return written;
    }
    return {};
}

}  // namespace perfdata
