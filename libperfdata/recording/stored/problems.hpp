// SPDX-License-Identifier: MIT
// Errors as a profile file has them.
#pragma once

#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/completeness.hpp"

#include "model.hpp"

namespace perfdata::stored {

// error(model, problem) returns the Error that was stored.
inline Error error(const Model& model, const Problem& problem) {
    return {problem.code.as<ErrorCode>(), problem.offset, std::string(model.text(problem.where)),
            std::string(model.text(problem.detail))};
}

// errors(model, problems) returns them all.
inline std::vector<Error> errors(const Model& model, const std::vector<Problem>& problems) {
    std::vector<Error> all;
    all.reserve(problems.size());
    for (const auto& problem : problems) all.push_back(error(model, problem));
    return all;
}

// left_out_text(model, row) returns "2 source files that ...".
inline std::string left_out_text(const Model& model, const LeftOut& row) {
    return std::to_string(row.number) + " " + std::string(model.text(row.what));
}

// What a partial profile was made without is one of these two.
// lacks(model) returns the limits that were reached, and what was here but may not be in it: losses.
inline std::vector<Error> lacks(const Model& model) {
    auto all = errors(model, model.facts.partial);
    std::erase_if(all, [](const Error& problem) { return problem.code == ErrorCode::missing; });
    for (const auto& row : model.facts.left_out) {
        all.push_back({ErrorCode::mismatch, Error::no_offset, "left out", left_out_text(model, row)});
    }
    return all;
}
// left_out(model) returns what the user wanted left out, such as samples that a filter rejects: no losses.
inline std::vector<Error> left_out(const Model& model) {
    auto all = errors(model, model.facts.partial);
    std::erase_if(all, [](const Error& problem) { return problem.code != ErrorCode::missing; });
    return all;
}

// log(model, stored, most) returns a log that keeps at most so many in full.
inline DiagnosticLog log(const Model& model, const Log& stored, std::size_t most) {
    DiagnosticLog restored(most);
    for (const auto& problem : stored.kept) restored.add(error(model, problem));
    if (stored.count > stored.kept.size()) restored.add_unseen(stored.count - stored.kept.size());
    return restored;
}

}  // namespace perfdata::stored
