// SPDX-License-Identifier: MIT
// A line on the terminal that says how far long work has come.
#pragma once

#include <chrono>
#include <string>

#include "perfdata/recording/progress.hpp"

#include "tool/tool.hpp"

namespace perfdata::tool {

// ProgressLine writes to stderr if that is a terminal, unless --quiet, and only if the work takes longer than half a
// second. The line goes when the object does. It must outlive what of() gave.
//
// Nothing else may be written to the terminal meanwhile: it is for work before the output begins, or says where that
// goes.
class ProgressLine {
  public:
    explicit ProgressLine(const Common& common);
    // The output goes on during the work: no line if that is a terminal, too.
    ProgressLine(const Common& common, const Output& output);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // of("counting samples") is what to pass to the call that does that.
    Progress of(std::string stage);

  private:
    using Clock = std::chrono::steady_clock;

    void show(const std::string& stage, std::uint64_t read, std::uint64_t total);

    bool wanted_;
    bool shown_ = false;
    Clock::time_point next_;
};

}  // namespace perfdata::tool
