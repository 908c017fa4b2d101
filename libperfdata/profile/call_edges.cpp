// SPDX-License-Identifier: MIT
#include "perfdata/profile/call_edges.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "perfdata/profile/call_filter.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "call_table.hpp"

namespace perfdata {
namespace {

// Walks the tree of chains once. The counts of a node and all nodes below it are the samples taken while each call on
// the path to it was active. If the path has a call twice (recursion), only the outer one counts:
//
//     own samples          with nodes below    adds to edge       adds to with_callees
//     main 0                      8            -                  main 8
//     +- f 3                      8            main->f 8          f 8
//        +- f 1                   5            f->f 5             (f is active)
//           +- f 2                4            (f->f is active)   (f is active)
//              +- g 2             2            f->g 2             g 2
//
// Frames of inlined calls are left out: their callees and samples are those of the functions that contain them.
class EdgeMaker {
  public:
    EdgeMaker(const SampleCounts& counts, CallTable& table)
        : table_(table),
          frames_(counts.frames()),
          nodes_(counts.chains()),
          columns_(counts.events().size()),
          own_(nodes_.size() * columns_),
          exact_(frames_.size(), none),
          before_(frames_.size(), none) {
        for (std::size_t row = 0; row < counts.rows().size(); ++row) {
            add_to(&own_[counts.sampled(counts.rows()[row].chain) * columns_], counts.cells(row));
        }
        // Callers have lower numbers than their callees.
        caller_.reserve(nodes_.size());
        for (const auto& node : nodes_) {
            const bool inlined = node.caller != ChainNode::none && frames_[nodes_[node.caller].frame].is_inlined();
            caller_.push_back(inlined ? caller_[node.caller] : node.caller);
        }
        below_ = own_;
        first_.assign(nodes_.size(), none);
        next_.assign(nodes_.size(), none);
        for (auto node = static_cast<std::uint32_t>(nodes_.size()); node-- > 0;) {
            if (frame(node).is_inlined()) continue;
            const auto caller = caller_[node];
            auto& head = caller == ChainNode::none ? root_ : first_[caller];
            next_[node] = head;
            head = node;
            if (caller != ChainNode::none) add_to(&below_[caller * columns_], cells(below_, node));
        }
    }

