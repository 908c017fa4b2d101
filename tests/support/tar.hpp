// SPDX-License-Identifier: MIT
// Writes tar-balls, including ones that no tar would write.
#pragma once

#include <string>
#include <string_view>

#include "support/writer.hpp"

namespace perfdata::test {

// Tar writes the ustar format.
class Tar {
  public:
    Tar& file(std::string_view name, Bytes content);
    Tar& symlink(std::string_view name, std::string_view target) { return header(name, '2', target, 0); }
    Tar& hardlink(std::string_view name, std::string_view target) { return header(name, '1', target, 0); }
    Tar& directory(std::string_view name) { return header(name, '5', {}, 0); }
    // device(name) adds a character device, which does not belong into a cache.
    Tar& device(std::string_view name) { return header(name, '3', {}, 0); }
    // pax(keyword, value) applies to the next header: a name or link ("path", "linkpath") of any length.
    Tar& pax(std::string_view keyword, std::string_view value);
    // claim(name, size) adds a file's header without content.
    Tar& claim(std::string_view name, std::uint64_t size) { return header(name, '0', {}, size); }

    // blob() returns everything, with the two empty blocks at the end.
    Blob blob() const;

  private:
    Tar& header(std::string_view name, char type, std::string_view target, std::uint64_t size);
    Tar& content(std::string_view name, char type, std::string_view text);

    std::string text_;
};

}  // namespace perfdata::test
