// SPDX-License-Identifier: MIT
// Errors as a profile file has them.
#pragma once

#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/left_out.hpp"

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
    return perfdata::left_out_text(row.number, model.text(row.what));
}

// partial_text(model, row) returns "call chains: there were more than ..."; of a filter, which is of the whole profile,
// "it has only samples that ...".
inline std::string partial_text(const Model& model, const Partial& row) {
    if (row.kind.is(PartialKind::filter)) return std::string(model.text(row.detail));
    return std::string(model.text(row.where)) + ": " + std::string(model.text(row.detail));
}

// is_loss(model, row) returns true for what was here when the profile was made, and may not be in it.
inline bool is_loss(const Model& model, const LeftOut& row) {
    return is_loss_left_out(model.text(row.what));
}

// lacks(model) returns the limits that were reached, and what was here but may not be in it: losses.
inline std::vector<Error> lacks(const Model& model) {
    std::vector<Error> all;
    for (const auto& row : model.facts.partial) {
        if (!row.kind.is(PartialKind::limit)) continue;
        all.push_back({ErrorCode::limit, Error::no_offset, std::string(model.text(row.where)),
                       std::string(model.text(row.detail))});
    }
    for (const auto& row : model.facts.left_out) {
        if (!is_loss(model, row)) continue;
        all.push_back({ErrorCode::mismatch, Error::no_offset, "left out", left_out_text(model, row)});
    }
    return all;
}
// filtered(model) says which samples the user wanted left out: no losses.
inline std::vector<std::string> filtered(const Model& model) {
    std::vector<std::string> all;
    for (const auto& row : model.facts.partial) {
        if (row.kind.is(PartialKind::filter)) all.emplace_back(model.text(row.detail));
    }
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
