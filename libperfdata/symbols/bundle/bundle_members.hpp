// SPDX-License-Identifier: MIT
// Finds the members of a bundle's tar-ball.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

class Libarchive;
class LookOut;

// FoundMember is a regular file in a tar-ball, and where its content is.
struct FoundMember {
    std::string name;  // is_bundled_name()
    std::uint64_t at = 0, size = 0;
    std::uint64_t claimed = 0;  // the size that its header says: more than `size` if the tar-ball breaks off
};

// FoundMembers is what a tar-ball has. Names may be there twice.
struct FoundMembers {
    std::vector<FoundMember> members{};
    std::vector<Error> problems{};                 // what was left out
    std::optional<std::uint64_t> unreadable_at{};  // where the tar-ball itself could not be read, at last
    std::optional<Error> unreadable{};             // why, at first
    std::uint64_t breaks = 0;                      // how often it could not be read: `problems` has the first
    std::uint64_t damaged_headers = 0;             // that were stepped over, wholly or in part
    std::uint64_t names = 0, headers = 0;          // bytes of names, and headers, so far: they are bounded
    // What reads headers, once the first call has loaded it. It takes a thousand times as long as a header.
    std::shared_ptr<const Libarchive> library{};
};

// find_members(tar, packed_size, path, limits, look, found) adds what a plain tar-ball has. It reads the headers, and
// steps over the contents. Links, devices and names that lead elsewhere are left out. packed_size bounds the memory for
// names. path is for messages. Throws Stopped. Errors: malformed (no tar-ball), unsupported (see
// ArchivedFiles::available()).
Result<void> find_members(const Source& tar, std::uint64_t packed_size, const std::string& path, const Limits& limits,
                          LookOut& look, FoundMembers& found);

}  // namespace perfdata
