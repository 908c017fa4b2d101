// SPDX-License-Identifier: MIT
#include "bpf_listed.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <string>
#include <utility>

namespace perfdata::tool {
namespace {

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

}  // namespace

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

ProgramVariables::ProgramVariables(const BpfRecords& records, const BpfPrograms& programs)
    : records_(records), programs_(programs) {
    for (std::size_t index = 0; index < records.variables().size(); ++index) {
        by_symbol_[records.variables()[index].program].push_back(index);
    }
}

// Returns the names by which records may name functions of the program.
std::set<std::string, std::less<>> ProgramVariables::symbols_of(const BpfLoad& load) const {
    std::set<std::string, std::less<>> symbols;
    for (const auto index : load.functions) {
        const auto& code = programs_.timeline().code()[index];
        symbols.emplace(code.symbol);
        // perf has the tag of the function in its name; the kernel's record of a load has the program's.
        if (load.info == nullptr || code.subprogram >= load.info->tags()) continue;
        symbols.insert(fmt::format("bpf_prog_{}_{}", hex(load.info->function_tag(code.subprogram)),
                                   programs_.plain_name(index).name));
    }
    return symbols;
}

ProgramVariables::Found ProgramVariables::of(const BpfLoad& load) const {
    if (by_symbol_.empty()) return {};
    const auto symbols = symbols_of(load);
    Found found;
    for (const auto& symbol : symbols) {
        const auto known = by_symbol_.find(symbol);
        if (known == by_symbol_.end()) continue;
        const auto taken = std::min(known->second.size(), most - found.records.size());
        for (std::size_t index = 0; index < taken; ++index) {
            found.records.push_back(&records_.variables()[known->second[index]]);
        }
        found.more += known->second.size() - taken;
    }
    std::ranges::sort(found.records);
    return found;
}

ProgramVariables::Found ProgramVariables::others() const {
    if (by_symbol_.empty()) return {};
    std::set<std::string_view> owned;
    for (const auto& load : programs_.timeline().loads()) {
        // of() leaves out records beyond its limit; they are the program's all the same.
        for (const auto& symbol : symbols_of(load)) {
            if (const auto known = by_symbol_.find(symbol); known != by_symbol_.end()) owned.insert(known->first);
        }
    }
    Found found;
    for (const auto& one : records_.variables()) {
        if (owned.contains(one.program)) continue;
        if (found.records.size() < most) {
            found.records.push_back(&one);
        } else {
            ++found.more;
        }
    }
    return found;
}

}  // namespace perfdata::tool
