// SPDX-License-Identifier: MIT
#include "csv_tables.hpp"

#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/wire/feature/bpf_prog_info.hpp"

#include "csv_writer.hpp"
#include "format/words.hpp"
#include "stack_room.hpp"

namespace perfdata {
namespace {

// Lines, columns and BTF ids begin with 1.
std::optional<std::uint64_t> unless_zero(std::uint32_t number) {
    return number == 0 ? std::nullopt : std::optional<std::uint64_t>(number);
}

void csv_samples(const Exported& exported, CsvWriter& csv) {
    csv.header({"sample_id", "time", "event_id", "event", "command", "pid", "tid", "stack_id", "hits", "periods"});
    std::vector<std::string> events, commands;
    for (const auto& event : exported.events)
        events.push_back(csv_text(InLine(event.name, InLine::Keep::beginning, 128)));
    for (const auto& task : exported.tasks) commands.push_back(csv_text(task.comm));
    std::uint64_t number = 0;
    for (const auto& sample : exported.samples) {
        const auto& task = exported.tasks[sample.task];
        csv.number(number++);
        if (sample.nanoseconds != 0) {
            csv.seconds(sample.nanoseconds);
        } else {
            csv.field({});
        }
        csv.number(std::uint64_t{exported.events[sample.column].index}).field(events[sample.column]);
        csv.field(commands[sample.task]);
        if (task.further) {
            csv.field({}).field({});
        } else {
            csv.signed_number(signed_id(task.pid.value)).signed_number(signed_id(task.tid.value));
        }
        csv.number(std::uint64_t{sample.node}).number(std::uint64_t{1}).number(sample.periods).end_row();
    }
}

// Costs a row for each frame of each stack, as stacks in text do; no memory but a bit for each node.
std::uint64_t csv_stacks(const Exported& exported, CsvWriter& csv) {
    csv.header({"stack_id", "depth", "frame_id"});
    std::vector<bool> sampled(exported.nodes.size());
    for (const auto& row : exported.rows) sampled[row.node] = true;
    StackRoom room(exported);
    for (std::uint32_t stack = 0; stack < sampled.size(); ++stack) {
        if (!sampled[stack]) continue;
        std::uint64_t depth = 0;
        room.begin_stack();
        for (auto node = stack; node != ExportNode::none && room.take(); node = exported.nodes[node].caller) {
            csv.number(std::uint64_t{stack}).number(depth++).number(std::uint64_t{exported.nodes[node].place});
            csv.end_row();
        }
    }
    return room.cut();
}

void csv_frames(const Exported& exported, CsvWriter& csv) {
    csv.header({"frame_id", "function_id", "object_id", "address", "inlined", "file", "line", "column"});
    std::uint64_t number = 0;
    for (const auto& place : exported.places) {
        csv.number(number++).number(std::uint64_t{place.function}).number(std::uint64_t{place.object});
        csv.address(place.address).truth(place.inlined).text(place.file);
        csv.number(unless_zero(place.line)).number(unless_zero(place.column)).end_row();
    }
}

void csv_functions(const Exported& exported, CsvWriter& csv) {
    csv.header({"function_id", "name", "symbol", "kind", "object_id", "file", "line"});
    std::uint64_t number = 0;
    for (const auto& function : exported.functions) {
        csv.number(number++).text(function.name).text(function.symbol).field(to_string(function.kind));
        csv.number(std::uint64_t{function.object}).text(function.file).number(unless_zero(function.line)).end_row();
    }
}

// An object has the load of its id, name and tag: the first, if an id came again with the same program.
void csv_objects(const Exported& exported, const Symbolizer& symbolizer, CsvWriter& csv) {
    std::map<std::pair<std::string, std::string>, std::uint64_t> loads;  // by path and build id
    std::uint64_t load_number = 0;
    for (const auto& load : symbolizer.timeline().loads()) {
        auto path = fmt::format("[bpf:{}:{}]", load.id.value, symbolizer.bpf().program_name(load));
        loads.try_emplace({std::move(path), hex(load.tag)}, load_number++);
    }
    csv.header({"object_id", "path", "kind", "build_id", "load_id"});
    std::uint64_t number = 0;
    for (const auto& object : exported.objects) {
        csv.number(number++).text(object.path).field(to_string(object.kind)).text(object.build_id);
        const auto load = object.kind == CodeClass::bpf ? loads.find({object.path, object.build_id}) : loads.end();
        csv.number(load == loads.end() ? std::nullopt : std::optional(load->second)).end_row();
    }
}

void csv_loads(const Symbolizer& symbolizer, CsvWriter& csv) {
    csv.header({"load_id", "program_id", "program_name", "program_tag", "program_type", "loaded_at", "unloaded_at",
                "subprograms", "jited_size", "xlated_size", "btf_id", "created_by_uid", "map_count", "run_count",
                "run_time_ns"});
    std::uint64_t number = 0;
    for (const auto& load : symbolizer.timeline().loads()) {
        const auto* info = load.info;
        csv.number(number++).number(std::uint64_t{load.id.value});
        csv.text(symbolizer.bpf().program_name(load)).field(hex(load.tag));
        csv.field(info == nullptr ? std::string() : csv_text(program_type(info->type)));
        load.loaded_at == Time{} ? csv.field({}) : csv.seconds(load.loaded_at.nanoseconds);
        load.unloaded_at == Time::forever() ? csv.field({}) : csv.seconds(load.unloaded_at.nanoseconds);
        csv.number(std::uint64_t{load.function_count()});
        const auto known = [&](auto BpfProgramInfo::*member) {
            csv.number(info == nullptr ? std::nullopt : std::optional<std::uint64_t>(info->*member));
        };
        known(&BpfProgramInfo::jited_size);
        known(&BpfProgramInfo::xlated_size);
        csv.number(info == nullptr ? std::nullopt : unless_zero(info->btf_id));
        known(&BpfProgramInfo::created_by_uid);
        known(&BpfProgramInfo::map_count);
        known(&BpfProgramInfo::run_count);
        known(&BpfProgramInfo::run_time_ns);
        csv.end_row();
    }
}

}  // namespace

std::optional<CsvTable> csv_table(std::string_view name) {
    for (const auto& one : csv_tables) {
        if (one.name == name) return one.table;
    }
    return {};
}

std::uint64_t write_csv_table(const Exported& exported, const Symbolizer& symbolizer, CsvTable table,
                              const Sink& sink) {
    CsvWriter csv(sink);
    std::uint64_t cut = 0;
    switch (table) {
        case CsvTable::samples: csv_samples(exported, csv); break;
        case CsvTable::stacks: cut = csv_stacks(exported, csv); break;
        case CsvTable::frames: csv_frames(exported, csv); break;
        case CsvTable::functions: csv_functions(exported, csv); break;
        case CsvTable::objects: csv_objects(exported, symbolizer, csv); break;
        case CsvTable::loads: csv_loads(symbolizer, csv); break;
    }
    csv.finish();
    return cut;
}

}  // namespace perfdata
