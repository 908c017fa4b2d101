// SPDX-License-Identifier: MIT
// Compares callers and callees with the call chains that `perf script` prints, summed by a trivial program.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "perfdata/profile/call_edges.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "support/files.hpp"

namespace oracle {
namespace {

using namespace perfdata;

// A call is "CALLER+OFFSET CALLEE" with the offset of the return address. Samples by event, then by call.
using Calls = std::map<std::string, std::map<std::string, std::uint64_t>>;

struct ChainFrame {
    std::string symbol;  // empty: perf has none
    std::uint64_t offset = 0;
};

// frame_of(line) parses "     ffffffffc0002aff bpf_prog_5d_one+0x17".
ChainFrame frame_of(const std::string& line) {
    std::istringstream words(line);
    std::string address, symbol;
    words >> address >> symbol;
    const auto plus = symbol.rfind("+0x");
    if (symbol.empty() || plus == std::string::npos) return {};
    return {symbol.substr(0, plus), std::stoull(symbol.substr(plus + 3), nullptr, 16)};
}

// theirs(lines): below the name of its event, a sample has its frames, innermost first, each behind a tab.
Calls theirs(const std::vector<std::string>& lines) {
    Calls calls;
    std::string event;
    std::vector<ChainFrame> chain;
    const auto take = [&] {
        std::set<std::string> seen;
        for (std::size_t at = 1; at < chain.size(); ++at) {
            const auto &caller = chain[at], &callee = chain[at - 1];
            // Skip frames without names. A return address at a function's first byte belongs to a call that ends the
            // function before, which perf attributes wrongly.
            if (caller.symbol.empty() || callee.symbol.empty() || caller.offset == 0) continue;
            seen.insert(caller.symbol + "+" + std::to_string(caller.offset) + " " + callee.symbol);
        }
        for (const auto& call : seen) ++calls[event][call];
        chain.clear();
    };
    for (const auto& line : lines) {
        if (line.starts_with('\t')) {
            chain.push_back(frame_of(line));
            continue;
        }
        take();
        std::istringstream(line) >> event;
        if (event.ends_with(':')) event.pop_back();
    }
    take();
    return calls;
}

// OurCalls counts the calls of all functions with samples, once as callees (callers) and once as callers (callees).
struct OurCalls {
    OurCalls(const std::filesystem::path& path, const SymbolizerOptions& sources) : opened(path) {
        const auto names = Symbolizer::open(opened.recording, opened.timeline, sources);
        const auto versions = CodeVersions::build(names.functions());
        const auto profile = Profile::count(opened.recording, versions).value();
        std::vector<CodeVersion> functions;
        for (const auto& function : profile.functions()) functions.push_back(function.version);
        const auto edges = CallEdges::count(opened.recording, versions, functions).value();
        const auto symbol = [&](const CallEnd& end) { return std::string(names.name(end.function).symbol); };
        const auto put = [&](Calls& calls, const CallEdge& edge) {
            // A kernel entry is not a call.
            if (edge.entry || !edge.caller.named || !edge.callee.named) return;
            if (edge.offset + 1 == names.extent(edge.caller.function).size) return;
            const auto call = symbol(edge.caller) + "+" + std::to_string(edge.offset + 1) + " " + symbol(edge.callee);
            for (std::size_t column = 0; column < edge.below.size(); ++column) {
                const auto& event = opened.recording.events().events()[edges.events()[column]].name;
                if (edge.below[column].hits != 0) calls[event][call] += edge.below[column].hits;
            }
        };
        for (std::size_t index = 0; index < functions.size(); ++index) {
            listed.insert(std::string(names.name(functions[index].function).symbol));
            for (const auto& edge : edges.of(index).callers) put(callers, edge);
            for (const auto& edge : edges.of(index).sites) put(callees, edge);
        }
    }

