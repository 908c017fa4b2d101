// SPDX-License-Identifier: MIT
#include "sample_options.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <optional>
#include <set>

#include "cpu_choice.hpp"
#include "event_choice.hpp"
#include "near_names.hpp"
#include "option_values.hpp"
#include "profile_needs.hpp"
#include "time_choice.hpp"
#include "tool/tool.hpp"
#include "trace/trace_filter.hpp"

namespace perfdata::tool {
namespace {

constexpr auto sample_group = "Which samples";

std::vector<std::string> kind_words() {
    std::vector<std::string> words;
    for (const auto& one : code_classes) {
        if (one.code != CodeClass::unknown) words.emplace_back(one.word);
    }
    words.emplace_back(to_string(CodeClass::unknown));
    return words;
}

// Lists the fields of the events behind the error that there is no such field, similar names first.
Error with_field_names(Error error, const TraceFilter& filter, const TraceFields& fields,
                       const std::vector<std::uint32_t>& events) {
    std::set<std::string> known;
    constexpr std::size_t most = 100'000;  // a file may have any number of events
    for (const auto event : events) {
        const auto* const format = fields.of(event);
        if (format == nullptr || known.size() > most) continue;
        for (const auto& field : format->own()) known.insert(field.name);
        for (const auto& field : format->common()) known.insert(field.name);
    }
    const std::vector<std::string> names(known.begin(), known.end());
    std::vector<std::string> shown;
    for (const auto& comparison : filter.comparisons()) {
        if (known.contains(comparison.field.name)) continue;
        shown = near_names(comparison.field.name, names);
        break;
    }
    if (!shown.empty()) {
        error.detail += "; did you mean " + name_list(shown, message_width()) + "?";
    } else if (!names.empty()) {
        error.detail += "; there are " + name_list(names, 2 * message_width());
    }
    return error;
}

// A cgroup is named by its path, or by its number where the recording does not say the path.
bool is_cgroup(const std::string& wanted, std::uint64_t id, std::string_view path) {
    return wanted == path || wanted == std::to_string(id);
}

// Returns those that no record mentions. Guests number their own; nobody mentions the idle task (0), or nobody (-1).
std::vector<std::string> unknown_numbers(const Tasks& tasks, const std::vector<std::int32_t>& wanted, auto&& knows) {
    std::vector<std::string> unknown;
    if (tasks.has_guests()) return unknown;
    for (const auto number : wanted) {
        if (number > 0 && !knows(static_cast<std::uint32_t>(number))) unknown.push_back(std::to_string(number));
    }
    return unknown;
}

std::optional<std::uint64_t> parse_number(const std::string& text) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size()) return {};
    return number;
}

}  // namespace

void SampleChoice::add_to(CLI::App& command, const char* comm, const char* object) {
    command
        .add_option("-e,--event", events,
                    "Only this event, such as cycles or cycles:u. May be given several times. Default: all events")
        ->allow_extra_args(false)
        ->group(sample_group)
        ->type_name("EVENT");
    add_list(command, comm, comms, "Only threads of these names: ls,cat")->group(sample_group)->type_name("NAMES");
    add_wholes(command, "--pid", pids, "Only these processes: 42,107; -1 is no process", Whole::process())
        ->group(sample_group);
    add_wholes(command, "--tid", tids, "Only these threads: 42,107; -1 is no thread", Whole::thread())
        ->group(sample_group);
    add_list(command, "-C,--cpu", cpus, "Only these CPUs: 0,2-3")
        ->check(each(checked(parse_cpus)), "")
        ->group(sample_group)
        ->type_name("CPUS");
    add_list(command, "--cgroup", cgroups,
             "Only these cgroups, by path or number: /system.slice (perf record --all-cgroups)")
        ->group(sample_group)
        ->type_name("NAMES");
    command
        .add_option("--filter", fields,
                    "Only samples with such fields, as perf record --filter: 'prev_pid == 0 && next_comm ~ \"kw*\"'")
        ->check(checked([](const std::string& text) { return TraceFilter::parse(text); }), "")
        ->group(sample_group)
        ->type_name("EXPRESSION");
    add_time(command, time, "Only samples of these times")->group(sample_group);
    add_kinds(command, kinds, "Only this kind of code")->group(sample_group);
    add_list(command, object, objects, "Only code of these objects, by name or path: libc.so.6,[nf_nat]")
        ->group(sample_group)
        ->type_name("NAMES");
    add_list(command, "-S,--symbols", symbols, "Only samples in these functions, by the name that report shows")
        ->group(sample_group)
        ->type_name("NAMES");
}

