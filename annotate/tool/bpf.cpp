// SPDX-License-Identifier: MIT
// perfdata bpf: the BPF programs of a recording.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "format/map_ids.hpp"
#include "format/words.hpp"
#include "page/json/json_parts.hpp"
#include "tool.hpp"
#include "tool/options/list_options.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

constexpr CodeClass listed_kinds[] = {CodeClass::bpf};

struct BpfChoice {
    Common common;
    ListChoice list;
};

// ListedLoad is a program with those of its functions that the filter keeps.
struct ListedLoad {
    const BpfLoad* load = nullptr;
    std::vector<CodeIndex> functions;

    std::size_t left_out() const { return load->functions.size() - functions.size(); }
};

// Listed is what the filter keeps.
struct Listed {
    std::vector<ListedLoad> loads;
    std::vector<CodeIndex> others;  // code without a program: trampolines, dispatchers, functions of unknown programs
    ListCounts counts;              // of both

    std::string headline() const { return counts.headline("entries"); }
};

// Keeps the functions of a program that pass, and returns what leaves out all of it: nothing if any is kept.
FilterPart choose_functions(const BpfPrograms& symbols, const ListFilter& filter, ListedLoad& listed) {
    const auto& load = *listed.load;
    if (!filter.has_life(load.loaded_at, load.unloaded_at)) return FilterPart::time;
    auto furthest = CodePart::none;
    for (const auto index : load.functions) {
        const auto part = symbols.left_out(index, 0, filter.code);
        if (part == CodePart::none) listed.functions.push_back(index);
        furthest = std::max(furthest, part);
    }
    // Of a program whose functions were not seen only the id is known.
    if (load.functions.empty()) {
        furthest = filter.code.leaves_out(CodeClass::bpf, fmt::format("[bpf:{}]", load.id.value), {}, 0);
    }
    return listed.functions.empty() ? filter_part(furthest) : FilterPart::none;
}

Listed choose(const BpfPrograms& symbols, const ListFilter& filter) {
    const auto& timeline = symbols.timeline();
    Listed listed;
    for (const auto& load : timeline.loads()) {
        ListedLoad one{&load, {}};
        const auto part = choose_functions(symbols, filter, one);
        listed.counts.add(part);
        if (part == FilterPart::none) listed.loads.push_back(std::move(one));
    }
    for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
        const auto& code = timeline.code()[index];
        if (code.load || code.kind == CodeKind::out_of_line) continue;
        const auto part = filter.has_life(code.from, code.until) ? filter_part(symbols.left_out(index, 0, filter.code))
                                                                 : FilterPart::time;
        listed.counts.add(part);
        if (part == FilterPart::none) listed.others.push_back(index);
    }
    return listed;
}

std::optional<Time> unless(Time time, Time none) {
    return time == none ? std::nullopt : std::optional(time);
}

// Returns "recorded" if the recording has the load's code, else the reason why not.
std::string code_state(const BpfPrograms& symbols, const BpfLoad& load) {
    if (load.functions.empty()) return "no function of it was seen";
    const auto image = symbols.image(load.functions.front());
    return image ? "recorded" : image.error().detail;
}

void write_function(JsonWriter& json, const BpfPrograms& symbols, CodeIndex index) {
    const auto& code = symbols.timeline().code()[index];
    const auto name = symbols.name(index);
    json.begin_object();
    json.name("name", name.name);
    json.name("symbol", code.symbol);
    json.member("subprogram", code.subprogram);
    json.name_or_null("prototype", name.prototype);
    json.member("address", code.range.begin);
    json.member("size", code.range.size);
    json.member("from", unless(code.from, Time{}));
    json.member("until", unless(code.until, Time::forever()));
    json.end_object();
}

void write_load(JsonWriter& json, const BpfPrograms& symbols, const ListedLoad& listed) {
    const auto& load = *listed.load;
    const auto* info = load.info;
    json.begin_object();
    json.member("program_id", load.id.value);
    json.name("program_name", symbols.program_name(load));
    json.member("program_tag", hex(load.tag));
    json.member("program_type", info == nullptr ? std::nullopt : std::optional(program_type(info->type)));
    json.member("btf_id", info == nullptr || info->btf_id == 0 ? std::nullopt : std::optional(info->btf_id));
    json.member("jited_size", info == nullptr ? std::nullopt : std::optional(info->jited_size));
    json.member("xlated_size", info == nullptr ? std::nullopt : std::optional(info->xlated_size));
    json.member("run_count", info == nullptr ? std::nullopt : std::optional(info->run_count));
    json.member("run_time_ns", info == nullptr ? std::nullopt : std::optional(info->run_time_ns));
    json.member("created_by_uid", info == nullptr ? std::nullopt : std::optional(info->created_by_uid));
    write_map_ids(json, info);
    json.member("loaded_at", unless(load.loaded_at, Time{}));
    json.member("unloaded_at", unless(load.unloaded_at, Time::forever()));
    json.member("code", code_state(symbols, load));
    const auto problem = symbols.problem(load);
    json.member("problem", problem ? std::optional(problem->message()) : std::nullopt);
    json.member("subprograms", std::uint64_t{load.function_count()});
    if (listed.left_out() != 0) json.member("functions_left_out", std::uint64_t{listed.left_out()});
    json.key("functions");
    json.begin_array();
    for (const auto index : listed.functions) write_function(json, symbols, index);
    json.end_array();
    json.end_object();
}

