// SPDX-License-Identifier: MIT
// Source lines of the functions of a profile.
#pragma once

#include <cstdint>
#include <map>

#include "perfdata/symbols/source_line.hpp"

#include "making.hpp"
#include "origin_names.hpp"

namespace perfdata {

// MadeLines reads lines. Functions share what is read, and texts of source files share one limit: ask in the order of
// their places. A file may say that many functions share their bytes: so all of them together have at most most_starts
// lines. The rest is left out, and the profile is partial.
class MadeLines {
  public:
    static constexpr std::size_t most_starts = std::size_t{1} << 24;

    explicit MadeLines(Making& making)
        : making_(making), origins_(making), places_(making.model.places), calls_(making.model.calls) {}

    // Adds all lines of a function, of so many bytes.
    void add(stored::Ref<stored::Function> row, const Frame& function, std::uint64_t size);

    // At is the line at a place; both are nothing if it is not known.
    struct At {
        stored::Ref<stored::SourcePlace> place;
        stored::Ref<stored::Call> calls;
    };
    // Returns the line of one byte.
    At at(const Frame& frame);

  private:
    stored::Ref<stored::SourcePlace> place(const SourceLine& line);
    stored::Ref<stored::Call> calls(const InlinedCalls& calls);

    Making& making_;
    OriginNames origins_;
    std::size_t starts_left_ = most_starts;
    RowsOnce<stored::SourcePlace> places_;
    RowsOnce<stored::Call> calls_;
    std::map<const InlinedCall*, stored::Ref<stored::Call>> shared_;  // chains of the function: lines share them
};

}  // namespace perfdata
