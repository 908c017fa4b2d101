// SPDX-License-Identifier: MIT
#include "html_source.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "format/words.hpp"

namespace perfdata {

HtmlSource::HtmlSource(const Listing& listing, const std::vector<bool>& shown) {
    if (std::ranges::all_of(listing.lines, [](const ListingLine& line) { return line.source.text.empty(); })) return;
    std::map<std::string_view, std::size_t, BeforeText> files;
    std::map<std::pair<std::size_t, std::uint32_t>, HtmlSourceRow> places;
    for (std::size_t at = 0; at < listing.lines.size(); ++at) {
        if (!shown[at]) continue;
        const auto& [source, cells] = listing.lines[at];
        const auto file = files.try_emplace(source.file, files.size()).first->second;
        auto& row = places[{file, source.line}];
        row.file = source.file;
        row.line = source.line;
        if (row.text.empty()) row.text = source.text;
        row.cells.resize(cells.size());
        add(row.cells, cells);
    }
    std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> numbers;
    for (auto& [place, row] : places) {
        numbers.emplace(place, rows_.size());
        rows_.push_back(std::move(row));
    }
    for (std::size_t at = 0; at < listing.lines.size(); ++at) {
        const auto& source = listing.lines[at].source;
        row_of_.push_back(shown[at] ? numbers.at({files.at(source.file), source.line}) : 0);
    }
}

std::size_t HtmlSource::indent() const {
    std::optional<std::string_view> common;
    for (const auto& row : rows_) {
        const auto first = row.text.find_first_not_of(" \t");
        if (first == std::string_view::npos) continue;
        const auto space = row.text.substr(0, first);
        if (!common) common = space;
        const auto until = std::ranges::mismatch(*common, space).in1;
        common = common->substr(0, static_cast<std::size_t>(until - common->begin()));
    }
    return common.value_or(std::string_view()).size();
}

}  // namespace perfdata
