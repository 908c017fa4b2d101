// SPDX-License-Identifier: MIT
#include "near_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

#include "core/platform.hpp"
#include "format/words.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {
namespace {

constexpr std::size_t most_wanted = 64;  // bytes
constexpr std::size_t most_names = 8;
constexpr std::uint64_t most_steps = 10'000'000;

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

// letters_apart(a, b, most) returns the edit distance with swaps of adjacent letters; empty if beyond `most`. Only
// cells within `most` of the diagonal are computed. Both texts are at most 2 * most_wanted long.
std::optional<std::size_t> letters_apart(std::string_view a, std::string_view b, std::size_t most,
                                         std::uint64_t& steps) {
    constexpr std::size_t width = 2 * most_wanted + 1;
    const auto far = most + 1;
    std::array<std::array<std::size_t, width>, 3> rows;
    for (auto& row : rows) row.fill(far);
    for (std::size_t at = 0; at <= b.size(); ++at) rows[0][at] = std::min(at, far);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto& row = rows[i % 3];
        const auto& before = rows[(i + 2) % 3];
        const auto& before_that = rows[(i + 1) % 3];
        const auto first = i > most ? i - most : 1, last = std::min(b.size(), i + most);
        row[first - 1] = first == 1 ? std::min(i, far) : far;
        auto least = row[first - 1];
        for (auto j = first; j <= last; ++j) {
            const bool same = a[i - 1] == b[j - 1];
            auto best = std::min({before[j - 1] + (same ? 0 : 1), row[j - 1] + 1, j < i + most ? before[j] + 1 : far});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = std::min(best, before_that[j - 2] + 1);
            row[j] = std::min(best, far);
            least = std::min(least, row[j]);
        }
        if (last < b.size()) row[last + 1] = far;
        steps += last + 1 - std::min(first, last + 1);
        if (least > most) return {};
    }
    const auto result = rows[a.size() % 3][b.size()];
    return result > most ? std::nullopt : std::optional(result);
}

}  // namespace

std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& names) {
    const auto asked = lower(wanted.substr(0, most_wanted));
    if (asked.empty()) return {};
    const auto most = std::clamp<std::size_t>(asked.size() / 3, 1, 8);
    struct Near {
        std::size_t rank, length, index;

        auto operator<=>(const Near&) const = default;
    };
    std::vector<Near> near;
    std::uint64_t steps = 0;
    for (std::size_t index = 0; index < names.size() && steps < most_steps; ++index) {
        const auto& name = names[index];
        constexpr std::size_t longest_searched = 1024;
        const auto begin = lower(std::string_view(name).substr(0, longest_searched));
        steps += begin.size() + 1;
        if (begin == asked) {
            near.push_back({0, name.size(), index});
        } else if (asked.size() > 2 && begin.find(asked) != std::string::npos) {
            near.push_back({1, name.size(), index});
        } else if (begin.size() <= asked.size() + most && asked.size() <= begin.size() + most) {
            if (const auto far = letters_apart(asked, begin, most, steps))
                near.push_back({1 + *far, name.size(), index});
        }
    }
    std::ranges::sort(near);
    std::vector<std::string> result;
    for (const auto& one : near) {
        if (result.size() == most_names) break;
        if (std::ranges::find(result, names[one.index]) == result.end()) result.push_back(names[one.index]);
    }
    return result;
}

std::string name_list(const std::vector<std::string>& names, std::size_t room) {
    constexpr std::string_view more = ", ...";
    std::string text;
    for (std::size_t at = 0; at < names.size(); ++at) {
        auto name = printable(names[at]);
        if (at == 0) {
            if (name.size() > room) name = cut(std::move(name), room > 8 ? room - 3 : 5) + "...";
            text = std::move(name);
            continue;
        }
        const auto rest = at + 1 == names.size() ? 0 : more.size();
        if (text.size() + 2 + name.size() + rest > room) return text + std::string(more);
        text += ", " + name;
    }
    return text;
}

std::size_t message_width() {
    constexpr std::size_t least = 40, usual = 160;
    if (const auto columns = platform::terminal_columns(platform::standard_error)) return std::max(*columns, least);
    std::size_t columns = 0;
    if (const char* told = std::getenv("COLUMNS"); told != nullptr) {
        const std::string_view text = told;
        if (std::from_chars(text.data(), text.data() + text.size(), columns).ec == std::errc{} && columns >= least) {
            return std::min<std::size_t>(columns, 4096);
        }
    }
    return usual;
}

std::string offer(std::string_view what, std::string_view wanted, const std::vector<std::string>& names) {
    auto text = fmt::format("no {} {} in this recording", what, wanted);
    const auto near = near_names(wanted, names);
    if (near.empty()) return text;
    // The text around the list: "perfdata: --symbol: ...; did you mean ...?".
    const auto around = std::string_view("perfdata: --symbol: ; did you mean ?").size() + text.size();
    const auto width = message_width();
    constexpr std::size_t least = 24;
    text += "; did you mean " + name_list(near, width > around + least ? width - around : least) + "?";
    return text;
}

std::vector<std::string> absent_notes(std::string_view option, std::string_view what,
                                      const std::vector<std::string>& wanted, const std::vector<std::string>& names) {
    // Limit the search: it is slow, and a longer list adds nothing.
    constexpr std::size_t most = 10;
    std::vector<std::string> notes;
    std::size_t absent = 0;
    for (const auto& one : wanted) {
        if (std::ranges::find(names, one) != names.end()) continue;
        if (absent++ < most) notes.push_back(fmt::format("{}: {}", option, offer(what, one, names)));
    }
    if (absent > most) {
        notes.push_back(fmt::format("{}: and {} more that this recording does not have", option, absent - most));
    }
    return notes;
}

void note_absent(const Common& common, std::string_view option, std::string_view what,
                 const std::vector<std::string>& wanted, const std::vector<std::string>& names) {
    for (const auto& note : absent_notes(option, what, wanted, names)) complain(common, "note: " + note);
}

}  // namespace perfdata::tool
