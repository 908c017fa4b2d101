// SPDX-License-Identifier: MIT
#include "needed_users.hpp"

#include <algorithm>
#include <optional>

#include "perfdata/timeline/jit_codes.hpp"

namespace perfdata {
namespace {

constexpr std::size_t most_commands = 3;

// Returns what a frame is of; nothing for code that the recording itself has.
std::optional<CodeOf> owner_of(const Frame& frame, const Symbolizer& symbolizer,
                               const std::map<const JitCode*, std::uint32_t>& dumps) {
    switch (frame.kind) {
        case FrameKind::object:
        case FrameKind::inlined:
            if (symbolizer.timeline().tasks().objects()[frame.index].kind == ObjectKind::kernel)
                return CodeOf{CodeOf::Kind::kernel, 0};
            return CodeOf{CodeOf::Kind::object, frame.index};
        case FrameKind::jit: {
            const auto dump = dumps.find(&symbolizer.jit().code(frame.index));
            return CodeOf{CodeOf::Kind::jitdump, dump == dumps.end() ? 0 : dump->second};
        }
        case FrameKind::memory: return CodeOf{CodeOf::Kind::memory, frame.index};
        case FrameKind::code:
            // What the kernel made of itself: its bytes are in a copy of its memory.
            if (symbolizer.timeline().code()[frame.index].kind == CodeKind::bpf_program) return {};
            return CodeOf{CodeOf::Kind::kernel, 0};
        case FrameKind::nowhere: break;
    }
    if (frame.miss() == Miss::kernel) return CodeOf{CodeOf::Kind::kernel, 0};
    return {};
}

}  // namespace

void NeededBy::add(const NeededBy& other) {
    samples = add_up_to_most(samples, other.samples);
    for (const auto& command : other.commands) {
        if (commands.size() == most_commands) break;
        if (std::ranges::find(commands, command) == commands.end()) commands.push_back(command);
    }
}

NeededUsers NeededUsers::of(const SampleCounts& counts, const Symbolizer& symbolizer) {
    std::map<const JitCode*, std::uint32_t> dumps;
    for (const auto& code : symbolizer.jit().codes()) {
        dumps.emplace(code.get(), static_cast<std::uint32_t>(dumps.size()));
    }
    std::vector<std::optional<CodeOf>> owners;
    owners.reserve(counts.frames().size());
    for (const auto& frame : counts.frames()) owners.push_back(owner_of(frame, symbolizer, dumps));

    NeededUsers needed;
    std::vector<CodeOf> in_chain;
    const auto nodes = counts.chains();
    const auto rows = counts.rows();
    for (std::size_t number = 0; number < rows.size(); ++number) {
        std::uint64_t hits = 0;
        counts.each_cell(number, [&](std::size_t, const EventCount& cell) { hits = add_up_to_most(hits, cell.hits); });
        if (hits == 0) continue;
        in_chain.clear();
        for (auto node = rows[number].chain; node != ChainNode::none; node = nodes[node].caller) {
            const auto& owner = owners[nodes[node].frame];
            if (owner && (in_chain.empty() || in_chain.back() != *owner)) in_chain.push_back(*owner);
        }
        std::ranges::sort(in_chain);
        in_chain.erase(std::ranges::unique(in_chain).begin(), in_chain.end());
        const auto& task = counts.tasks()[rows[number].task];
        for (const auto& owner : in_chain) {  // the name of a thread is empty if it is not recorded
            auto& users = needed.users_[owner];
            users.samples = add_up_to_most(users.samples, hits);
            users.commands[task.comm] = add_up_to_most(users.commands[task.comm], hits);
        }
    }
    return needed;
}

NeededBy NeededUsers::by(const CodeOf& what) const {
    const auto found = users_.find(what);
    if (found == users_.end()) return {};
    NeededBy by{found->second.samples, {}};
    std::vector<std::pair<std::string_view, std::uint64_t>> commands(found->second.commands.begin(),
                                                                     found->second.commands.end());
    std::ranges::stable_sort(commands, [](const auto& one, const auto& other) { return one.second > other.second; });
    for (const auto& [command, samples] : commands) {
        if (by.commands.size() == most_commands) break;
        if (!command.empty()) by.commands.emplace_back(command);
    }
    return by;
}

std::vector<std::uint32_t> NeededUsers::objects() const {
    std::vector<std::uint32_t> all;
    for (const auto& [what, users] : users_) {
        if (what.kind == CodeOf::Kind::object) all.push_back(what.number);
    }
    return all;
}

}  // namespace perfdata