void write_json(const Recording& recording, const BpfPrograms& symbols, const Listed& listed, const Sink& sink) {
    JsonWriter json(sink);
    json.begin_object();
    json.member("schema", "perfdata.bpf/1");
    write_recording(json, RecordingFacts::of(recording));
    write_completeness(json, symbols.timeline().completeness(), true);
    write_dropped(json, listed.counts.dropped());
    json.key("programs");
    json.begin_array();
    for (const auto& load : listed.loads) write_load(json, symbols, load);
    json.end_array();
    json.key("others");
    json.begin_array();
    for (const auto index : listed.others) write_function(json, symbols, index);
    json.end_array();
    json.end_object();
    json.finish();
}

std::string there(Time from, Time until) {
    return fmt::format("{} to {}", from == Time{} ? "before the recording" : seconds(from),
                       until == Time::forever() ? "its end" : seconds(until));
}

void write_text(const BpfPrograms& symbols, const Listed& listed, const Sink& sink) {
    const auto& timeline = symbols.timeline();
    std::string text = listed.headline();
    if (!text.empty()) text += "\n\n";
    bool any = false;
    // Write in blocks: prototypes repeat names, so the text may be many times the size of the recording.
    const auto flush = [&](std::size_t held) {
        any = any || !text.empty();
        if (text.size() <= held) return;
        sink(text);
        text.clear();
    };
    constexpr std::size_t block = 1 << 16;
    const auto function = [&](CodeIndex index) {
        const auto& code = timeline.code()[index];
        const auto name = symbols.name(index);
        fmt::format_to(std::back_inserter(text), "  {:>3}  {:>18} {:>6}  {}\n",
                       code.load ? std::to_string(code.subprogram) : std::string(), hex(code.range.begin),
                       code.range.size, shown(name.prototype.empty() ? name.name : name.prototype));
        if (!code.load) {
            fmt::format_to(std::back_inserter(text), "  {:>3}  {:>18} {:>6}  {}\n", "", "", "",
                           there(code.from, code.until));
        }
        flush(block);
    };
    for (const auto& one : listed.loads) {
        const auto& load = *one.load;
        const auto name = symbols.program_name(load);
        fmt::format_to(std::back_inserter(text), "{}  {}  {}  tag {}", load.id.value,
                       name.empty() ? "(no name)" : shown(name),
                       load.info == nullptr ? "unknown type" : program_type(load.info->type), hex(load.tag));
        if (load.info != nullptr && load.info->btf_id != 0) {
            fmt::format_to(std::back_inserter(text), "  BTF {}", load.info->btf_id);
        }
        fmt::format_to(std::back_inserter(text), "\n  there from {}; code: {}\n",
                       there(load.loaded_at, load.unloaded_at), shown(code_state(symbols, load)));
        if (const auto problem = symbols.problem(load)) {
            fmt::format_to(std::back_inserter(text), "  {}\n", shown(problem->message()));
        }
        for (const auto index : one.functions) function(index);
        if (one.left_out() != 0) {
            fmt::format_to(std::back_inserter(text), "  ({} of its functions left out)\n", one.left_out());
        }
        text += '\n';
        flush(block);
    }
    if (!listed.others.empty()) text += "Trampolines, dispatchers and functions of unknown programs\n";
    for (const auto index : listed.others) function(index);
    flush(0);
    if (!any) sink("No BPF programs in this recording.\n");
}

int run(const BpfChoice& choice) {
    const auto& common = choice.common;
    if (!choice.list.can_list("bpf", listed_kinds)) return usage;
    Session session(common);
    if (!session.open()) return failed;
    const auto filter = choice.list.filter(session.recording());
    if (!filter) return session.give_up(filter.error());
    if (!session.read_timeline()) return failed;
    const auto listed = choose(session.bpf(), *filter);
    auto output = session.open_output();
    if (!output) return failed;
    if (common.json) {
        write_json(session.recording(), session.bpf(), listed, output->sink());
    } else {
        write_text(session.bpf(), listed, output->sink());
    }
    if (!session.commit(*output)) return failed;
    const auto completeness = session.completeness();
    session.warn(completeness);
    if (!common.quiet) choice.list.note_absent_names(session.bpf(), false);
    return session.exit_code(completeness);
}

}  // namespace

void add_bpf(CLI::App& app, int& exit) {
    auto* command =
        app.add_subcommand("bpf",
                           "List the BPF programs: functions, prototypes, addresses, life times\n"
                           "\n"
                           "  perfdata bpf                        all of them, in order of loading\n"
                           "  perfdata bpf --time 12,13           those that were there between these times\n"
                           "  perfdata bpf -S step                those with a function of this name");
    auto choice = std::make_shared<BpfChoice>();
    choice->common.add_to(*command);
    choice->list.add_to(*command);
    begin_anew(*command, choice);
    choice->common.on_run(*command, exit, [choice] { return run(*choice); });
}

}  // namespace perfdata::tool