    Opened opened;
    Calls callers, callees;
    std::set<std::string> listed;  // names of functions with samples
};

// Keeps the calls whose caller (or callee) has samples itself: other functions have no listing.
Calls only(const Calls& calls, const std::set<std::string>& listed, bool callers) {
    Calls some;
    for (const auto& [event, counts] : calls) {
        for (const auto& [call, count] : counts) {
            const auto space = call.find(' ');
            const auto name = callers ? call.substr(space + 1) : call.substr(0, call.rfind('+', space));
            if (listed.contains(name)) some[event][call] = count;
        }
    }
    return some;
}

std::size_t compare(const Calls& perfs, const Calls& ours) {
    std::size_t compared = 0;
    for (const auto& [event, calls] : perfs) {
        INFO(event);
        // If the recording has no event names, perf invents modifiers ("cpu-clock:HG").
        const auto own = ours.contains(event) ? ours.find(event) : ours.find(event.substr(0, event.find(':')));
        REQUIRE(own != ours.end());
        for (const auto& [call, count] : calls) {
            INFO(call);
            const auto found = own->second.find(call);
            CHECK((found == own->second.end() ? 0 : found->second) == count);
            ++compared;
        }
        for (const auto& [call, count] : own->second) {
            INFO("only ours: " << call << ", " << count);
            CHECK(calls.contains(call));
        }
    }
    return compared;
}

bool has_call_chains(const std::filesystem::path& path) {
    const Opened opened(path);
    return std::ranges::any_of(opened.recording.events().events(),
                               [](const Event& event) { return event.sample.shape().has(SamplePart::callchain); });
}

std::vector<std::string> lines_printed(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    REQUIRE(pipe);
    std::string text;
    std::array<char, 4096> block;
    while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get())) text.append(block.data(), got);
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// Keeps the calls between functions of tests/oracle/calls.
Calls own_program(const Calls& calls) {
    const std::set<std::string> functions = {"leaf", "detour", "nested", "pick", "rounds", "main"};
    Calls some;
    for (const auto& [event, counts] : calls) {
        for (const auto& [call, count] : counts) {
            const auto space = call.find(' ');
            const bool both = functions.contains(call.substr(0, call.rfind('+', space))) &&
                              functions.contains(call.substr(space + 1));
            if (both) some[event][call] = count;
        }
    }
    return some;
}

}  // namespace

TEST_CASE("calls are those of perf's call chains", "[oracle][calls]") {
    std::size_t compared = 0;
    SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.jit.as_recorded = false;
    for (const auto& path : fixtures()) {
        if (!has_call_chains(path)) continue;
        INFO(path);
        const OurCalls ours(path, sources);
        const auto perfs = theirs(perf_script(path, "-F event,ip,sym,symoff"));
        const auto callers = compare(only(perfs, ours.listed, true), ours.callers);
        const auto callees = compare(only(perfs, ours.listed, false), ours.callees);
        std::cout << path.stem().string() << ": " << callers << " calls of functions with samples, " << callees
                  << " by them\n";
        compared += callers + callees;
    }
    CHECK(compared > 30);
}

TEST_CASE("calls in a program that was recorded just now are those of perf's call chains", "[oracle][calls]") {
    const test::TempDir folder;
    const auto path = folder.path() / "calls.data";
    const std::string program = PERFDATA_CALLS_PROGRAM;
    const auto record = "perf record -q -g -e cpu-clock -F 1999 -o '" + path.string() + "' '" + program +
                        "' 20000 > '" + (folder.path() / "log").string() + "' 2>&1";
    if (std::system(record.c_str()) != 0) {
        WARN("perf record is not allowed here: nothing compared");
        return;
    }
    SymbolizerOptions sources;
    const OurCalls ours(path, sources);
    const auto perfs =
        own_program(theirs(lines_printed("perf script -F event,ip,sym,symoff -i '" + path.string() + "'")));
    const auto callers = compare(only(perfs, ours.listed, true), own_program(ours.callers));
    const auto callees = compare(only(perfs, ours.listed, false), own_program(ours.callees));
    std::cout << "just recorded: " << callers << " calls of functions with samples, " << callees << " by them\n";
    CHECK(callers > 5);
    CHECK(callees > 5);
}

}  // namespace oracle
