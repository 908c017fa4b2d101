// SPDX-License-Identifier: MIT
// The bytes of code at a time, wherever they are kept.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/code_versions.hpp"
#include "perfdata/symbols/names.hpp"
#include "perfdata/symbols/symbols.hpp"

namespace perfdata {

struct CodeImageOptions {
    std::string kcore;  // a copy of /proc/kcore, whole or only some pages; empty: that of the recording's directory
};

// CodeChange is a place in an image where this version differs from the one before.
struct CodeChange {
    std::uint64_t offset = 0;  // from the start of the function
    Time time;                 // when the kernel wrote it
    std::vector<std::byte> before, after;
};

struct CodeImage {
    std::vector<std::byte> bytes;     // from the start of the function; shorter than it where the source has no more
    Address address;                  // of its first byte, as a disassembler is to see it: where it ran, or in the file
    std::string origin;               // what the bytes are from: a path, or "the recording"
    std::vector<CodeChange> changes;  // what made this version of the one before; empty for the first
    std::vector<Error> problems;      // what makes the bytes doubtful: a poke that met other bytes than it says
};

// CodeImages finds bytes when they are asked for, and keeps what it opened. Const use from many threads is safe. What
// it is made of must outlive it.
class CodeImages {
  public:
    CodeImages(const Recording& recording, const Timeline& timeline, const Names& names, const Symbols& symbols,
               const CodeVersions& versions, CodeImageOptions options = {});
    ~CodeImages();
    CodeImages(CodeImages&&) noexcept;
    CodeImages& operator=(CodeImages&&) noexcept;

    // image(version) is the code as it was then. Errors: missing (with what would supply it), malformed, io, limit.
    Result<CodeImage> image(const CodeVersion& version) const;

    // problems() is what is wrong with files that the user gave.
    const std::vector<Error>& problems() const;

  private:
    struct Sources;

    std::unique_ptr<Sources> sources_;
};

}  // namespace perfdata
