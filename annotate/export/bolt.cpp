// SPDX-License-Identifier: MIT
#include "bolt.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

#include "perfdata/core/catch_bad_alloc.hpp"

#include "bolt_names.hpp"
#include "function_code.hpp"

namespace perfdata {
namespace {

constexpr std::size_t bolt_block = std::size_t{64} << 10;

// BoltFunction is a function with what was counted there.
struct BoltFunction {
    BranchFunction function;
    std::string name;
    std::vector<const BranchCount*> branches;  // that begin there
    std::vector<const RangeCount*> ranges;
};

class BoltWriter {
  public:
    BoltWriter(const BranchCounts& counts, const Symbolizer& symbolizer, const BoltOptions& options, const Sink& sink)
        : counts_(counts),
          options_(options),
          sink_(sink),
          functions_(counts, symbolizer),
          names_(counts.debug ? *counts.debug : *counts.file),
          decoder_(counts.file) {}

    // Returns false if it was asked to stop.
    bool write() {
        if (counts_.has_branches) {
            sort_out();
            for (auto& [begin, function] : by_begin_) {
                if (options_.stop.stop_requested()) return false;
                write_function(function);
            }
            write_entries();
        } else {
            write_samples();
        }
        if (!block_.empty()) sink_(block_);
        return true;
    }

    std::vector<std::string> notes() const {
        std::vector<std::string> notes;
        const auto add = [&](std::uint64_t count, std::string_view text) {
            if (count != 0) notes.push_back(fmt::format("bolt: {} {}", count, text));
        };
        add(nameless_, counts_.has_branches ? "branches lie in no function that has a name: they do not count"
                                            : "samples lie in no function that has a name: they do not count");
        add(impossible_,
            "ranges between branches contain a jump that is always taken, or begin or end within an "
            "instruction: they do not count (was the program built anew?)");
        if (decoder_.problem()) {
            notes.push_back("bolt: only branches that were taken count: " + decoder_.problem()->message());
        }
        add(decoder_.not_decoded(), "functions could not be decoded: only their branches that were taken count");
        return notes;
    }

  private:
    // Place is a function and the offset in it, as text.
    std::string location(std::uint64_t address) {
        if (address == BranchCount::outside) return "0 [unknown] 0";
        const auto& function = functions_.at(address);
        const auto name = function.symbol.empty() ? std::string() : names_.name(function.symbol, function.begin);
        if (name.empty()) return "0 [unknown] 0";
        return fmt::format("1 {} {:X}", name, address - function.begin);
    }

    BoltFunction* function_at(std::uint64_t address) {
        const auto& function = functions_.at(address);
        if (function.symbol.empty()) return nullptr;
        const auto [entry, is_new] = by_begin_.try_emplace(function.begin);
        if (is_new) entry->second = {function, names_.name(function.symbol, function.begin), {}, {}};
        return entry->second.name.empty() ? nullptr : &entry->second;
    }

    void sort_out() {
        for (const auto& branch : counts_.branches) {
            auto* function = branch.from == BranchCount::outside ? nullptr : function_at(branch.from);
            if (function != nullptr) {
                function->branches.push_back(&branch);
            } else {
                entries_.push_back(&branch);
            }
        }
        for (const auto& range : counts_.ranges) {
            if (auto* function = function_at(range.begin)) function->ranges.push_back(&range);
        }
    }

    struct Edge {
        std::uint64_t taken = 0, mispredicted = 0;
    };
    using Edges = std::map<std::pair<std::uint64_t, std::uint64_t>, Edge>;

    // Leaves out returns: BOLT has no use for them.
    void write_function(const BoltFunction& function) {
        const auto code = decoder_.decode(function.function);
        Edges edges;
        for (const auto* branch : function.branches) {
            const auto* step = code.at(branch->from);
            if (step != nullptr && step->kind == CodeStep::Kind::end) continue;
            auto& edge = edges[{branch->from, branch->to}];
            edge.taken += branch->taken;
            edge.mispredicted += branch->mispredicted;
        }
        if (!function.ranges.empty() && !code.steps.empty()) add_straight(function, code, edges);
        for (const auto& [place, edge] : edges) {
            put("1 {} {:X} {} {} {}\n", function.name, place.first - function.function.begin, location(place.second),
                edge.mispredicted, edge.taken);
        }
    }

    // Returns which steps begin a block: BOLT's blocks end behind jumps and in front of their targets.
    static std::vector<bool> blocks_of(const BoltFunction& function, const FunctionCode& code) {
        std::vector<bool> begins(code.steps.size() + 1);
        const auto mark = [&](std::uint64_t address) {
            if (const auto* step = code.at(address)) begins[static_cast<std::size_t>(step - code.steps.data())] = true;
        };
        for (std::size_t index = 0; index < code.steps.size(); ++index) {
            const auto& step = code.steps[index];
            using enum CodeStep::Kind;
            if (step.kind == conditional || step.kind == jump || step.kind == indirect_jump || step.kind == end) {
                begins[index + 1] = true;
            }
            if (step.kind == conditional || step.kind == jump) mark(step.target);
        }
        for (const auto* branch : function.branches) {
            const auto* step = code.at(branch->from);
            if (step != nullptr && step->kind == CodeStep::Kind::indirect_jump) mark(branch->to);
        }
        return begins;
    }

