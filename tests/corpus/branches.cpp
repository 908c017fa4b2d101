// SPDX-License-Identifier: MIT
// Checks calls in branch stacks of real hardware. The names of the recorded kernel are not available, so the most
// frequent branch targets get invented names.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "folder.hpp"

namespace corpus {
namespace {

using namespace perfdata;

constexpr std::uint64_t text_begin = 0xffffffff81000000;
constexpr std::uint64_t text_end = text_begin + 0x1000000;

// Returns every taken kernel branch with its number of occurrences in stacks.
std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> branches_of(const Recording& recording) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> counts;
    Completeness completeness;
    REQUIRE(walk(recording, completeness, [&]<class Order>(const RecordContext&, const BasicSample<Order>& sample) {
        const auto stack = sample.details().branch_stack();
        for (std::size_t at = 0; stack && at < stack->size(); ++at) {
            const auto from = (*stack)[at].from.value, to = (*stack)[at].to.value;
            if (from >= text_begin && from < text_end && to >= text_begin && to < text_end) ++counts[{from, to}];
        }
    }));
    return counts;
}

struct Folder {
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "perfdata-branches-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    Folder(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

}  // namespace

TEST_CASE("branch stacks count calls as often as they have them", "[branches]") {
    const auto path = std::string(PERFDATA_CORPUS "/google__perf_data_converter/perf.data.raw_callgraph_branch-3.4");
    const auto recording = Recording::open(path).value();
    const auto timeline = Timeline::build(recording).value();
    REQUIRE(CallEdges::has_branches(recording));
    const auto branches = branches_of(recording);

    std::map<std::uint64_t, std::uint64_t> targets;
    for (const auto& [branch, count] : branches) targets[branch.second] += count;
    std::set<std::uint64_t> functions = {text_begin, text_end};
    constexpr std::uint64_t often = 3;
    for (const auto& [target, count] : targets) {
        if (count >= often) functions.insert(target);
    }
    const Folder folder;
    {
        std::ofstream out(folder.path / "kallsyms");
        for (const auto address : functions) {
            out << std::hex << address << " T " << (address == text_begin ? "_text" : "f") << address << '\n';
        }
        out << std::hex << text_begin << " T _text\n";
    }
    SymbolizerOptions options;
    options.finder.offline = true;
    options.finder.kallsyms = (folder.path / "kallsyms").string();
    const auto names = Symbolizer::open(recording, timeline, options);
    const auto versions = CodeVersions::build(names.functions());
    const auto profile = Profile::count(recording, versions).value();
    std::vector<CodeVersion> listed;
    std::set<std::uint64_t> begins;
    for (const auto& function : profile.functions()) {
        if (!function.version.address || !functions.contains(function.version.address->value)) continue;
        listed.push_back(function.version);
        begins.insert(function.version.address->value);
    }
    CallEdges edges;
    REQUIRE(edges.add_branches(recording, versions, listed));

    // A branch to the first byte of a listed function counts as a call.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> expected, counted;
    for (const auto& [branch, count] : branches) {
        if (begins.contains(branch.second)) expected[branch] = count;
    }
    for (std::size_t index = 0; index < listed.size(); ++index) {
        for (const auto& edge : edges.of(index).callers) {
            const auto begin = names.extent(edge.caller.function).address;
            if (!edge.caller.named || edge.entry || !begin) continue;
            const auto from = begin->value + edge.offset;
            if (from < text_begin || from >= text_end) continue;  // in a module
            for (const auto count : edge.branches) counted[{from, listed[index].address->value}] += count;
            CHECK(edge.may_be_jump);
            CHECK(hits(edge.below) == 0);
        }
    }
    CHECK(expected.size() > 100);
    CHECK(counted == expected);
    std::cout << expected.size() << " calls in branch stacks\n";
}

}  // namespace corpus
