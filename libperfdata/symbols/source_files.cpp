// SPDX-License-Identifier: MIT
#include "source_files.hpp"

#include <algorithm>
#include <limits>

#include "perfdata/core/reentered.hpp"

namespace perfdata {
namespace {

constexpr std::size_t longest_source_path = 4096;  // as PATH_MAX of Linux

constexpr std::size_t most_parts = 64;  // of a path, tried in a directory: each is a file to open

}  // namespace

std::string_view SourceFiles::File::line(std::uint32_t number) const {
    if (number == 0 || number > lines.size()) return {};
    const auto begin = lines[number - 1];
    const auto end = number < lines.size() ? lines[number] : content.size();
    auto text = std::string_view(content).substr(begin, end - begin);
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

// Returns where the lines of the text begin.
std::vector<std::uint32_t> SourceFiles::split(std::string_view text) {
    std::vector<std::uint32_t> lines;
    const bool ends = text.empty() || text.ends_with('\n');
    lines.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + (ends ? 0 : 1));
    for (std::size_t at = 0; at < text.size();) {
        lines.push_back(static_cast<std::uint32_t>(at));
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    }
    return lines;
}

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

SourceFiles::SourceFiles(SourceFileOptions options, FinderOptions finder, Shared<const FileSystem> files)
    : options_(std::move(options)),
      finder_(std::move(finder)),
      files_(std::move(files)),
      room_(finder_.limits.source_file_bytes) {}
SourceFiles::~SourceFiles() = default;

std::shared_ptr<const SourceFiles::File> SourceFiles::read(const FileName& name, bool dated) {
    const auto identity = files_->identity(name);
    if (identity) {
        if (const auto known = files_read_.find({*identity, dated}); known != files_read_.end()) return known->second;
    }
    if (auto file = take(name, dated)) {
        if (identity) files_read_.emplace(std::pair(*identity, dated), file);
        return file;
    }
    return {};
}

// The text and the begins of its lines count against room_ together: a file packed to a few bytes may be nothing but
// line ends.
std::shared_ptr<const SourceFiles::File> SourceFiles::take(const FileName& name, bool dated) {
    auto limits = finder_.limits;
    limits.unpacked_bytes = std::min(limits.unpacked_bytes, room_);
    const auto source = files_->open(name, limits, Content::text);
    const auto left_out = [&](const Error& error) {
        if (error.code == ErrorCode::busy) throw Reentered();
        if (error.code == ErrorCode::limit) ++left_out_;
        return std::shared_ptr<const File>();
    };
    if (!source) return left_out(source.error());
    auto content = read_whole(**source, room_);
    if (!content) return left_out(content.error());
    const auto count = static_cast<std::uint64_t>(std::ranges::count(*content, '\n')) + 1;
    const auto size = content->size() + count * sizeof(std::uint32_t);
    if (size > room_ || content->size() > std::numeric_limits<std::uint32_t>::max())
        return left_out({ErrorCode::limit, Error::no_offset, {}, {}});
    room_ -= size;
    auto file = std::make_shared<File>();
    file->content = std::move(*content);
    file->lines = split(file->content);
    if (dated) file->modified = files_->modified(name);
    return file;
}

std::optional<Error> SourceFiles::problem() const {
    const std::scoped_lock lock(mutex_);
    if (left_out_ == 0) return {};
    return Error{ErrorCode::limit, Error::no_offset, "source files",
                 "the text of " + std::to_string(left_out_) + " is left out: together they take more than " +
                     std::to_string(finder_.limits.source_file_bytes) + " bytes"};
}

std::shared_ptr<const SourceFiles::File> SourceFiles::find(const std::string& recorded) {
    const auto path = source_path(recorded);
    if (path.empty()) return {};
    for (const auto& directory : options_.source_dirs) {
        std::string_view rest = path;
        // Longer paths name no file: copying each of their suffixes is not worth it.
        while (rest.size() > longest_source_path && rest.contains('/')) rest.remove_prefix(rest.find('/') + 1);
        const auto parts = static_cast<std::size_t>(std::ranges::count(rest, '/'));
        for (auto more = parts; more >= most_parts; --more) rest.remove_prefix(rest.find('/') + 1);
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
    const bool absolute = recorded.starts_with('/');
    if (absolute && !finder_.symfs.empty()) {
        if (auto file = read({finder_.symfs, "/" + path})) return file;
    }
    // Relative ones were found in a directory that was given when the bundle was made.
    if (!finder_.bundle.empty()) {
        if (auto file = read({finder_.bundle_root(), "/" + path})) return file;
    }
    if (!absolute || !options_.local_sources || !finder_.machine()) return {};
    return read({"", "/" + path}, true);
}

std::string_view SourceFiles::text(std::string_view file, std::uint32_t line, const std::string& built) {
    if (file.empty() || line == 0) return {};
    const std::scoped_lock lock(mutex_);
    auto known = read_.find(file);
    if (known == read_.end()) {
        const std::string path(file);
        const auto left_out = left_out_;
        auto found = find(path);
        // One file, however many directories have one of that name; and none if another directory has the text.
        left_out_ = left_out + (found == nullptr && left_out_ != left_out ? 1 : 0);
        known = read_.emplace(path, Known{std::move(found), left_out_ != left_out}).first;
    }
    const auto* found = known->second.file.get();
    return found == nullptr || is_newer(*found, built) ? std::string_view() : found->line(line);
}

bool SourceFiles::is_newer(const File& file, const std::string& built) {
    if (!file.modified || built.empty()) return false;
    auto of_code = built_.find(built);
    if (of_code == built_.end()) of_code = built_.emplace(built, files_->modified({"", built})).first;
    return of_code->second && *file.modified > *of_code->second;
}

TextMiss SourceFiles::miss(std::string_view file, const std::string& built) {
    const std::scoped_lock lock(mutex_);
    const auto known = read_.find(file);
    if (known == read_.end()) return TextMiss::none;
    const auto& [found, too_large] = known->second;
    if (found == nullptr) return too_large ? TextMiss::none : TextMiss::not_here;
    return is_newer(*found, built) ? TextMiss::newer : TextMiss::none;
}

}  // namespace perfdata
