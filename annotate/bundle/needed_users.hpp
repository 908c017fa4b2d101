// SPDX-License-Identifier: MIT
// Who needs which files: the samples and commands that have code of each in their chains.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

#include "export/exported.hpp"

namespace perfdata {

// CodeOf is what code is of.
struct CodeOf {
    enum class Kind : std::uint8_t { kernel, object, jitdump, memory };

    Kind kind = Kind::object;
    std::uint32_t number = 0;  // 0; ObjectIndex; index in JitCodes::codes(); pid

    auto operator<=>(const CodeOf&) const = default;
};

// NeededBy is who needs a file.
struct NeededBy {
    std::uint64_t samples = 0;          // with code of it in their chain, each counted once, of all events
    std::vector<std::string> commands;  // at most three, most samples first
    // Of a file in a bundle its index may tell samples, and no commands.
    bool samples_known = true, commands_known = true;
    std::vector<CodeOf> code{};  // what was counted: a file may be that of several objects

    // Adds what another file stands for. Call NeededUsers::count_once() before samples and commands are told.
    void add(const NeededBy& other);
};

// NeededUsers goes over all chains once. Its size grows with the distinct frames, and with pairs of files and commands.
class NeededUsers {
  public:
    // It must have addresses and lines, and outlive this.
    static NeededUsers of(const Exported& exported, const Symbolizer& symbolizer);

    // Returns who needs it; no samples if nobody does.
    NeededBy by(const CodeOf& what) const;
    // Returns the objects that are needed, ascending.
    std::vector<std::uint32_t> objects() const;
    // Returns true if any code of an object in a chain has no name.
    bool has_unnamed_code(std::uint32_t object) const { return with_unnamed_code_.contains(object); }
    // Returns the samples with a line of a source file in their chain.
    NeededBy by_source(std::string_view file) const;

    // Counts samples and commands of those that stand for several codes: each sample once. Goes over the
    // chains once more, whatever the number of those.
    void count_once(std::span<NeededBy* const> all) const;

  private:
    struct Users {
        std::uint64_t samples = 0;
        std::map<std::string_view, std::uint64_t> commands;

        void add(std::string_view command, std::uint64_t hits);
        void tell(NeededBy& by) const;
    };
    // Chain is what the samples of a row have in their chains, each once.
    struct Chain {
        std::uint64_t hits = 0;
        std::string_view command;
        std::vector<CodeOf> code;
        std::vector<const std::string*> sources;
    };

    template <class Take>
    void each_chain(Take take) const;

    const Exported* exported_ = nullptr;
    std::vector<std::optional<CodeOf>> owners_;  // by number of the frame
    std::set<std::string> source_names_;         // as bundles have them
    std::vector<const std::string*> source_of_;  // by number of the place; null: none
    std::set<std::uint32_t> with_unnamed_code_;  // objects
    std::map<CodeOf, Users> users_;
    std::map<const std::string*, Users> sources_;
};

}  // namespace perfdata