    void run() {
        struct Step {
            std::uint32_t node;
            std::size_t marks;  // size of marks_ before it
        };
        std::vector<Step> path;
        for (auto node = root_; node != none;) {
            path.push_back({node, marks_.size()});
            visit(node);
            auto following = first_[node];
            while (following == none && !path.empty()) {
                const auto [done, marks] = path.back();
                path.pop_back();
                for (; marks_.size() > marks; marks_.pop_back()) --under_way_[marks_.back()];
                following = next_[done];
            }
            node = following;
        }
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::span<const EventCount> cells(const EventCounts& of, std::uint32_t node) const {
        return std::span(of).subspan(node * columns_, columns_);
    }
    void add_to(EventCount* sum, std::span<const EventCount> cells) const {
        for (std::size_t column = 0; column < columns_; ++column) sum[column] += cells[column];
    }

    const Frame& frame(std::uint32_t node) const { return frames_[nodes_[node].frame]; }

    // Returns true for a kernel entry. The user frame called nothing: it counts as a place, not as a call site.
    bool enters(std::uint32_t caller, std::uint32_t callee) const {
        return !in_kernel(frame(caller).mode) && in_kernel(frame(callee).mode);
    }
    static bool in_kernel(CpuMode mode) { return mode == CpuMode::kernel || mode == CpuMode::guest_kernel; }

    // Returns the place of an address that was sampled or interrupted.
    std::uint32_t exact(std::uint32_t node) {
        const auto number = nodes_[node].frame;
        if (exact_[number] == none) exact_[number] = table_.place(frames_[number]);
        return exact_[number];
    }
    // Returns the place of the call instruction. It may be the last of its function: then the return address is in
    // another.
    std::uint32_t before(std::uint32_t node) {
        const auto number = nodes_[node].frame;
        if (before_[number] == none) before_[number] = table_.place(CallTable::before(frames_[number]));
        return before_[number];
    }

    void visit(std::uint32_t node) {
        // A node may be sampled, call others, or both: nearly always in one function. Otherwise its counts are split.
        const bool calls = first_[node] != none;
        const auto here = exact(node);
        const auto caller_here = calls ? before(node) : here;
        if (table_.end_of(here) == table_.end_of(caller_here)) {
            count(node, here, cells(below_, node));
            return;
        }
        EventCounts as_caller(columns_), as_place(cells(own_, node).begin(), cells(own_, node).end());
        for (auto callee = first_[node]; callee != none; callee = next_[callee]) {
            add_to((enters(node, callee) ? as_place : as_caller).data(), cells(below_, callee));
        }
        if (hits(as_place) != 0) count(node, here, as_place);
        if (hits(as_caller) != 0) count(node, caller_here, as_caller);
    }

    void count(std::uint32_t node, std::uint32_t place, std::span<const EventCount> cells) {
        const auto callee = table_.end_of(place);
        if (const auto listed = table_.listed(callee); listed != CallTable::none) {
            if (mark(2 * listed)) add_to(table_.with_callees(listed).data(), cells);
        }
        const auto caller = caller_[node];
        if (caller == ChainNode::none) return;
        const bool entry = enters(caller, node);
        const auto site = entry ? exact(caller) : before(caller);
        if (!table_.wanted(table_.end_of(site), callee)) return;
        for (const auto edge : {table_.edge(site, callee, entry), table_.edge_anywhere(site, callee, entry)}) {
            if (mark(2 * edge + 1)) add_to(table_.below(edge).data(), cells);
        }
    }

    // Puts the number on the path; returns true if it was not there yet. Even numbers are functions, odd ones edges.
    bool mark(std::size_t number) {
        if (under_way_.size() <= number) under_way_.resize(std::max(number + 1, 2 * under_way_.size()));
        marks_.push_back(number);
        return under_way_[number]++ == 0;
    }

    CallTable& table_;
    std::span<const Frame> frames_;
    std::span<const ChainNode> nodes_;
    std::size_t columns_;
    EventCounts own_, below_;                    // by node and event: own counts; with all nodes below
    std::vector<std::uint32_t> caller_;          // by node: its nearest caller that is not inlined
    std::uint32_t root_ = none;                  // first outermost node
    std::vector<std::uint32_t> first_, next_;    // by node: its first callee, the next callee of its caller
    std::vector<std::uint32_t> exact_, before_;  // by frame: number of the place in the table
    std::vector<std::uint32_t> under_way_;       // occurrences on the path to the current node
    std::vector<std::size_t> marks_;
};

}  // namespace

SampleCountOptions call_counting(const CodeVersions& versions) {
    SampleCountOptions options;
    options.by_comm = false;
    options.chains = true;
    options.versions = &versions;
    const auto& index = versions.index();
    if (!index.jit().empty()) options.jit = &index.jit();
    options.fold = [&index](const Frame& frame) { return index.function(frame); };
    options.fold_callers = false;
    options.functions = &index;
    options.by_name = true;
    return options;
}

CallEdges CallEdges::make(const SampleCounts& counts, const CodeVersions& versions,
                          std::span<const CodeVersion> functions) {
    CallTable table(versions, functions, counts.events().size());
    EdgeMaker(counts, table).run();
    CallEdges edges;
    edges.events_ = counts.events();
    edges.functions_ = std::move(table).finish();
    edges.chain_losses_ = counts.chain_losses();
    return edges;
}

Result<SampleCounts> CallEdges::count_chains(const Recording& recording, const CodeVersions& versions,
                                             std::span<const CodeVersion> functions, const CallOptions& options) {
    const CallFilter filter(versions, functions);
    auto counting = call_counting(versions);
    counting.filter = options.filter;
    counting.stop = options.stop;
    counting.progress = options.progress;
    counting.only_calls = &filter;
    counting.max_stack = options.max_stack;
    counting.jobs = options.jobs;
    return SampleCounts::count(recording, versions.timeline(), counting);
}

Result<CallEdges> CallEdges::count(const Recording& recording, const CodeVersions& versions,
                                   std::span<const CodeVersion> functions, const CallOptions& options) {
    const auto counted = count_chains(recording, versions, functions, options);
    if (!counted) return fail(counted.error());
    return make(*counted, versions, functions);
}

}  // namespace perfdata
