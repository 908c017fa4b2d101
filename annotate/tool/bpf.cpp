// SPDX-License-Identifier: MIT
// perfdata bpf: the BPF programs of a recording.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "format/map_ids.hpp"
#include "format/words.hpp"
#include "page/json/json_parts.hpp"
#include "tool.hpp"
#include "tool/session.hpp"

namespace perfdata::tool {
namespace {

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

void write_load(JsonWriter& json, const BpfPrograms& symbols, const BpfLoad& load) {
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
    json.key("functions");
    json.begin_array();
    for (const auto index : load.functions) write_function(json, symbols, index);
    json.end_array();
    json.end_object();
}

void write_json(const Recording& recording, const BpfPrograms& symbols, const Sink& sink) {
    const auto& timeline = symbols.timeline();
    JsonWriter json(sink);
    json.begin_object();
    json.member("schema", "perfdata.bpf/1");
    write_recording(json, RecordingFacts::of(recording));
    write_completeness(json, timeline.completeness(), true);
    json.key("programs");
    json.begin_array();
    for (const auto& load : timeline.loads()) write_load(json, symbols, load);
    json.end_array();
    // Code without a program: trampolines, dispatchers, and functions of unknown programs.
    json.key("others");
    json.begin_array();
    for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
        const auto& code = timeline.code()[index];
        if (!code.load && code.kind != CodeKind::out_of_line) write_function(json, symbols, index);
    }
    json.end_array();
    json.end_object();
    json.finish();
}

std::string there(Time from, Time until) {
    return fmt::format("{} to {}", from == Time{} ? "before the recording" : seconds(from),
                       until == Time::forever() ? "its end" : seconds(until));
}

void write_text(const BpfPrograms& symbols, const Sink& sink) {
    const auto& timeline = symbols.timeline();
    std::string text;
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
    for (const auto& load : timeline.loads()) {
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
        for (const auto index : load.functions) function(index);
        text += '\n';
        flush(block);
    }
    bool titled = false;
    for (CodeIndex index = 0; index < timeline.code().size(); ++index) {
        const auto& code = timeline.code()[index];
        if (code.load || code.kind == CodeKind::out_of_line) continue;
        if (!titled) text += "Trampolines, dispatchers and functions of unknown programs\n";
        titled = true;
        function(index);
    }
    flush(0);
    if (!any) sink("No BPF programs in this recording.\n");
}

int run(const Common& common) {
    Session session(common);
    if (!session.open() || !session.read_timeline()) return failed;
    auto output = session.open_output();
    if (!output) return failed;
    if (common.json) {
        write_json(session.recording(), session.bpf(), output->sink());
    } else {
        write_text(session.bpf(), output->sink());
    }
    if (!session.commit(*output)) return failed;
    const auto completeness = session.completeness();
    session.warn(completeness);
    return session.exit_code(completeness);
}

}  // namespace

void add_bpf(CLI::App& app, int& exit) {
    auto* command = app.add_subcommand("bpf", "List the BPF programs: functions, prototypes, addresses, life times");
    auto common = std::make_shared<Common>();
    common->add_to(*command);
    begin_anew(*command, common);
    common->on_run(*command, exit, [common] { return run(*common); });
}

}  // namespace perfdata::tool