Result<SampleFilter> SampleChoice::filter(const Recording& recording) const {
    SampleFilter filter;
    auto chosen = chosen_events(recording, events);
    if (!chosen) return fail(chosen.error());
    filter.events = std::move(*chosen);
    filter.comms.insert(comms.begin(), comms.end());
    for (const auto pid : pids) filter.pids.insert(static_cast<std::uint32_t>(pid));
    for (const auto tid : tids) filter.tids.insert(static_cast<std::uint32_t>(tid));
    auto chosen_by_cpu = chosen_cpus(cpus);
    if (!chosen_by_cpu) return fail(chosen_by_cpu.error());
    filter.cpus = std::move(*chosen_by_cpu);
    auto times = chosen_times(recording, time);
    if (!times) return fail(times.error());
    filter.times = std::move(*times);
    filter.code = code();
    if (auto added = add_fields(filter, recording); !added) return fail(added.error());
    return filter;
}

Result<void> SampleChoice::add_fields(SampleFilter& filter, const Recording& recording) const {
    if (fields.empty()) return {};
    auto parsed = TraceFilter::parse(fields);
    if (!parsed) return fail(parsed.error());
    const auto formats = TraceFields::read(recording);
    const auto& all = recording.events().events();
    auto chosen = filter.events;
    if (chosen.empty()) {
        chosen.resize(all.size());
        std::iota(chosen.begin(), chosen.end(), 0u);
    }
    std::vector<std::string> names;
    std::vector<bool> cpu;
    for (const auto event : chosen) {
        names.push_back(all[event].name);
        cpu.push_back(all[event].attr.has(sample_bit::cpu));
    }
    auto bound = BoundTraceFilter::bind(*parsed, formats, chosen, names, cpu);
    if (!bound && bound.error().code == ErrorCode::missing) {
        return fail(with_field_names(bound.error(), *parsed, formats, chosen));
    }
    if (!bound) return fail(bound.error());
    filter.payload = Shared<const PayloadFilter>(*bound);
    return {};
}

void SampleChoice::add_cgroups(SampleFilter& filter, const Tasks& tasks) const {
    filter.by_cgroup = !cgroups.empty();
    for (const auto& wanted : cgroups) {
        if (const auto number = parse_number(wanted)) filter.cgroups.insert(*number);
        for (const auto& [id, path] : tasks.cgroups()) {
            if (is_cgroup(wanted, id, path)) filter.cgroups.insert(id);
        }
    }
}

CodeFilter SampleChoice::code() const {
    return {parse_kinds(kinds), objects, symbols};
}

// Option is one that add_to() adds, and what a profile file must tell apart for it.
struct SampleChoice::Option {
    const char* name;
    bool given;
    const char* never = nullptr;              // what no profile has, in words
    std::optional<stored::Dimension> kept{};  // what some profiles do not keep
};

std::vector<SampleChoice::Option> SampleChoice::options() const {
    using stored::Dimension;
    return {{"--event", !events.empty()},
            {"--comm", !comms.empty(), nullptr, Dimension::comm},
            {"--pid", !pids.empty(), nullptr, Dimension::pid},
            {"--tid", !tids.empty(), nullptr, Dimension::tid},
            {"--cpu", !cpus.empty(), nullptr, Dimension::cpu},
            {"--cgroup", !cgroups.empty(), nullptr, Dimension::cgroup},
            {"--filter", !fields.empty(), "fields of samples"},
            {"--time", !time.empty(), "times of samples"},
            {"--kind", !kinds.empty()},
            {"--dso", !objects.empty(), nullptr, Dimension::object},
            {"--symbols", !symbols.empty(), nullptr, Dimension::symbol}};
}

std::vector<std::string> SampleChoice::given() const {
    std::vector<std::string> names;
    for (const auto& option : options()) {
        if (option.given) names.emplace_back(option.name);
    }
    return names;
}

std::string SampleChoice::chosen_samples() const {
    auto names = given();
    std::erase_if(names,
                  [](std::string_view name) { return name == "--kind" || name == "--dso" || name == "--symbols"; });
    return names.empty() ? "samples" : fmt::format("samples that {} chose", fmt::join(names, ", "));
}

