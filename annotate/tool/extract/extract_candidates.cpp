// SPDX-License-Identifier: MIT
#include "extract_candidates.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "format/words.hpp"
#include "tool/options/near_names.hpp"
#include "tool/tool.hpp"

namespace perfdata::tool {
namespace {

bool means_program(const ExtractNames& names, const BpfPrograms& symbols, const BpfLoad& load) {
    return names.program.empty() || names.program == std::to_string(load.id.value) ||
           names.program == symbols.program_name(load);
}

// means_function(...) compares a BTF name, a kernel symbol, or PROGRAM/SUBPROGRAM by name or number, as annotate
// does.
bool means_function(const ExtractNames& names, const BpfPrograms& symbols, const BpfLoad& load, CodeIndex index) {
    const auto& code = symbols.timeline().code()[index];
    const auto name = symbols.plain_name(index);
    const std::string_view wanted = names.symbol;
    if (wanted == name.name || wanted == code.symbol) return true;
    const auto slash = wanted.find('/');
    if (slash == std::string_view::npos) return false;
    const auto program = wanted.substr(0, slash), function = wanted.substr(slash + 1);
    return (program == name.program || program == std::to_string(load.id.value)) &&
           (function == name.name || function == std::to_string(code.subprogram));
}

// Damaged recordings may repeat a subprogram or an address. Keep the last one.
std::vector<CodeIndex> each_once(const Timeline& timeline, const BpfLoad& load) {
    std::map<std::uint32_t, CodeIndex> last;
    std::map<Address, CodeIndex> last_there;
    const auto& code = timeline.code();
    for (const auto index : load.functions) {
        last[code[index].subprogram] = index;
        last_there[code[index].range.begin] = index;
    }
    auto functions = load.functions;
    std::erase_if(functions, [&](CodeIndex index) {
        return last[code[index].subprogram] != index || last_there[code[index].range.begin] != index;
    });
    return functions;
}

void find_programs(const ExtractNames& names, const BpfPrograms& symbols, std::vector<Candidate>& candidates) {
    const auto& timeline = symbols.timeline();
    for (const auto& load : timeline.loads()) {
        if (!means_program(names, symbols, load) || load.functions.empty()) continue;
        const auto add = [&](std::string name, std::vector<CodeIndex> functions) {
            const auto& first = timeline.code()[functions.front()];
            candidates.push_back({std::move(name), first.range, first.from, first.until, load.id.value,
                                  std::move(functions), nullptr, nullptr, 0});
        };
        const std::string program(symbols.program_name(load));
        if (names.symbol.empty()) {
            add(program, each_once(timeline, load));
            continue;
        }
        for (const auto index : load.functions) {
            if (means_function(names, symbols, load, index))
                add(program + "/" + std::string(symbols.plain_name(index).name), {index});
        }
    }
}

void find_jit(const ExtractNames& names, const JitCodes& jit, std::vector<Candidate>& candidates) {
    if (!names.program.empty()) return;
    std::uint32_t index = 0;
    for (const auto& code : jit.codes()) {
        for (const auto& function : code->functions()) {
            const auto number = index++;
            if (function.name != names.symbol) continue;
            candidates.push_back(
                {{}, function.range, function.from, function.until, {}, {}, &function, code.get(), number});
        }
    }
}

FilterPart jit_left_out(const Symbolizer& symbolizer, const ListFilter& filter, const Candidate& candidate) {
    // The times of a dump without a clock to compare it by are its own: perhaps it was there.
    const bool timed = candidate.jit_code->timed();
    if (timed && !filter.has_life(candidate.from, candidate.until)) return FilterPart::time;
    const auto last = candidate.until == Time::forever() ? candidate.until : Time{candidate.until.nanoseconds - 1};
    const auto has = [&](std::uint32_t pid) {
        const auto& jit = symbolizer.jit();
        const auto place = jit.find(symbolizer.timeline().tasks(), Pid{pid}, candidate.range.begin, last);
        return place && place->function == candidate.jit_index;
    };
    if (!filter.pids.empty() && std::ranges::none_of(filter.pids, has)) return FilterPart::pid;
    const Frame frame{0, candidate.jit_index, FrameKind::jit, CpuMode::user};
    return filter_part(symbolizer.functions().left_out(frame, filter.code));
}

}  // namespace

std::vector<Candidate> find_candidates(const ExtractNames& names, const Symbolizer& symbolizer) {
    std::vector<Candidate> candidates;
    find_programs(names, symbolizer.bpf(), candidates);
    find_jit(names, symbolizer.jit(), candidates);
    return candidates;
}

Error no_candidates(const ExtractNames& names, const Symbolizer& symbolizer) {
    const auto& symbols = symbolizer.bpf();
    // Collects names for suggestions and labels for the list, each label once, in the order of the recording.
    std::set<std::string> known;
    std::vector<std::string> all, labels;
    const auto add = [&](std::string name, std::string label) {
        if (!known.insert(label).second) return;
        if (!name.empty()) all.push_back(std::move(name));
        labels.push_back(std::move(label));
    };
    const auto& timeline = symbols.timeline();
    for (const auto& load : timeline.loads()) {
        if (names.symbol.empty()) {
            const std::string program(symbols.program_name(load));
            auto label = fmt::to_string(load.id.value);
            if (!program.empty()) label += fmt::format(" ({})", program);
            add(program, std::move(label));
        } else if (means_program(names, symbols, load)) {
            for (const auto index : load.functions) {
                const std::string name(symbols.plain_name(index).name);
                add(name, name);
            }
        }
    }
    if (names.program.empty()) {
        for (const auto& code : symbolizer.jit().codes()) {
            std::string_view last;  // moves of a function share its name and its storage
            for (const auto& function : code->functions()) {
                if (function.name.data() == last.data()) continue;
                last = function.name;
                add(std::string(last), std::string(last));
            }
        }
    }
    auto text = fmt::format("the recording has no code called {}", names.wanted());
    const auto near = near_names(names.symbol.empty() ? names.program : names.symbol, all);
    const auto width = message_width();
    const auto around = std::string_view("perfdata: --program: ; did you mean ?").size() + text.size();
    const auto room = std::max(width, around + 24) - around;
    if (labels.empty()) {
        text += "; it has none of BPF programs or just-in-time compilers";
    } else if (!near.empty()) {
        text += "; did you mean " + name_list(near, room) + "?";
    } else {
        text += "; it has " + name_list(labels, room);
    }
    return {ErrorCode::missing, Error::no_offset, names.symbol.empty() ? "--program" : "--symbol", std::move(text)};
}

void list_candidates(const std::vector<Candidate>& candidates) {
    constexpr std::size_t shown = 20;
    for (std::size_t index = 0; index < candidates.size() && index < shown; ++index) {
        const auto& one = candidates[index];
        complain(fmt::format("  {}--at {}   {} at {:#x}, {} to {}",
                             one.program ? fmt::format("--program {} ", *one.program) : "", seconds(one.a_time()),
                             one.called(), one.range.begin.value, one.from == Time{} ? "before" : seconds(one.from),
                             one.until == Time::forever() ? "the end" : seconds(one.until)));
    }
    if (candidates.size() > shown) complain(fmt::format("  and {} more", candidates.size() - shown));
}

FilterPart left_out(const Symbolizer& symbolizer, const ListFilter& filter, Candidate& candidate,
                    ListCounts& functions) {
    if (candidate.jit != nullptr) return jit_left_out(symbolizer, filter, candidate);
    if (!filter.has_life(candidate.from, candidate.until)) return FilterPart::time;
    if (!filter.pids.empty()) return FilterPart::pid;  // the kernel's code is no process's
    auto furthest = CodePart::none;
    ListCounts counts;
    std::erase_if(candidate.functions, [&](CodeIndex index) {
        const auto part = symbolizer.bpf().left_out(index, 0, filter.code);
        furthest = std::max(furthest, part);
        counts.add(filter_part(part));
        return part != CodePart::none;
    });
    if (candidate.functions.empty()) return filter_part(furthest);
    functions = counts;
    candidate.range = symbolizer.timeline().code()[candidate.functions.front()].range;
    return FilterPart::none;
}

}  // namespace perfdata::tool
