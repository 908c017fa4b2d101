// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"

#include "format/words.hpp"
#include "listing_budget.hpp"

namespace perfdata {
namespace {

using Key = std::tuple<FrameKind, std::uint32_t, std::uint64_t>;

Key key_of(const Frame& function) {
    return {function.kind, function.index, function.offset};
}

// Step is the properties of an instruction that calls need.
struct Step {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
    bool call = false, system_call = false;

    std::uint64_t end() const { return offset + size; }
};
// By offset. A listing's steps have no gaps; other code has only those that contain calls, and the one before each: any
// number of functions may consist of the same bytes, and a function of any number of instructions.
using Steps = std::vector<Step>;

class CallsMaker {
  public:
    CallsMaker(std::span<Listing> listings, const CallEdges& edges, const Symbolizer& symbolizer, std::string_view arch)
        : listings_(listings),
          edges_(edges),
          symbolizer_(symbolizer),
          budget_(symbolizer, {}),
          disassembler_(Disassembler::create(arch)) {
        for (const auto& listing : listings) {
            if (listing.instructions.empty()) continue;
            auto& steps = steps_[key_of(listing.version.function)];
            if (!steps.empty()) continue;  // calls are at the same places in all versions
            for (const auto& row : listing.instructions) steps.push_back(step_of(row.instruction));
        }
    }

    void run() {
        read_callers();
        for (std::size_t index = 0; index < listings_.size(); ++index) add(listings_[index], edges_.of(index));
        if (!unread_) return;
        const auto has_code = [](const Listing& listing) { return !listing.instructions.empty(); };
        const auto first = std::ranges::find_if(listings_, has_code);
        tell_unread(first == listings_.end() ? listings_.front() : *first);
    }

  private:
    // The keys of calls in one list, in trees: log n for each, whatever calls a file claims.
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
        bool unread = false;
        Known sites, callers;
        const auto* own = steps(listing.version.function);
        for (const auto& edge : found.sites) {
            auto call = call_of(edge, edge.callee);
            if (!place(call, edge, own)) continue;
            merge(calls.sites, sites, std::move(call));
        }
        for (const auto& edge : found.callers) {
            auto call = call_of(edge, edge.caller);
            if (!place(call, edge, edge.caller.named ? steps(edge.caller.function) : nullptr)) continue;
            if (edge.caller.named && is_unread(edge.caller.function)) unread = true;
            merge(calls.callers, callers, std::move(call));
        }
        // A mere row of a table has no room for it.
        if (unread && !listing.instructions.empty()) {
            tell_unread(listing);
        } else {
            unread_ = unread_ || unread;
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
        const auto name = symbolizer_.name(other.function);
        call.object = name.object;
        call.kind = name.kind;
        if (other.named) call.name = name.symbol;
        call.function = other.function;
        if (other.function.is_code()) {
            call.object = object_name(symbolizer_.timeline(), symbolizer_.timeline().code()[other.function.index]);
            if (name.kind == CodeClass::bpf) call.name = symbolizer_.bpf().plain_name(other.function.index).full();
        }
        call.entry = edge.entry;
        call.below = edge.below;
        call.branches = edge.branches;
        return call;
    }

    // place(...) finds the call instruction; false if a branch came from a place without one.
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
            // A system call returns to the next instruction; everything else to the interrupted one.
            call.offset = step->offset;
            if (step != steps->begin() && std::prev(step)->system_call && std::prev(step)->end() == edge.offset) --step;
            if (!step->system_call) return true;
        }
        call.offset = step->offset;
        call.returns_to = step->end();
        return !edge.may_be_jump || step->call || step->system_call;
    }

    // Caller is code without a listing, and the places of calls in it.
    struct Caller {
        CodeVersion version;
        std::set<std::uint64_t> offsets;
        Steps steps;
        bool unread = false;  // the budget was used up before it
    };
    // A file or another source of code, where in it that begins, and its size: names that lead to one file share it.
    using Place = std::tuple<int, CodeOrigin, std::uint64_t, std::uint64_t>;

