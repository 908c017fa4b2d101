// SPDX-License-Identifier: MIT
// Real files for tests that need them, and compressed forms.
#pragma once

#include <filesystem>
#include <string>

#include "support/writer.hpp"

namespace perfdata::test {

// TempDir is an empty directory, removed by the destructor.
class TempDir {
  public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    const std::filesystem::path& path() const { return path_; }
    // write(name, content) creates a file and returns its path.
    std::string write(const std::string& name, Bytes content) const;

  private:
    std::filesystem::path path_;
};

// fixture(name) returns the path of a file below fixtures/.
inline std::string fixture(const std::string& name) {
    return PERFDATA_FIXTURES "/" + name;
}

// fixture_recordings() returns the paths of the recordings of whole machines with BPF programs, by name.
// content_of_file(path) reads a file.
std::vector<std::string> fixture_recordings();
Blob content_of_file(const std::string& path);

enum class Compression { gzip, bzip2, xz, zstd };
Blob compressed(Compression compression, Bytes content);

}  // namespace perfdata::test
