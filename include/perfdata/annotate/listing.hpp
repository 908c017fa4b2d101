// SPDX-License-Identifier: MIT
// A listing: one function's instructions and source lines with the samples that fell on them. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/disassembler.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/symbols.hpp"

namespace perfdata {

// ListingTarget is where a jump or a call leads, or the function whose address an instruction loads; `name` is empty
// if nothing known lies there.
struct ListingTarget {
    Address address;
    std::string name;
    std::uint64_t offset = 0;
    bool same_function = false;
};

struct ListingInstruction {
    Instruction instruction;
    Address address;
    Bytes bytes;  // lives as long as the timeline
    Cells cells;  // one per event
    std::optional<ListingTarget> target;
    std::optional<std::uint32_t> line;             // index in Listing::lines
    std::optional<std::uint32_t> bpf_instruction;  // at which the line's entry begins
};

struct ListingLine {
    SourceLine source;
    Cells cells;
};

struct Listing {
    CodeIndex code = 0;
    FunctionName name;
    Cells total;
    // on_instruction_start is the share of hits whose address is the start of a decoded instruction: about 1 if these
    // are the bytes that ran, far less if not. Empty if there is no code to compare with.
    std::optional<double> on_instruction_start;
    std::vector<ListingInstruction> instructions;  // all bytes of the function; empty if the recording has none
    std::vector<ListingLine> lines;                // each place once, by first appearance. If there are any, their
                                                   // cells add up to total
    std::vector<Error> problems;                   // why instructions or lines are missing
};

// annotate(hits, symbols, disassembler) makes the listing of one function. Without a disassembler it has no
// instructions, and the reason is among its problems.
Listing annotate(const FunctionHits& hits, const Symbols& symbols, const Result<Disassembler>& disassembler);

}  // namespace perfdata
