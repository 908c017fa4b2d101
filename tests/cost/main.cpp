// SPDX-License-Identifier: MIT
// perfdata_cost [GROUP [CASE...]]: counts the tool's instructions for inputs of 0, n and 2n things under callgrind, so
// that noise does not matter. Exit status 1 if a case grows faster than allowed. --keep keeps the inputs.
// perfdata_cost guard [--write]: compares what fixed work costs with the figures in figures.txt, or writes them.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cost/callgrind.hpp"
#include "cost/case.hpp"
#include "cost/guard.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct Group {
    std::string_view name;
    CostCases (*cases)();
};
constexpr Group groups[] = {{"code", code_cases},       {"records", record_cases},   {"tables", table_cases},
                            {"tasks", task_cases},      {"symbols", symbol_cases},   {"lines", line_cases},
                            {"dwarf", dwarf_cases},     {"shared", shared_cases},    {"containers", container_cases},
                            {"unwind", unwind_cases},   {"payloads", payload_cases}, {"exports", export_cases},
                            {"profiles", profile_cases}};

bool holds(const CostCase& one, const std::string& folder, std::map<std::string_view, double>& nothing) {
    const auto count = [&](std::size_t n) {
        const Files files(folder + "/" + std::string(one.name) + "_" + std::to_string(n));
        std::filesystem::create_directories(files.folder());
        const auto program = one.program.empty() ? cost_tool() : std::string(one.program);
        return instructions(program, one.make(files, n), files.folder());
    };
    const auto known = nothing.find(one.nothing);
    const auto none = known == nothing.end() ? count(0) : known->second;
    if (!one.nothing.empty()) nothing.emplace(one.nothing, none);
    const auto once = count(one.n) - none, twice = count(2 * one.n) - none;
    const auto ratio = twice / std::max(once, 1.0);
    // A case that costs almost nothing does not measure what it should.
    const bool weighs = one.refused || twice - once > 50.0 * static_cast<double>(one.n);
    const bool nearly_free = one.refused && twice <= 200.0 * static_cast<double>(one.n);
    const bool good = weighs && (ratio <= one.most || nearly_free);
    std::printf("%-24s n %6zu  %8.1f + %8.1f, %8.1f million  x %.2f  %s\n", std::string(one.name).c_str(), one.n,
                none / 1e6, once / 1e6, twice / 1e6, ratio,
                good      ? "fine"
                : !weighs ? "TOO LITTLE: does the tool read it?"
                          : "TOO MUCH");
    std::fflush(stdout);
    return good;
}

}  // namespace

int main(int argc, char** argv) try {
    std::vector<std::string> words(argv + 1, argv + argc);
    const bool keep = std::erase(words, "--keep") != 0;
    const TempDir temporary;
    const auto folder = keep ? std::string("cost_inputs") : temporary.path().string();
    if (!words.empty() && words[0] == "guard") return guard(folder, std::erase(words, "--write") != 0);
    std::map<std::string_view, double> nothing;
    std::size_t done = 0, bad = 0;
    for (const auto& group : groups) {
        if (!words.empty() && words[0] != group.name) continue;
        for (const auto& one : group.cases()) {
            if (words.size() > 1 && std::find(words.begin() + 1, words.end(), one.name) == words.end()) continue;
            ++done;
            try {
                bad += holds(one, folder, nothing) ? 0 : 1;
            } catch (const std::exception& error) {
                std::printf("%-24s FAILED: %s\n", std::string(one.name).c_str(), error.what());
                ++bad;
            }
        }
    }
    if (done == 0) std::fputs("no such case\n", stderr);
    return done == 0 || bad != 0 ? 1 : 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "perfdata_cost: %s\n", error.what());
    return 1;
}