bool SampleChoice::suits(const Common& common, const Recording& recording) const {
    ProfileNeeds needs(common, recording);
    for (const auto& option : options()) {
        if (option.never != nullptr) needs.never(option.given, option.name, option.never);
        if (option.kept) needs.kept(option.given, option.name, *option.kept);
    }
    return needs.met();
}

bool SampleChoice::can_tell(const Common& common, const Recording& recording, const SampleFilter& filter) const {
    const auto told = [&](std::uint64_t bit) { return events_have(recording, filter.events, bit); };
    const auto* const bound = dynamic_cast<const BoundTraceFilter*>(filter.payload.get());
    const bool lacks_cpu = !cpus.empty() && !told(sample_bit::cpu);
    if (lacks_cpu || (bound != nullptr && bound->lacks_cpu())) {
        complain(common,
                 fmt::format("{}: the samples of this recording do not say their CPU; record with -a or --sample-cpu",
                             lacks_cpu ? "--cpu" : "--filter"));
        return false;
    }
    if (!cgroups.empty() && !told(sample_bit::cgroup)) {
        complain(common, "--cgroup: the samples of this recording do not say their cgroup; record with --all-cgroups");
        return false;
    }
    return true;
}

void SampleChoice::note_absent_tasks(const Common& common, const Timeline& timeline) const {
    const auto& tasks = timeline.tasks();
    note_absent(common, "--comm", "thread called", comms, tasks.comms());
    note_absent(common, "--pid", "record of process",
                unknown_numbers(tasks, pids, [&](std::uint32_t pid) { return tasks.knows(Pid{pid}, Time::forever()); }),
                {});
    note_absent(
        common, "--tid", "record of thread",
        unknown_numbers(tasks, tids,
                        [&](std::uint32_t tid) { return tasks.thread_at(Tid{tid}, Time::forever()) != nullptr; }),
        {});
    if (cgroups.empty()) return;
    std::vector<std::string> unknown, known;
    for (const auto& [id, path] : timeline.tasks().cgroups()) known.push_back(path);
    for (const auto& wanted : cgroups) {
        const auto is_known = [&](const auto& one) { return is_cgroup(wanted, one.first, one.second); };
        if (std::ranges::none_of(timeline.tasks().cgroups(), is_known) && !parse_number(wanted)) {
            unknown.push_back(wanted);
        }
    }
    note_absent(common, "--cgroup", "cgroup", unknown, known);
}

void SampleChoice::note_lacking_fields(const Common& common, const Recording& recording,
                                       const SampleFilter& filter) const {
    const auto* const bound = dynamic_cast<const BoundTraceFilter*>(filter.payload.get());
    if (bound == nullptr) return;
    std::vector<std::string> lacking;
    for (const auto& one : bound->lacking()) {
        const auto& event = recording.events().events()[one.event].name;
        lacking.push_back(one.problem.empty() ? fmt::format("{} has no {}", event, one.field)
                                              : fmt::format("{} of {} {}", one.field, event, one.problem));
    }
    if (lacking.empty()) return;
    constexpr std::string_view begin = "note: --filter: ";
    const auto width = message_width();
    complain(common, fmt::format("{}{}", begin,
                                 name_list(lacking, width > begin.size() + 20 ? width - begin.size() - 10 : width)));
}

std::vector<CodeClass> parse_kinds(const std::vector<std::string>& words) {
    std::vector<CodeClass> kinds;
    for (const auto& one : code_classes) {
        if (std::ranges::find(words, one.word) != words.end()) kinds.push_back(one.code);
    }
    return kinds;
}

CLI::Option* add_kinds(CLI::App& command, std::vector<std::string>& kinds, const char* help) {
    const auto text = fmt::format("{}, or of several: bpf,jit. kernel takes modules as well", help);
    return add_list(command, "--kind", kinds, text.c_str())->check(some_of(kind_words()))->type_name("KINDS");
}

CLI::Option* add_time(CLI::App& command, std::string& time, const char* help) {
    const auto text = fmt::format(
        "{}, in seconds, both ends included: START,END or START, or ,END; several with spaces between; or parts of "
        "the "
        "recording: 10%-20%, 10%/2",
        help);
    return command.add_option("--time", time, text)->check(checked(TimeChoice::parse), "")->type_name("TIMES");
}

}  // namespace perfdata::tool
