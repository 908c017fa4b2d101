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
    "--bpf-prog", "--event",  "--filter",          "--pid",     "--tid",      "--cpu",     "--repeat",
    "--cgroup",   "--output", "--field-separator", "--log-fd",  "--pre",      "--post",    "--interval-print",
    "--timeout",  "--delay",  "--interval-count",  "--metrics", "--td-level", "--cputype", "--for-each-cgroup",
    "--control"};

bool is_stat_option_with_value(std::string_view word) {
    return std::ranges::find(stat_long_with_value, word) != std::end(stat_long_with_value);
}

// Reads "42,43"; nothing if perf refuses it: an id is a number above 0 and below 2^32-1.
std::vector<std::uint32_t> read_program_ids(std::string_view list) {
    std::vector<std::uint32_t> ids;
    std::set<std::uint32_t> seen;
    for (;;) {
        std::uint32_t id = 0;
        const auto [end, problem] = std::from_chars(list.data(), list.data() + list.size(), id);
        if (problem != std::errc{} || id == 0 || id == std::numeric_limits<std::uint32_t>::max()) return {};
        if (seen.insert(id).second) ids.push_back(id);
        list.remove_prefix(static_cast<std::size_t>(end - list.data()));
        if (list.empty()) return ids;
        if (!list.starts_with(',')) return {};
        list.remove_prefix(1);
    }
}

// Returns where a value begins in a word of short options such as "-ab42", and of which option; empty if none takes
// one.
std::optional<std::pair<char, std::string_view>> stat_value_in(std::string_view word) {
    const auto at = word.find_first_of(stat_short_with_value, 1);
    if (at == std::string_view::npos) return {};
    return std::pair(word[at], word.substr(at + 1));
}

std::string stat_program_in_text(const StatProgram& program) {
    return printable(InLine(program.name));
}

StatProgram named_stat_program(const BpfFeatures& features, std::map<std::uint32_t, std::optional<Btf>>& types,
                               const Recording& recording, std::uint32_t id) {
    StatProgram program{id, {}, StatNamedBy::nobody};
    const auto* info = features.program(ProgramId{id});
    if (info == nullptr) return program;
    if (info->btf_id != 0 && info->functions() != 0) {
        const auto [found, added] = types.try_emplace(info->btf_id);
        if (const auto* blob = added ? features.btf(info->btf_id) : nullptr) {
            if (auto parsed = Btf::parse(*blob, recording.order())) found->second.emplace(std::move(*parsed));
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

std::vector<std::uint32_t> counted_program_ids(std::span<const std::string> command_line) {
    auto word = std::ranges::find(command_line, "stat");
    std::string_view list;
    if (word == command_line.end()) return {};
    for (++word; word != command_line.end(); ++word) {
        const std::string_view text = *word;
        if (text == "--") break;
        if (text == "record") continue;
        if (text.size() < 2 || text.front() != '-') break;  // the command
        const auto next = [&] { return ++word == command_line.end() ? std::string_view() : std::string_view(*word); };
        if (text.starts_with("--")) {
            constexpr std::string_view own = "--bpf-prog=";
            if (text == own.substr(0, own.size() - 1)) {
                list = next();
            } else if (text.starts_with(own)) {
                list = text.substr(own.size());
            } else if (is_stat_option_with_value(text)) {
                next();
            }
        } else if (const auto found = stat_value_in(text)) {
            const auto value = found->second.empty() ? next() : found->second;
            if (found->first == 'b') list = value;
        }
        if (word == command_line.end()) break;
    }
    return list.empty() ? std::vector<std::uint32_t>() : read_program_ids(list);
}

Result<void> find_counted_programs(const Recording& recording, StatReading& reading, const StopToken& stop) {
    auto ids = counted_program_ids(recording.command_line());
    if (ids.empty()) return {};
    auto& facts = reading.facts;
    if (ids.size() > most_stat_programs) {
        facts.more_programs = ids.size() - most_stat_programs;
        ids.resize(most_stat_programs);
    }
    const auto features = BpfFeatures::read(recording);
    reading.completeness.diagnostics.append(features.diagnostics());
    std::map<std::uint32_t, std::optional<Btf>> types;  // at most one for each program
    for (const auto id : ids) {
        if (stop.stop_requested()) {
            return fail(ErrorCode::cancelled, Error::no_offset, "names of BPF programs", "asked to stop");
        }
        facts.programs.push_back(named_stat_program(features, types, recording, id));
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
