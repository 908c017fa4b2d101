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

#include "perfdata/symbols/code_lines.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"

namespace perfdata {

// SourceFiles reads each file once, when its first line is asked for. It may be used from several threads.
class SourceFiles {
  public:
    SourceFiles(CodeLineOptions options, FinderOptions finder, std::shared_ptr<const FileSystem> files);
    ~SourceFiles();

    // text(file, line, built) is the line without its end; empty if the file is not found, or shorter. `file` is as in
    // debug information, `built` the file of code made from it: what is younger than that is not what was compiled.
    // That is not asked of files in directories that the user gave. Lives as long as this.
    std::string_view text(std::string_view file, std::uint32_t line, const std::string& built);

  private:
    struct File {
        std::string content;
        std::vector<std::string_view> lines;
        std::optional<FileTime> modified;  // nothing: it does not matter
    };

    // These return null if there is no such file.
    std::shared_ptr<const File> find(const std::string& recorded);
    std::shared_ptr<const File> read(const FileName& name, bool dated = false);

    CodeLineOptions options_;
    FinderOptions finder_;
    std::shared_ptr<const FileSystem> files_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const File>, std::less<>> read_;  // by recorded path; null: not found
    // What any number of paths may lead to; those of this machine are dated.
    std::map<std::pair<FileIdentity, bool>, std::shared_ptr<const File>> files_read_;
    std::map<std::string, std::optional<FileTime>, std::less<>> built_;  // by path
};

// source_path(recorded) is a path without ".", ".." and empty parts, and without a leading slash: what leads out of the
// root ends there.
std::string source_path(std::string_view recorded);

}  // namespace perfdata
