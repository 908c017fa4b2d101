// SPDX-License-Identifier: MIT
// Regular expressions of users, matched against names of functions.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"

namespace perfdata {

// NamePattern is a POSIX extended regular expression, as perf takes it for --parent and --ignore-callees. It matches
// anywhere in a name. Users choose patterns and files choose names, so that both are bounded: matching takes time in
// proportion to the name, memory does not grow with the number of names, and of a name only the first `most_name`
// bytes count. Characters are bytes. Not for use by several threads at once.
class PERFDATA_EXPORT NamePattern {
  public:
    static constexpr std::size_t most_name = 4096;     // bytes
    static constexpr std::size_t most_pattern = 1000;  // bytes, and characters once repetitions are written out

    // Errors: `malformed` if it is no regular expression; `unsupported` if it is too large, or has back-references,
    // which take time without bound; `out_of_memory`.
    static Result<NamePattern> parse(const std::string& text);

    // Returns true if the pattern matches in the first `most_name` bytes of the name.
    bool matches(std::string_view name) const;
    const std::string& text() const { return text_; }

  private:
    struct Compiled;

    explicit NamePattern(std::string text) : text_(std::move(text)) {}

    std::string text_;
    // Shared by copies. It changes while it runs.
    std::shared_ptr<Compiled> compiled_;
};

}  // namespace perfdata
