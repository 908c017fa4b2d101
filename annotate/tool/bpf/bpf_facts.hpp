// SPDX-License-Identifier: MIT
// What the kernel said of a BPF program, and what the recording lacks.
#pragma once

#include <optional>
#include <string>

#include "format/json_writer.hpp"
#include "tool/bpf/bpf_listed.hpp"

namespace perfdata::tool {

// unless(time, none) returns nothing for the time that stands for none.
inline std::optional<Time> unless(Time time, Time none) {
    return time == none ? std::nullopt : std::optional(time);
}

// code_state(...) returns "recorded" if the recording has the load's code, else the reason why not.
std::string code_state(const BpfPrograms& symbols, const BpfLoad& load);

// facts_text(...) returns lines about runs, maps, what the program is attached to, and its variables.
std::string facts_text(const BpfView& view, const BpfLoad& load);
// image_text(...) returns a line about a trampoline or dispatcher; empty for other code.
std::string image_text(const BpfView& view, CodeIndex code);
// variables_text(...) returns a line for each variable, within the limit.
std::string variables_text(const ProgramVariables::Found& found);

// write_facts(...) writes the same as members.
void write_facts(JsonWriter& json, const BpfView& view, const BpfLoad& load);
void write_image(JsonWriter& json, const BpfView& view, CodeIndex code);
// write_variables(...) writes a member "metadata".
void write_variables(JsonWriter& json, std::string_view name, const ProgramVariables::Found& found);

}  // namespace perfdata::tool
