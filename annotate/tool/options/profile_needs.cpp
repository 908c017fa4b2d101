// SPDX-License-Identifier: MIT
#include "profile_needs.hpp"

#include <fmt/format.h>

#include "dimension_word.hpp"
#include "recording/stored/model.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {
namespace {

// What a dimension is in a message.
std::string_view kept_thing(stored::Dimension dimension) {
    using stored::Dimension;
    switch (dimension) {
        case Dimension::comm: return "names of threads";
        case Dimension::pid: return "processes";
        case Dimension::tid: return "threads";
        case Dimension::cpu: return "CPUs";
        case Dimension::cgroup: return "cgroups";
        case Dimension::object: return "objects";
        case Dimension::symbol: return "functions";
        case Dimension::line: return "lines of source";
        case Dimension::chains: return "call chains";
        case Dimension::code: return "code";
    }
    return "such things";
}

}  // namespace

std::string no_profile(const Recording& recording, std::string_view what, std::string_view lacks) {
    if (!recording.is_profile()) return {};
    return fmt::format("{}: {} is a profile file, which has no {}; the recording has them", what, recording.path(),
                       lacks);
}

bool refuses_profile(const Recording& recording, std::string_view what, std::string_view lacks) {
    const auto problem = no_profile(recording, what, lacks);
    if (problem.empty()) return false;
    complain(problem);
    return true;
}

ProfileNeeds& ProfileNeeds::never(bool given, std::string_view option, std::string_view lacks) {
    if (given && problem_.empty()) problem_ = no_profile(recording_, option, lacks);
    return *this;
}

ProfileNeeds& ProfileNeeds::kept(bool given, std::string_view option, stored::Dimension dimension) {
    if (!given || !problem_.empty() || keeps(recording_, dimension)) return *this;
    problem_ =
        fmt::format("{}: the profile {} has not kept {} (it was made with --keep {}); the recording has them", option,
                    recording_.path(), kept_thing(dimension), kept_list(recording_.stored()->facts.keeps, ","));
    return *this;
}

bool ProfileNeeds::met() const {
    if (problem_.empty()) return true;
    complain(common_, problem_);
    return false;
}

bool keeps(const Recording& recording, stored::Dimension dimension) {
    return recording.stored() == nullptr || recording.stored()->keeps(dimension);
}

std::string too_deep_text(const Recording& recording, std::uint32_t max_stack) {
    const auto* model = recording.stored();
    if (model == nullptr || model->facts.max_stack >= max_stack || model->facts.chains_deep == 0) return {};
    return fmt::format("--max-stack {}: the call chains of the profile were cut to {} frames when it was made",
                       max_stack, model->facts.max_stack);
}

}  // namespace perfdata::tool
