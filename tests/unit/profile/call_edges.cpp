// SPDX-License-Identifier: MIT
#include "perfdata/profile/call_edges.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "perfdata/profile/call_filter.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/frame_at.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/world.hpp"
#include "unit/profile/calls_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct CountedCalls {
    // Counts for the functions that begin at these addresses.
    explicit CountedCalls(CallsScene& scene,
                          const std::vector<std::uint64_t>& addresses = {CallsScene::main, CallsScene::sub},
                          const SymbolizerOptions& options = offline())
        : recording(scene.scene().open()),
          timeline(Timeline::build(recording).value()),
          names(Symbolizer::open(recording, timeline, options)),
          versions(CodeVersions::build(names.functions())) {
        for (const auto address : addresses) {
            const Moment moment{{500}, {100}, host};
            const auto place = frame_at(timeline, nullptr, moment, {address}, CpuMode::kernel);
            functions.push_back(versions.version(place, 0));
        }
        edges = CallEdges::count(recording, versions, functions).value();
        REQUIRE(edges.add_branches(recording, versions, functions));
    }

    static SymbolizerOptions offline() {
        SymbolizerOptions options;
        options.finder.offline = true;
        return options;
    }

    const FunctionCalls& of(std::uint64_t address) const {
        const auto found = std::ranges::find(functions, std::optional(Address{address}), &CodeVersion::address);
        REQUIRE(found != functions.end());
        return edges.of(static_cast<std::size_t>(found - functions.begin()));
    }

    // text(edges) returns "main+8>sub 3/2?": samples of the first event, branches of the second, "?" if those may be
    // jumps.
    std::set<std::string> text(const std::vector<CallEdge>& list) const {
        std::set<std::string> all;
        for (const auto& edge : list) {
            auto line = name(edge.caller);
            if (edge.offset != CallEdge::anywhere) line += "+" + std::to_string(edge.offset);
            line += (edge.entry ? ">>" : ">") + name(edge.callee) + " " + std::to_string(edge.below[0].hits) + "/" +
                    std::to_string(edge.branches[1]) + (edge.may_be_jump ? "?" : "");
            CHECK(edge.below[0].periods == 10 * edge.below[0].hits);
            CHECK(edge.below[1].hits == 0);
            CHECK(edge.branches[0] == 0);
            CHECK(all.insert(line).second);
        }
        return all;
    }

    std::string name(const CallEnd& end) const {
        if (!end.named) return "-";
        const std::string symbol(names.name(end.function).symbol);
        return symbol.substr(symbol.rfind('_') + 1);
    }

    Recording recording;
    Timeline timeline;
    Symbolizer names;
    CodeVersions versions;
    std::vector<CodeVersion> functions;
    CallEdges edges;
};

using CallLines = std::set<std::string>;

}  // namespace

TEST_CASE("Calls are counted by call site, each once a sample", "[profile][calls]") {
    CallsScene scene;
    const CountedCalls counted(scene.all());
    const auto& main = counted.of(CallsScene::main);
    const auto& sub = counted.of(CallsScene::sub);
    CHECK(main.with_callees[0] == EventCount{5, 50});
    CHECK(sub.with_callees[0] == EventCount{4, 40});
    // Chains know the last byte of a call, branch stacks the first. The plain jump at 11 is not a call; a branch of
    // unknown kind may be one.
    CHECK(counted.text(main.sites) ==
          CallLines{"main+8>sub 3/0", "main+10>sub 1/0", "main+4>sub 0/3?", "main+9>sub 0/1?", "main+11>sub 0/1?"});
    CHECK(counted.text(main.callees) == CallLines{"main>sub 4/5"});
    CHECK(counted.text(main.callers) == CallLines{"-+" + std::to_string(CallsScene::user) + ">>main 1/0"});
    CHECK(counted.text(sub.sites) == CallLines{"sub+5>sub 1/0"});
    CHECK(counted.text(sub.callees) == CallLines{"sub>sub 1/0"});
    CHECK(counted.text(sub.callers) == CallLines{"main+8>sub 3/0", "main+10>sub 1/0", "main+4>sub 0/3?",
                                                 "main+9>sub 0/1?", "main+11>sub 0/1?", "sub+5>sub 1/0"});
    CHECK(counted.text({sub.callers[0]}) == CallLines{"main+8>sub 3/0"});
}

TEST_CASE("Calls of one function are the same whether others are listed or not", "[profile][calls]") {
    CallsScene scene, same;
    const CountedCalls all(scene.all()), one(same.all(), {CallsScene::sub});
    REQUIRE(one.functions.size() == 1);
    CHECK(one.text(one.of(CallsScene::sub).callers) == all.text(all.of(CallsScene::sub).callers));
    CHECK(one.text(one.of(CallsScene::sub).callees) == all.text(all.of(CallsScene::sub).callees));
    CHECK(one.of(CallsScene::sub).with_callees == all.of(CallsScene::sub).with_callees);
}

