// SPDX-License-Identifier: MIT
// File attributes for tests of outputs.
#pragma once

#include <string>
#include <sys/stat.h>

#include "catch.hpp"
#include "support/text_parts.hpp"

namespace perfdata::test {

inline struct stat status_of(const std::string& path) {
    struct stat status = {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    return status;
}

inline unsigned permissions(const std::string& path) {
    return status_of(path).st_mode & 07777u;
}

// Old content, which the tool might lose.
inline const std::string old_text = "something that was here before\n";

}  // namespace perfdata::test
