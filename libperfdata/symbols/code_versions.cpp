// SPDX-License-Identifier: MIT
#include "perfdata/symbols/code_versions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "perfdata/timeline/frame_at.hpp"

#include "patched_code.hpp"

namespace perfdata {
namespace {

// Replay follows the bytes of one function through its patches.
class Replay {
  public:
    explicit Replay(const AddressRange& range) : range_(range) {}

    // add(patch) is whether it changes code that was there.
    bool add(const TextPatch& patch) {
        bool changes = false;
        for (std::size_t index = 0; index < patch.range().size; ++index) {
            const auto address = patch.address + index;
            if (!range_.contains(address) || index >= patch.new_bytes.size()) continue;
            const auto known = now_.find(address.value);
            if (known != now_.end()) {
                changes = changes || known->second != patch.new_bytes[index];
            } else if (index < patch.old_bytes.size()) {
                changes = changes || patch.old_bytes[index] != patch.new_bytes[index];
            }
            now_[address.value] = patch.new_bytes[index];
        }
        return changes;
    }

  private:
    AddressRange range_;
    std::unordered_map<std::uint64_t, std::byte> now_;
};

// times_of(range, patches) is when the function became another version.
std::vector<Time> times_of(const AddressRange& range, std::span<const TextPatch* const> patches) {
    std::vector<Time> times;
    Replay replay(range);
    Time latest;                      // patch of the current version
    std::set<std::uint64_t> changed;  // bytes that made the current version, by address
    for (const auto* patch : patches) {
        if (!replay.add(*patch)) continue;
        const auto last = patch->range().last().value;
        const auto again = changed.lower_bound(patch->address.value);
        const bool other_place = again == changed.end() || *again > last;
        const bool together = !times.empty() && patch->time.nanoseconds - latest.nanoseconds <= CodeVersions::batch_gap;
        const bool at_once = !times.empty() && patch->time == times.back();
        if (!at_once && !(together && other_place)) {
            times.push_back(patch->time);
            changed.clear();
        }
        latest = patch->time;
        for (auto address = patch->address.value;; ++address) {
            changed.insert(address);
            if (address == last) break;
        }
    }
    return times;
}

}  // namespace

CodeVersions CodeVersions::build(const Timeline& timeline, const Names& names) {
    CodeVersions versions(timeline, names);
    // Functions that some patch touches, by address and, for code that came and went, which.
    std::map<std::tuple<std::uint64_t, bool, std::uint32_t>, Changed> touched;
    for (const auto& patch : timeline.patches().all()) {
        const auto range = patch.range();
        for (std::uint64_t done = 0; done < range.size;) {
            const auto address = range.begin + done;
            const auto frame = frame_at(timeline, nullptr, {patch.time, {}, host}, address, CpuMode::kernel);
            const auto extent = names.extent(frame);
            if (extent.size == 0 || !extent.address || !AddressRange{*extent.address, extent.size}.contains(address)) {
                break;
            }
            const bool code = extent.begin.kind == FrameKind::code;
            const std::tuple key(extent.address->value, code, code ? extent.begin.index : 0);
            touched.try_emplace(key, Changed{extent.begin, {*extent.address, extent.size}, {}});
            done += extent.size - (address - *extent.address);
        }
    }
    for (auto& [key, changed] : touched) {
        changed.times = times_of(changed.range, patches_of(timeline, changed.function, changed.range));
        if (changed.times.empty()) continue;
        versions.first_ = std::min(versions.first_, changed.range.begin);
        versions.last_ = std::max(versions.last_, changed.range.last());
        versions.reach_.push_back(versions.last_);
        versions.changed_.push_back(std::move(changed));
    }
    return versions;
}

template <class Accept>
const CodeVersions::Changed* CodeVersions::find_covering(Address address, Accept&& accept) const {
    const auto above = std::ranges::upper_bound(changed_, address, {}, [](const Changed& c) { return c.range.begin; });
    for (auto index = static_cast<std::size_t>(above - changed_.begin()); index != 0 && reach_[index - 1] >= address;) {
        --index;
        if (changed_[index].range.contains(address) && accept(changed_[index])) return &changed_[index];
    }
    return nullptr;
}

std::uint32_t CodeVersions::find_number(Address address, Time time) const {
    const auto any = [](const Changed&) { return true; };
    if (find_covering(address, any) == nullptr) return 0;
    const auto owner = timeline_->owner(address, time);
    const auto* changed = find_covering(address, [&](const Changed& candidate) {
        const bool code = candidate.function.kind == FrameKind::code;
        return owner ? code && candidate.function.index == owner->code : !code;
    });
    if (changed == nullptr) return 0;
    return static_cast<std::uint32_t>(std::ranges::upper_bound(changed->times, time) - changed->times.begin());
}

const CodeVersions::Changed* CodeVersions::changed(const FunctionExtent& extent) const {
    if (!extent.address || *extent.address < first_ || *extent.address > last_) return nullptr;
    const bool code = extent.begin.kind == FrameKind::code;
    if (!code && extent.begin.kind != FrameKind::object && extent.begin.kind != FrameKind::nowhere) return nullptr;
    return find_covering(*extent.address, [&](const Changed& candidate) {
        if (candidate.range.begin != *extent.address) return false;
        const bool other = candidate.function.kind == FrameKind::code;
        return code ? other && candidate.function.index == extent.begin.index : !other;
    });
}

std::vector<Time> CodeVersions::changes() const {
    std::vector<Time> times;
    for (const auto& changed : changed_) times.insert(times.end(), changed.times.begin(), changed.times.end());
    std::ranges::sort(times);
    const auto repeated = std::ranges::unique(times);
    times.erase(repeated.begin(), repeated.end());
    return times;
}

std::vector<CodeVersion> CodeVersions::versions(const Frame& frame) const {
    const auto extent = names_->extent(frame);
    CodeVersion version{extent.begin, extent.size, extent.address, 0, {}, Time::forever()};
    if (frame.kind == FrameKind::code) {
        const auto& code = timeline_->code()[frame.index];
        version.from = code.from;
        version.until = code.until;
    } else if (frame.kind == FrameKind::jit && names_->jit().code(frame.index).timed()) {
        const auto& function = names_->jit().function(frame.index);
        version.from = function.from;
        version.until = function.until;
    }
    std::vector<CodeVersion> versions{version};
    if (const auto* found = changed(extent)) {
        for (const auto time : found->times) {
            versions.back().until = time;
            version.from = time;
            ++version.number;
            versions.push_back(version);
        }
    }
    return versions;
}

CodeVersion CodeVersions::version(const Frame& frame, std::uint32_t number) const {
    const auto all = versions(frame);
    return all[std::min<std::size_t>(number, all.size() - 1)];
}

}  // namespace perfdata
