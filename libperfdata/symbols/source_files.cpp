// SPDX-License-Identifier: MIT
#include "source_files.hpp"

#include <algorithm>

namespace perfdata {
namespace {

constexpr std::size_t longest_path = 4096;  // as PATH_MAX of Linux

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

std::string source_path(std::string_view recorded) {
    std::vector<std::string_view> parts;
    while (!recorded.empty()) {
        const auto end = std::min(recorded.find('/'), recorded.size());
        const auto part = recorded.substr(0, end);
        recorded.remove_prefix(std::min(end + 1, recorded.size()));
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            parts.push_back(part);
        } else if (!parts.empty()) {
            parts.pop_back();
        }
    }
    std::string path;
    for (const auto part : parts) path.append(path.empty() ? "" : "/").append(part);
    return path;
}

SourceFiles::SourceFiles(CodeLineOptions options, FinderOptions finder, std::shared_ptr<const FileSystem> files)
    : options_(std::move(options)), finder_(std::move(finder)), files_(std::move(files)) {}
SourceFiles::~SourceFiles() = default;

std::shared_ptr<const SourceFiles::File> SourceFiles::read(const FileName& name, bool dated) {
    const auto identity = files_->identity(name);
    if (identity) {
        if (const auto known = files_read_.find({*identity, dated}); known != files_read_.end()) return known->second;
    }
    auto limits = finder_.limits;
    limits.unpacked_bytes = std::min(limits.unpacked_bytes, limits.source_file_bytes);
    const auto source = files_->open(name, limits, Content::text);
    if (!source) return {};
    auto content = read_whole(**source, limits.source_file_bytes);
    if (!content) return {};
    auto file = std::make_shared<File>();
    file->content = std::move(*content);
    file->lines = split(file->content);
    if (dated) file->modified = files_->modified(name);
    if (identity) files_read_.emplace(std::pair(*identity, dated), file);
    return file;
}

std::shared_ptr<const SourceFiles::File> SourceFiles::find(const std::string& recorded) {
    const auto path = source_path(recorded);
    if (path.empty()) return {};
    for (const auto& directory : options_.source_dirs) {
        std::string_view rest = path;
        // A longer one names no file; it is not worth a copy for each of its parts.
        while (rest.size() > longest_path && rest.contains('/')) rest.remove_prefix(rest.find('/') + 1);
        while (true) {
            const auto below = "/" + std::string(rest);
            if (auto file = read(finder_.machine() ? FileName{"", directory + below} : FileName{directory, below})) {
                return file;
            }
            const auto slash = rest.find('/');
            if (slash == std::string_view::npos) break;
            rest.remove_prefix(slash + 1);
        }
    }
    if (!recorded.starts_with('/')) return {};
    if (!finder_.symfs.empty()) {
        if (auto file = read({finder_.symfs, "/" + path})) return file;
    }
    if (!options_.local_sources || !finder_.machine()) return {};
    return read({"", "/" + path}, true);
}

std::string_view SourceFiles::text(std::string_view file, std::uint32_t line, const std::string& built) {
    if (file.empty() || line == 0) return {};
    const std::scoped_lock lock(mutex_);
    auto known = read_.find(file);
    if (known == read_.end()) {
        const std::string path(file);
        known = read_.emplace(path, find(path)).first;
    }
    const auto* found = known->second.get();
    if (found == nullptr || line > found->lines.size()) return {};
    if (found->modified && !built.empty()) {
        auto of_code = built_.find(built);
        if (of_code == built_.end()) of_code = built_.emplace(built, files_->modified({"", built})).first;
        if (of_code->second && *found->modified > *of_code->second) return {};
    }
    return found->lines[line - 1];
}

}  // namespace perfdata
