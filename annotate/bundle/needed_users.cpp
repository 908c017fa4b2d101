// SPDX-License-Identifier: MIT
#include "needed_users.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

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

void NeededUsers::Users::add(std::string_view command, std::uint64_t hits) {
    samples = add_up_to_most(samples, hits);
    auto& of_command = commands[command];
    of_command = add_up_to_most(of_command, hits);
}

NeededBy NeededUsers::Users::by() const {
    NeededBy by;
    by.samples = samples;
    std::vector<std::pair<std::string_view, std::uint64_t>> sorted(commands.begin(), commands.end());
    std::ranges::stable_sort(sorted, [](const auto& one, const auto& other) { return one.second > other.second; });
    for (const auto& [command, hits] : sorted) {
        if (by.commands.size() == most_commands) break;
        if (!command.empty()) by.commands.emplace_back(command);
    }
    return by;
}

NeededUsers NeededUsers::of(const Exported& exported, const Symbolizer& symbolizer) {
    const auto& counts = exported.counts;
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
        // The name of a thread is empty if it is not recorded.
        for (const auto& owner : in_chain) needed.users_[owner].add(task.comm, hits);
    }

    // Views of one name may have different data.
    std::set<std::string_view> names;
    std::vector<std::string_view> of_places;
    of_places.reserve(exported.places.size());
    for (const auto& place : exported.places) of_places.push_back(*names.insert(place.file).first);
    std::vector<std::string_view> files;
    for (const auto& row : exported.rows) {
        std::uint64_t hits = 0;
        for (const auto& cell : row.cells) hits = add_up_to_most(hits, cell.count.hits);
        if (hits == 0) continue;
        files.clear();
        for (auto node = row.node; node != ExportNode::none; node = exported.nodes[node].caller) {
            const auto file = of_places[exported.nodes[node].place];
            if (!file.empty() && (files.empty() || files.back().data() != file.data())) files.push_back(file);
        }
        std::ranges::sort(files, std::less<>(), [](std::string_view file) { return file.data(); });
        const auto same = [](std::string_view one, std::string_view other) { return one.data() == other.data(); };
        files.erase(std::ranges::unique(files, same).begin(), files.end());
        for (const auto file : files) needed.sources_[file].add(counts.tasks()[row.task].comm, hits);
    }
    return needed;
}

NeededBy NeededUsers::by(const CodeOf& what) const {
    const auto found = users_.find(what);
    return found == users_.end() ? NeededBy() : found->second.by();
}

NeededBy NeededUsers::by_source(std::string_view file) const {
    const auto found = sources_.find(file);
    return found == sources_.end() ? NeededBy() : found->second.by();
}

std::vector<std::uint32_t> NeededUsers::objects() const {
    std::vector<std::uint32_t> all;
    for (const auto& [what, users] : users_) {
        if (what.kind == CodeOf::Kind::object) all.push_back(what.number);
    }
    return all;
}

}  // namespace perfdata
