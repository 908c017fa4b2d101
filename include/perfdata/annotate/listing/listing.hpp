// SPDX-License-Identifier: MIT
// A listing: one version of a function, its instructions and source lines with the samples that fell on them. Plain
// data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// ListingTarget is where a jump or a call leads, or the function whose address an instruction loads; `name` is empty
// if nothing known lies there.
struct ListingTarget {
    Address address;
    std::string name;
    std::uint64_t offset = 0;
    bool same_function = false;
    bool relocation =
        false;  // the instruction's bytes lack it (see CodeImage::relocations): `address` is what they say
};

// ListingChange is what an instruction was in the version before.
struct ListingChange {
    Time time;         // when the kernel wrote it
    std::string text;  // as it was disassembled; several instructions with "; " between them
};

// ListingCall is calls between the listing's function and another one, as call chains and branch stacks tell.
struct ListingCall {
    std::string name;    // of the other one, of BPF code "function" or "program/function"; empty: not known
    std::string object;  // as of FrameName
    CodeClass kind = CodeClass::unknown;
    Frame function;  // its first byte; without a name: the first of the object
    // Where in its function the call instruction is (of a caller: in the caller), and what follows it. One of them may
    // not be known; neither is for all call sites together.
    std::optional<std::uint64_t> offset, returns_to;
    bool entry = false;                   // the kernel was entered there: by a system call, a fault or an interrupt
    EventCounts below;                    // samples with this call in their chain, one per event
    std::vector<std::uint64_t> branches;  // how often branch stacks saw it: not samples; one per event
};

struct ListingCalls {
    EventCounts with_callees;          // samples with the function in their call chain
    bool chains = false;               // whether any call is known from call chains,
    bool branches = false;             // from branch stacks
    std::vector<ListingCall> callers;  // by call site, most samples first
    std::vector<ListingCall> sites;    // what the function called, by call site
    std::vector<ListingCall> callees;  // the same by function, most samples first
};

struct ListingInstruction {
    Instruction instruction;
    Address address;
    Bytes bytes;              // lives as long as the listing's image
    SharedEventCounts cells;  // one per event
    std::optional<ListingTarget> target;
    std::optional<std::uint32_t> line;             // index in Listing::lines
    std::optional<std::uint32_t> inlined;          // index in Listing::inlined; empty: the function's own code
    std::optional<std::uint32_t> bpf_instruction;  // at which the line's entry begins
    std::optional<ListingChange> changed;          // differs from the version before
    std::vector<std::uint32_t> calls;              // of a call, what it called: indices in Listing::calls->sites
};

struct ListingLine {
    SourceLine source;  // column 0: columns are not told apart
    SharedEventCounts cells;
};

struct Listing {
    CodeVersion version;
    std::uint32_t versions = 1;     // how many the function has
    std::optional<CodeIndex> code;  // of BPF and out-of-line code
    CodeClass kind = CodeClass::unknown;
    FunctionName name;
    std::string_view symbol;  // of BPF code the kernel's name for it; else as `name`
    std::string object;       // [bpf:ID], [kernel.kallsyms], a path, the name of a jitdump
    // range is where the code ran; where it has no address of its own (see CodeVersion), where the file has it.
    AddressRange range;
    EventCounts total;
    // on_instruction_start is the share of hits whose address is the start of a decoded instruction: about 1 if these
    // are the bytes that ran, far less if not. Empty if there is no code to compare with.
    std::optional<double> on_instruction_start;
    std::shared_ptr<const CodeImage> image;        // null if there is none
    std::vector<ListingInstruction> instructions;  // all bytes of the image
    std::vector<ListingLine> lines;                // each place once, by first appearance. If there are any, their
                                                   // cells add up to total
    std::vector<InlinedCalls> inlined;             // each chain once
    std::optional<ListingCalls> calls;             // see add_calls()
    std::vector<Error> problems;                   // why instructions or lines are missing or doubtful
    std::optional<std::size_t> lines_problem;      // the one of problems that lines are missing for
};

// annotate(hits, symbolizer, disassembler) makes the listing of one function. Without a disassembler it has no
// instructions, and the reason is among its problems. Texts of lines live as long as the symbolizer.
Listing annotate(const FunctionHits& hits, const Symbolizer& symbolizer, const Result<Disassembler>& disassembler);

// summary_listing(hits, symbolizer) is the listing without code and lines: what a row of a table tells.
Listing summary_listing(const FunctionHits& hits, const Symbolizer& symbolizer);

// annotate_all(functions, symbolizer, arch, syntax, jobs, limits) makes the listing of each, in the same order, on so
// many threads. Where limits.cells is reached, the others are outlines with a problem that says so.
std::vector<Listing> annotate_all(std::span<const FunctionHits> functions, const Symbolizer& symbolizer,
                                  std::string_view arch, Syntax syntax, unsigned jobs, const Limits& limits = {});

// add_calls(listings, edges, symbolizer, arch) adds who calls whom: edges.of(index) is for listings[index].
void add_calls(std::span<Listing> listings, const CallEdges& edges, const Symbolizer& symbolizer,
               std::string_view arch);

}  // namespace perfdata
