// SPDX-License-Identifier: MIT
#include "making.hpp"

#include <algorithm>

#include "perfdata/symbols/bundle/bundle.hpp"

namespace perfdata {

stored::Ref<stored::Text> ProfileTexts::operator()(std::string_view text) {
    if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
    const auto number = append_row(table_, stored::Text{std::string(text)});
    numbers_.emplace(text, number);
    return number;
}

stored::Problem Making::problem(const Error& error, bool loss) {
    stored::Problem made;
    made.code = error.code;
    made.offset = error.offset;
    made.where = text(error.where);
    made.detail = text(error.detail);
    made.loss = loss;
    return made;
}

std::vector<stored::Problem> Making::problems(const std::vector<Error>& errors) {
    std::vector<stored::Problem> made;
    made.reserve(errors.size());
    for (const auto& error : errors) made.push_back(problem(error));
    return made;
}

stored::Log Making::log(const DiagnosticLog& from) {
    return {from.count(), problems(from.kept())};
}

void Making::partial(std::string_view where, std::string_view detail) {
    const stored::Partial limit{stored::PartialKind::limit, text(where), text(detail)};
    auto& all = model.facts.partial;
    if (std::ranges::find(all, limit) == all.end()) all.push_back(limit);
}

std::string Making::shown(const std::string& path) const {
    const auto& bundle = recording.bundle();
    return bundle ? bundle->shown(path) : path;
}

void Making::leave_out(std::string_view what, stored::Ref<stored::Text> file, std::uint64_t samples) {
    if (options.left_out) options.left_out(what, model.text(file), samples);
    auto& all = model.facts.left_out;
    const auto row = text(what);
    const auto known = std::ranges::find(all, row, &stored::LeftOut::what);
    if (known == all.end()) {
        all.push_back({row, 1});
    } else {
        ++known->number;
    }
}

}  // namespace perfdata