    Place place_of(const CodeVersion& version) const {
        const auto& function = version.function;
        // What has an address of its own has its own code, unless a compiler moved it.
        if (version.in_kernel()) {
            const auto kind = -1 - static_cast<int>(function.kind);
            return {kind, {CodeOrigin::Kind::kernel, function.index}, function.offset, version.size};
        }
        const auto [origin, begin] = symbolizer_.place(version);
        return {0, origin, begin, version.size};
    }

    // read_callers() visits each caller once, in the order of the listings, so that as little as possible is left out.
    void read_callers() {
        if (!disassembler_) return;
        std::vector<Caller*> order;
        for (std::size_t index = 0; index < listings_.size(); ++index) {
            for (const auto& edge : edges_.of(index).callers) {
                const auto& function = edge.caller.function;
                if (!edge.caller.named || steps_.contains(key_of(function))) continue;
                auto& caller = caller_of_[key_of(function)];
                if (caller == nullptr) {
                    const auto version = symbolizer_.versions().version(function, 0);
                    const auto [place, added] = callers_.try_emplace(place_of(version));
                    caller = &place->second;
                    if (added) {
                        caller->version = version;
                        order.push_back(caller);
                    }
                }
                caller->offsets.insert(edge.offset);
            }
        }
        for (std::size_t index = 0; index < listings_.size(); ++index) {
            const auto own = caller_of_.find(key_of(listings_[index].version.function));
            if (own == caller_of_.end()) continue;
            for (const auto& edge : edges_.of(index).sites) own->second->offsets.insert(edge.offset);
        }
        bool room = true;
        for (auto* caller : order) {
            room = room && read(*caller);
            if (!room) caller->unread = true;
        }
    }

    // read(caller) returns false if there is no room for it.
    bool read(Caller& caller) {
        const auto image = symbolizer_.image(caller.version);
        if (!image) return true;
        if (!budget_.take_caller(caller.version, *image)) return false;
        const auto instructions = disassembler_->decode(image->bytes, image->address, Limits{}.listed_instructions);
        if (instructions.empty()) return true;
        const auto end = instructions.back().offset + instructions.back().size;
        auto next = instructions.begin();
        for (const auto offset : caller.offsets) {
            if (offset > end && end < image->bytes.size()) {
                caller.unread = true;
                break;
            }
            // Offsets beyond the code belong to its last instruction.
            while (std::next(next) != instructions.end() && std::next(next)->offset <= offset) ++next;
            const auto before = next == instructions.begin() ? next : std::prev(next);
            for (const auto& one : {before, next}) {
                if (caller.steps.empty() || caller.steps.back().offset < one->offset) {
                    caller.steps.push_back(step_of(*one));
                }
            }
        }
        return true;
    }

    // steps(function) returns the instructions around calls of a function, null if its code was not read.
    const Steps* steps(const Frame& function) const {
        if (const auto own = steps_.find(key_of(function)); own != steps_.end()) return &own->second;
        const auto caller = caller_of_.find(key_of(function));
        return caller == caller_of_.end() ? nullptr : &caller->second->steps;
    }

    bool is_unread(const Frame& function) const {
        const auto caller = caller_of_.find(key_of(function));
        return caller != caller_of_.end() && caller->second->unread;
    }

    static void tell_unread(Listing& listing) {
        listing.problems.push_back({ErrorCode::limit, Error::no_offset, "callers",
                                    "the code of some is not looked at, since those before them take all that the "
                                    "limits of memory allow: their calls are told by where they return to"});
    }

    // Chains and branch stacks report the same call by different bytes of it.
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
    const Symbolizer& symbolizer_;
    ListingBudget budget_;
    Result<Disassembler> disassembler_;
    bool unread_ = false;               // not yet reported by any listing
    std::map<Key, Steps> steps_;        // of functions with listings
    std::map<Place, Caller> callers_;   // a tree, like the next: log n each
    std::map<Key, Caller*> caller_of_;  // of functions without a listing's steps
};

}  // namespace

void add_calls(std::span<Listing> listings, const CallEdges& edges, const Symbolizer& symbolizer,
               std::string_view arch) {
    CallsMaker(listings, edges, symbolizer, arch).run();
}

}  // namespace perfdata
