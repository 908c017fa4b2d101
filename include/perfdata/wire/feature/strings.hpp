// SPDX-License-Identifier: MIT
// Strings of header features: HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID are one, CMDLINE is a list. Follows
// do_write_string in tools/perf/util/header.c.
#pragma once

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// u32 length, then that many bytes, NUL-padded. read_feature_string(in) returns the text before the first NUL, empty if
// the string extends beyond the end (then the cursor has failed). Lives as long as the section's bytes.
inline std::string_view read_feature_string(Cursor& in) {
    return until_nul(in.bytes(in.u32()));
}

// FeatureStringList reads a u32 count and that many strings, one at a time.
class FeatureStringList {
  public:
    // `in` begins with the count.
    explicit FeatureStringList(Cursor in) : in_(in), left_(in_.u32()) {
        if (!in_.fits(left_, 4)) left_ = 0;
    }
    // next(text) returns false at the end, and if a string extends beyond the section: then ok() is false.
    bool next(std::string_view& text) {
        if (left_ == 0) return false;
        --left_;
        text = read_feature_string(in_);
        return in_.ok();
    }
    bool ok() const { return in_.ok(); }          // no string extended beyond the section
    const Cursor& cursor() const { return in_; }  // behind what was read

  private:
    Cursor in_;
    std::uint32_t left_;
};

}  // namespace perfdata
