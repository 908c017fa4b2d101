// SPDX-License-Identifier: MIT
#include "perfdata/annotate/report/stack_facts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "format/words.hpp"

namespace perfdata {
namespace {

// The longest copy of a stack that perf asks for: the size of a sample has 16 bits. The kernel shortens it by what else
// is in the sample, above all the call chain (perf_sample_ustack_size() in kernel/events/core.c).
constexpr std::uint64_t longest_copy = 65528, else_in_sample = 4096;

std::vector<StackFacts::Object> named(const std::map<ObjectIndex, std::uint64_t>& objects, const Symbolizer& symbolizer,
                                      bool missing) {
    // Several objects may have one name: mappings of one path with different inodes.
    std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> sums;
    for (const auto& [index, stacks] : objects) {
        std::string reason, help;
        if (!missing) {
            if (const auto debug = symbolizer.missing_debug(index)) help = "it " + debug->text();
        } else {
            const auto file = symbolizer.file(index);
            const auto miss = file ? SymbolMiss::outside_file : file.error();
            reason = explain(miss);
            help = remedy(miss);
        }
        sums[{object_of(symbolizer.timeline().tasks().objects()[index]), reason, help}] += stacks;
    }
    std::vector<StackFacts::Object> list;
    for (const auto& [name, stacks] : sums) {
        list.push_back({std::get<0>(name), stacks, std::get<1>(name), std::get<2>(name)});
    }
    std::ranges::stable_sort(list, std::greater{}, &StackFacts::Object::stacks);
    return list;
}

std::string names(const std::vector<StackFacts::Object>& objects) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t at = 0; at < std::min(most, objects.size()); ++at) {
        text += (at == 0 ? "" : ", ") + shown(short_name(objects[at].object));
    }
    return objects.size() > most ? text + ", ..." : text;
}

// Returns what to record next time, after copies of that size whose next frames want so much.
std::string longer_copy(std::uint64_t size, std::uint64_t wanted) {
    if (size == 0 && wanted == 0) return "record with a larger --call-graph dwarf,SIZE";
    const auto next = std::max(2 * size, (wanted + 7) / 8 * 8);
    return fmt::format("record with --call-graph dwarf,{}", std::min(next, longest_copy));
}

}  // namespace

StackFacts StackFacts::of(const UnwoundStacks& counts, const Symbolizer& symbolizer) {
    return {counts, named(counts.without_file(), symbolizer, true),
            named(counts.without_information(), symbolizer, false)};
}

std::vector<std::string> StackFacts::notes() const {
    struct Note {
        std::uint64_t stacks;
        std::string text;
    };
    std::vector<Note> notes;
    const auto all = counts.stacks() + counts.not_unwound();
    const auto add = [&](std::uint64_t stacks, const std::string& what) {
        if (stacks == 0) return;
        const auto share = 100.0 * static_cast<double>(stacks) / static_cast<double>(all);
        notes.push_back({stacks, fmt::format("{} of {} user stacks ({:.2f}%) {}", stacks, all, share, what)});
    };
    add(counts.not_unwound(), "were not unwound");
    std::uint64_t full = 0, most = 0;  // stacks that were copied as far as a sample can hold, and the largest copy
    for (const auto& [size, stacks] : counts.short_copies()) {
        if (size > longest_copy - else_in_sample) {
            full += stacks;
            most = std::max(most, size);
            continue;
        }
        const auto where = size == 0 ? "where their copies end" : fmt::format("at the {} bytes that were copied", size);
        const auto wanted = counts.wanted_copies().find(size);
        const auto bytes = wanted == counts.wanted_copies().end() ? 0 : wanted->second;
        add(stacks, fmt::format("end {}: {}", where, longer_copy(size, bytes)));
    }
    add(full,
        fmt::format("end at the {} bytes that a sample can hold: --call-graph fp or lbr has no such limit", most));
    std::map<std::string_view, std::vector<Object>> by_reason;
    for (const auto& object : without_file) by_reason[object.reason].push_back(object);
    const auto add_objects = [&](std::string_view reason, const std::vector<Object>& objects, std::string_view help) {
        std::uint64_t stacks = 0;
        for (const auto& object : objects) stacks += object.stacks;
        add(stacks, fmt::format("end in {}: {}{}{}", names(objects), reason, help.empty() ? "" : " - ", help));
    };
    for (const auto& [reason, objects] : by_reason) add_objects(reason, objects, objects.front().remedy);
    // An object whose debug file is missing has a note of its own.
    std::uint64_t noted = 0;
    std::vector<Object> others;
    for (const auto& object : without_information) {
        if (object.remedy.empty()) {
            others.push_back(object);
            continue;
        }
        noted += object.stacks;
        add_objects(explain(StackEnd::no_unwind_info), {object}, shown(object.remedy));
    }
    for (const auto end :
         {StackEnd::no_unwind_info, StackEnd::no_mapping, StackEnd::lost_register, StackEnd::damaged,
          StackEnd::no_registers, StackEnd::unsupported, StackEnd::failed_copy, StackEnd::out_of_reach}) {
        const bool named = end == StackEnd::no_unwind_info && !others.empty();
        add(counts.ended(end) - (end == StackEnd::no_unwind_info ? noted : 0),
            fmt::format("end{}: {}{}", named ? " in " + names(others) : "", explain(end),
                        end == StackEnd::out_of_reach ? " - --call-graph fp or lbr has no such limit" : ""));
    }
    std::ranges::stable_sort(notes, std::greater{}, &Note::stacks);
    std::vector<std::string> texts;
    for (auto& note : notes) texts.push_back(std::move(note.text));
    return texts;
}

}  // namespace perfdata
