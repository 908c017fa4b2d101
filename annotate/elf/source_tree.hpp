// SPDX-License-Identifier: MIT
// Source files made of the lines that are known of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

namespace perfdata {

// SourceTree has files by names that cannot lead out of the directory where they are written: absolute paths become
// relative, "..", "." and characters that are not shown are left out, long names are cut. Of two names here of which
// one is a file and the other a directory the later gets a directory of its own.
class SourceTree {
  public:
    // add(source) is the name that the file has here; it lives as long as this. Of several texts of one line the first
    // stays. Texts outlive this.
    std::string_view add(const SourceLine& source);

    bool empty() const { return files_.empty(); }
    // left_out() is how many texts stand in no file: those of lines beyond 1,000,000, and those that differ from
    // another text of their line.
    std::uint64_t left_out() const { return left_out_; }
    // write(directory, write_file) makes the directory and those below it, and calls write_file(path, text) for each
    // file: lines without a known text are empty. Errors: io, limit (any number of lines may have one long text, and
    // numbers of lines may be as high as they like: all files have more than most_bytes), and those of write_file.
    static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 26;
    using WriteFile = std::function<Result<void>(const std::string& path, std::string_view text)>;
    Result<void> write(const std::string& directory, const WriteFile& write_file) const;

  private:
    struct File {
        std::map<std::uint32_t, std::string_view> lines;
    };

    const std::string& own_name(std::string_view recorded);

    std::map<std::string, std::string, std::less<>> names_;  // by recorded name
    // The same by where the recorded name lies: it may be long, and that of any number of lines.
    std::map<std::pair<const char*, std::size_t>, std::string_view> known_;
    std::map<std::string, File, std::less<>> files_;  // by name here
    std::set<std::string, std::less<>> folders_;      // of files_
    std::uint64_t left_out_ = 0;
};

}  // namespace perfdata
