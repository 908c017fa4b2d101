// SPDX-License-Identifier: MIT
// Chains with what was inlined at their frames.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"

#include "catch.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using S = InlinedScene;

SampleCountOptions counting(const Symbolizer& symbolizer, bool inlines) {
    SampleCountOptions options;
    options.chains = true;
    options.fold = [&symbolizer](const Frame& frame) { return symbolizer.function(frame); };
    options.functions = &symbolizer.functions();
    options.inlines = inlines;
    return options;
}

SampleCounts counted(const OpenedInlined& opened, const SampleCountOptions& options) {
    return SampleCounts::count(opened.recording, opened.timeline, options).value();
}

// chains(...) returns the samples by chain, outermost first: "main work outer! leaf".
std::map<std::string, std::uint64_t> chains(const OpenedInlined& opened, const SampleCounts& counts) {
    std::map<std::string, std::uint64_t> found;
    for (std::size_t row = 0; row < counts.rows().size(); ++row) {
        std::string text;
        auto node = counts.rows()[row].chain;
        for (; node != ChainNode::none; node = counts.chains()[node].caller) {
            text = opened.name(counts.frames()[counts.chains()[node].frame]) + (text.empty() ? "" : " ") + text;
        }
        found[text] += hits(counts.cells(row));
    }
    return found;
}

// self(...) returns the samples by sampled function.
std::map<std::string, std::uint64_t> self(const OpenedInlined& opened, const SampleCounts& counts) {
    std::map<std::string, std::uint64_t> found;
    for (std::size_t row = 0; row < counts.rows().size(); ++row) {
        const auto node = counts.sampled(counts.rows()[row].chain);
        found[opened.name(counts.frames()[counts.chains()[node].frame])] += hits(counts.cells(row));
    }
    return found;
}

// Asked notes what a FunctionIndex is asked for.
class Asked final : public FunctionIndex {
  public:
    explicit Asked(const FunctionIndex& index) : index_(index) {}

    const Timeline& timeline() const override { return index_.timeline(); }
    const JitCodes& jit() const override { return index_.jit(); }
    Frame function(const Frame& frame) const override { return index_.function(frame); }
    FunctionExtent extent(const Frame& frame) const override { return index_.extent(frame); }
    bool named(const Frame& frame) const override { return index_.named(frame); }
    std::optional<NamelessCode> nameless(const Frame& frame) const override { return index_.nameless(frame); }
    CodePart left_out(const Frame& frame, const CodeFilter& filter) const override {
        return index_.left_out(frame, filter);
    }
    void add_inlined(const Frame& frame, bool returns, std::vector<Frame>& calls) const override {
        asked.emplace_back(frame.offset, returns);
        index_.add_inlined(frame, returns, calls);
    }

    mutable std::vector<std::pair<std::uint64_t, bool>> asked;

  private:
    const FunctionIndex& index_;
};

}  // namespace

TEST_CASE("Chains have what was inlined at the sampled address and at calls", "[profile][counts][inlined]") {
    S scene;
    scene.chain({S::turn + 1, S::outer + 2, S::main + 5}, 3);
    scene.chain({S::step, S::main + 5}).chain({S::leaf + 0x30, S::main + 5}).chain({S::plain});
    const OpenedInlined opened(scene);
    const auto with = counted(opened, counting(opened.symbolizer, true));
    const auto without = counted(opened, counting(opened.symbolizer, false));
    CHECK(chains(opened, without) ==
          std::map<std::string, std::uint64_t>{{"main work leaf", 3}, {"main leaf", 2}, {"plain", 1}});
    CHECK(with.totals() == without.totals());
    CHECK(self(opened, with) == self(opened, without));
    CHECK(self(opened, with) == std::map<std::string, std::uint64_t>{{"leaf", 5}, {"plain", 1}});
    CHECK(chains(opened, with) ==
          std::map<std::string, std::uint64_t>{
              {"main work outer! leaf step! turn!", 3}, {"main leaf step!", 1}, {"main leaf", 1}, {"plain", 1}});
    CHECK(opened.symbolizer.inlined_problems().empty());
}

TEST_CASE("Of a call counts what is inlined at the call, not where it returns to", "[profile][counts][inlined]") {
    S scene;
    // The same address: sampled, where a call returns to, and where user code was interrupted.
    scene.chain({S::after_middle, S::main + 5});
    scene.chain({S::plain, S::after_middle, S::main + 5});
    scene.entered(0xffffffff81000000, {S::after_middle, S::main + 5});
    const OpenedInlined opened(scene);
    const auto counts = counted(opened, counting(opened.symbolizer, true));
    CHECK(chains(opened, counts) == std::map<std::string, std::uint64_t>{{"main work outer!", 1},
                                                                         {"main work outer! middle! plain", 1},
                                                                         {"main work outer! ?", 1}});
    CHECK(hits(counts.totals()) == 3);
}

TEST_CASE("Where a call ends its function, what the next one has inlined does not count",
          "[profile][counts][inlined]") {
    S scene;
    scene.chain({S::plain, S::leaf, S::main + 5});
    const OpenedInlined opened(scene);
    CHECK(chains(opened, counted(opened, counting(opened.symbolizer, true))) ==
          std::map<std::string, std::uint64_t>{{"main leaf plain", 1}});
}

