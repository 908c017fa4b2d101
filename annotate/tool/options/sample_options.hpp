// SPDX-License-Identifier: MIT
// The options that say which samples count, spelled as perf spells them: the same for every command.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "tool/session.hpp"

namespace perfdata::tool {

// SampleChoice is the options as the user gave them.
struct SampleChoice {
    std::vector<std::string> events, comms, cpus, cgroups, kinds, objects, symbols;
    std::vector<std::int32_t> pids, tids;  // -1: nobody
    std::string time;
    std::string fields;  // the expression of --filter

    // Adds --event, --comm, --pid, --tid, --cpu, --cgroup, --filter, --time, --kind, --dso and --symbols. `comm` and
    // `object` are their names where a command has more of them.
    void add_to(CLI::App& command, const char* comm = "--comm,--comms", const char* object = "-d,--dso,--dsos");

    // Returns what that means for this recording; cgroups are missing. Errors: missing (no such event, field, no time),
    // and those of BoundTraceFilter::bind().
    Result<SampleFilter> filter(const Recording& recording) const;
    // Adds the cgroups, which are known once the timeline is.
    void add_cgroups(SampleFilter& filter, const Tasks& tasks) const;
    CodeFilter code() const;

    // Returns the options that were given, by their longest name.
    std::vector<std::string> given() const;
    // Returns "samples", or "samples that --event, --time chose": what is left if code is not looked at.
    std::string chosen_samples() const;

    // Returns false if a profile file does not tell apart what an option asks for, and says so: exit code `usage`. Ask
    // before filter().
    bool suits(const Common& common, const Recording& recording) const;
    // Returns false if the chosen events do not record what an option asks for, and says so: exit code `usage`.
    bool can_tell(const Common& common, const Recording& recording, const SampleFilter& filter) const;
    // Says which commands, processes, threads and cgroups are not there at all.
    void note_absent_tasks(const Common& common, const Timeline& timeline) const;
    // Says which events lack fields of --filter: none of their samples may pass.
    void note_lacking_fields(const Common& common, const Recording& recording, const SampleFilter& filter) const;

  private:
    struct Option;
    std::vector<Option> options() const;
    Result<void> add_fields(SampleFilter& filter, const Recording& recording) const;
};

// Returns the kinds of code that the words of --kind mean. They have been checked.
std::vector<CodeClass> parse_kinds(const std::vector<std::string>& words);
// Adds --kind. `help` says what it chooses.
CLI::Option* add_kinds(CLI::App& command, std::vector<std::string>& kinds, const char* help);
// Adds --time. `help` says what it chooses.
CLI::Option* add_time(CLI::App& command, std::string& time, const char* help);

}  // namespace perfdata::tool
