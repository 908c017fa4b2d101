// SPDX-License-Identifier: MIT
// Source files made of the lines that are known of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/symbols.hpp"

namespace perfdata {

// SourceTree has files by names that cannot lead out of the directory where they are written: absolute paths become
// relative, "..", "." and control characters are left out, long names are cut.
class SourceTree {
  public:
    // add(source) is the name that the file has here; it lives as long as this. Of several texts of one line the first
    // stays.
    std::string_view add(const SourceLine& source);

    bool empty() const { return files_.empty(); }
    // write(directory, write_file) makes the directory and those below it, and calls write_file(path, text) for each
    // file: lines without a known text are empty. Errors: io, limit (numbers of lines may be as high as they like:
    // there are more than most_empty_lines of these), and those of write_file.
    static constexpr std::uint64_t most_empty_lines = std::uint64_t{1} << 26;
    using WriteFile = std::function<Result<void>(const std::string& path, std::string_view text)>;
    Result<void> write(const std::string& directory, const WriteFile& write_file) const;

  private:
    struct File {
        std::map<std::uint32_t, std::string, std::less<>> lines;
    };

    std::map<std::string, std::string, std::less<>> names_;  // by recorded name
    // The same by where the recorded name lies: it may be long, and that of any number of lines.
    std::map<std::pair<const char*, std::size_t>, std::string_view> known_;
    std::map<std::string, File, std::less<>> files_;  // by name here
};

}  // namespace perfdata
