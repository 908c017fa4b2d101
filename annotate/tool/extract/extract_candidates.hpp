// SPDX-License-Identifier: MIT
// The code that the options of perfdata extract may mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "tool/options/list_options.hpp"

namespace perfdata::tool {

// Candidate is code that the options may select: functions of one BPF program, or a JIT function.
struct Candidate {
    std::string name;    // of a BPF program or function; else see called()
    AddressRange range;  // of the first function
    Time from, until = Time::forever();
    std::optional<std::uint32_t> program;  // program id
    std::vector<CodeIndex> functions;
    const JitFunction* jit = nullptr;
    const JitCode* jit_code = nullptr;
    std::uint32_t jit_index = 0;  // of `jit` in JitCodes

    // called() returns a view: all moves of a JIT function share its name.
    std::string_view called() const { return jit != nullptr ? jit->name : std::string_view(name); }
    bool there(Time time) const { return from <= time && time < until; }
    // a_time() returns a time when it was loaded.
    Time a_time() const {
        if (from != Time{} || until == Time::forever()) return from;
        return Time{until.nanoseconds - 1};
    }
};

// ExtractNames is what the user calls the code. One of them may be empty.
struct ExtractNames {
    std::string symbol, program;

    // Returns both in words, for messages.
    std::string wanted() const {
        if (symbol.empty()) return "program " + program;
        return program.empty() ? symbol : symbol + " of program " + program;
    }
};

// Returns all code of these names, in the order of the recording.
std::vector<Candidate> find_candidates(const ExtractNames& names, const Symbolizer& symbolizer);
// Says that there is no such code, and what there is.
Error no_candidates(const ExtractNames& names, const Symbolizer& symbolizer);
// Lists candidates as messages, with the options that choose each.
void list_candidates(const std::vector<Candidate>& candidates);

// Returns the first part of the filter that leaves out all of a candidate. Otherwise takes out those of its functions
// that are left out, and counts them.
FilterPart left_out(const Symbolizer& symbolizer, const ListFilter& filter, Candidate& candidate,
                    ListCounts& functions);

}  // namespace perfdata::tool
