// SPDX-License-Identifier: MIT
// perfdata symbols: what was mapped at a time, and everything that was ever at an address.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/mapping_lives.hpp"

#include "format/json_writer.hpp"
#include "format/words.hpp"
#include "page/json/json_parts.hpp"
#include "tool.hpp"
#include "tool/options/list_options.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/profile_needs.hpp"
#include "tool/options/time_choice.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

// Memory of a process counts as user code, whatever code was made in it.
constexpr CodeClass symbol_kinds[] = {CodeClass::kernel, CodeClass::module, CodeClass::bpf, CodeClass::out_of_line,
                                      CodeClass::user};

struct SymbolsChoice {
    Common common;
    NameChoice names;
    ListChoice list;
    std::string at, address, history;

    // Returns false if the options contradict each other, and says so: exit code `usage`.
    bool makes_sense() const;
};

bool SymbolsChoice::makes_sense() const {
    if (!at.empty() && !list.time.empty()) {
        complain("--time: --at asks for one moment already; --time chooses among what --history lists");
        return false;
    }
    if (!address.empty() && list.pids.size() > 1) {
        complain("--pid: an address has one name in each process; give one of them with --address");
        return false;
    }
    return list.can_list("symbols", symbol_kinds);
}

Result<Address> parse_address(const std::string& text) {
    std::string_view digits = text;
    if (digits.starts_with("0x")) digits.remove_prefix(2);
    Address address;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), address.value, 16);
    if (problem == std::errc{} && end == digits.data() + digits.size()) return address;
    return fail(ErrorCode::malformed, Error::no_offset, "address",
                "not an address: " + text + "; expected hexadecimal digits such as ffffffffc0025c34");
}

// Entry is something that occupied a range of addresses for a while.
struct Entry {
    AddressRange range;
    Time from, until = Time::forever();
    std::string_view kind, name;  // live as long as the timeline
    std::optional<std::uint32_t> pid, program;
    std::optional<std::uint64_t> file_offset;
    std::optional<CodeIndex> code;
    const Object* object = nullptr;  // of a mapping, else null
};

Entry entry(const Timeline& timeline, CodeIndex index) {
    const auto& code = timeline.code()[index];
    Entry entry{code.range, code.from, code.until, to_string(code_class(code.kind)), code.symbol, {}, {}, {}, index};
    if (code.load) entry.program = timeline.loads()[*code.load].id.value;
    return entry;
}

Entry entry(const Timeline& timeline, const Mapping& mapping, AddressRange range, std::optional<std::uint32_t> pid) {
    const auto& object = timeline.tasks().object(mapping);
    Entry entry{range, mapping.from, Time::forever(), to_string(object.kind), object.path, pid, {}, {}, {}, &object};
    if (pid) entry.file_offset = mapping.offset_of(range.begin);
    return entry;
}

// visible(find, mappings, take) calls take(mapping, range) for the parts of mappings that find(address) returns: those
// that no later mapping covers.
template <class Find, class Take>
void visible(Find&& find, std::span<const Mapping> mappings, Take&& take) {
    std::set<Address> borders;
    for (const auto& mapping : mappings) {
        borders.insert(mapping.range.begin);
        // The end of the address space is not a border.
        if (const auto end = mapping.range.begin + mapping.range.size; end > mapping.range.begin) borders.insert(end);
    }
    const Mapping* current = nullptr;
    Address begin;
    for (const auto border : borders) {
        const Mapping* found = find(border);
        if (found == current) continue;
        if (current != nullptr) take(*current, AddressRange{begin, border - begin});
        current = found;
        begin = border;
    }
    if (current != nullptr) take(*current, AddressRange{begin, current->range.last() - begin + 1});
}

std::vector<Entry> at_time(const Timeline& timeline, Time time, const std::set<std::uint32_t>& pids) {
    std::vector<Entry> entries;
    const auto& tasks = timeline.tasks();
    for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
        const auto& code = timeline.code()[index];
        if (code.from <= time && time < code.until) entries.push_back(entry(timeline, index));
    }
    visible([&](Address address) { return tasks.kernel_mapping_at(address, time); }, tasks.mappings(),
            [&](const Mapping& mapping, AddressRange range) {
                entries.push_back(entry(timeline, mapping, range, std::nullopt));
            });
    for (const auto pid : pids) {
        visible([&](Address address) { return tasks.mapping_at(Pid{pid}, address, time); }, tasks.mappings(),
                [&](const Mapping& mapping, AddressRange range) {
                    entries.push_back(entry(timeline, mapping, range, pid));
                });
    }
    std::ranges::stable_sort(entries, {}, [](const Entry& e) { return e.range.begin; });
    return entries;
}

