// SPDX-License-Identifier: MIT
#include "graph_options.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>

#include "tool/options/option_values.hpp"

namespace perfdata::tool {
namespace {

std::unexpected<Error> wrong(ErrorCode code, std::string detail) {
    return fail(code, Error::no_offset, "--call-graph", std::move(detail));
}

// GraphWord is a word of -g and what it sets.
struct GraphWord {
    std::string_view word;
    void (*set)(Graph&);
};

// In perf's order: an abbreviation means the first that it fits.
constexpr std::array<GraphWord, 13> graph_words{{
    {"none", [](Graph& graph) { graph.tree = ReportTree::none; }},
    {"graph", [](Graph& graph) { graph.style = TreeStyle::graph; }},
    {"flat", [](Graph& graph) { graph.style = TreeStyle::flat; }},
    {"fractal", [](Graph& graph) { graph.style = TreeStyle::fractal; }},
    {"folded", [](Graph& graph) { graph.style = TreeStyle::folded; }},
    {"caller", [](Graph& graph) { graph.tree = ReportTree::caller; }},
    {"callee", [](Graph& graph) { graph.tree = ReportTree::callee; }},
    {"function", [](Graph& graph) { graph.key = TreeKey::function; }},
    {"address", [](Graph& graph) { graph.key = TreeKey::address; }},
    {"srcline", [](Graph& graph) { graph.key = TreeKey::line; }},
    {"percent", [](Graph& graph) { graph.value = TreeValue::percent; }},
    {"period", [](Graph& graph) { graph.value = TreeValue::period; }},
    {"count", [](Graph& graph) { graph.value = TreeValue::count; }},
}};

const GraphWord* find_word(std::string_view text) {
    const auto* const found =
        std::ranges::find_if(graph_words, [&](const GraphWord& one) { return one.word.starts_with(text); });
    return found == graph_words.end() ? nullptr : found;
}

// Reads the numbers: first the least percentage, then how many entries to print.
Result<void> take_number(Graph& graph, const std::string& word) {
    const auto number = parse_decimal(word);
    if (!number) {
        return wrong(
            ErrorCode::malformed,
            fmt::format("{}: expected graph, fractal, flat, folded or none; caller or callee; function, address or "
                        "srcline; percent, period or count; the least percentage, and how many entries to print: "
                        "caller,0.5,20",
                        word));
    }
    if (!graph.limit) {
        if (*number < 0 || *number > 100) {
            return wrong(ErrorCode::malformed,
                         fmt::format("{}: the least percentage of a branch is a number from 0 to 100", word));
        }
        graph.limit = *number;
        return {};
    }
    constexpr std::int64_t most = 1'000'000'000;
    const auto entries = Whole{0, most, "how many entries to print, or 0 for all"}.parse(word);
    if (graph.entries) return wrong(ErrorCode::malformed, fmt::format("{}: one number too many", word));
    if (!entries) return wrong(ErrorCode::malformed, entries.error().detail);
    graph.entries = static_cast<std::uint32_t>(*entries);
    return {};
}

Result<NamePattern> parse_pattern(const std::string& text) {
    if (text.empty()) return fail(ErrorCode::malformed, Error::no_offset, {}, "the regular expression is empty");
    return NamePattern::parse(text);
}

}  // namespace

Result<Graph> Graph::parse(const std::string& text) {
    Graph graph;
    for (const auto& word : parts(text)) {
        if (word.empty()) continue;  // as in perf
        if (const auto* known = find_word(word)) {
            known->set(graph);
            // As in perf: nothing behind it counts.
            if (graph.tree == ReportTree::none) return graph;
            continue;
        }
        if (std::string_view("branch").starts_with(word)) {
            return wrong(ErrorCode::unsupported, fmt::format("{}: branch stacks are not made a part of call chains; "
                                                             "`perfdata annotate --calls` shows what they tell",
                                                             word));
        }
        std::error_code none;
        if (!parse_decimal(word) && std::filesystem::exists(text, none)) {
            return wrong(ErrorCode::malformed,
                         fmt::format("{} is a file; write the recording before -g, or a word behind "
                                     "it: -g caller {}",
                                     text, text));
        }
        if (auto taken = take_number(graph, word); !taken) return fail(std::move(taken.error()));
    }
    return graph;
}

void GraphChoice::add_to(CLI::App& command) {
    command
        .add_option("-g,--call-graph", graph,
                    "Trees, as perf spells them, in any order: graph (shares of all samples), fractal (of what is\n"
                    "above), flat or folded (chains); caller (what a row called), callee (who called it) or none;\n"
                    "nodes are told apart by function, address or srcline; percent, period or count; the least\n"
                    "percentage of a branch, then how many entries to print (0: all). Default: graph,0.5,0,\n"
                    "function,percent, and caller if rows count what they called, else callee")
        ->expected(0, 1)
        ->check(checked(Graph::parse), "")
        ->type_name("TREES");
    command.add_flag("-G,--inverted", inverted, "Trees of what rows called, as with -g caller");
    command.add_flag("--no-call-graph", none, "The same as -g none")->excludes("--call-graph")->excludes("--inverted");
    add_whole(command, "--max-stack", max_stack,
              "Only so many frames of a chain, innermost first; inlined functions do not count (default 127)",
              {1, deepest_stack, "a number from 1 to 1024 (default 127)"});
    command
        .add_option("-p,--parent", parent,
                    "Tell samples apart by which of these functions called them, as --sort parent does. A POSIX\n"
                    "extended regular expression. Default: ^sys_|^do_page_fault")
        ->check(checked(parse_pattern), "")
        ->type_name("REGEX");
    command.add_flag("-x,--exclude-other", exclude_other, "Only samples that have such a parent");
    command
        .add_option("--ignore-callees", ignore_callees,
                    "Functions that match count what they called as their own; callers of each come to one place")
        ->check(checked(parse_pattern), "")
        ->type_name("REGEX");
}

std::string GraphChoice::check(const std::vector<ReportKey>& keys) const {
    if (!exclude_other || !parent.empty() || std::ranges::find(keys, ReportKey::parent) != keys.end()) return {};
    return "--exclude-other: say which parents are meant, by --parent REGEX or --sort parent";
}

Graph GraphChoice::chosen_graph() const {
    auto chosen = Graph::parse(graph).value_or(Graph{});
    if (none) chosen.tree = ReportTree::none;
    // As in perf, it counts more than -g callee.
    if (inverted && chosen.tree != ReportTree::none) chosen.tree = ReportTree::caller;
    return chosen;
}

void GraphChoice::choose(ReportOptions& options) const {
    const auto chosen = chosen_graph();
    options.tree_style = chosen.style.value_or(options.tree_style);
    options.tree_key = chosen.key.value_or(options.tree_key);
    options.tree_value = chosen.value.value_or(options.tree_value);
    options.tree_limit = chosen.limit.value_or(options.tree_limit);
    options.tree_entries = chosen.entries.value_or(options.tree_entries);
    options.exclude_other = exclude_other;
    if (!parent.empty()) {
        options.parent = NamePattern::parse(parent).value();
        // As in perf: a pattern of one's own makes a column.
        if (!options.has(ReportKey::parent)) options.keys.push_back(ReportKey::parent);
    }
    if (!ignore_callees.empty()) options.ignore_callees = NamePattern::parse(ignore_callees).value();
}

}  // namespace perfdata::tool
