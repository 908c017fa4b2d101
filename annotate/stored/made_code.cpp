// SPDX-License-Identifier: MIT
#include "made_code.hpp"

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/wire/feature/bpf_prog_info.hpp"

namespace perfdata {
namespace {

std::uint64_t tag_number(const BpfTag& tag) {
    std::uint64_t number = 0;
    for (const auto byte : tag) number = number << 8 | static_cast<std::uint64_t>(byte);
    return number;
}

}  // namespace

stored::Ref<stored::Code> MadeCode::of(CodeIndex index) {
    const auto [entry, is_new] = codes_.try_emplace(index);
    if (!is_new) return entry->second;
    const auto& code = making_.symbolizer.timeline().code()[index];
    stored::Code row;
    row.from = code.from.nanoseconds;
    row.until = code.until.nanoseconds;
    row.address = code.range.begin.value;
    row.kind = code.kind;
    row.symbol = making_.text(code.symbol);
    if (code.load) row.load = load(*code.load);
    row.subprogram = code.subprogram;
    row.size = code.range.size;
    const auto name = making_.symbolizer.bpf().name(index);
    row.name = making_.text(name.name);
    row.program = making_.text(name.program);
    row.prototype = making_.text(name.prototype);
    return entry->second = append_row(making_.model.codes, row);
}

stored::Ref<stored::Load> MadeCode::load(std::uint32_t index) {
    const auto [entry, is_new] = loads_.try_emplace(index);
    if (!is_new) return entry->second;
    const auto& load = making_.symbolizer.timeline().loads()[index];
    const auto& programs = making_.symbolizer.bpf();
    stored::Load row;
    row.loaded_at = load.loaded_at.nanoseconds;
    row.unloaded_at = load.unloaded_at.nanoseconds;
    row.tag = tag_number(load.tag);
    row.program_name = making_.text(programs.program_name(load));
    row.id = load.id.value;
    row.symbol_name = making_.text(load.symbol_name);
    row.functions = static_cast<std::uint32_t>(load.function_count());
    row.info = info(load);
    if (const auto problem = programs.problem(load)) {
        row.problem.push_back(making_.problem(*problem, BpfPrograms::is_loss(*problem)));
    }
    return entry->second = append_row(making_.model.loads, std::move(row));
}

// Its arrays are as long as the section of the recording allows.
stored::LoadInfo MadeCode::info(const BpfLoad& load) {
    stored::LoadInfo row;
    if (load.info == nullptr) return row;
    const auto& from = *load.info;
    row.known = true;
    row.type = from.type;
    row.jited_size = from.jited_size;
    row.xlated_size = from.xlated_size;
    row.created_by_uid = from.created_by_uid;
    row.btf_id = from.btf_id;
    row.map_count = from.map_count;
    row.load_time = from.load_time;
    row.run_time_ns = from.run_time_ns;
    row.run_count = from.run_count;
    row.recursion_misses = from.recursion_misses;
    row.verified_instructions = from.verified_instructions;
    row.attach_btf_object_id = from.attach_btf_object_id;
    row.attach_btf_id = from.attach_btf_id;
    row.name = making_.text(from.name);
    const auto maps = from.map_ids();
    for (std::size_t at = 0; at < maps.size(); ++at) row.map_ids.push_back(maps[at]);
    for (std::size_t at = 0; at < from.tags(); ++at) row.function_tags.push_back(tag_number(from.function_tag(at)));
    return row;
}

}  // namespace perfdata
