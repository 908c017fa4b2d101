// SPDX-License-Identifier: MIT
#include "needed_users.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/timeline/jit_codes.hpp"

#include "needed_parts.hpp"

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
    samples = std::max(samples, other.samples);
    code.insert(code.end(), other.code.begin(), other.code.end());
}

void NeededUsers::Users::add(std::string_view command, std::uint64_t hits) {
    samples = add_up_to_most(samples, hits);
    auto& of_command = commands[command];
    of_command = add_up_to_most(of_command, hits);
}

void NeededUsers::Users::tell(NeededBy& by) const {
    by.samples = samples;
    by.commands.clear();
    std::vector<std::pair<std::string_view, std::uint64_t>> sorted(commands.begin(), commands.end());
    std::ranges::stable_sort(sorted, [](const auto& one, const auto& other) { return one.second > other.second; });
    for (const auto& [command, hits] : sorted) {
        if (by.commands.size() == most_commands) break;
        if (!command.empty()) by.commands.emplace_back(command);  // the name of a thread may not be recorded
    }
}

// take(chain) is called for each row that has samples.
template <class Take>
void NeededUsers::each_chain(Take take) const {
    const auto chains = exported_->counts.chains();
    Chain chain;
    for (const auto& row : exported_->rows) {
        chain.hits = 0;
        for (const auto& cell : row.cells) chain.hits = add_up_to_most(chain.hits, cell.count.hits);
        if (chain.hits == 0) continue;
        chain.command = exported_->counts.tasks()[row.task].comm;
        chain.code.clear();
        chain.sources.clear();
        for (auto node = row.node; node != ExportNode::none; node = exported_->nodes[node].caller) {
            const auto& owner = owners_[chains[node].frame];
            if (owner && (chain.code.empty() || chain.code.back() != *owner)) chain.code.push_back(*owner);
            const auto* source = source_of_[exported_->nodes[node].place];
            if (source != nullptr && (chain.sources.empty() || chain.sources.back() != source)) {
                chain.sources.push_back(source);
            }
        }
        std::ranges::sort(chain.code);
        chain.code.erase(std::ranges::unique(chain.code).begin(), chain.code.end());
        std::ranges::sort(chain.sources);
        chain.sources.erase(std::ranges::unique(chain.sources).begin(), chain.sources.end());
        take(std::as_const(chain));
    }
}

NeededUsers NeededUsers::of(const Exported& exported, const Symbolizer& symbolizer) {
    NeededUsers needed;
    needed.exported_ = &exported;
    std::map<const JitCode*, std::uint32_t> dumps;
    for (const auto& code : symbolizer.jit().codes()) {
        dumps.emplace(code.get(), static_cast<std::uint32_t>(dumps.size()));
    }
    needed.owners_.reserve(exported.counts.frames().size());
    for (const auto& frame : exported.counts.frames()) {
        needed.owners_.push_back(owner_of(frame, symbolizer, dumps));
        const auto& owner = needed.owners_.back();
        if (!owner || owner->kind != CodeOf::Kind::object || needed.with_unnamed_code_.contains(owner->number))
            continue;
        if (symbolizer.name(frame).symbol.empty()) needed.with_unnamed_code_.insert(owner->number);
    }

    std::map<std::string_view, const std::string*> known;  // by the name that places have
    needed.source_of_.reserve(exported.places.size());
    for (const auto& place : exported.places) {
        const auto [entry, is_new] = known.try_emplace(place.file, nullptr);
        if (is_new && !place.file.empty()) {
            entry->second = &*needed.source_names_.insert(below_root(place.file)).first;
        }
        needed.source_of_.push_back(entry->second);
    }

    needed.each_chain([&](const Chain& chain) {
        for (const auto& owner : chain.code) needed.users_[owner].add(chain.command, chain.hits);
        for (const auto* source : chain.sources) needed.sources_[source].add(chain.command, chain.hits);
    });
    return needed;
}

NeededBy NeededUsers::by(const CodeOf& what) const {
    NeededBy by;
    by.code.push_back(what);
    if (const auto found = users_.find(what); found != users_.end()) found->second.tell(by);
    return by;
}

NeededBy NeededUsers::by_source(std::string_view file) const {
    NeededBy by;
    const auto name = source_names_.find(below_root(file));
    const auto found = name == source_names_.end() ? sources_.end() : sources_.find(&*name);
    if (found != sources_.end()) found->second.tell(by);
    return by;
}

void NeededUsers::count_once(std::span<NeededBy* const> all) const {
    // A file of the kernel is one of few, and an object has few files: a chain counts for few of those.
    std::map<CodeOf, std::vector<std::size_t>> by_code;
    std::vector<Users> users(all.size());
    for (std::size_t number = 0; number < all.size(); ++number) {
        if (all[number]->code.size() < 2) continue;
        for (const auto& code : all[number]->code) {
            auto& numbers = by_code[code];
            if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
        }
    }
    if (by_code.empty()) return;
    std::vector<std::size_t> counted;
    each_chain([&](const Chain& chain) {
        counted.clear();
        for (const auto& code : chain.code) {
            const auto found = by_code.find(code);
            if (found != by_code.end()) counted.insert(counted.end(), found->second.begin(), found->second.end());
        }
        std::ranges::sort(counted);
        counted.erase(std::ranges::unique(counted).begin(), counted.end());
        for (const auto number : counted) users[number].add(chain.command, chain.hits);
    });
    for (std::size_t number = 0; number < all.size(); ++number) {
        if (all[number]->code.size() > 1) users[number].tell(*all[number]);
    }
}

std::vector<std::uint32_t> NeededUsers::objects() const {
    std::vector<std::uint32_t> all;
    for (const auto& [what, users] : users_) {
        if (what.kind == CodeOf::Kind::object) all.push_back(what.number);
    }
    return all;
}

}  // namespace perfdata
