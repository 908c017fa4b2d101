// SPDX-License-Identifier: MIT
#include "perfdata/symbols/code_versions.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <tuple>
#include <unordered_map>

#include "perfdata/timeline/frame_at.hpp"

#include "patched_code.hpp"

namespace perfdata {
namespace {

// Replay follows the bytes of one function through its patches. Patches may be many and far apart: it keeps blocks of
// bytes, so that its size is no more than a few times theirs.
class Replay {
  public:
    explicit Replay(const AddressRange& range) : range_(range) {}

    // add(patch) is whether it changes code that was there.
    bool add(const TextPatch& patch) {
        bool changes = false;
        for (std::size_t index = 0; index < patch.new_bytes.size(); ++index) {
            const auto address = patch.address + index;
            if (!range_.contains(address)) continue;
            auto& block = blocks_[address.value / block_size];
            const auto place = static_cast<std::size_t>(address.value % block_size);
            const auto after = patch.new_bytes[index];
            if (block.known[place]) {
                changes = changes || block.bytes[place] != after;
            } else if (index < patch.old_bytes.size()) {
                changes = changes || patch.old_bytes[index] != after;
            }
            block.known[place] = true;
            block.bytes[place] = after;
        }
        return changes;
    }

  private:
    static constexpr std::uint64_t block_size = 32;
    struct Block {
        std::array<std::byte, block_size> bytes{};
        std::bitset<block_size> known;
    };

    AddressRange range_;
    std::unordered_map<std::uint64_t, Block> blocks_;
};

// Places is disjoint ranges of addresses.
class Places {
  public:
    bool touch(const AddressRange& range) const { return touching(range.begin, range.last()) != last_.end(); }
    void add(const AddressRange& range) {
        auto first = range.begin, last = range.last();
        for (auto other = touching(first, last); other != last_.end(); other = touching(first, last)) {
            first = std::min(first, other->first);
            last = std::max(last, other->second);
            last_.erase(other);
        }
        last_.emplace(first, last);
    }
    void clear() { last_.clear(); }

  private:
    using Map = std::map<Address, Address>;
    Map::const_iterator touching(Address first, Address last) const {
        const auto above = last_.upper_bound(last);
        return above != last_.begin() && std::prev(above)->second >= first ? std::prev(above) : last_.end();
    }

    Map last_;  // of each, by the first address
};

// times_of(range, patches) is when the function became another version.
std::vector<Time> times_of(const AddressRange& range, std::span<const TextPatch* const> patches) {
    std::vector<Time> times;
    Replay replay(range);
    Time latest;     // patch of the current version
    Places changed;  // what made the current version
    for (const auto* patch : patches) {
        if (!replay.add(*patch)) continue;
        const bool together = !times.empty() && patch->time.nanoseconds - latest.nanoseconds <= CodeVersions::batch_gap;
        const bool at_once = !times.empty() && patch->time == times.back();
        if (!at_once && !(together && !changed.touch(patch->range()))) {
            times.push_back(patch->time);
            changed.clear();
        }
        latest = patch->time;
        changed.add(patch->range());
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