    // Adds the edges to the next block that ranges pass. Sums of all ranges take one pass over the code:
    //
    //     step      0    1    2    3    4         range 0 to 3, 5 hits; range 2 to 4, 1 hit
    //     passing     5    5    6    1            behind the step
    void add_straight(const BoltFunction& function, const FunctionCode& code, Edges& edges) {
        const auto& steps = code.steps;
        const auto begins = blocks_of(function, code);
        std::vector<std::uint64_t> stops(steps.size() + 1);  // steps before this one that never go on
        for (std::size_t index = 0; index < steps.size(); ++index) {
            stops[index + 1] = stops[index] + (steps[index].goes_on() ? 0 : 1);
        }
        std::vector<std::uint64_t> change(steps.size() + 1);  // of the passing hits; differences wrap
        const auto& of = function.function;
        for (const auto* range : function.ranges) {
            const auto *first = code.at(range->begin), *last = code.at(range->end);
            const auto number = [&](const CodeStep* step) { return static_cast<std::size_t>(step - steps.data()); };
            if (first == nullptr || last == nullptr || stops[number(first)] != stops[number(last)]) {
                impossible_ += range->hits;
                continue;
            }
            const auto from = number(first);
            change[number(last)] -= range->hits;
            change[from] += range->hits;
            // A call ended its block, and returned.
            const bool returned = range->before == BranchCount::outside || range->before < of.begin ||
                                  range->before - of.begin >= of.size;
            if (returned && from != 0 && begins[from] && steps[from - 1].kind == CodeStep::Kind::call) {
                edges[{steps[from - 1].address, range->begin}].taken += range->hits;
            }
        }
        std::uint64_t passing = 0;
        std::size_t last_real = 0;  // BOLT drops what does nothing
        for (std::size_t index = 0; index + 1 < steps.size(); ++index) {
            passing += change[index];
            if (steps[index].kind != CodeStep::Kind::nop) last_real = index;
            if (passing != 0 && begins[index + 1]) {
                edges[{steps[last_real].address, steps[index + 1].address}].taken += passing;
            }
        }
    }

    // Branches from elsewhere.
    void write_entries() {
        std::map<std::uint64_t, Edge> entries;
        for (const auto* branch : entries_) {
            auto& edge = entries[branch->to];
            edge.taken += branch->taken;
            edge.mispredicted += branch->mispredicted;
        }
        for (const auto& [to, edge] : entries) {
            const auto at = location(to);
            if (at.starts_with('0')) {
                nameless_ += edge.taken;
            } else {
                put("0 [unknown] 0 {} {} {}\n", at, edge.mispredicted, edge.taken);
            }
        }
    }

    void write_samples() {
        std::string events;
        for (const auto& event : counts_.events) {
            events += ' ';
            for (const char character : event)
                events += static_cast<unsigned char>(character) <= ' ' || character == '\\' ? '_' : character;
        }
        put("no_lbr{}\n", events);
        for (const auto& [address, hits] : counts_.addresses) {
            const auto at = location(address);
            if (at.starts_with('0')) {
                nameless_ += hits;
            } else {
                put("{} {}\n", at, hits);
            }
        }
    }

    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(block_), format, std::forward<Args>(args)...);
        if (block_.size() < bolt_block) return;
        sink_(block_);
        block_.clear();
    }

    const BranchCounts& counts_;
    const BoltOptions& options_;
    const Sink& sink_;
    BranchFunctions functions_;
    BoltNames names_;
    FunctionDecoder decoder_;
    std::map<std::uint64_t, BoltFunction> by_begin_;
    std::vector<const BranchCount*> entries_;  // from elsewhere
    std::uint64_t nameless_ = 0, impossible_ = 0;
    std::string block_;
};

}  // namespace

Result<std::vector<std::string>> write_bolt(const BranchCounts& counts, const Symbolizer& symbolizer,
                                            const BoltOptions& options, const Sink& sink) {
    return catch_bad_alloc([&]() -> Result<std::vector<std::string>> {
        auto notes = counts.notes("bolt");
        if (!counts.file) return notes;
        BoltWriter writer(counts, symbolizer, options, sink);
        if (!writer.write()) return fail(ErrorCode::cancelled, Error::no_offset, "export", "asked to stop");
        std::ranges::move(writer.notes(), std::back_inserter(notes));
        return notes;
    });
}

}  // namespace perfdata
