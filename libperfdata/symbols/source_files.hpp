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

#include "perfdata/core/shared.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/source_line.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"

namespace perfdata {

// SourceFiles reads each file once, when its first line is asked for. It may be used from several threads.
class SourceFiles {
  public:
    SourceFiles(SourceFileOptions options, FinderOptions finder, Shared<const FileSystem> files);
    ~SourceFiles();

    // Returns the line without its end; empty if the file is not found, or is shorter. `file` is the path in debug
    // information, `built` the file of code compiled from it. A younger source file of this machine is ignored: it is
    // not what was compiled. In directories that the user gave, age does not matter. The text lives as long as this
    // object.
    std::string_view text(std::string_view file, std::uint32_t line, const std::string& built);

    // Returns why text() found none in that file, whatever the line; none for files that it was not asked for.
    TextMiss miss(std::string_view file, const std::string& built);

    // Reports how many files were left out so far, because together they exceed Limits::source_file_bytes.
    std::optional<Error> problem() const;

  private:
    struct File {
        std::string content;
        std::vector<std::uint32_t> lines;  // where they begin in `content`
        std::optional<FileTime> modified;  // nothing: its age does not matter

        // Returns the text of a line without its end; empty if there is none. Numbers begin with 1.
        std::string_view line(std::uint32_t number) const;
    };

    // Known is what became of a recorded path.
    struct Known {
        std::shared_ptr<const File> file;  // null: not found
        bool too_large = false;            // one was found, and left out
    };

    // These return null if there is no such file.
    std::shared_ptr<const File> find(const std::string& recorded);
    std::shared_ptr<const File> read(const FileName& name, bool dated = false);
    std::shared_ptr<const File> take(const FileName& name, bool dated);
    static std::vector<std::uint32_t> split(std::string_view text);
    bool is_newer(const File& file, const std::string& built);

    SourceFileOptions options_;
    FinderOptions finder_;
    Shared<const FileSystem> files_;
    mutable std::mutex mutex_;
    std::uint64_t room_, left_out_ = 0;               // bytes left for all files; number of files
    std::map<std::string, Known, std::less<>> read_;  // by recorded path
    // By identity, as any number of paths may lead to one file, and by whether its age matters.
    std::map<std::pair<FileIdentity, bool>, std::shared_ptr<const File>> files_read_;
    std::map<std::string, std::optional<FileTime>, std::less<>> built_;  // modification times by path
};

// Returns the path without ".", "..", empty parts and the leading slash. ".." does not lead out of the root.
std::string source_path(std::string_view recorded);

}  // namespace perfdata
