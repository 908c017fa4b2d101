// SPDX-License-Identifier: MIT
// How much the ends of two paths agree: machines keep the same sources in different places.
#pragma once

#include <cstddef>
#include <string_view>

namespace perfdata {

// PathEnd takes the parts of a path from its end. "." and empty parts do not count, and ".." takes the part before it.
class PathEnd {
  public:
    explicit PathEnd(std::string_view path) : left_(path) {}

    // Returns the next part; empty once there are no more.
    std::string_view next() {
        for (std::size_t skip = 0; !left_.empty();) {
            const auto slash = left_.rfind('/');
            const auto part = slash == std::string_view::npos ? left_ : left_.substr(slash + 1);
            left_ = slash == std::string_view::npos ? std::string_view() : left_.substr(0, slash);
            if (part.empty() || part == ".") continue;
            if (part == "..") {
                ++skip;
            } else if (skip != 0) {
                --skip;
            } else {
                return part;
            }
        }
        return {};
    }

  private:
    std::string_view left_;
};

// Returns how many parts at the ends of both paths are the same: 0 if already the names of the files differ.
inline std::size_t common_parts(std::string_view one, std::string_view other) {
    PathEnd a(one), b(other);
    for (std::size_t parts = 0;; ++parts) {
        const auto part = a.next();
        if (part.empty() || part != b.next()) return parts;
    }
}

}  // namespace perfdata
