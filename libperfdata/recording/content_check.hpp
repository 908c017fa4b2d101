// SPDX-License-Identifier: MIT
// What unpacked input begins with, looked at before the rest of it is unpacked.
#pragma once

#include <string>
#include <vector>

#include "perfdata/recording/content.hpp"

namespace perfdata {

// ContentCheck is fed the beginning of input, in pieces of any size.
class ContentCheck {
  public:
    ContentCheck(Content content, std::string path) : content_(content), path_(std::move(path)) {}

    // more(piece) is an error as soon as enough is known that the content is another.
    Result<void> more(Bytes piece);
    // end() is to be asked when there is no more.
    Result<void> end();

  private:
    Result<void> decide() const;

    Content content_;
    std::string path_;
    std::vector<std::byte> start_;
    bool decided_ = false;
};

}  // namespace perfdata
