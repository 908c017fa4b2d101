// SPDX-License-Identifier: MIT
#include "annotate_html.hpp"

#include <algorithm>

#include "../words.hpp"
#include "event_choice.hpp"

namespace perfdata::tool {

bool is_html_name(std::string_view output) {
    return output.ends_with(".html") || output.ends_with(".htm");
}

std::size_t html_listings(std::span<const FunctionHits> functions, const Cells& totals) {
    constexpr std::size_t most = 200;
    constexpr double least_percent = 0.1;
    const auto matters = [&](const FunctionHits& function) {
        for (std::size_t event = 0; event < totals.size(); ++event) {
            if (share(function.total[event].hits, totals[event].hits) >= least_percent) return true;
        }
        return false;
    };
    std::size_t count = 0;
    while (count < std::min(functions.size(), most) && matters(functions[count])) ++count;
    return count;
}

Result<Flame> count_flame(const Recording& recording, const CodeBook& book, const std::vector<std::uint32_t>& events,
                          Progress progress) {
    auto options = flame_tally(book.names(), has_chains(recording));
    options.events = events;
    options.progress = std::move(progress);
    const auto tally = Tally::count(recording, book.timeline(), options);
    if (!tally) return fail(tally.error());
    return Flame::make(*tally, book);
}

std::vector<std::string> html_notes(const CodeBook& book) {
    std::vector<std::string> notes;
    for (const auto& problem : book.names().problems()) notes.push_back(problem.message());
    for (const auto& problem : book.images().problems()) notes.push_back(problem.message());
    return notes;
}

}  // namespace perfdata::tool
