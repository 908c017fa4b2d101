// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "perfdata/annotate/listing.hpp"

#include "words.hpp"

namespace perfdata {
namespace {

using Key = std::tuple<FrameKind, std::uint32_t, std::uint64_t>;

Key key_of(const Frame& function) {
    return {function.kind, function.index, function.offset};
}

// Step is what calls need to know of an instruction.
struct Step {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
    bool call = false, system_call = false;

    std::uint64_t end() const { return offset + size; }
};
using Steps = std::vector<Step>;  // by offset, without gaps

class CallsMaker {
  public:
    CallsMaker(std::span<Listing> listings, const CallEdges& edges, const CodeBook& book, std::string_view arch)
        : listings_(listings), edges_(edges), book_(book), disassembler_(Disassembler::create(arch)) {
        for (const auto& listing : listings) {
            if (listing.instructions.empty()) continue;
            auto& steps = steps_[key_of(listing.version.function)];
            if (!steps.empty()) continue;  // calls lie at the same places in all versions
            for (const auto& row : listing.instructions) steps.push_back(step_of(row.instruction));
        }
    }

    void run() {
        for (std::size_t index = 0; index < listings_.size(); ++index) add(listings_[index], edges_.of(index));
    }

  private:
    // What tells calls of one list apart, in trees: log n for each, whatever calls a file claims.
    using CalleeKey = std::tuple<bool, Key, std::string>;
    using Known =
        std::map<std::tuple<std::optional<std::uint64_t>, std::optional<std::uint64_t>, CalleeKey>, std::size_t>;

    static CalleeKey callee_key(const ListingCall& call) { return {call.entry, key_of(call.function), call.name}; }

    static Step step_of(const Instruction& instruction) {
        return {instruction.offset, instruction.size, instruction.call, instruction.system_call};
    }

    void add(Listing& listing, const FunctionCalls& found) {
        ListingCalls calls;
        calls.with_callees = found.with_callees;
        Known sites, callers;
        const auto own = steps_.find(key_of(listing.version.function));
        for (const auto& edge : found.sites) {
            auto call = call_of(edge, edge.callee);
            if (!place(call, edge, own == steps_.end() ? nullptr : &own->second)) continue;
            merge(calls.sites, sites, std::move(call));
        }
        for (const auto& edge : found.callers) {
            auto call = call_of(edge, edge.caller);
            if (!place(call, edge, edge.caller.named ? steps(edge.caller.function) : nullptr)) continue;
            merge(calls.callers, callers, std::move(call));
        }
        std::map<CalleeKey, std::vector<std::uint64_t>> branches;
        for (const auto& site : calls.sites) add_branches(branches[callee_key(site)], site.branches);
        for (const auto& edge : found.callees) {
            auto call = call_of(edge, edge.callee);
            auto sum = std::vector<std::uint64_t>(call.branches.size());
            if (const auto seen = branches.find(callee_key(call)); seen != branches.end()) {
                add_branches(sum, seen->second);
            }
            call.branches = std::move(sum);
            if (total(call) != 0) calls.callees.push_back(std::move(call));
        }
        for (auto* list : {&calls.callers, &calls.callees}) {
            std::ranges::stable_sort(*list, std::greater(), weight);
        }
        for (const auto& call : calls.sites) {
            calls.chains = calls.chains || hits(call.below) != 0;
            calls.branches = calls.branches || weight(call).second != 0;
        }
        for (const auto& call : calls.callers) {
            calls.chains = calls.chains || hits(call.below) != 0;
            calls.branches = calls.branches || weight(call).second != 0;
        }
        mark_instructions(listing, calls);
        listing.calls = std::move(calls);
    }

    ListingCall call_of(const CallEdge& edge, const CallEnd& other) const {
        ListingCall call;
        const auto name = book_.names().name(other.function);
        call.object = name.object;
        call.kind = name.kind;
        if (other.named) call.name = name.symbol;
        call.function = other.function;
        if (other.function.kind == FrameKind::code) {
            call.object = object_name(book_.timeline(), book_.timeline().code()[other.function.index]);
            if (name.kind == CodeClass::bpf) {
                const auto source = book_.symbols().name(other.function.index);
                const bool alone = source.program.empty() || source.program == source.name;
                call.name = alone ? source.name : source.program + "/" + source.name;
            }
        }
        call.entry = edge.entry;
        call.below = edge.below;
        call.branches = edge.branches;
        return call;
    }

