// SPDX-License-Identifier: MIT
// The lines of functions in a profile file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/code_place.hpp"
#include "perfdata/symbols/source_line.hpp"

#include "recording/stored/model.hpp"

namespace perfdata {

// StoredLines: a question is two binary searches, and takes time in proportion to its answer.
class StoredLines {
  public:
    // Inlined calls that one answer may have, added up over all chains: a file may claim many long ones.
    static constexpr std::size_t most_calls = std::size_t{1} << 22;

    // The model must outlive it.
    explicit StoredLines(const stored::Model& model);

    // Returns the lines of `size` bytes of a function, by offset from the first of these; of those that have a list of
    // their own, all from there on. Errors: as when the profile was made; limit.
    Result<std::vector<LineStart>> lines(stored::Ref<stored::Function> function, std::uint64_t from,
                                         std::uint64_t size) const;
    // Returns the line of one byte without a function; empty: it is not known.
    Result<std::vector<LineStart>> at(const stored::Frame& frame) const;
    LinesOrigin origin(stored::Ref<stored::Function> function) const;
    // Returns why lines of the function are missing.
    std::optional<Error> problem(stored::Ref<stored::Function> function) const;
    bool is_loss(stored::Ref<stored::Function> function, const Error& error) const;

  private:
    // Chains are the calls that were made already for one answer: lines share them.
    struct Chains {
        std::map<std::uint32_t, InlinedCalls> made;  // by the row of the innermost call
        std::size_t calls = 0;
    };

    const stored::Lines* lines_of(stored::Ref<stored::Function> function) const;
    // Returns false if there are too many calls.
    bool add_line(const stored::LineStart& start, std::uint64_t offset, Chains& chains,
                  std::vector<LineStart>& lines) const;
    SourceLine source(stored::Ref<stored::SourcePlace> place) const;

    const stored::Model& model_;
};

}  // namespace perfdata
