// SPDX-License-Identifier: MIT
// Options of perfdata annotate.
#pragma once

#include <cstdint>
#include <string>

#include "perfdata/profile/call_edges.hpp"

#include "tool/annotate/annotate_choice.hpp"
#include "tool/options/histogram_options.hpp"
#include "tool/options/line_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/percent_options.hpp"
#include "tool/options/ratio_options.hpp"
#include "tool/options/sample_options.hpp"
#include "tool/options/screen_options.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {

struct AnnotateOptions {
    Common common;
    NameChoice names;
    LineChoice lines;
    FunctionChoice functions;
    SampleChoice samples;
    PercentChoice percent;
    RatioChoice ratios;
    HistogramChoice histograms;
    std::string title;
    std::string style = "att";
    std::string percent_type;  // empty: depends on the format
    std::string at;
    bool raw_bytes = false;
    bool show_periods = false;
    bool bpf_registers = false;
    ScreenChoice screen;
    bool calls = false, no_calls = false;  // neither: depends on the format
    bool inlines = true;
    std::uint32_t max_stack = CallOptions().max_stack;
};

// Adds the options to the command; it fills `options`, which must outlive the command.
void add_annotate_options(CLI::App& command, AnnotateOptions& options);

}  // namespace perfdata::tool
