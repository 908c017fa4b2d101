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
#include "tool.hpp"
#include "tool/options/name_options.hpp"
#include "tool/options/time_choice.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

struct SymbolsChoice {
    Common common;
    NameChoice names;
    std::string at, address, history;
    std::optional<std::uint32_t> pid;  // -1: no process
};

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
};

Entry entry(const Timeline& timeline, const Code& code) {
    Entry entry{code.range, code.from, code.until, kind_name(code.kind), code.symbol, {}, {}, {}};
    if (code.load) entry.program = timeline.loads()[*code.load].id.value;
    return entry;
}

Entry entry(const Timeline& timeline, const Mapping& mapping, AddressRange range, std::optional<std::uint32_t> pid) {
    const auto& object = timeline.tasks().object(mapping);
    Entry entry{range, mapping.from, Time::forever(), to_string(object.kind), object.path, pid, {}, {}};
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

std::vector<Entry> at_time(const Timeline& timeline, Time time, std::optional<std::uint32_t> pid) {
    std::vector<Entry> entries;
    const auto& tasks = timeline.tasks();
    for (const auto& code : timeline.code()) {
        if (code.from <= time && time < code.until) entries.push_back(entry(timeline, code));
    }
    visible([&](Address address) { return tasks.kernel_mapping_at(address, time); }, tasks.mappings(),
            [&](const Mapping& mapping, AddressRange range) {
                entries.push_back(entry(timeline, mapping, range, std::nullopt));
            });
    if (pid) {
        visible([&](Address address) { return tasks.mapping_at(Pid{*pid}, address, time); }, tasks.mappings(),
                [&](const Mapping& mapping, AddressRange range) {
                    entries.push_back(entry(timeline, mapping, range, pid));
                });
    }
    std::ranges::stable_sort(entries, {}, [](const Entry& e) { return e.range.begin; });
    return entries;
}

std::vector<Entry> history(const Timeline& timeline, Address address, std::optional<std::uint32_t> pid) {
    constexpr Pid kernel{~std::uint32_t{0}};
    std::vector<Entry> entries;
    for (const auto& code : timeline.code()) {
        if (code.range.contains(address)) entries.push_back(entry(timeline, code));
    }
    const auto of = pid ? std::optional(Pid{*pid}) : std::nullopt;
    for (const auto& [mapping, until] : mapping_lives(timeline.tasks(), address, of)) {
        const auto owner = mapping->pid == kernel ? std::nullopt : std::optional(mapping->pid.value);
        entries.push_back(entry(timeline, *mapping, mapping->range, owner));
        entries.back().until = until;
    }
    std::ranges::stable_sort(entries, {}, &Entry::from);
    return entries;
}

// Answer is everything that is written.
struct Answer {
    std::optional<Time> at;
    std::optional<Address> address;
    std::optional<FrameName> name;  // name at `address`
    std::vector<Entry> entries;
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
    Session session(choice.common);
    if (!session.open() || !session.read_timeline()) return failed;
    const auto& timeline = session.timeline();

    Answer answer;
    if (!choice.history.empty()) {
        answer.address = *parse_address(choice.history);
        answer.entries = history(timeline, *answer.address, choice.pid);
    } else {
        answer.at = *parse_time(choice.at);
        answer.entries = at_time(timeline, *answer.at, choice.pid);
        if (!choice.address.empty()) {
            answer.address = *parse_address(choice.address);
            std::erase_if(answer.entries, [&](const Entry& e) { return !e.range.contains(*answer.address); });
            session.open_symbolizer(choice.names);
            if (!session.check_names(choice.names)) return failed;
            const auto& symbolizer = session.symbolizer();
            const auto* jit = symbolizer.jit().empty() ? nullptr : &symbolizer.jit();
            const Moment moment{*answer.at, Pid{choice.pid.value_or(~0u)}, host};
            answer.name = symbolizer.name(frame_at(timeline, jit, moment, *answer.address, CpuMode::unknown));
        }
    }

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
    if (answer.entries.empty()) session.note("the recording knows of nothing there");
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
                           "  perfdata symbols --history A               all that ever was there, and when");
    auto choice = std::make_shared<SymbolsChoice>();
    choice->common.add_to(*command);
    auto* question = command->add_option_group("question")->require_option(1);
    auto* at = question->add_option("--at", choice->at, "A time in seconds, as perf script shows it")
                   ->check(checked(parse_time), "")
                   ->type_name("SECONDS");
    auto* history_option = question->add_option("--history", choice->history, "An address, hexadecimal")
                               ->check(checked(parse_address), "")
                               ->type_name("ADDRESS");
    command->add_option("--address", choice->address, "Only what was at this address, hexadecimal, and its name")
        ->needs(at)
        ->excludes(history_option)
        ->check(checked(parse_address), "")
        ->type_name("ADDRESS");
    add_whole(*command, "--pid", choice->pid, "The mappings of this process, too; with --history: of it only",
              Whole::process());
    choice->names.add_to(*command);
    command->remove_option(command->get_option("--jobs"));  // at most one file is read
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return run(*choice); });
}

}  // namespace perfdata::tool
