// SPDX-License-Identifier: MIT
// perfdata_cost [GROUP [CASE...]]: counts the tool's instructions for inputs of 0, n and 2n things under callgrind, so
// that noise does not matter. Exit status 1 if a case grows faster than allowed. --keep keeps the inputs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "cost/case.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

extern char** environ;

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

// run(command, log) runs a program without input and output; its error messages go to the log.
int run(std::vector<std::string> command, const std::string& log) {
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const auto failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) throw std::runtime_error("cannot run " + command[0]);
    int status = 0;
    if (waitpid(child, &status, 0) != child) throw std::runtime_error("cannot wait for " + command[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string content_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// tool() returns the tool to measure. It must be optimised, or the figures mean nothing.
std::string tool() {
    const char* given = std::getenv("PERFDATA_COST_TOOL");
    return given != nullptr && *given != '\0' ? given : PERFDATA_TOOL;
}

// instructions(program, command, folder) returns the number of instructions that the program executed.
double instructions(const std::string& program, const Command& command, const std::string& folder) {
    const auto count = folder + "/valgrind.log", messages = folder + "/messages";
    std::vector<std::string> whole = {"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                                      "--log-file=" + count, program};
    whole.insert(whole.end(), command.begin(), command.end());
    const auto status = run(whole, messages);
    if (status != 0) {
        throw std::runtime_error("status " + std::to_string(status) + ": " + content_of(messages) + content_of(count));
    }
    constexpr std::string_view mark = "Collected : ";
    const auto log = content_of(count);
    const auto found = log.find(mark);
    if (found == std::string::npos) throw std::runtime_error("valgrind counted nothing: " + log);
    return std::strtod(log.c_str() + found + mark.size(), nullptr);
}

bool holds(const CostCase& one, const std::string& folder, std::map<std::string_view, double>& nothing) {
    const auto count = [&](std::size_t n) {
        const Files files(folder + "/" + std::string(one.name) + "_" + std::to_string(n));
        std::filesystem::create_directories(files.folder());
        const auto program = one.program.empty() ? tool() : std::string(one.program);
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
