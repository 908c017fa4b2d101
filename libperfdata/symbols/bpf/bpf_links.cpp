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

void BpfLinks::sort(Targets& targets) {
    for (auto& [target, candidates] : targets) {
        std::ranges::stable_sort(candidates, {}, &Candidate::from);
        Time latest;
        for (auto& one : candidates) one.latest = latest = std::max(latest, one.until);
    }
}

template <class Answer, class List>
void BpfLinks::add_links(Answer& answer, List& list, const Candidates& candidates, bool certain, Time from,
                         Time until) {
    // All before the first were gone, all behind the last came later.
    const auto first = std::ranges::upper_bound(candidates, from, {}, &Candidate::latest);
    const auto last = std::ranges::lower_bound(candidates, until, {}, &Candidate::from);
    std::size_t looked_at = 0;
    for (auto one = first; one < last; ++one) {
        if (looked_at++ == searched) {
            answer.not_searched += static_cast<std::size_t>(last - one);
            return;
        }
        if (one->until <= from) continue;
        if (list.size() < most) {
            list.push_back({one->index, certain});
        } else {
            ++answer.more;
        }
    }
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
        attached_[{load.info->attach_btf_object_id, load.info->attach_btf_id}].push_back(
            {load.loaded_at, load.unloaded_at, index});
    }
    const auto code = timeline.code();
    for (CodeIndex index = 0; index < code.size(); ++index) {
        if (code[index].kind != CodeKind::bpf_image) continue;
        const auto key = parse_bpf_trampoline(code[index].symbol);
        if (!key) continue;
        const Candidate one{code[index].from, code[index].until, index};
        if (!key->program) {
            trampolines_[{key->object, key->btf_id}].push_back(one);
            continue;
        }
        of_programs_[{0, key->btf_id}].push_back(one);
        const auto* target = load_of_program(key->object);
        if (target == nullptr || target->info == nullptr || target->info->btf_id == 0) continue;
        trampolines_[{target->info->btf_id, key->btf_id}].push_back(one);
    }
    for (auto* targets : {&attached_, &trampolines_, &of_programs_}) sort(*targets);
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
    const auto& candidates = object == 0 ? of_programs_ : trampolines_;
    if (const auto found = candidates.find({object, type}); found != candidates.end()) {
        add_links(attachment, attachment.trampolines, found->second, object != 0, load.loaded_at, load.unloaded_at);
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
    const auto add = [&](std::uint32_t of, bool certain) {
        const auto found = attached_.find({of, key->btf_id});
        if (found == attached_.end()) return;
        add_links(trampoline, trampoline.programs, found->second, certain, code.from, code.until);
    };
    if (object != 0) add(object, true);
    if (key->program) add(0, false);
    return trampoline;
}

}  // namespace perfdata