TEST_CASE("What is inlined at a frame is asked for once, however many samples it has", "[profile][counts][inlined]") {
    S scene;
    for (std::uint64_t round = 0; round < 20; ++round) {
        scene.chain({S::turn, S::outer + 2, S::main + 5}).chain({S::outer + 2, S::main + 5});
    }
    const OpenedInlined opened(scene);
    const Asked asked(opened.symbolizer.functions());
    auto options = counting(opened.symbolizer, true);
    options.functions = &asked;
    const auto counts = counted(opened, options);
    CHECK(hits(counts.totals()) == 40);
    const auto calls = std::set<std::pair<std::uint64_t, bool>>(asked.asked.begin(), asked.asked.end());
    CHECK(asked.asked.size() == calls.size());
    CHECK(calls.size() == 6);  // three places, sampled or returned to
    options.inlines = false;
    asked.asked.clear();
    CHECK(hits(counted(opened, options).totals()) == 40);
    CHECK(asked.asked.empty());
    options.inlines = true;
    options.chains = false;
    const auto flat = counted(opened, options);
    CHECK(self(opened, flat) == std::map<std::string, std::uint64_t>{{"leaf", 20}, {"work", 20}});
}

TEST_CASE("One function that is inlined in many processes and places is one frame", "[profile][counts][inlined]") {
    S scene;
    scene.chain({S::turn, S::main + 5}).chain({S::turn + 1, S::main + 9}).chain({S::turn + 2, S::outer + 1});
    const OpenedInlined opened(scene);
    const auto counts = counted(opened, counting(opened.symbolizer, true));
    std::vector<std::string> names;
    for (const auto& frame : counts.frames()) {
        if (frame.is_inlined()) names.push_back(opened.name(frame));
    }
    std::ranges::sort(names);
    CHECK(names == std::vector<std::string>{"outer!", "step!", "turn!"});
}

TEST_CASE("Where there is no room for inlined calls, chains are counted without them, and that is told",
          "[profile][counts][inlined]") {
    S scene;
    scene.chain({S::turn, S::outer + 2, S::main + 5}, 2).chain({S::plain, S::main + 5});
    OpenOptions limits;
    limits.limits.chain_nodes = 6;
    const OpenedInlined opened(scene, limits);
    const auto counts = counted(opened, counting(opened.symbolizer, true));
    CHECK(counts.chain_losses().folded == 2);
    CHECK(counts.chain_losses().cut == 0);
    CHECK(hits(counts.totals()) == 3);
    CHECK(self(opened, counts) == std::map<std::string, std::uint64_t>{{"leaf", 2}, {"plain", 1}});
    CHECK(chains(opened, counts) ==
          std::map<std::string, std::uint64_t>{{"main work outer! leaf", 2}, {"main plain", 1}});
}

TEST_CASE("A chain has only so many nodes with what was inlined", "[profile][counts][inlined]") {
    S scene;
    std::vector<std::uint64_t> frames{S::turn};
    while (frames.size() < 1000) frames.push_back(S::after_middle);  // each with two inlined functions
    scene.chain(frames).chain({S::turn});
    const OpenedInlined opened(scene);
    const auto counts = counted(opened, counting(opened.symbolizer, true));
    std::size_t deepest = 0, functions = 0;
    for (auto node = counts.rows()[0].chain; node != ChainNode::none; node = counts.chains()[node].caller) {
        ++deepest;
        functions += counts.frames()[counts.chains()[node].frame].is_inlined() ? 0 : 1;
    }
    CHECK(functions == 1000);
    CHECK(deepest <= SampleCounts::most_with_inlined);
    CHECK(deepest > SampleCounts::most_with_inlined - 4);
    CHECK(counts.chain_losses().folded == 1);
    CHECK(counts.chain_losses().deep == 0);
    CHECK(self(opened, counts) == std::map<std::string, std::uint64_t>{{"leaf", 2}});
}

TEST_CASE("Callers and callees are functions, whatever was inlined into them", "[profile][calls][inlined]") {
    S scene;
    scene.chain({S::turn, S::after_middle, S::main + 5}, 3).chain({S::after_turn, S::after_middle, S::main + 5});
    scene.chain({S::plain, S::turn + 2, S::after_middle, S::main + 5}, 2).chain({S::middle, S::main + 9});
    const OpenedInlined opened(scene);
    const auto& versions = opened.symbolizer.versions();
    const auto profile = Profile::count(opened.recording, versions).value();
    std::vector<CodeVersion> functions;
    for (const auto& function : profile.functions()) functions.push_back(function.version);
    REQUIRE(functions.size() == 3);
    auto options = call_counting(versions);
    const auto edges = [&](bool inlines) {
        options.inlines = inlines;
        return CallEdges::make(counted(opened, options), versions, functions);
    };
    const auto with = edges(true), without = edges(false);
    std::size_t compared = 0;
    for (std::size_t at = 0; at < functions.size(); ++at) {
        const auto &one = with.of(at), &other = without.of(at);
        CHECK(one.with_callees == other.with_callees);
        for (const auto member : {&FunctionCalls::callers, &FunctionCalls::sites, &FunctionCalls::callees}) {
            REQUIRE((one.*member).size() == (other.*member).size());
            for (std::size_t call = 0; call < (one.*member).size(); ++call, ++compared) {
                const auto &edge = (one.*member)[call], &same = (other.*member)[call];
                CHECK(edge.caller == same.caller);
                CHECK(edge.callee == same.callee);
                CHECK(edge.offset == same.offset);
                CHECK(edge.below == same.below);
            }
        }
    }
    CHECK(compared > 6);
}
