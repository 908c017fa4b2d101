// SPDX-License-Identifier: MIT
// Calls between functions, by call site, from call chains and branch stacks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/code_versions.hpp"

namespace perfdata {

// CallEnd is a function at one end of a call, or all unnamed code of one object.
struct CallEnd {
    Frame function;      // its first byte; unnamed code: the first byte of the object
    bool named = false;  // false: all unnamed code of the object

    bool operator==(const CallEnd&) const = default;
    // Returns the hash of both members.
    std::uint64_t hash(const HashKey& key) const {
        return key(function.first_word(), function.second_word(), named ? 1u : 0u);
    }
};

// CallEdge counts the calls from one call site to one function.
struct CallEdge {
    static constexpr std::uint64_t anywhere = ~std::uint64_t{0};  // an offset that no call site has

    CallEnd caller, callee;  // the function with the call, and the function that is called
    // Bytes from the start of `caller` to the call instruction: to its last byte for call chains (the return address
    // minus one), to its first byte for branch stacks. `anywhere`: all calls from the function together.
    std::uint64_t offset = anywhere;
    // Kernel entry (syscall, fault or interrupt), not a call. For call chains `offset` is then where user space
    // continues.
    bool entry = false;
    EventCounts below;                    // samples whose chain contains this call, each counted once
    std::vector<std::uint64_t> branches;  // times that branch stacks recorded it, by event; not samples
    // Only branch stacks recorded it, and they do not say whether it was a call.
    bool may_be_jump = false;
};

// FunctionCalls holds the callers and callees of one function.
struct FunctionCalls {
    EventCounts with_callees;       // samples whose chain contains the function, each counted once
    std::vector<CallEdge> callers;  // by call site, most samples first
    std::vector<CallEdge> sites;    // calls that the function makes, by call site
    std::vector<CallEdge> callees;  // the same calls, all sites together, most samples first
    // Ties are in the order of Profile::functions(), then of the call sites.
};

// CallOptions is which samples count, and who watches.
struct CallOptions {
    SampleFilter filter;     // which samples count, and in which order events have columns
    StopToken stop;          // once it stops, counting fails with `cancelled`
    Progress progress = {};  // is told of the bytes of the recording
    std::uint32_t max_stack = SampleCountOptions().max_stack;  // see SampleCountOptions::max_stack
    unsigned jobs = 1;                                         // see SampleCountOptions::jobs
};

// Returns the counting options that CallEdges::make() requires: the sampled address is folded to its function, callers
// keep their addresses. `versions` must outlive the counting.
PERFDATA_EXPORT SampleCountOptions call_counting(const CodeVersions& versions);

// CallEdges changes only in add_branches().
class PERFDATA_EXPORT CallEdges {
  public:
    // Computes the edges of `functions` from counts made with call_counting().
    static CallEdges make(const SampleCounts& counts, const CodeVersions& versions,
                          std::span<const CodeVersion> functions);
    // Counts only the chains that pass through `functions`, as make() requires. Errors: see SampleCounts::count().
    static Result<SampleCounts> count_chains(const Recording& recording, const CodeVersions& versions,
                                             std::span<const CodeVersion> functions, const CallOptions& options = {});
    // Combines count_chains() and make().
    static Result<CallEdges> count(const Recording& recording, const CodeVersions& versions,
                                   std::span<const CodeVersion> functions, const CallOptions& options = {});

    // Adds the calls that branch stacks recorded for the same functions. Ignores stacks that represent call chains
    // (--call-graph lbr). In a profile branches have no sampled place: there SampleFilter::code does not apply to them.
    Result<void> add_branches(const Recording& recording, const CodeVersions& versions,
                              std::span<const CodeVersion> functions, const CallOptions& options = {});

    // Returns the calls of functions[index].
    const FunctionCalls& of(std::size_t index) const { return functions_[index]; }
    std::size_t size() const { return functions_.size(); }
    // Returns the event of each cell, as an index in recording.events().
    const std::vector<std::uint32_t>& events() const { return events_; }

    // Returns the losses of the call chains; branch stacks have none.
    const ChainLosses& chain_losses() const { return chain_losses_; }

    // Returns true if add_branches() can use the branch stacks of any event.
    static bool has_branches(const Recording& recording);

  private:
    std::vector<std::uint32_t> events_;
    std::vector<FunctionCalls> functions_;
    ChainLosses chain_losses_;
};

}  // namespace perfdata
