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

#include "perfdata/symbols/symbolizer.hpp"

#include "export/exported.hpp"

namespace perfdata {

// NeededBy is who needs a file.
struct NeededBy {
    std::uint64_t samples = 0;          // with code of it in their chain, each counted once, of all events
    std::vector<std::string> commands;  // at most three, most samples first
    // Of a file in a bundle its index may tell samples, and no commands.
    bool samples_known = true, commands_known = true;

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
    // It must have addresses and lines.
    static NeededUsers of(const Exported& exported, const Symbolizer& symbolizer);

    // Returns who needs it; no samples if nobody does.
    NeededBy by(const CodeOf& what) const;
    bool has(const CodeOf& what) const { return users_.contains(what); }
    // Returns the objects that are needed, ascending.
    std::vector<std::uint32_t> objects() const;
    // Returns the samples with a line of a source file in their chain.
    NeededBy by_source(std::string_view file) const;

  private:
    struct Users {
        std::uint64_t samples = 0;
        std::map<std::string_view, std::uint64_t> commands;

        void add(std::string_view command, std::uint64_t hits);
        NeededBy by() const;
    };

    std::map<CodeOf, Users> users_;
    std::map<std::string_view, Users> sources_;  // by name, which lives as long as the symbolizer
};

}  // namespace perfdata
