// SPDX-License-Identifier: MIT
// Who needs which files: the samples and commands that have code of each in their chains.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// NeededBy is who needs a file.
struct NeededBy {
    std::uint64_t samples = 0;          // with code of it in their chain, each counted once, of all events
    std::vector<std::string> commands;  // at most three, most samples first

    // Adds samples of another file that stands for the same one.
    void add(const NeededBy& other);
};

// CodeOf is what code is of.
struct CodeOf {
    enum class Kind : std::uint8_t { kernel, object, jitdump, memory };

    Kind kind = Kind::object;
    std::uint32_t number = 0;  // 0; ObjectIndex; index in JitCodes::codes(); pid

    auto operator<=>(const CodeOf&) const = default;
};

// NeededUsers goes over all chains once. Its size grows with the distinct frames, and with pairs of files and commands.
class NeededUsers {
  public:
    // The counts must have chains.
    static NeededUsers of(const SampleCounts& counts, const Symbolizer& symbolizer);

    // Returns who needs it; no samples if nobody does.
    NeededBy by(const CodeOf& what) const;
    bool has(const CodeOf& what) const { return users_.contains(what); }
    // Returns the objects that are needed, ascending.
    std::vector<std::uint32_t> objects() const;

  private:
    struct Users {
        std::uint64_t samples = 0;
        std::map<std::string_view, std::uint64_t> commands;
    };

    std::map<CodeOf, Users> users_;
};

}  // namespace perfdata