std::vector<Entry> history(const Timeline& timeline, Address address) {
    constexpr Pid kernel{~std::uint32_t{0}};
    std::vector<Entry> entries;
    for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
        if (timeline.code()[index].range.contains(address)) entries.push_back(entry(timeline, index));
    }
    for (const auto& [mapping, until] : mapping_lives(timeline.tasks(), address)) {
        const auto owner = mapping->pid == kernel ? std::nullopt : std::optional(mapping->pid.value);
        entries.push_back(entry(timeline, *mapping, mapping->range, owner));
        entries.back().until = until;
    }
    std::ranges::stable_sort(entries, {}, &Entry::from);
    return entries;
}

// Returns the first part of the filter that leaves out an entry. What is the kernel's is in every process.
FilterPart left_out(const BpfPrograms& programs, const ListFilter& filter, const Entry& entry) {
    if (!filter.has_life(entry.from, entry.until)) return FilterPart::time;
    if (entry.pid && !filter.pids.empty() && !filter.pids.contains(*entry.pid)) return FilterPart::pid;
    if (entry.code) return filter_part(programs.left_out(*entry.code, 0, filter.code));
    return filter.left_out(*entry.object, entry.pid);
}

// Answer is everything that is written.
struct Answer {
    std::optional<Time> at;
    std::optional<Address> address;
    std::optional<FrameName> name;  // name at `address`
    std::vector<Entry> entries;
    ListCounts counts;

    // Takes out what the filter does not keep.
    void choose(const BpfPrograms& programs, const ListFilter& filter) {
        std::erase_if(entries, [&](const Entry& entry) {
            const auto part = left_out(programs, filter, entry);
            counts.add(part);
            return part != FilterPart::none;
        });
    }
};

