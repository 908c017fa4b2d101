// SPDX-License-Identifier: MIT
// The functions of a profile, with their code and lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"

#include "made_code.hpp"
#include "made_lines.hpp"
#include "made_objects.hpp"
#include "making.hpp"
#include "origin_names.hpp"

namespace perfdata {

// MadeFunctions adds functions when something first refers to them; their code and lines at the end, in the order of
// their places.
class MadeFunctions {
  public:
    MadeFunctions(Making& making, MadeObjects& objects, MadeCode& code, MadeLines& lines)
        : making_(making), objects_(objects), code_(code), lines_(lines), origins_(making) {}

    // Place is a byte of a function.
    struct Place {
        stored::Ref<stored::Function> function;
        std::uint64_t offset = 0;
    };
    // Returns the place in the function that the frame is in; nothing if that has no name.
    std::optional<Place> of(const Frame& frame);

    // Adds versions and lines of all functions so far. Errors: cancelled.
    Result<void> add_code(std::string_view arch);

  private:
    using Key = std::tuple<FrameKind, std::uint32_t, std::uint64_t>;  // kind, index and offset of the first byte
    struct Known {
        stored::Ref<stored::Function> row;
        Frame begin;
        std::uint64_t size = 0;
    };

    FunctionExtent extent_of(const Frame& frame) const;
    stored::Function described(const FunctionExtent& extent);
    // Returns the functions' own samples, by number of their row.
    std::vector<std::uint64_t> samples() const;
    void add_identity(stored::Function& row, const Frame& begin);

    Making& making_;
    MadeObjects& objects_;
    MadeCode& code_;
    MadeLines& lines_;
    OriginNames origins_;
    std::map<Key, Known> functions_;
};

}  // namespace perfdata
