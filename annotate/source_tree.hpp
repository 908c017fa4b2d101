// SPDX-License-Identifier: MIT
// Source files made of the lines that are known of them.
#pragma once

#include <cstdint>
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
    // write(directory) makes the directory, and in it the files: lines without a known text are empty. Errors: io.
    Result<void> write(const std::string& directory) const;

  private:
    struct File {
        std::map<std::uint32_t, std::string, std::less<>> lines;
    };

    std::map<std::string, std::string, std::less<>> names_;  // by recorded name
    std::map<std::string, File, std::less<>> files_;         // by name here
};

}  // namespace perfdata
