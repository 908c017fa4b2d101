// SPDX-License-Identifier: MIT
// BPF programs as a profile file names them. Code and loads of its timeline are its rows, in their order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "recording/stored/model.hpp"
#include "recording/stored/problems.hpp"

namespace perfdata {

// Returns the row of a load of the timeline; null for one that is not in it.
inline const stored::Load* stored_load(const stored::Model& model, const Timeline& timeline, const BpfLoad& load) {
    const auto loads = timeline.loads();
    const std::less<> before;
    if (loads.empty() || before(&load, loads.data()) || !before(&load, loads.data() + loads.size())) return nullptr;
    const auto row = static_cast<std::size_t>(&load - loads.data());
    return row < model.loads.size() ? &model.loads[row] : nullptr;
}

inline std::string_view stored_program_name(const stored::Model& model, const Timeline& timeline, const BpfLoad& load) {
    const auto* row = stored_load(model, timeline, load);
    return row != nullptr ? model.text(row->program_name) : load.symbol_name;
}

inline std::optional<Error> stored_program_problem(const stored::Model& model, const Timeline& timeline,
                                                   const BpfLoad& load) {
    const auto* row = stored_load(model, timeline, load);
    if (row == nullptr || row->problem.empty()) return {};
    return stored::error(model, row->problem.front());
}

inline FunctionName stored_function_name(const stored::Model& model, CodeIndex index, bool prototype) {
    const auto& code = model.codes[index];
    return {model.text(code.name), model.text(code.program),
            prototype ? std::string(model.text(code.prototype)) : std::string()};
}

}  // namespace perfdata
