// SPDX-License-Identifier: MIT
// Runs a program and takes what it prints.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

namespace perfdata::test {

// ShellOutput is what a command of the shell printed on standard output, and how it ended.
struct ShellOutput {
    std::string text;
    std::optional<int> status;  // empty: it did not exit by itself, or could not be started

    // Returns the lines without their ends.
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);) all.push_back(std::move(line));
        return all;
    }
};

// shell_output(command) runs it to its end.
inline ShellOutput shell_output(const std::string& command) {
    ShellOutput output;
    const auto close = [](std::FILE* pipe) { return ::pclose(pipe); };
    std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(command.c_str(), "r"), close);
    if (pipe == nullptr) return output;
    std::array<char, 65536> block{};
    while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get()))
        output.text.append(block.data(), got);
    const auto status = ::pclose(pipe.release());
    if (WIFEXITED(status)) output.status = WEXITSTATUS(status);
    return output;
}

}  // namespace perfdata::test
