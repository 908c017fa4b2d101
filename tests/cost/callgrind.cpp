// SPDX-License-Identifier: MIT
#include "cost/callgrind.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>

extern char** environ;

namespace perfdata::test {
namespace {

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

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string cost_tool() {
    const char* given = std::getenv("PERFDATA_COST_TOOL");
    return given != nullptr && *given != '\0' ? given : PERFDATA_TOOL;
}

double instructions(const std::string& program, const std::vector<std::string>& arguments, const std::string& folder) {
    const auto count = folder + "/valgrind.log", messages = folder + "/messages";
    std::vector<std::string> whole = {"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                                      "--log-file=" + count, program};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    const auto status = run(whole, messages);
    if (status != 0) {
        throw std::runtime_error("status " + std::to_string(status) + ": " + text_of(messages) + text_of(count));
    }
    constexpr std::string_view mark = "Collected : ";
    const auto log = text_of(count);
    const auto found = log.find(mark);
    if (found == std::string::npos) throw std::runtime_error("valgrind counted nothing: " + log);
    return std::strtod(log.c_str() + found + mark.size(), nullptr);
}

}  // namespace perfdata::test
