// SPDX-License-Identifier: MIT
// The options that say which loads and mappings a command lists, spelled and meant as those that choose samples.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/timeline/mapping.hpp"

namespace perfdata::tool {

struct Common;

// ListFilter: what is listed passes every part; an empty part passes all.
struct ListFilter {
    std::vector<TimeRange> times;
    std::set<std::uint32_t> pids;  // whether these choose anything but mappings is the command's affair
    CodeFilter code;

    bool empty() const { return times.empty() && pids.empty() && code.empty(); }
    // Returns true if a life overlaps one of the ranges: it has begun at `from` and is over at `until`.
    bool has_life(Time from, Time until) const;
    // Returns the first part that leaves out a mapping. It holds any number of functions, so --symbols leaves it out.
    // Memory of a process is also known as "[JIT] tid PID", as in report.
    FilterPart left_out(const Object& object, std::optional<std::uint32_t> pid) const;
};

// ListCounts counts what a filter keeps, and what each part of it leaves out.
class ListCounts {
  public:
    void add(FilterPart part) { part == FilterPart::none ? ++kept_ : ++dropped_[static_cast<std::size_t>(part)]; }

    std::uint64_t kept() const { return kept_; }
    // Returns what was left out, for write_dropped(): here these are no samples, but whatever was counted.
    std::vector<DroppedSamples> dropped() const;
    // Returns "filters keep 3 of 26 programs: --time drops 23"; empty if nothing was left out.
    std::string text(std::string_view what) const { return filter_text(dropped_, kept_, what); }
    // Returns the same as a line for the head of a page.
    std::string headline(std::string_view what) const;

  private:
    std::uint64_t kept_ = 0;
    std::array<std::uint64_t, filter_parts> dropped_{};
};

// ListChoice is the options as the user gave them.
struct ListChoice {
    std::vector<std::string> kinds, objects, symbols;
    std::vector<std::int32_t> pids;  // -1: nobody
    std::string time;

    // Adds --time, --kind, --dso and --symbols, and --pid if there is a help for it.
    void add_to(CLI::App& command, const char* pid_help = nullptr);

    // Returns false if --kind asks for none of the kinds that the command lists, and says so: exit code `usage`.
    bool can_list(std::string_view command, std::span<const CodeClass> listed) const;
    // Errors: those of chosen_times().
    Result<ListFilter> filter(const Recording& recording) const;
    // Says which names of --dso and --symbols are not there at all: among the code that came and went, and with
    // `mappings` among the mapped objects.
    void note_absent_names(const Common& common, const BpfPrograms& programs, bool mappings) const;
};

}  // namespace perfdata::tool
