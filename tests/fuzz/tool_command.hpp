// SPDX-License-Identifier: MIT
// Runs one command of the tool in this process on inputs in memory. Whatever the input: the exit status is a documented
// one, text does not command a terminal, JSON parses, HTML has no foreign markup, and messages are printable lines.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfdata::fuzz {

// Words are the forms of an option: each is one or more arguments separated by spaces, or nothing. {symbol}, {address},
// {time}, {pid} and {program} stand for a value from the recording.
using Words = std::vector<std::string_view>;

class ToolCommand {
  public:
    // ToolCommand(name, options): an input chooses one word from each of `options`; a missing byte chooses the first.
    // The command line is built once and parsed for each input, because building it costs more than most inputs.
    ToolCommand(std::string name, std::vector<Words> options);
    ToolCommand(const ToolCommand&) = delete;
    ToolCommand& operator=(const ToolCommand&) = delete;
    ~ToolCommand();

    // run(input): a recording, files for options (see beside.hpp), and choices (see choices.hpp).
    void run(std::span<const std::uint8_t> input);

  private:
    // Hides CLI11, which is slow to compile.
    class Line;

    // Requires that no word of one option makes a word of another one invalid: inputs choose them independently.
    void check_pairs();
    void check(int status, const std::vector<std::string>& arguments, std::string_view written,
               std::string_view said) const;

    std::string name_;
    std::vector<Words> options_;
    std::unique_ptr<Line> line_;
};

}  // namespace perfdata::fuzz
