// SPDX-License-Identifier: MIT
// Source files rebuilt from their known lines.
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

// SourceTree has files whose names cannot lead out of the output directory: absolute paths become relative, "..", "."
// and unprintable characters are dropped, long names are truncated. If one of two names is a file and the other a
// directory, the later gets its own directory.
class SourceTree {
  public:
    // add(source) returns the file's name here; it lives as long as this object. The first of several texts for one
    // line wins. Texts must outlive this object.
    std::string_view add(const SourceLine& source);

    bool empty() const { return files_.empty(); }
    // left_out() returns the number of texts in no file: those of lines beyond 1,000,000, and those that differ from
    // another text of their line.
    std::uint64_t left_out() const { return left_out_; }
    // write(directory, write_file) creates the directory and its subdirectories, and calls write_file(path, text) for
    // each file: lines without a known text are empty. Errors: io, limit (all files exceed most_bytes: any number of
    // lines may share one long text, and line numbers may be arbitrarily high), and those of write_file.
    static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 26;
    using WriteFile = std::function<Result<void>(const std::string& path, std::string_view text)>;
    Result<void> write(const std::string& directory, const WriteFile& write_file) const;

  private:
    struct File {
        std::map<std::uint32_t, std::string_view> lines;
    };

    const std::string& own_name(std::string_view recorded);

    std::map<std::string, std::string, std::less<>> names_;  // by recorded name
    // The same by the address of the recorded name: it may be long, and shared by any number of lines.
    std::map<std::pair<const char*, std::size_t>, std::string_view> known_;
    std::map<std::string, File, std::less<>> files_;  // by name here
    std::set<std::string, std::less<>> folders_;      // of files_
    std::uint64_t left_out_ = 0;
};

}  // namespace perfdata
