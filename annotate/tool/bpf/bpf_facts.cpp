// SPDX-License-Identifier: MIT
#include "bpf_facts.hpp"

#include <fmt/format.h>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "format/map_ids.hpp"
#include "format/words.hpp"

namespace perfdata::tool {
namespace {

// Names that are repeated for every program: any number of programs may share a long one.
constexpr std::size_t most_of_name = 160;

std::string brief(std::string_view name) {
    return std::string(InLine(name, InLine::Keep::beginning, most_of_name));
}

std::string how_often(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The kernel counts only while kernel.bpf_stats_enabled is set, and does not say whether it was.
std::string runs_text(const BpfProgramInfo& info) {
    if (info.run_count == 0 && info.run_time_ns == 0) return "no runs counted";
    auto text = fmt::format("ran {}, {} ns in all", how_often(info.run_count, "time", "times"), info.run_time_ns);
    if (info.recursion_misses != 0) text += fmt::format(", {} skipped", info.recursion_misses);
    return text;
}

std::string verified_text(const BpfProgramInfo& info) {
    if (info.verified_instructions == 0) return "verified instructions: not in the recording";
    return how_often(info.verified_instructions, "instruction verified", "instructions verified");
}

std::string maps_text(const BpfProgramInfo& info) {
    if (info.map_count == 0) return "no maps";
    const auto count = how_often(info.map_count, "map", "maps");
    const auto ids = map_ids_text(info, "id", "ids");
    const std::string_view one = info.map_count == 1 ? "id and name" : "ids and names";
    if (ids.empty()) return fmt::format("{} ({}: not in the recording)", count, one);
    return fmt::format("{} ({}; {}: not in the recording)", count, ids, info.map_count == 1 ? "name" : "names");
}

std::string declared_text(const Btf* types) {
    if (types == nullptr || types->declared_maps().empty()) return {};
    std::string text = "  its source declares the maps";
    for (const auto name : types->declared_maps()) text += ' ' + printable(brief(name));
    return text + '\n';
}

// Returns what is between the quotes of a C string, as perf prints one; other values, and strings that are cut off, as
// they are.
std::string_view variable_value(std::string_view value) {
    const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    return quoted ? value.substr(1, value.size() - 2) : value;
}

std::string function_text(std::string_view function) {
    return function.empty() ? "(name: not in the recording)" : printable(brief(function));
}

// Returns what a list of links leaves out. Answer is a BpfAttachment or a BpfTrampoline.
template <class Answer>
std::string links_left_text(const Answer& answer) {
    std::string text;
    if (answer.more != 0) text += fmt::format(" and {} more", answer.more);
    if (answer.not_searched != 0) text += fmt::format(" ({} not searched)", answer.not_searched);
    return text;
}

template <class Answer>
void write_links_left(JsonWriter& json, const std::string& links, const Answer& answer) {
    if (answer.more != 0) json.member(links + "_left_out", std::uint64_t{answer.more});
    if (answer.not_searched != 0) json.member(links + "_not_searched", std::uint64_t{answer.not_searched});
}

std::string attachment_text(const BpfView& view, const BpfLoad& load) {
    const auto attachment = view.links.attachment(load);
    if (!attachment) return {};
    auto text = fmt::format("  for BTF type {} of {} {}", attachment->btf_id,
                            attachment->btf_object == 0 ? std::string("an object that the kernel did not name")
                                                        : fmt::format("BTF object {}", attachment->btf_object),
                            function_text(attachment->function));
    const auto* separator = ", called by ";
    // One that was registered again, as programs came and went, has several lives: JSON tells them apart.
    std::set<std::pair<Address, std::string_view>> told;  // at most BpfLinks::most
    for (const auto& link : attachment->trampolines) {
        const auto& code = view.timeline().code()[link.index];
        if (!told.emplace(code.range.begin, code.symbol).second) continue;
        text += fmt::format("{}{}{} at {}", separator, link.certain ? "" : "perhaps ", printable(brief(code.symbol)),
                            hex(code.range.begin));
        separator = ", ";
    }
    return text + links_left_text(*attachment) + '\n';
}

template <class T>
std::optional<T> of_info(const BpfProgramInfo* info, T BpfProgramInfo::*member) {
    return info == nullptr ? std::nullopt : std::optional(info->*member);
}

void write_attachment(JsonWriter& json, const BpfView& view, const BpfLoad& load) {
    json.key("attached_to");
    const auto attachment = view.links.attachment(load);
    if (!attachment) return json.null();
    json.begin_object();
    json.member("btf_object_id", attachment->btf_object == 0 ? std::nullopt : std::optional(attachment->btf_object));
    json.member("btf_id", attachment->btf_id);
    json.name_or_null("function", brief(attachment->function));
    json.key("trampolines");
    json.begin_array();
    for (const auto& link : attachment->trampolines) {
        const auto& code = view.timeline().code()[link.index];
        json.begin_object();
        json.member("symbol", brief(code.symbol));
        json.member("address", code.range.begin);
        json.member("from", unless(code.from, Time{}));
        json.member("certain", link.certain);
        json.end_object();
    }
    json.end_array();
    write_links_left(json, "trampolines", *attachment);
    json.end_object();
}

}  // namespace

std::string code_state(const BpfPrograms& symbols, const BpfLoad& load) {
    if (load.functions.empty()) return "no function of it was seen";
    const auto image = symbols.image(load.functions.front());
    return image ? "recorded" : image.error().detail;
}

std::string facts_text(const BpfView& view, const BpfLoad& load) {
    std::string text;
    if (load.info == nullptr) {
        text = "  runs, verified instructions, maps: not in the recording\n";
    } else {
        text = fmt::format("  {}; {}; {}\n", runs_text(*load.info), verified_text(*load.info), maps_text(*load.info));
        text += declared_text(view.programs.btf(load));
        text += attachment_text(view, load);
    }
    return text + variables_text(view.variables.of(load));
}

std::string variables_text(const ProgramVariables::Found& found) {
    std::string text;
    std::size_t written = 0, left_out = found.more;
    for (const auto* record : found.records) {
        for (const auto& [key, value] : record->entries) {
            if (written == ProgramVariables::most) {
                ++left_out;
                continue;
            }
            ++written;
            fmt::format_to(std::back_inserter(text), "  metadata {} = {}\n", shown(key), shown(variable_value(value)));
        }
    }
    if (left_out != 0) text += fmt::format("  ({} more variables or records of them left out)\n", left_out);
    return text;
}

std::string image_text(const BpfView& view, CodeIndex index) {
    const auto symbol = view.timeline().code()[index].symbol;
    if (const auto dispatcher = parse_bpf_dispatcher(symbol); !dispatcher.empty()) {
        return fmt::format("dispatcher of {} programs; which: not in the recording", shown(dispatcher));
    }
    const auto trampoline = view.links.trampoline(index);
    if (!trampoline) return {};
    const auto& key = trampoline->key;
    auto text = fmt::format("trampoline of BTF type {} of {} {} {}", key.btf_id, key.program ? "program" : "BTF object",
                            key.object, function_text(trampoline->function));
    const auto* separator = "; calls ";
    for (const auto& link : trampoline->programs) {
        const auto& load = view.timeline().loads()[link.index];
        text += fmt::format("{}{}{} {}", separator, link.certain ? "" : "perhaps ", load.id.value,
                            printable(brief(view.programs.program_name(load))));
        separator = ", ";
    }
    if (trampoline->programs.empty()) text += "; its programs: not in the recording";
    return text + links_left_text(*trampoline);
}

void write_variables(JsonWriter& json, std::string_view name, const ProgramVariables::Found& found) {
    json.key(name);
    json.begin_array();
    std::size_t written = 0, left_out = found.more;
    for (const auto* record : found.records) {
        for (const auto& [key, value] : record->entries) {
            if (written == ProgramVariables::most) {
                ++left_out;
                continue;
            }
            ++written;
            json.begin_object();
            json.name("symbol", record->program);
            json.name("key", key);
            json.name("value", variable_value(value));
            json.end_object();
        }
    }
    json.end_array();
    if (left_out != 0) json.member(std::string(name) + "_left_out", std::uint64_t{left_out});
}

void write_facts(JsonWriter& json, const BpfView& view, const BpfLoad& load) {
    const auto* info = load.info;
    json.member("run_count", of_info(info, &BpfProgramInfo::run_count));
    json.member("run_time_ns", of_info(info, &BpfProgramInfo::run_time_ns));
    json.member("recursion_misses", of_info(info, &BpfProgramInfo::recursion_misses));
    const bool verified = info != nullptr && info->verified_instructions != 0;
    json.member("verified_instructions", verified ? std::optional(info->verified_instructions) : std::nullopt);
    json.member("created_by_uid", of_info(info, &BpfProgramInfo::created_by_uid));
    json.member("map_count", of_info(info, &BpfProgramInfo::map_count));
    write_map_ids(json, info);
    json.member("map_names", std::optional<bool>());
    const auto* types = view.programs.btf(load);
    if (types == nullptr) {
        json.member("declared_maps", std::optional<bool>());
    } else {
        json.array("declared_maps", types->declared_maps(), brief);
    }
    json.member("attach_type", std::optional<bool>());
    write_attachment(json, view, load);
    const bool xlated = info != nullptr && !info->array(BpfArray::xlated_insns).bytes.empty();
    json.member("xlated_code", xlated ? std::optional(std::string_view("recorded")) : std::nullopt);
    write_variables(json, "metadata", view.variables.of(load));
}

void write_image(JsonWriter& json, const BpfView& view, CodeIndex index) {
    const auto symbol = view.timeline().code()[index].symbol;
    const auto dispatcher = parse_bpf_dispatcher(symbol);
    if (!dispatcher.empty()) json.name("dispatcher", dispatcher);
    const auto trampoline = view.links.trampoline(index);
    if (!trampoline) return;
    const auto& key = trampoline->key;
    json.key("trampoline");
    json.begin_object();
    json.member("btf_object_id", key.program ? std::nullopt : std::optional(key.object));
    json.member("program_id", key.program ? std::optional(key.object) : std::nullopt);
    json.member("btf_id", key.btf_id);
    json.name_or_null("function", brief(trampoline->function));
    json.key("programs");
    json.begin_array();
    for (const auto& link : trampoline->programs) {
        const auto& load = view.timeline().loads()[link.index];
        json.begin_object();
        json.member("program_id", load.id.value);
        json.member("loaded_at", unless(load.loaded_at, Time{}));
        json.member("certain", link.certain);
        json.end_object();
    }
    json.end_array();
    write_links_left(json, "programs", *trampoline);
    json.end_object();
}

}  // namespace perfdata::tool
