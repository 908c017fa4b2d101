// SPDX-License-Identifier: MIT
// The text of source lines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"

namespace perfdata {

// SourceFiles reads each file once, when its first line is asked for. It may be used from several threads.
class SourceFiles {
  public:
    SourceFiles(SourceFileOptions options, FinderOptions finder, std::shared_ptr<const FileSystem> files);
    ~SourceFiles();

    // text(file, line, built) is the line without its end; empty if the file is not found, or shorter. `file` is as in
    // debug information, `built` the file of code made from it: what is younger than that is not what was compiled.
    // That is not asked of files in directories that the user gave. Lives as long as this.
    std::string_view text(std::string_view file, std::uint32_t line, const std::string& built);

    // problem() is how many files were left out so far because all of them together would take too much.
    std::optional<Error> problem() const;

  private:
    struct File {
        std::string content;
        std::vector<std::uint32_t> lines;  // where they begin
        std::optional<FileTime> modified;  // nothing: it does not matter

        // line(number) is its text, without what ends it; empty if there is none. Numbers begin with 1.
        std::string_view line(std::uint32_t number) const;
    };

    // These return null if there is no such file.
    std::shared_ptr<const File> find(const std::string& recorded);
    std::shared_ptr<const File> read(const FileName& name, bool dated = false);
    std::shared_ptr<const File> take(const FileName& name, bool dated);
    static std::vector<std::uint32_t> split(std::string_view text);

    SourceFileOptions options_;
    FinderOptions finder_;
    std::shared_ptr<const FileSystem> files_;
    mutable std::mutex mutex_;
    std::uint64_t room_, left_out_ = 0;                                     // bytes for all files; files
    std::map<std::string, std::shared_ptr<const File>, std::less<>> read_;  // by recorded path; null: not found
    // What any number of paths may lead to; those of this machine are dated.
    std::map<std::pair<FileIdentity, bool>, std::shared_ptr<const File>> files_read_;
    std::map<std::string, std::optional<FileTime>, std::less<>> built_;  // by path
};

// source_path(recorded) is a path without ".", ".." and empty parts, and without a leading slash: what leads out of the
// root ends there.
std::string source_path(std::string_view recorded);

}  // namespace perfdata
