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

// log(model, stored, most) returns a log that keeps at most so many in full.
inline DiagnosticLog log(const Model& model, const Log& stored, std::size_t most) {
    DiagnosticLog restored(most);
    for (const auto& problem : stored.kept) restored.add(error(model, problem));
    if (stored.count > stored.kept.size()) restored.add_unseen(stored.count - stored.kept.size());
    return restored;
}

}  // namespace perfdata::stored
