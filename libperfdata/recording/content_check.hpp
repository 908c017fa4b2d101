// SPDX-License-Identifier: MIT
// Checks what unpacked input begins with, before the rest of it is unpacked.
#pragma once

#include <string>
#include <vector>

#include "perfdata/recording/content.hpp"

namespace perfdata {

// ContentCheck is fed the beginning of input, in pieces of any size.
class ContentCheck {
  public:
    ContentCheck(Content content, std::string path) : content_(content), path_(std::move(path)) {}

    // more(piece) returns an error as soon as it is clear that the content is different.
    Result<void> more(Bytes piece);
    // Call end() at the end of the input.
    Result<void> end();

  private:
    Result<void> decide() const;

    Content content_;
    std::string path_;
    std::vector<std::byte> start_;
    bool decided_ = false;
};

}  // namespace perfdata
