// SPDX-License-Identifier: MIT
// Who called whom, from which place: as call chains and branch stacks tell.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/code_versions.hpp"

namespace perfdata {

// CallEnd is a function at one end of a call, or all code without a name of one object.
struct CallEnd {
    Frame function;      // its first byte; without a name: the first of the object
    bool named = false;  // whether it has a name

    bool operator==(const CallEnd&) const = default;
    std::uint64_t hash(const HashKey& key) const {
        return key(function.first_word(), function.second_word(), named ? 1u : 0u);
    }
};

// CallEdge is the calls of one function from one place.
struct CallEdge {
    static constexpr std::uint64_t anywhere = ~std::uint64_t{0};

    CallEnd caller, callee;
    // offset is of a byte of the call instruction from the begin of `caller`: chains tell its last byte (the return
    // address less one), branch stacks its first. `anywhere`: all calls from that function together.
    std::uint64_t offset = anywhere;
    // entry: user space was interrupted there, or asked the kernel for something with the instruction before: no call.
    bool entry = false;
    EventCounts below;                    // samples with this call in their chain, each once
    std::vector<std::uint64_t> branches;  // how often branch stacks saw it taken, by event; not samples
    // may_be_jump: it is known from branch stacks only, which do not say whether it was a call.
    bool may_be_jump = false;
};

// FunctionCalls is what one function has to do with calls.
struct FunctionCalls {
    EventCounts with_callees;       // samples with the function in their chain, each once
    std::vector<CallEdge> callers;  // by call site, most samples first
    std::vector<CallEdge> sites;    // what the function called, by call site
    std::vector<CallEdge> callees;  // the same of all sites together, most samples first
};

struct CallOptions {
    SampleFilter filter;
    std::stop_token stop;
    Progress progress = {};
};

// call_counting(versions) is what to count for them: of a chain the sampled address is folded to its function, callers
// keep their places. `versions` must outlive the counting.
SampleCountOptions call_counting(const CodeVersions& versions);

// CallEdges is const once made.
class CallEdges {
  public:
    // make(counts, versions, functions): `counts` must be counted as call_counting() says.
    static CallEdges make(const SampleCounts& counts, const CodeVersions& versions,
                          std::span<const CodeVersion> functions);
    // count_chains(recording, versions, functions) counts the chains that come by these functions, and only these, as
    // make() needs them.
    static Result<SampleCounts> count_chains(const Recording& recording, const CodeVersions& versions,
                                             std::span<const CodeVersion> functions, const CallOptions& options = {});
    // count(...) is both in one.
    static Result<CallEdges> count(const Recording& recording, const CodeVersions& versions,
                                   std::span<const CodeVersion> functions, const CallOptions& options = {});

    // add_branches(...) adds what branch stacks saw, of the same functions. Stacks that stand for call chains
    // (--call-graph lbr) do not count.
    Result<void> add_branches(const Recording& recording, const CodeVersions& versions,
                              std::span<const CodeVersion> functions, const CallOptions& options = {});

    // of(index) is for functions[index].
    const FunctionCalls& of(std::size_t index) const { return functions_[index]; }
    std::size_t size() const { return functions_.size(); }
    // events() says which event each cell is of, by index in recording.events().
    const std::vector<std::uint32_t>& events() const { return events_; }

    // chain_losses() is of the chains: branch stacks lose none.
    const ChainLosses& chain_losses() const { return chain_losses_; }

    // has_branches(recording) is whether any event was recorded with branch stacks that count.
    static bool has_branches(const Recording& recording);

  private:
    std::vector<std::uint32_t> events_;
    std::vector<FunctionCalls> functions_;
    ChainLosses chain_losses_;
};

}  // namespace perfdata