void write_json(const Answer& answer, const Sink& sink) {
    JsonWriter json(sink);
    json.begin_object();
    json.member("schema", "perfdata.symbols/1");
    if (answer.at) json.member("at", *answer.at);
    if (answer.address) json.member("address", *answer.address);
    if (answer.name) {
        if (!answer.name->symbol.empty()) json.member("symbol", answer.name->symbol);
        json.member("offset", answer.name->offset);
        if (!answer.name->object.empty()) json.member("object", answer.name->object);
        json.member("kind", to_string(answer.name->kind));
    }
    write_dropped(json, answer.counts.dropped());
    json.key("entries");
    json.begin_array();
    for (const auto& entry : answer.entries) {
        json.begin_object();
        json.member("begin", entry.range.begin);
        json.member("size", entry.range.size);
        // Null: before the recording began, or after it ended.
        json.member("from", entry.from == Time{} ? std::nullopt : std::optional(entry.from));
        json.member("until", entry.until == Time::forever() ? std::nullopt : std::optional(entry.until));
        json.member("kind", entry.kind);
        json.name("name", entry.name);
        if (entry.pid) json.member("pid", signed_id(*entry.pid));
        if (entry.program) json.member("program_id", *entry.program);
        if (entry.file_offset) json.member("file_offset", *entry.file_offset);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.finish();
}

void write_text(const Answer& answer, const Sink& sink) {
    std::string text;
    auto out = std::back_inserter(text);
    if (answer.name) {
        fmt::format_to(out, "{:016x} is ", answer.address->value);
        if (answer.name->symbol.empty()) {
            text += "[unknown]";
        } else {
            fmt::format_to(out, "{}+{:#x}", shown(answer.name->symbol), answer.name->offset);
        }
        fmt::format_to(out, " ({})\n\n", answer.name->object.empty() ? "[unknown]" : shown(answer.name->object));
    }
    if (const auto line = answer.counts.headline("entries"); !line.empty()) fmt::format_to(out, "{}\n\n", line);
    if (!answer.entries.empty()) {
        fmt::format_to(out, "{:>16} {:>12} {:>16} {:>16} {:>7} {:<11} {}\n", "BEGIN", "SIZE", "FROM", "UNTIL", "PID",
                       "KIND", "NAME");
    }
    for (const auto& entry : answer.entries) {
        fmt::format_to(out, "{:016x} {:>#12x} {:>16} {:>16} {:>7} {:<11} {}", entry.range.begin.value, entry.range.size,
                       entry.from == Time{} ? "-" : seconds(entry.from),
                       entry.until == Time::forever() ? "-" : seconds(entry.until),
                       entry.pid ? std::to_string(signed_id(*entry.pid)) : "-", entry.kind, shown(entry.name));
        if (entry.program) fmt::format_to(out, " (program {})", *entry.program);
        if (entry.file_offset) fmt::format_to(out, " +{:#x}", *entry.file_offset);
        text += '\n';
    }
    sink(text);
}

int run(const SymbolsChoice& choice) {
    if (!choice.makes_sense()) return usage;
    Session session(choice.common);
    if (!session.open()) return failed;
    if (refuses_profile(session.recording(), "perfdata symbols", "times and mappings")) return usage;
    const auto filter = choice.list.filter(session.recording());
    if (!filter) return session.give_up(filter.error());
    if (!session.read_timeline()) return failed;
    const auto& timeline = session.timeline();

    Answer answer;
    if (!choice.history.empty()) {
        answer.address = *parse_address(choice.history);
        answer.entries = history(timeline, *answer.address);
    } else {
        answer.at = *parse_time(choice.at);
        answer.entries = at_time(timeline, *answer.at, filter->pids);
        if (!choice.address.empty()) {
            answer.address = *parse_address(choice.address);
            std::erase_if(answer.entries, [&](const Entry& e) { return !e.range.contains(*answer.address); });
            session.open_symbolizer(choice.names);
            if (!session.check_names(choice.names)) return failed;
            const auto& symbolizer = session.symbolizer();
            const auto* jit = symbolizer.jit().empty() ? nullptr : &symbolizer.jit();
            const Pid pid{filter->pids.empty() ? ~0u : *filter->pids.begin()};
            const Moment moment{*answer.at, pid, host};
            answer.name = symbolizer.name(frame_at(timeline, jit, moment, *answer.address, CpuMode::unknown));
        }
    }
    const bool knows = !answer.entries.empty();
    answer.choose(session.bpf(), *filter);

    auto output = session.open_output();
    if (!output) return failed;
    if (choice.common.json) {
        write_json(answer, output->sink());
    } else {
        write_text(answer, output->sink());
    }
    if (!session.commit(*output)) return failed;
    const auto completeness = session.completeness();
    session.warn(completeness);
    if (!knows) session.note("the recording knows of nothing there");
    if (!choice.common.quiet) choice.list.note_absent_names(session.bpf(), true);
    const bool without_processes = answer.at && filter->pids.empty() && filter->code.takes_kind(CodeClass::user);
    if (knows && answer.entries.empty() && without_processes) {
        session.note("mappings of a process are listed with --pid");
    }
    return session.exit_code(completeness);
}

}  // namespace

void add_symbols(CLI::App& app, int& exit) {
    auto* command =
        app.add_subcommand("symbols",
                           "Show what lay where at a time, or everything that ever lay at an address.\n"
                           "\n"
                           "  perfdata symbols --at 12.5                 the kernel, its modules and BPF code then\n"
                           "  perfdata symbols --at 12.5 --pid 42        and the mappings of a process\n"
                           "  perfdata symbols --at 12.5 --address A     what was at an address then\n"
                           "  perfdata symbols --history A               all that ever was there, and when\n"
                           "  perfdata symbols --history A --time 12,13  what of it was there between these times");
    auto choice = std::make_shared<SymbolsChoice>();
    choice->common.add_to(*command);
    auto* question = command->add_option_group("question")->require_option(1);
    auto* at = question->add_option("--at", choice->at, "A time in seconds, as perf script shows it, such as 12.5")
                   ->check(checked(parse_time), "")
                   ->type_name("SECONDS");
    auto* history_option =
        question->add_option("--history", choice->history, "An address, hexadecimal, such as ffffffffc0025c34")
            ->check(checked(parse_address), "")
            ->type_name("ADDRESS");
    command
        ->add_option("--address", choice->address,
                     "Only what was at this address, hexadecimal, such as ffffffffc0025c34, and its name")
        ->needs(at)
        ->excludes(history_option)
        ->check(checked(parse_address), "")
        ->type_name("ADDRESS");
    choice->list.add_to(*command, "The mappings of these processes, too; with --history: of no others");
    choice->names.add_to(*command);
    command->remove_option(command->get_option("--jobs"));  // at most one file is read
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return run(*choice); });
}

}  // namespace perfdata::tool
