// SPDX-License-Identifier: MIT
#include "diff_options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "tool/options/option_values.hpp"

namespace perfdata::tool {
namespace {

constexpr auto side_group = "Several recordings on a side";

struct ComputeWord {
    DiffCompute compute = DiffCompute::delta_abs;
    double old_weight = 1, new_weight = 1;
};

Result<ComputeWord> parse_compute(const std::string& text) {
    const auto wrong = [&](std::string_view why) {
        return fail(ErrorCode::malformed, Error::no_offset, "--compute", fmt::format("{}: {}", text, why));
    };
    for (const auto one : {DiffCompute::delta, DiffCompute::delta_abs, DiffCompute::ratio}) {
        if (text == to_string(one)) return ComputeWord{one, 1, 1};
    }
    constexpr std::string_view begin = "wdiff";
    if (!text.starts_with(begin)) return wrong("expected one of delta, delta-abs, ratio, wdiff:W1,W2");
    const auto weights = parts(text.substr(std::min(text.size(), begin.size() + 1)));
    const auto old_weight = parse_decimal(weights.front()), new_weight = parse_decimal(weights.back());
    if (text.size() <= begin.size() || text[begin.size()] != ':' || weights.size() != 2 || !old_weight || !new_weight) {
        return wrong("wdiff needs two weights, of the old and of the new side: wdiff:1,2");
    }
    return ComputeWord{DiffCompute::wdiff, *old_weight, *new_weight};
}

}  // namespace

void DiffChoice::add_to(CLI::App& command) {
    command.add_option("OLD", first, "The recording to compare with (default perf.data.old; - is standard input)");
    command.add_option("NEW", second,
                       "The recording that is compared (default perf.data); a single argument is this one, as in perf");
    const auto add_side = [&](const char* name, std::vector<std::string>& files, const char* help) {
        command.add_option(name, files, help)->type_name("RECORDINGS")->group(side_group);
    };
    add_side("--old", old_files, "The recordings to compare with: several runs of one program");
    add_side("--new", new_files, "The recordings that are compared: several runs of the changed one");
    command
        .add_option("-c,--compute", compute,
                    "The number that orders functions: delta-abs (the default: how far the share moved), delta, ratio "
                    "(new / old), or wdiff:W1,W2 (W2 x new - W1 x old)")
        ->check(checked(parse_compute), "")
        ->type_name("WORD");
    command
        .add_option("--normalize", normalize,
                    "What makes recordings comparable: periods (the default: the part of the event's periods), samples "
                    "(the part of its samples), time (samples per second), the name of an event (periods per period of "
                    "that), or none (periods as they are)")
        ->type_name("WORD");
    command
        .add_option("--fail-if", conditions,
                    "Exit with 4 if a function meets this, such as 'delta > 5% symbol = hot_* noise = no'. All of it "
                    "must hold; given several times, one of them. Fields: delta, delta-abs, ratio, wdiff, old, new, "
                    "samples, p, symbol, object, kind, event, change, code, noise")
        ->check(checked([](const std::string& text) { return DiffCondition::parse(text); }), "")
        ->allow_extra_args(false)
        ->type_name("CONDITION");
}

std::string DiffChoice::contradiction() const {
    if (old_files.empty() != new_files.empty()) {
        return fmt::format("--{} is missing: both sides are named, --old A... --new B...",
                           old_files.empty() ? "old" : "new");
    }
    if (!old_files.empty() && !first.empty()) {
        return fmt::format("{}: recordings are named either by --old and --new, or as OLD NEW", first);
    }
    auto all = old_side();
    const auto others = new_side();
    all.insert(all.end(), others.begin(), others.end());
    if (std::ranges::count(all, "-") > 1) return "-: standard input can be read only once";
    return {};
}

std::vector<std::string> DiffChoice::old_side() const {
    if (!old_files.empty()) return old_files;
    return {second.empty() ? "perf.data.old" : first};
}

std::vector<std::string> DiffChoice::new_side() const {
    if (!new_files.empty()) return new_files;
    return {!second.empty() ? second : !first.empty() ? first : "perf.data"};
}

void DiffChoice::choose(DiffOptions& options) const {
    const auto word = parse_compute(compute).value_or(ComputeWord());
    options.compute = word.compute;
    options.old_weight = word.old_weight;
    options.new_weight = word.new_weight;
    options.normalize = DiffNormalize::event;
    for (const auto one : {DiffNormalize::periods, DiffNormalize::samples, DiffNormalize::time, DiffNormalize::none}) {
        if (normalize == to_string(one)) options.normalize = one;
    }
    if (options.normalize == DiffNormalize::event) options.per_event = normalize;
    for (const auto& text : conditions) {
        if (auto condition = DiffCondition::parse(text)) options.conditions.push_back(std::move(*condition));
    }
}

}  // namespace perfdata::tool
