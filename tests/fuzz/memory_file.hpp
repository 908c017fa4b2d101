// SPDX-License-Identifier: MIT
// A file in memory with a name, for code that opens files by name.
#pragma once

#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "promise.hpp"

namespace perfdata::fuzz {

class MemoryFile {
  public:
    MemoryFile() : descriptor_(::memfd_create("input", 0)) { require(descriptor_ >= 0); }
    explicit MemoryFile(Bytes content) : MemoryFile() { set(content); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { ::close(descriptor_); }

    // set(content) replaces the whole content.
    void set(Bytes content) {
        require(::ftruncate(descriptor_, 0) == 0);
        require(::pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<::ssize_t>(content.size()));
    }
    // take() returns the content and empties the file.
    std::string take() {
        std::string content(static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END)), '\0');
        require(::pread(descriptor_, content.data(), content.size(), 0) == static_cast<::ssize_t>(content.size()));
        require(::ftruncate(descriptor_, 0) == 0 && ::lseek(descriptor_, 0, SEEK_SET) == 0);
        return content;
    }

    // path() is valid as long as the object lives.
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_;
};

}  // namespace perfdata::fuzz
