// SPDX-License-Identifier: MIT
// A listing: one version of a function, its instructions and source lines with their samples. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// ListingTarget is the target of a jump or a call, or the function whose address an instruction loads; `name` is empty
// if the address is unknown.
struct ListingTarget {
    Address address;             // where the instruction leads
    std::string name;            // of the function there; "program/function" if it is of another BPF program
    std::uint64_t offset = 0;    // bytes from the start of that function
    bool same_function = false;  // the address is in the listing's function
    bool relocation = false;     // the bytes lack it, see CodeImage::relocations: `address` is what they say
};

// ListingChange is an instruction's content in the previous version.
struct ListingChange {
    Time time;         // when the kernel wrote it
    std::string text;  // as disassembled; several instructions are separated by "; "
};

// ListingCall is the calls between the listing's function and another one, from call chains and branch stacks.
struct ListingCall {
    std::string name;    // of the other one, for BPF code "function" or "program/function"; empty: unknown
    std::string object;  // as in FrameName
    CodeClass kind = CodeClass::unknown;  // of the other one
    Frame function;                       // its first byte; without a name: the first of the object
    // The offset of the call instruction in its function (for a caller: in the caller), and the return offset. One of
    // them may be unknown; both are empty for all call sites together.
    std::optional<std::uint64_t> offset, returns_to;  // in bytes
    bool entry = false;                               // kernel entry (system call, fault or interrupt), not a call
    EventCounts below;                                // samples with this call in their chain, one per event
    std::vector<std::uint64_t> branches;              // times seen in branch stacks: not samples; one per event
};

// ListingCalls is who calls the function, and whom it calls.
struct ListingCalls {
    EventCounts with_callees;          // samples with the function in their call chain
    bool chains = false;               // any call is known from call chains
    bool branches = false;             // any call is known from branch stacks
    std::vector<ListingCall> callers;  // by call site, most samples first
    std::vector<ListingCall> sites;    // calls of the function, by call site
    std::vector<ListingCall> callees;  // the same by function, most samples first
};

// ListingInstruction is an instruction, or bytes that are none.
struct ListingInstruction {
    Instruction instruction;                       // decoded, or bytes that are none
    Address address;                               // CodeImage::address plus its offset
    Bytes bytes;                                   // lives as long as the listing's image
    SharedEventCounts cells;                       // one per event
    std::optional<ListingTarget> target;           // empty: it names no address
    std::optional<std::uint32_t> line;             // index in Listing::lines
    std::optional<std::uint32_t> inlined;          // index in Listing::inlined; empty: the function's own code
    std::optional<std::uint32_t> bpf_instruction;  // BPF instruction where the line's entry begins
    std::optional<ListingChange> changed;          // differs from the version before
    std::vector<std::uint32_t> calls;              // of a call, what it called: indices in Listing::calls->sites
};

// ListingLine is a line of source with code of the function.
struct ListingLine {
    SourceLine source;        // column 0: columns are not distinguished
    SharedEventCounts cells;  // one per event
};

// Listing is one version of a function, as plain data.
struct Listing {
    CodeVersion version;                  // which function, and which version of its code
    std::uint32_t versions = 1;           // number of versions of the function
    std::optional<CodeIndex> code;        // of BPF and out-of-line code
    CodeClass kind = CodeClass::unknown;  // of its code
    FunctionName name;                    // as shown to users; views live as long as the symbolizer
    std::string_view symbol;              // for BPF code the kernel's name; else same as `name`
    std::string object;                   // [bpf:ID], [kernel.kallsyms], a path, the name of a jitdump
    // range is where the code ran; if it has no address of its own (see CodeVersion), its range in the file.
    AddressRange range;
    EventCounts total;
    // on_instruction_start is the fraction of hits at the start of a decoded instruction: about 1 if these are the
    // bytes that ran, far less if not. Empty if there is no code to compare with.
    std::optional<double> on_instruction_start;
    std::shared_ptr<const CodeImage> image;        // null if there is none
    std::vector<ListingInstruction> instructions;  // cover all bytes of the image
    std::vector<ListingLine> lines;                // each place once, by first appearance. If there are any, their
                                                   // cells add up to total
    std::vector<InlinedCalls> inlined;             // each chain once
    std::optional<ListingCalls> calls;             // see add_calls()
    std::vector<Error> problems;                   // reasons for missing or doubtful instructions or lines
    std::optional<std::size_t> lines_problem;      // index of the problem that explains missing lines
};

// annotate(hits, symbolizer, disassembler) returns the listing of one function. Without a disassembler it has no
// instructions, and the reason is among its problems. Texts of lines live as long as the symbolizer.
PERFDATA_EXPORT Listing annotate(const FunctionHits& hits, const Symbolizer& symbolizer,
                                 const Result<Disassembler>& disassembler);

// summary_listing(hits, symbolizer) returns the listing without code and lines: the content of a table row.
PERFDATA_EXPORT Listing summary_listing(const FunctionHits& hits, const Symbolizer& symbolizer);

// annotate_all(functions, symbolizer, arch, syntax, jobs, limits) returns the listing of each, in the same order, made
// on `jobs` threads. When limits.cells is reached, the rest are outlines with a problem that says so.
PERFDATA_EXPORT std::vector<Listing> annotate_all(std::span<const FunctionHits> functions, const Symbolizer& symbolizer,
                                                  std::string_view arch, Syntax syntax, unsigned jobs,
                                                  const Limits& limits = {});

// ListingOptions is how annotate_all() makes listings.
struct ListingOptions {
    std::string_view arch;        // as in find_architecture(recording, symbolizer).name
    Syntax syntax = Syntax::att;  // of instructions
    unsigned jobs = 1;            // threads
    Limits limits = {};           // `cells` and `listed_instructions` bound all listings together
    StopToken stop = {};          // once it stops, annotate_all() fails with `cancelled`
    Progress progress = {};       // functions that are listed, and all; on these threads, one at a time
};

// annotate_all(functions, symbolizer, options) is the same, and can be stopped. Errors: cancelled, out_of_memory.
PERFDATA_EXPORT Result<std::vector<Listing>> annotate_all(std::span<const FunctionHits> functions,
                                                          const Symbolizer& symbolizer, const ListingOptions& options);

// add_calls(listings, edges, symbolizer, arch) adds callers and callees: edges.of(index) is for listings[index].
PERFDATA_EXPORT void add_calls(std::span<Listing> listings, const CallEdges& edges, const Symbolizer& symbolizer,
                               std::string_view arch);

}  // namespace perfdata
