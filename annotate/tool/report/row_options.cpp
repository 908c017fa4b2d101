// SPDX-License-Identifier: MIT
#include "row_options.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "tool/options/option_values.hpp"

namespace perfdata::tool {
namespace {

constexpr std::array<std::string_view, 4> number_fields{"overhead", "overhead_children", "sample", "period"};

Error wrong(std::string_view option, std::string detail) {
    return {ErrorCode::malformed, Error::no_offset, std::string(option), std::move(detail)};
}

// Returns the words of --sort for the keys.
std::vector<std::string> words_of(const std::vector<ReportKey>& keys) {
    std::vector<std::string> words;
    for (const auto key : keys) words.emplace_back(perfdata::words_of(key).word);
    return words;
}

std::string key_help() {
    std::string text = "What tells rows apart";
    for (const auto& one : report_keys()) {
        text += fmt::format("{} {}", &one == &report_keys().front() ? ":" : ",", one.word);
        if (!one.note.empty()) text += fmt::format(" ({})", one.note);
    }
    text += ", trace:FIELD or EVENT.FIELD (of a tracepoint), trace_fields";
    return fmt::format("{}. Default: {}", text, fmt::join(words_of(ReportOptions().keys), ","));
}

std::string known_keys() {
    std::string known;
    for (const auto& one : report_keys()) {
        const bool last = &one == &report_keys().back();
        known += fmt::format("{}{}", known.empty() ? "" : last ? " and " : ", ", one.word);
    }
    return known + ", and by fields of tracepoints: trace:FIELD";
}

// key_of(word) returns nothing if it is no key.
std::optional<ReportKey> key_of(const std::string& word) {
    if (const auto key = report_key(word)) return key;
    return TraceKey::parse(word) ? std::optional(ReportKey::trace) : std::nullopt;
}

Result<ReportKey> parse_key(const std::string& word) {
    if (const auto key = key_of(word)) return *key;
    return fail(wrong("--sort", fmt::format("cannot sort by {}; by {}", word, known_keys())));
}

Result<std::string> parse_field(const std::string& word) {
    if (key_of(word) || std::ranges::find(number_fields, word) != number_fields.end()) return word;
    return fail(wrong("--fields", fmt::format("there is no column {}; there are {}, {}", word,
                                              fmt::join(number_fields, ", "), known_keys())));
}

}  // namespace

void RowChoice::add_to(CLI::App& command) {
    const auto sort_help = key_help();
    add_list(command, "-s,--sort", keys, sort_help.c_str())->check(each(checked(parse_key)), "")->type_name("KEYS");
    add_list(command, "-F,--fields", fields,
             "Columns, as perf spells them: overhead, overhead_children, sample, period, and keys of --sort, which "
             "then tell rows apart: overhead,sample,symbol. Numbers stand in front. Default: overhead and the keys")
        ->check(each(checked(parse_field)), "")
        ->type_name("FIELDS");
    auto* children_flag = command.add_flag("--children", children,
                                           "Rows count what they called as well: the default if there are call chains");
    command.add_flag("--no-children", no_children, "Rows count samples in themselves only")->excludes(children_flag);
    command.add_flag("-n,--show-nr-samples", hits, "A column of samples");
    command.add_flag("--show-total-period", periods, "A column of periods");
}

std::vector<ReportKey> RowChoice::chosen_keys() const {
    std::vector<ReportKey> chosen;
    for (const auto* words : {&fields, &keys}) {
        for (const auto& word : *words) {
            const auto key = key_of(word);
            if (key && std::ranges::find(chosen, *key) == chosen.end()) chosen.push_back(*key);
        }
    }
    return chosen.empty() ? ReportOptions().keys : chosen;
}

bool RowChoice::chooses_keys() const {
    return !keys.empty() ||
           std::ranges::any_of(fields, [](const std::string& word) { return key_of(word).has_value(); });
}

std::vector<TraceKey> RowChoice::trace_keys() const {
    std::vector<TraceKey> chosen;
    for (const auto* words : {&fields, &keys}) {
        for (const auto& word : *words) {
            const auto key = TraceKey::parse(word);
            if (key && std::ranges::find(chosen, *key) == chosen.end()) chosen.push_back(*key);
        }
    }
    return chosen;
}

bool RowChoice::has_field(const std::string& word) const {
    return std::ranges::find(fields, word) != fields.end();
}

}  // namespace perfdata::tool
