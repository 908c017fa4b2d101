// SPDX-License-Identifier: MIT
// A file that is in memory and has a name, for what opens files by name.
#pragma once

#include <cstdio>
#include <string>
#include <sys/mman.h>

#include "promise.hpp"

namespace perfdata::fuzz {

class MemoryFile {
  public:
    explicit MemoryFile(Bytes content) : descriptor_(::memfd_create("input", 0)), file_(::fdopen(descriptor_, "w")) {
        require(file_ != nullptr);
        require(std::fwrite(content.data(), 1, content.size(), file_) == content.size());
        require(std::fflush(file_) == 0);
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { std::fclose(file_); }

    // path() is valid as long as the object lives.
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_;
    std::FILE* file_;
};

}  // namespace perfdata::fuzz