    // place(...) finds the call instruction; false if there is none where a branch came from.
    static bool place(ListingCall& call, const CallEdge& edge, const Steps* steps) {
        const bool from_branches = hits(edge.below) == 0;
        if (steps == nullptr || steps->empty()) {
            if (edge.entry || from_branches) {
                call.offset = edge.offset;
            } else if (edge.caller.named || edge.offset != 0) {
                // Chains of frame pointers often end in address zero.
                call.returns_to = edge.offset + 1;
            }
            return true;
        }
        auto step = std::ranges::upper_bound(*steps, edge.offset, {}, &Step::offset);
        if (step != steps->begin()) --step;
        if (edge.entry && !from_branches && !step->system_call) {
            // A system call returns to what follows it; everything else to what it interrupted.
            call.offset = step->offset;
            if (step != steps->begin() && std::prev(step)->system_call && std::prev(step)->end() == edge.offset) --step;
            if (!step->system_call) return true;
        }
        call.offset = step->offset;
        call.returns_to = step->end();
        return !edge.may_be_jump || step->call || step->system_call;
    }

    // steps(function) is the instructions of a function that has no listing, null if its code is not at hand.
    const Steps* steps(const Frame& function) {
        const auto [place, added] = steps_.try_emplace(key_of(function));
        if (added && disassembler_) {
            if (const auto image = book_.images().image(book_.versions().version(function, 0))) {
                for (const auto& instruction : disassembler_->decode(image->bytes, image->address)) {
                    place->second.push_back(step_of(instruction));
                }
            }
        }
        return &place->second;
    }

    // Chains and branch stacks tell of the same call by other bytes of it.
    static void merge(std::vector<ListingCall>& calls, Known& known, ListingCall&& call) {
        const auto [place, added] =
            known.try_emplace(std::tuple(call.offset, call.returns_to, callee_key(call)), calls.size());
        if (added) {
            calls.push_back(std::move(call));
            return;
        }
        auto& same = calls[place->second];
        perfdata::add(same.below, call.below);
        add_branches(same.branches, call.branches);
    }

    static void add_branches(std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& branches) {
        if (sum.size() < branches.size()) sum.resize(branches.size());
        for (std::size_t at = 0; at < branches.size(); ++at) sum[at] += branches[at];
    }

    static std::pair<std::uint64_t, std::uint64_t> weight(const ListingCall& call) {
        std::uint64_t branches = 0;
        for (const auto count : call.branches) branches += count;
        return {hits(call.below), branches};
    }
    static std::uint64_t total(const ListingCall& call) { return weight(call).first + weight(call).second; }

    static void mark_instructions(Listing& listing, const ListingCalls& calls) {
        for (std::uint32_t index = 0; index < calls.sites.size(); ++index) {
            const auto& call = calls.sites[index];
            if (!call.offset || !call.returns_to) continue;
            const auto row = std::ranges::lower_bound(listing.instructions, *call.offset, {},
                                                      [](const auto& of) { return of.instruction.offset; });
            if (row == listing.instructions.end()) continue;
            if (row->instruction.call || row->instruction.system_call) row->calls.push_back(index);
        }
        for (auto& row : listing.instructions) {
            std::ranges::stable_sort(row.calls, std::greater(),
                                     [&](std::uint32_t index) { return weight(calls.sites[index]); });
        }
    }

    std::span<Listing> listings_;
    const CallEdges& edges_;
    const CodeBook& book_;
    Result<Disassembler> disassembler_;
    std::map<Key, Steps> steps_;
};

}  // namespace

void add_calls(std::span<Listing> listings, const CallEdges& edges, const CodeBook& book, std::string_view arch) {
    CallsMaker(listings, edges, book, arch).run();
}

}  // namespace perfdata
