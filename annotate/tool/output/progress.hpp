// SPDX-License-Identifier: MIT
// A progress line for long work on the terminal.
#pragma once

#include <chrono>
#include <string>

#include "perfdata/recording/progress.hpp"

#include "tool/tool.hpp"

namespace perfdata::tool {

// ProgressLine writes to stderr if that is a terminal, unless --quiet, and only if the work takes longer than half a
// second. The line disappears with the object, which must outlive the result of of().
//
// Nothing else may write to the terminal meanwhile: use it for work before the output begins, or pass the destination
// of the output.
class ProgressLine {
  public:
    explicit ProgressLine(const Common& common);
    // For work that produces output: no line if the output is a terminal, too.
    ProgressLine(const Common& common, const Output& output);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // of("counting samples") returns the callback for a call that does that.
    Progress of(std::string stage);
    // Says how many files of a list are done.
    void files(std::uint64_t done, std::uint64_t total);
    // hide() removes the line, so that something else can be written. It returns with the next call.
    void hide();

  private:
    using Clock = std::chrono::steady_clock;

    void show(const std::string& stage, std::uint64_t read, std::uint64_t total);
    // Returns true if it is time for another line.
    bool is_due();

    bool wanted_;
    bool shown_ = false;
    Clock::time_point next_;
};

}  // namespace perfdata::tool
