// SPDX-License-Identifier: MIT
#include "list_options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

#include "perfdata/symbols/jit/perf_map.hpp"

#include "format/words.hpp"
#include "near_names.hpp"
#include "option_values.hpp"
#include "sample_options.hpp"
#include "time_choice.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {
namespace {

constexpr auto list_group = "What is listed";

// Near collects names to suggest, each once. Any number of functions may have long names that are parts of each other.
class Near {
  public:
    void add(std::string_view name) {
        constexpr std::size_t most_bytes = std::size_t{1} << 20;
        if (name.empty() || bytes_ + name.size() > most_bytes || !names_.emplace(name).second) return;
        bytes_ += name.size();
    }
    std::vector<std::string> names() const { return {names_.begin(), names_.end()}; }

  private:
    std::set<std::string, std::less<>> names_;
    std::size_t bytes_ = 0;
};

// Removes the names that `known` returns true for.
template <class Known>
std::vector<std::string> without(std::vector<std::string> names, const Known& known) {
    std::erase_if(names, known);
    return names;
}

std::vector<std::string_view> words_of(std::span<const CodeClass> kinds) {
    std::vector<std::string_view> words;
    for (const auto kind : kinds) words.push_back(to_string(kind));
    return words;
}

}  // namespace

bool ListFilter::has_life(Time from, Time until) const {
    if (times.empty()) return true;
    return std::ranges::any_of(times,
                               [&](const TimeRange& range) { return from <= range.until && range.from < until; });
}

FilterPart ListFilter::left_out(const Object& object, std::optional<std::uint32_t> pid) const {
    const auto kind = code_class(object.kind);
    if (!code.takes_kind(kind)) return FilterPart::kind;
    const bool memory = pid && object.kind == ObjectKind::anonymous;
    if (!code.takes_object(object_of(object), kind) &&
        (!memory || !code.takes_object(perf_map_path(*pid), CodeClass::user))) {
        return FilterPart::object;
    }
    return code.symbols.empty() ? FilterPart::none : FilterPart::symbol;
}

std::vector<DroppedSamples> ListCounts::dropped() const {
    std::vector<DroppedSamples> parts;
    for (std::size_t number = 0; number < dropped_.size(); ++number) {
        if (dropped_[number] != 0) parts.push_back({static_cast<FilterPart>(number), dropped_[number]});
    }
    return parts;
}

std::string ListCounts::headline(std::string_view what) const {
    auto line = text(what);
    if (!line.empty()) line.front() = 'F';
    return line;
}

void ListChoice::add_to(CLI::App& command, const char* pid_help) {
    add_time(command, time, "Only what was there at some time of these")->group(list_group);
    if (pid_help != nullptr) add_wholes(command, "--pid", pids, pid_help, Whole::process())->group(list_group);
    add_kinds(command, kinds, "Only this kind of code")->group(list_group);
    add_list(command, "-d,--dso,--dsos", objects, "Only these objects, by name or path; a BPF program is [bpf:ID], too")
        ->group(list_group)
        ->type_name("NAMES");
    add_list(command, "-S,--symbols", symbols, "Only these functions, by the name that report shows")
        ->group(list_group)
        ->type_name("NAMES");
}

bool ListChoice::can_list(std::string_view command, std::span<const CodeClass> listed) const {
    const CodeFilter wanted{parse_kinds(kinds), {}, {}};
    if (std::ranges::any_of(listed, [&](CodeClass kind) { return wanted.takes_kind(kind); })) return true;
    complain(fmt::format("--kind: perfdata {} is about code of kind {}, and none of {}", command,
                         fmt::join(words_of(listed), ", "), fmt::join(kinds, ", ")));
    return false;
}

Result<ListFilter> ListChoice::filter(const Recording& recording) const {
    ListFilter filter;
    auto times = chosen_times(recording, time);
    if (!times) return fail(times.error());
    filter.times = std::move(*times);
    for (const auto pid : pids) filter.pids.insert(static_cast<std::uint32_t>(pid));
    filter.code = {parse_kinds(kinds), objects, symbols};
    return filter;
}

void ListChoice::note_absent_names(const Common& common, const BpfPrograms& programs, bool mappings) const {
    const auto& timeline = programs.timeline();
    const auto code_has = [&](const CodeFilter& name) {
        for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
            if (programs.left_out(index, 0, name) == CodePart::none) return true;
        }
        return false;
    };
    const auto has_object = [&](const std::string& name) {
        const ListFilter filter{{}, {}, {{}, {name}, {}}};
        const auto is_it = [&](const Mapping& mapping) {
            return filter.left_out(timeline.tasks().object(mapping), mapping.pid.value) == FilterPart::none;
        };
        const auto is_load = [&](const BpfLoad& load) { return name == fmt::format("[bpf:{}]", load.id.value); };
        return std::ranges::any_of(timeline.loads(), is_load) || code_has(filter.code) ||
               (mappings && std::ranges::any_of(timeline.tasks().mappings(), is_it));
    };
    const auto has_symbol = [&](const std::string& name) { return code_has({{}, {}, {name}}); };
    if (const auto absent = without(objects, has_object); !absent.empty()) {
        Near near;
        for (const auto& load : timeline.loads()) near.add(fmt::format("[bpf:{}]", load.id.value));
        for (const auto& code : timeline.code()) near.add(object_of(code));
        for (const auto& object : timeline.tasks().objects()) {
            if (mappings) near.add(object_label(object_of(object), code_class(object.kind)));
        }
        note_absent(common, "--dso", "object called", absent, near.names());
    }
    if (const auto absent = without(symbols, has_symbol); !absent.empty()) {
        Near near;
        for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
            near.add(timeline.code()[index].symbol);
            near.add(programs.name(index).name);
        }
        note_absent(common, "--symbols", mappings ? "BPF function or out-of-line code called" : "BPF function called",
                    absent, near.names());
    }
}

}  // namespace perfdata::tool
