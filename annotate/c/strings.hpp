// SPDX-License-Identifier: MIT
// Strings that the C API hands out.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "perfdata/core/utf8.hpp"

namespace perfdata::c {

// Returns a text as UTF-8 without zeros: other bytes are replaced.
inline std::string plain_utf8(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    while (!text.empty()) {
        const auto length = utf8_length(text);
        if (length == 0 || text.front() == '\0') {
            plain += "\xef\xbf\xbd";
            text.remove_prefix(1);
        } else {
            plain += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return plain;
}

// Strings keeps what was handed out, each text once. Many threads may use it.
class Strings {
  public:
    const char* keep(std::string_view text) const {
        if (text.empty()) return "";
        const std::scoped_lock lock(mutex_);
        if (const auto known = texts_.find(text); known != texts_.end()) return known->c_str();
        return texts_.insert(plain_utf8(text)).first->c_str();
    }

  private:
    mutable std::mutex mutex_;
    mutable std::set<std::string, std::less<>> texts_;  // log n each; they do not move
};

}  // namespace perfdata::c
