// SPDX-License-Identifier: MIT
// One command of the tool, run in this process on inputs in memory. Whatever an input says: the exit status is one of
// those that are documented, text commands no terminal, JSON parses, HTML has no markup but ours, and messages are
// lines for people.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata::fuzz {

// Words are what an option can be: each is one or more arguments with spaces between, or nothing. {symbol}, {address},
// {time}, {pid} and {program} stand for such a thing of the recording.
using Words = std::vector<std::string_view>;

class ToolCommand {
  public:
    // ToolCommand(name, options): of each of `options` an input chooses one word; of no byte it is the first. The
    // command line is made once and parsed for each input: to make one costs more than most inputs do.
    ToolCommand(std::string name, std::vector<Words> options);
    ToolCommand(const ToolCommand&) = delete;
    ToolCommand& operator=(const ToolCommand&) = delete;
    ~ToolCommand();

    // run(input): a recording, files for options (see beside.hpp), and choices (see choices.hpp).
    void run(std::span<const std::uint8_t> input);

  private:
    // What needs CLI11, which takes long to compile.
    class Line;

    void check(int status, const std::vector<std::string>& arguments, std::string_view written,
               std::string_view said) const;

    std::string name_;
    std::vector<Words> options_;
    std::unique_ptr<Line> line_;
};

}  // namespace perfdata::fuzz
