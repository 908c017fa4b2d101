// SPDX-License-Identifier: MIT
// Which events and functions of several recordings are the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perfdata/annotate/diff/diff.hpp"
#include "perfdata/annotate/diff/diff_counts.hpp"

namespace perfdata {

// DiffSides is the recordings of a comparison, old ones first. They must outlive it.
struct DiffSides {
    std::vector<const DiffCounts*> all;
    std::size_t old_size = 0;

    DiffSides(std::span<const DiffCounts> old_side, std::span<const DiffCounts> new_side);
    bool is_new(std::size_t recording) const { return recording >= old_size; }
    // label(recording) is what notes call it: its path.
    std::string label(std::size_t recording) const;
};

// PairedEvents is the events that all recordings have.
struct PairedEvents {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::vector<std::vector<std::uint32_t>> columns;   // [event][recording]: index in DiffCounts::events
    std::vector<std::vector<std::uint32_t>> event_of;  // [recording][index in DiffCounts::events]: event, or none
    std::vector<std::string> notes;                    // events that only some have
};

// pair_events(sides) pairs events of equal names; of the others those whose names without modifiers are equal, if that
// is true of one event in each recording. n log n in the number of events.
PairedEvents pair_events(const DiffSides& sides);

// PairedFunctions is the functions of all recordings.
struct PairedFunctions {
    std::vector<DiffPair> pairs;                     // by object, then name
    std::vector<std::vector<std::uint32_t>> number;  // [recording][index in DiffCounts::functions]: index in pairs
    std::vector<std::string> rebuilt;                // objects with other build ids
    std::vector<std::string> reloaded;               // BPF functions with other bodies
    std::vector<std::string> nameless;               // objects that lack their file in some recordings only, sorted
    std::vector<std::string> notes;                  // on these
};

// pair_functions(sides) pairs functions of equal name and object. n log n in the number of functions of all recordings;
// Limits::places bounds those of each recording.
PairedFunctions pair_functions(const DiffSides& sides);

// differences(sides) returns sentences on what the machines of the two sides do not share.
std::vector<std::string> differences(const DiffSides& sides);

}  // namespace perfdata
