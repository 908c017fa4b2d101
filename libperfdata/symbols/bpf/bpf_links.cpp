// SPDX-License-Identifier: MIT
#include "perfdata/symbols/bpf/bpf_links.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace perfdata {
namespace {

constexpr std::string_view trampoline_prefix = "bpf_trampoline_";
constexpr std::string_view dispatcher_prefix = "bpf_dispatcher_";
constexpr std::uint32_t of_btf_object = std::uint32_t{1} << 31;  // in a key: its upper half is no program's id

bool overlap(Time from, Time until, Time other_from, Time other_until) {
    return from < other_until && other_from < until;
}

// Links collects those that are there at the same time, within its bounds.
template <class List>
void add_links(List& list, std::size_t& more, const std::vector<std::uint32_t>& candidates, bool certain,
               const auto& there) {
    const auto searched = std::min(candidates.size(), BpfLinks::searched);
    for (std::size_t index = 0; index < searched; ++index) {
        if (!there(candidates[index])) continue;
        if (list.size() < BpfLinks::most) {
            list.push_back({candidates[index], certain});
        } else {
            ++more;
        }
    }
    more += candidates.size() - searched;
}

}  // namespace

std::optional<BpfTrampolineKey> parse_bpf_trampoline(std::string_view symbol) {
    if (!symbol.starts_with(trampoline_prefix)) return {};
    const auto digits = symbol.substr(trampoline_prefix.size());
    std::uint64_t key = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [rest, problem] = std::from_chars(digits.data(), end, key);
    if (problem != std::errc{} || (rest != end && *rest != '_')) return {};
    const auto type = static_cast<std::uint32_t>(key);
    return BpfTrampolineKey{.object = static_cast<std::uint32_t>(key >> 32),
                            .program = (type & of_btf_object) == 0,
                            .btf_id = type & ~of_btf_object};
}

std::string_view parse_bpf_dispatcher(std::string_view symbol) {
    return symbol.starts_with(dispatcher_prefix) ? symbol.substr(dispatcher_prefix.size()) : std::string_view{};
}

BpfLinks::BpfLinks(const BpfPrograms& programs) : programs_(&programs) {
    const auto& timeline = programs.timeline();
    const auto loads = timeline.loads();
    for (std::uint32_t index = 0; index < loads.size(); ++index) {
        const auto& load = loads[index];
        loads_by_id_.try_emplace(load.id.value, index);
        if (load.info == nullptr) continue;
        if (load.info->btf_id != 0) by_btf_.try_emplace(load.info->btf_id, index);
        if (load.info->attach_btf_id == 0) continue;
        attached_[{load.info->attach_btf_object_id, load.info->attach_btf_id}].push_back(index);
    }
    const auto code = timeline.code();
    for (CodeIndex index = 0; index < code.size(); ++index) {
        if (code[index].kind != CodeKind::bpf_image) continue;
        const auto key = parse_bpf_trampoline(code[index].symbol);
        if (!key) continue;
        if (!key->program) {
            trampolines_[{key->object, key->btf_id}].push_back(index);
            continue;
        }
        of_programs_[{0, key->btf_id}].push_back(index);
        const auto* target = load_of_program(key->object);
        if (target == nullptr || target->info == nullptr || target->info->btf_id == 0) continue;
        trampolines_[{target->info->btf_id, key->btf_id}].push_back(index);
    }
}

const BpfLoad* BpfLinks::load_of_program(std::uint32_t id) const {
    const auto found = loads_by_id_.find(id);
    return found == loads_by_id_.end() ? nullptr : &programs_->timeline().loads()[found->second];
}

std::optional<BpfAttachment> BpfLinks::attachment(const BpfLoad& load) const {
    if (load.info == nullptr || load.info->attach_btf_id == 0) return {};
    const auto& timeline = programs_->timeline();
    const auto object = load.info->attach_btf_object_id, type = load.info->attach_btf_id;
    BpfAttachment attachment{.btf_object = object, .btf_id = type};
    if (const auto owner = by_btf_.find(object); owner != by_btf_.end()) {
        if (const auto* types = programs_->btf(timeline.loads()[owner->second])) {
            attachment.function = types->function_name(type);
        }
    }
    const auto there = [&](std::uint32_t index) {
        const auto& code = timeline.code()[index];
        return overlap(load.loaded_at, load.unloaded_at, code.from, code.until);
    };
    const auto& candidates = object == 0 ? of_programs_ : trampolines_;
    if (const auto found = candidates.find({object, type}); found != candidates.end()) {
        add_links(attachment.trampolines, attachment.more, found->second, object != 0, there);
    }
    return attachment;
}

std::optional<BpfTrampoline> BpfLinks::trampoline(CodeIndex index) const {
    const auto& timeline = programs_->timeline();
    const auto& code = timeline.code()[index];
    if (code.kind != CodeKind::bpf_image) return {};
    const auto key = parse_bpf_trampoline(code.symbol);
    if (!key) return {};
    BpfTrampoline trampoline{.key = *key};
    auto object = key->object;
    if (key->program) {
        const auto* target = load_of_program(key->object);
        object = target == nullptr || target->info == nullptr ? 0 : target->info->btf_id;
        const auto* types = target == nullptr ? nullptr : programs_->btf(*target);
        if (types != nullptr) trampoline.function = types->function_name(key->btf_id);
    }
    const auto there = [&](std::uint32_t load) {
        const auto& one = timeline.loads()[load];
        return overlap(one.loaded_at, one.unloaded_at, code.from, code.until);
    };
    const auto add = [&](std::uint32_t of, bool certain) {
        const auto found = attached_.find({of, key->btf_id});
        if (found == attached_.end()) return;
        add_links(trampoline.programs, trampoline.more, found->second, certain, there);
    };
    if (object != 0) add(object, true);
    if (key->program) add(0, false);
    return trampoline;
}

}  // namespace perfdata
