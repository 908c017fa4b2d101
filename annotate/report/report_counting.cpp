// SPDX-License-Identifier: MIT
#include "report_counting.hpp"

#include <set>
#include <string_view>

namespace perfdata {
namespace {

// parent_pattern(options) returns the pattern of parents, by default perf's.
NamePattern parent_pattern(const ReportOptions& options) {
    if (options.parent) return *options.parent;
    return NamePattern::parse("^sys_|^do_page_fault").value();
}

}  // namespace

SampleCountOptions count_options(const ReportOptions& options, const Symbolizer& symbolizer) {
    SampleCountOptions counts;
    counts.by_comm = options.has(ReportKey::comm);
    counts.by_pid = options.has(ReportKey::pid);
    counts.by_tid = options.has(ReportKey::tid);
    counts.by_cpu = options.has(ReportKey::cpu);
    counts.by_cgroup = options.has(ReportKey::cgroup);
    if (options.has(ReportKey::trace)) counts.label = options.label;
    const bool parents = options.has(ReportKey::parent);
    counts.chains = options.counts_chains();
    counts.jit = &symbolizer.jit();
    counts.functions = &symbolizer.functions();
    // Without trees, what is inlined matters only to rows of functions: it is in the same object, of the same kind.
    counts.inlines = counts.chains && options.inlines &&
                     (options.has(ReportKey::symbol) || options.tree != ReportTree::none || parents);
    if (parents) {
        counts.parent = [&symbolizer, pattern = parent_pattern(options)](const Frame& frame) {
            const auto name = symbolizer.name(frame).symbol;
            return !name.empty() && pattern.matches(name) ? name : std::string_view();
        };
        counts.outermost_parent =
            options.tree == ReportTree::caller || (options.tree == ReportTree::none && options.children);
    }
    if (options.ignore_callees) {
        counts.ignore_callees = [&symbolizer, pattern = *options.ignore_callees](const Frame& frame) {
            const auto name = symbolizer.name(frame).symbol;
            return !name.empty() && pattern.matches(name);
        };
    }
    counts.by_name = true;  // objects have the names of files that were found, too
    const bool in_tree = options.tree != ReportTree::none && options.tree_key != TreeKey::function;
    if (options.has(ReportKey::line) || in_tree) return counts;
    if (options.has(ReportKey::symbol) || options.has(ReportKey::kind) || options.tree != ReportTree::none || parents ||
        options.ignore_callees || !options.code.symbols.empty() || !options.code.kinds.empty()) {
        counts.fold = [&symbolizer](const Frame& frame) { return symbolizer.function(frame); };
    } else {
        // Only the object matters.
        counts.fold = [](const Frame& frame) { return Frame{0, frame.index, frame.kind, frame.mode}; };
    }
    return counts;
}

std::uint64_t count_cut_names(const SampleCounts& counts, const Symbolizer& symbolizer, const ReportOptions& options) {
    if (!options.has(ReportKey::parent) && !options.ignore_callees) return 0;
    std::set<std::string_view> names;  // log n each
    for (const auto& frame : counts.frames()) {
        const auto name = symbolizer.name(frame).symbol;
        if (name.size() > NamePattern::most_name) names.insert(name);
    }
    return names.size();
}

}  // namespace perfdata
