// SPDX-License-Identifier: MIT
#include "stat_programs.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/symbols/bpf/btf.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

// Options of perf stat whose value may be the next word; stat_options in tools/perf/builtin-stat.c of perf 6.1 to 6.12.
constexpr std::string_view stat_short_with_value = "bepCtrxGoIDM";
constexpr std::string_view stat_long_with_value[] = {
    "bpf-prog", "event",       "filter",          "pid",     "tid",      "cpu",     "repeat",
    "cgroup",   "output",      "field-separator", "log-fd",  "pre",      "post",    "interval-print",
    "timeout",  "delay",       "interval-count",  "metrics", "td-level", "cputype", "for-each-cgroup",
    "control",  "bpf-attr-map"};
constexpr std::string_view stat_own_option = "bpf-prog";

// Returns which of these options a word without its dashes and value means; empty if none. perf takes the beginning of
// a name if it is that of no other option. It took this command line, so of those with values only one can be meant.
std::string_view stat_option_with_value(std::string_view name) {
    if (name.empty()) return {};
    std::string_view begun;
    for (const auto option : stat_long_with_value) {
        if (option == name) return option;
        if (!option.starts_with(name)) continue;
        if (!begun.empty()) return {};
        begun = option;
    }
    return begun;
}

// Reads a number as strtoul() does with base 10, and cuts it to 32 bits, as perf does. Removes it from the text.
std::uint32_t take_program_id(std::string_view& text) {
    constexpr std::string_view blanks = " \t\n\v\f\r";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (problem == std::errc::result_out_of_range) return std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(negative ? 0 - number : number);
}

// Reads "42,43"; nothing if perf refuses it: an id is a number other than 0 and 2^32-1. Follows
// bpf_program_profiler__load in tools/perf/util/bpf_counter.c: strtok_r() skips empty items.
std::vector<std::uint32_t> read_program_ids(std::string_view list) {
    std::vector<std::uint32_t> ids;
    std::set<std::uint32_t> seen;
    for (;;) {
        list.remove_prefix(std::min(list.find_first_not_of(','), list.size()));
        if (list.empty()) return ids;
        const auto id = take_program_id(list);
        if (id == 0 || id == std::numeric_limits<std::uint32_t>::max()) return {};
        if (!list.empty() && !list.starts_with(',')) return {};
        if (seen.insert(id).second) ids.push_back(id);
    }
}

// Finds the first option that takes a value in a word of short options such as "-ab42". Returns its letter and the rest
// of the word; nothing without one, or if anything before it is no letter: perf refuses that.
std::optional<std::pair<char, std::string_view>> stat_value_in(std::string_view word) {
    const auto at = word.find_first_of(stat_short_with_value, 1);
    if (at == std::string_view::npos) return {};
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (!std::ranges::all_of(word.substr(1, at - 1), is_letter)) return {};
    return std::pair(word[at], word.substr(at + 1));
}

std::string stat_program_in_text(const StatProgram& program) {
    return printable(InLine(program.name));
}

StatProgram named_stat_program(const BpfFeatures& features, std::map<std::uint32_t, std::optional<Btf>>& types,
                               const Recording& recording, std::uint32_t id, DiagnosticLog& problems) {
    StatProgram program{id, {}, StatNamedBy::nobody};
    const auto* info = features.program(ProgramId{id});
    if (info == nullptr) return program;
    if (info->btf_id != 0 && info->functions() != 0) {
        const auto [found, added] = types.try_emplace(info->btf_id);
        if (const auto* blob = added ? features.btf(info->btf_id) : nullptr) {
            auto parsed = Btf::parse(*blob, recording.order());
            if (!parsed) {
                problems.add(parsed.error());
            } else {
                if (const auto& problem = parsed->problem()) problems.add(*problem);
                found->second.emplace(std::move(*parsed));
            }
        }
        if (found->second) program.name = found->second->function_name(info->function_info(0).type_id);
        if (!program.name.empty()) {
            program.named_by = StatNamedBy::btf;
            return program;
        }
    }
    program.name = info->name;
    if (!program.name.empty()) program.named_by = StatNamedBy::kernel;
    return program;
}

}  // namespace

Result<std::vector<std::uint32_t>> counted_program_ids(std::span<const std::string> command_line) {
    // The path of perf comes first; its own options are not recorded.
    if (command_line.size() < 2 || command_line[1] != "stat") return {};
    const auto words = command_line.subspan(2);
    std::optional<std::string_view> list;
    bool records = false;
    for (auto word = words.begin(); word != words.end(); ++word) {
        const std::string_view text = *word;
        if (text == "--") break;
        constexpr std::size_t least_of_record = 3;
        if (!records && text.size() >= least_of_record && std::string_view("record").starts_with(text)) {
            records = true;
            continue;
        }
        if (text.size() < 2 || text.front() != '-') break;  // the command
        const auto next = [&] { return ++word == words.end() ? std::string_view() : std::string_view(*word); };
        if (text.starts_with("--")) {
            const auto equals = text.find('=');
            const auto option = stat_option_with_value(text.substr(0, equals).substr(2));
            if (option.empty()) continue;
            const auto value = equals == std::string_view::npos ? next() : text.substr(equals + 1);
            if (option == stat_own_option) list = value;
        } else if (const auto found = stat_value_in(text)) {
            const auto value = found->second.empty() ? next() : found->second;
            if (found->first == 'b') list = value;
        }
        if (word == words.end()) break;
    }
    if (!list) return {};
    auto ids = read_program_ids(*list);
    if (!ids.empty()) return ids;
    constexpr std::size_t shown = 100;
    return fail(ErrorCode::malformed, Error::no_offset, "feature CMDLINE",
                "it names no BPF programs that are understood here: -b " +
                    printable(cut(std::string(list->substr(0, shown)), shown)));
}

Result<void> find_counted_programs(const Recording& recording, StatReading& reading, DiagnosticLog& problems,
                                   const StopToken& stop) {
    auto found = counted_program_ids(recording.command_line());
    if (!found) {
        problems.add(found.error());
        return {};
    }
    auto& ids = *found;
    if (ids.empty()) return {};
    auto& facts = reading.facts;
    if (ids.size() > most_stat_programs) {
        facts.more_programs = ids.size() - most_stat_programs;
        ids.resize(most_stat_programs);
    }
    const auto features = BpfFeatures::read(recording);
    problems.append(features.diagnostics());
    std::map<std::uint32_t, std::optional<Btf>> types;  // at most one for each program
    for (const auto id : ids) {
        if (stop.stop_requested()) {
            return fail(ErrorCode::cancelled, Error::no_offset, "names of BPF programs", "asked to stop");
        }
        facts.programs.push_back(named_stat_program(features, types, recording, id, problems));
    }
    return {};
}

std::string stat_programs_text(const StatFacts& facts) {
    if (facts.programs.empty()) return {};
    const bool one = facts.programs.size() == 1 && facts.more_programs == 0;
    std::string text = one ? "counted in BPF program" : "counted in BPF programs, all together:";
    const auto* separator = " ";
    for (const auto& program : facts.programs) {
        text += separator + std::to_string(program.id);
        separator = ", ";
        switch (program.named_by) {
            case StatNamedBy::nobody: text += " (the command line's id; no name in the recording)"; break;
            case StatNamedBy::kernel: text += " " + stat_program_in_text(program) + " (the kernel's name)"; break;
            case StatNamedBy::btf: text += " " + stat_program_in_text(program) + " (named by BTF)"; break;
        }
    }
    if (facts.more_programs != 0) text += " and " + std::to_string(facts.more_programs) + " more";
    return text;
}

}  // namespace perfdata
