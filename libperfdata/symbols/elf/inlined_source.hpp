// SPDX-License-Identifier: MIT
// Functions that the compiler inlined, as a source of code. They have names only: their bytes and lines are those of
// the functions that contain them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mapped_files.hpp"
#include "symbols/code_source.hpp"

namespace perfdata {

// A frame is the entry of the function in the debug information of its object. So its number does not depend on which
// frame was asked for first, or by which thread. There are at most as many as that information has entries.
class InlinedSource final : public CodeSource {
  public:
    explicit InlinedSource(const MappedFiles& files) : files_(files) {}

    // Adds the frames of functions inlined at `frame`, outermost first, and remembers their names, which must outlive
    // this. Those without a name are left out; `found` says why.
    void add(const Frame& frame, InlinedFunctions found, std::vector<Frame>& calls) const;
    // Returns why functions are missing: of each file one of each kind of error, sorted by file.
    std::vector<Error> problems() const;

    FrameName name(const Frame& frame) const override;
    FunctionExtent extent(const Frame& frame) const override { return {frame, 0, {}}; }
    Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const override;
    Result<std::vector<LineStart>> lines(const Frame&, std::uint64_t) const override {
        return std::vector<LineStart>{};
    }
    bool wants_a_name(const Frame&) const override { return false; }

  private:
    void note(Error problem) const;

    const MappedFiles& files_;
    mutable std::mutex mutex_;
    mutable std::map<std::pair<ObjectIndex, std::uint64_t>, std::string_view> names_;  // a tree: O(log n)
    mutable std::map<std::pair<std::string, ErrorCode>, Error> problems_;              // by Error::where
};

}  // namespace perfdata
