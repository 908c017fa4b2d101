// SPDX-License-Identifier: MIT
// Files for the tests that need real ones, and their compressed forms.
#pragma once

#include <filesystem>
#include <string>

#include "support/writer.hpp"

namespace perfdata::test {

// TempDir is an empty directory that goes with the object.
class TempDir {
  public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    const std::filesystem::path& path() const { return path_; }
    // write(name, content) makes a file and gives its path.
    std::string write(const std::string& name, Bytes content) const;

  private:
    std::filesystem::path path_;
};

// fixture_recordings() is the paths of the real recordings with BPF programs, by name. content_of_file(path) reads one.
std::vector<std::string> fixture_recordings();
Blob content_of_file(const std::string& path);

enum class Compression { gzip, bzip2, xz, zstd };
Blob compressed(Compression compression, Bytes content);

}  // namespace perfdata::test