TEST_CASE("A call that never returns may be the last of its function", "[profile][calls]") {
    constexpr std::uint64_t begin = 0xffffffff81000000;
    CallsScene scene;
    auto frame = scene.scene().frame({});
    frame.misc = static_cast<std::uint16_t>(CpuMode::kernel);
    scene.scene().add(encode(Mmap{{~0u}, {0}, {{begin}, 0x1000}, begin, "[kernel.kallsyms]_text"}, frame));
    // The return address is the first byte of the next function.
    scene.chain({begin + 0x205, begin + 0x100});
    const TempDir folder;
    auto options = CountedCalls::offline();
    options.finder.kallsyms = folder.write(
        "kallsyms", blob_of("ffffffff81000000 T _text\nffffffff81000010 T gives_up\nffffffff81000100 T next\n"
                            "ffffffff81000200 T panic\nffffffff81000300 T last\n"));
    const CountedCalls counted(scene, {begin + 0x10, begin + 0x100, begin + 0x200}, options);
    CHECK(counted.text(counted.of(begin + 0x200).callers) == CallLines{"up+239>panic 1/0"});
    CHECK(counted.text(counted.of(begin + 0x10).sites) == CallLines{"up+239>panic 1/0"});
    CHECK(counted.of(begin + 0x100).with_callees[0].hits == 0);
}

TEST_CASE("A filter leaves samples out of chains and branch stacks alike", "[profile][calls][filter]") {
    CallsScene scene;
    scene.all();
    const CountedCalls all(scene);
    CallOptions options;
    options.filter.pids = {100};
    auto kept = CallEdges::count(all.recording, all.versions, all.functions, options).value();
    REQUIRE(kept.add_branches(all.recording, all.versions, all.functions, options));
    CHECK(kept.of(1).with_callees == all.edges.of(1).with_callees);
    CHECK(kept.of(1).callers.size() == all.edges.of(1).callers.size());
    options.filter.pids = {101};
    auto none = CallEdges::count(all.recording, all.versions, all.functions, options).value();
    REQUIRE(none.add_branches(all.recording, all.versions, all.functions, options));
    for (std::size_t function = 0; function < all.functions.size(); ++function) {
        CHECK(hits(none.of(function).with_callees) == 0);
        CHECK(none.of(function).callers.empty());
        CHECK(none.of(function).sites.empty());
    }
}

TEST_CASE("Branch stacks that stand for call chains are no counts", "[profile][calls]") {
    auto attr = sampling_attr(Scene::sample_type | sample_bit::branch_stack);
    attr.branch_sample_type = 1u << 11;
    Scene chains(std::endian::little, std::vector<Attr>{attr});
    CHECK_FALSE(CallEdges::has_branches(chains.open()));
    attr.branch_sample_type = 1u << 3;
    Scene branches(std::endian::little, std::vector<Attr>{attr});
    CHECK(CallEdges::has_branches(branches.open()));
}

TEST_CASE("A filter passes what is in a function and hardly anything else", "[profile][calls]") {
    World world;
    world.map(0, 42, {0x7f0000000000, 0x10000, 0x1000}, "/bin/prog");
    world.map(0, 43, {0x550000000000, 0x10000, 0x1000}, "/bin/prog");
    const auto timeline = world.timeline();
    CallsScene scene;
    const auto recording = scene.scene().open();
    const auto names = Symbolizer::open(recording, timeline, CountedCalls::offline());
    const auto versions = CodeVersions::build(names.functions());
    const auto in_file = timeline.frame_at({{5}, {42}}, {0x7f0000000400}, CpuMode::user);
    REQUIRE(in_file.kind == FrameKind::object);
    const std::vector<CodeVersion> functions = {
        {in_file, 0x40, {}, 0, {}, Time::forever()},
        {{0, 0, FrameKind::jit, CpuMode::user}, 0x2000, Address{0x10ff0}, 0, {}, Time::forever()}};
    const CallFilter filter(versions, functions);
    for (std::uint64_t inside = 0; inside <= 0x40; ++inside) {
        CHECK(filter.may_hold({0x7f0000000400 + inside}));
        CHECK(filter.may_hold({0x550000000400 + inside}));
    }
    for (std::uint64_t inside = 0; inside <= 0x2000; inside += 8) CHECK(filter.may_hold({0x10ff0 + inside}));
    std::size_t passed = 0;
    for (std::uint64_t address = 0x400000; address < 0x800000; address += 16) {
        if (filter.may_hold({address})) ++passed;
    }
    CHECK(passed < 2000);  // of 262144
    // A function of unknown size may extend anywhere.
    const std::vector<CodeVersion> endless = {{in_file, 0, {}, 0, {}, Time::forever()}};
    CHECK(CallFilter(versions, endless).may_hold({1}));
}
