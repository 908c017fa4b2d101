// SPDX-License-Identifier: MIT
#include "info_feature_text.hpp"

#include <algorithm>

namespace perfdata::tool {

std::string shown(std::string_view text, const TextLimits& limits) {
    if (text.empty()) return "-";
    auto whole = printable(text);
    if (whole.size() <= limits.bytes) return whole;
    return cut(std::move(whole), limits.bytes) + "...";
}

std::string shown(Bytes bytes, const TextLimits& limits) {
    if (bytes.empty()) return "-";
    if (bytes.size() * 2 <= limits.bytes) return hex_bytes(bytes);
    return fmt::format("{}... ({} bytes)", hex_bytes(bytes.first(limits.bytes / 2)), bytes.size());
}

void InlineText::add(std::string_view name, std::string_view value, std::string_view separator) {
    if (!text_.empty()) text_ += separator;
    if (!name.empty()) {
        text_ += printable(name);
        text_ += ' ';
    }
    text_ += value;
}

std::string InlineText::text() const {
    if (count_ <= limits_->values) return text_.empty() ? "-" : text_;
    return fmt::format("{} ... and {} more", text_, count_ - limits_->values);
}

void TextTable::cell(std::string_view name, std::string value) {
    const auto found = std::ranges::find(columns_, name);
    const auto column = static_cast<std::size_t>(found - columns_.begin());
    if (found == columns_.end()) columns_.emplace_back(name);
    auto& row = rows_.back();
    if (row.size() <= column) row.resize(column + 1, "-");
    row[column] = std::move(value);
}

// Longer cells stand out: a file with one long name has no room for as many blanks in each of its rows.
std::string TextTable::lines(std::size_t indent) const {
    constexpr std::size_t widest_column = 100;
    if (rows_.empty()) return {};
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        auto width = columns_[column].size();
        for (const auto& row : rows_) {
            if (column < row.size()) width = std::max(width, std::min(row[column].size(), widest_column));
        }
        widths.push_back(width);
    }
    std::string text;
    const auto line = [&](const std::vector<std::string>& cells) {
        text.append(indent, ' ');
        for (std::size_t column = 0; column < columns_.size(); ++column) {
            const auto& cell = column < cells.size() ? cells[column] : "-";
            if (column + 1 == columns_.size()) {
                text += cell;
            } else {
                fmt::format_to(std::back_inserter(text), "{:<{}}  ", cell, widths[column]);
            }
        }
        text += '\n';
    };
    line(columns_);
    for (const auto& row : rows_) line(row);
    if (count_ > rows_.size()) {
        fmt::format_to(std::back_inserter(text), "{:{}}... and {} more (--verbose shows them)\n", "", indent,
                       count_ - rows_.size());
    }
    return text;
}

namespace {

// Returns the name of one element of a list: "node" for "nodes".
std::string name_of_one(std::string_view list) {
    if (list.ends_with("ies")) return std::string(list.substr(0, list.size() - 3)) + "y";
    if (list.ends_with('s')) list.remove_suffix(1);
    return std::string(list);
}

}  // namespace

void FeatureText::add_list(std::string_view name, const TextTable& table) {
    constexpr std::size_t indent = 6;
    if (auto line = table.line(); !line.empty()) {
        fields_.push_back({std::string(name), std::move(line), false});
        return;
    }
    fields_.push_back(
        {std::to_string(table.count()), table.count() == 1 ? name_of_one(name) : std::string(name), false});
    tables_ += table.lines(indent);
}

std::string FeatureText::summary() const {
    if (fields_.size() == 1 && fields_.front().text) return fields_.front().value;
    std::string text;
    for (const auto& field : fields_) {
        if (!text.empty()) text += ", ";
        text += field.name + " " + field.value;
    }
    return text;
}

}  // namespace perfdata::tool
