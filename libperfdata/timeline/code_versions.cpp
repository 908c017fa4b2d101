// SPDX-License-Identifier: MIT
#include "perfdata/timeline/code_versions.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <tuple>

#include "perfdata/timeline/frame_at.hpp"

#include "stored_timeline.hpp"

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
        // What of the patch is in the function: each byte of a patch is looked at for the function that it is in.
        const auto first = patch.address < range_.begin ? range_.begin - patch.address : 0;
        for (auto index = static_cast<std::size_t>(first); index < patch.new_bytes.size(); ++index) {
            const auto address = patch.address + index;
            if (!range_.contains(address)) break;
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
    std::map<std::uint64_t, Block> blocks_;
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

// begins_of(code) is where code ever began, ascending.
std::vector<Address> begins_of(std::span<const Code> code) {
    std::vector<Address> begins;
    begins.reserve(code.size());
    for (const auto& one : code) begins.push_back(one.range.begin);
    std::ranges::sort(begins);
    const auto repeated = std::ranges::unique(begins);
    begins.erase(repeated.begin(), repeated.end());
    return begins;
}

}  // namespace

CodeVersions::Key CodeVersions::key_of(const Frame& function, Address begin) {
    const bool code = function.is_code();
    return {begin, code, code ? function.index : 0};
}

CodeVersions CodeVersions::build(const FunctionIndex& index) {
    CodeVersions versions(index);
    const auto& timeline = index.timeline();
    if (timeline.restored_) {
        versions.restore(timeline);
        return versions;
    }
    // Functions that some patch touches.
    struct Touched {
        Frame function;
        AddressRange range;
        std::vector<const TextPatch*> patches;
    };
    std::map<Key, Touched> touched;
    const auto begins = begins_of(timeline.code());
    for (const auto& patch : timeline.patches().all()) {
        const auto last = patch.range().size == 0 ? patch.address : patch.range().last();
        auto begin = std::ranges::upper_bound(begins, patch.address);
        for (auto address = patch.address; patch.range().size != 0;) {
            const auto frame = frame_at(timeline, nullptr, {patch.time, {}, host}, address, CpuMode::kernel);
            const auto extent = index.extent(frame);
            const AddressRange range{extent.address.value_or(Address{}), extent.size};
            const bool known = extent.address && range.size != 0 && range.contains(address);
            // Where code lies in the middle of a function, the patch is of what its first byte in the function is of.
            if (known && address == std::max(patch.address, range.begin)) {
                const Touched function{extent.begin, range, {}};
                auto& one = touched.try_emplace(key_of(extent.begin, range.begin), function).first->second;
                one.patches.push_back(&patch);
                if (extent.begin.is_code()) versions.of_code_.push_back({extent.begin.index, &patch});
            }
            // On to what begins next: where the function ends, or where code begins, if it was there then.
            while (begin != begins.end() && *begin <= address) ++begin;
            const bool code = begin != begins.end() && *begin <= last;
            const bool ends = known && range.last() < last;
            if (!code && !ends) break;
            address = !ends ? *begin : !code ? range.last() + 1 : std::min(range.last() + 1, *begin);
        }
    }
    std::ranges::sort(versions.of_code_);
    for (const auto& [key, function] : touched) {
        auto times = times_of(function.range, function.patches);
        if (!times.empty()) versions.changed_.push_back({function.function, function.range, std::move(times)});
    }
    versions.lay_out();
    return versions;
}

// Functions of the profile that have several versions; of two at one place the first counts.
void CodeVersions::restore(const Timeline& timeline) {
    const auto& model = *timeline.restored_->model;
    timed_ = !model.facts.merged;
    std::map<Key, Changed> changed;
    for (std::size_t at = 0; at < model.versions.size();) {
        const auto function = model.versions[at].function;
        std::vector<Time> times;
        for (++at; at < model.versions.size() && model.versions[at].function == function; ++at) {
            times.push_back({model.versions[at].from});
        }
        if (times.empty()) continue;
        const auto begin = timeline.restored_->frames.function(function);
        std::ranges::sort(times);
        const auto& row = model.at(function);
        const AddressRange range{{row.address}, row.size};
        changed.try_emplace(stored_key(begin), Changed{begin, range, std::move(times)});
    }
    for (auto& [key, one] : changed) changed_.push_back(std::move(one));
}

// Kernels that were merged lay at different addresses: two functions may have one.
CodeVersions::Key CodeVersions::stored_key(const Frame& function) {
    return {Address{function.offset}, function.is_code(), function.index};
}

// Of the kernel's functions at an address the one that begins last counts. Going up through all addresses where one
// begins or ends, a stack has those that are open.
void CodeVersions::lay_out() {
    std::vector<std::uint32_t> open;
    const auto add_stretch = [&](Address begin) {
        const auto changed = open.empty() ? none : open.back();
        if (!in_kernel_.empty() && in_kernel_.back().begin == begin) in_kernel_.pop_back();
        if (in_kernel_.empty() || in_kernel_.back().changed != changed) in_kernel_.push_back({begin, changed});
    };
    // What ends before `next` begins; those below the top that ended earlier have gone out of sight.
    const auto close = [&](std::optional<Address> next) {
        while (!open.empty()) {
            const auto last = changed_[open.back()].range.last();
            if (next && last >= *next) break;
            const auto end = last + 1;
            while (!open.empty() && changed_[open.back()].range.last() <= last) open.pop_back();
            if (end > last) add_stretch(end);
        }
    };
    for (std::uint32_t index = 0; index < changed_.size(); ++index) {
        const auto& range = changed_[index].range;
        first_ = std::min(first_, range.begin);
        last_ = std::max(last_, range.last());
        if (!covered_.empty() && range.begin <= covered_.back().last()) {
            auto& before = covered_.back();
            before.size = std::max(before.last(), range.last()) - before.begin + 1;
        } else {
            covered_.push_back(range);
        }
        if (changed_[index].function.is_code()) continue;
        close(range.begin);
        open.push_back(index);
        add_stretch(range.begin);
    }
    close({});
}

const CodeVersions::Changed* CodeVersions::changed_in_kernel(Address address) const {
    const auto above = std::ranges::upper_bound(in_kernel_, address, {}, &Stretch::begin);
    if (above == in_kernel_.begin() || std::prev(above)->changed == none) return nullptr;
    return &changed_[std::prev(above)->changed];
}

const CodeVersions::Changed* CodeVersions::find(const Key& key) const {
    const auto of = [&](const Changed& changed) {
        return timeline_->restored_ ? stored_key(changed.function) : key_of(changed.function, changed.range.begin);
    };
    const auto found = std::ranges::lower_bound(changed_, key, {}, of);
    return found == changed_.end() || of(*found) != key ? nullptr : &*found;
}

std::uint32_t CodeVersions::find_number(Address address, Time time) const {
    const auto above = std::ranges::upper_bound(covered_, address, {}, &AddressRange::begin);
    if (above == covered_.begin() || !std::prev(above)->contains(address)) return 0;
    const auto owner = timeline_->code_at(address, time);
    const auto* changed =
        owner ? find({timeline_->code()[owner->index].range.begin, true, owner->index}) : changed_in_kernel(address);
    if (changed == nullptr) return 0;
    return static_cast<std::uint32_t>(std::ranges::upper_bound(changed->times, time) - changed->times.begin());
}

const CodeVersions::Changed* CodeVersions::changed(const FunctionExtent& extent) const {
    if (timeline_->restored_) return find(stored_key(extent.begin));
    if (!extent.address || *extent.address < first_ || *extent.address > last_) return nullptr;
    const auto kind = extent.begin.kind;
    if (kind != FrameKind::code && kind != FrameKind::object && kind != FrameKind::nowhere) return nullptr;
    return find(key_of(extent.begin, *extent.address));
}

std::vector<const TextPatch*> CodeVersions::patches(const Frame& function, AddressRange range) const {
    std::vector<const TextPatch*> found;
    if (function.is_code()) {
        const auto [first, last] = std::ranges::equal_range(of_code_, function.index, {}, &PatchOfCode::code);
        for (auto at = first; at != last; ++at) {
            if (at->patch->range().overlaps(range)) found.push_back(at->patch);
        }
        return found;
    }
    found = timeline_->patches().touching(range);
    std::erase_if(found, [&](const TextPatch* patch) {
        return timeline_->code_at(std::max(patch->address, range.begin), patch->time).has_value();
    });
    return found;
}

std::vector<Frame> CodeVersions::functions() const {
    std::vector<Frame> functions;
    for (const auto& changed : changed_) functions.push_back(changed.function);
    return functions;
}

std::vector<Time> CodeVersions::changes() const {
    std::vector<Time> times;
    for (const auto& changed : changed_) times.insert(times.end(), changed.times.begin(), changed.times.end());
    std::ranges::sort(times);
    const auto repeated = std::ranges::unique(times);
    times.erase(repeated.begin(), repeated.end());
    return times;
}

CodeVersion CodeVersions::first_version(const Frame& frame, const FunctionExtent& extent) const {
    CodeVersion version{extent.begin, extent.size, extent.address, 0, {}, Time::forever()};
    if (frame.is_code()) {
        const auto& code = timeline_->code()[frame.index];
        version.from = code.from;
        version.until = code.until;
    } else if (timeline_->restored_) {
        // Of other code only that of a JIT compiler comes and goes.
        const auto life = frame.kind == FrameKind::jit ? timeline_->restored_->life_of_jit(frame.index) : std::nullopt;
        if (life) std::tie(version.from, version.until) = *life;
    } else if (frame.kind == FrameKind::jit && index_->jit().code(frame.index).timed()) {
        const auto& function = index_->jit().function(frame.index);
        version.from = function.from;
        version.until = function.until;
    }
    return version;
}

std::vector<CodeVersion> CodeVersions::versions(const Frame& frame) const {
    const auto extent = index_->extent(frame);
    auto version = first_version(frame, extent);
    std::vector<CodeVersion> versions{version};
    if (const auto* found = changed(extent)) {
        for (const auto time : found->times) {
            if (timed_) {
                versions.back().until = time;
                version.from = time;
            }
            ++version.number;
            versions.push_back(version);
        }
    }
    return versions;
}

std::size_t CodeVersions::count(const Frame& frame) const {
    const auto* found = changed(index_->extent(frame));
    return found == nullptr ? 1 : found->times.size() + 1;
}

CodeVersion CodeVersions::version(const Frame& frame, std::uint32_t number) const {
    const auto extent = index_->extent(frame);
    auto version = first_version(frame, extent);
    if (const auto* found = changed(extent)) {
        const auto& times = found->times;
        version.number = static_cast<std::uint32_t>(std::min<std::size_t>(number, times.size()));
        if (!timed_) return version;
        if (version.number != 0) version.from = times[version.number - 1];
        if (version.number < times.size()) version.until = times[version.number];
    }
    return version;
}

CodeVersions::CodeVersions(const FunctionIndex& index) : index_(&index), timeline_(&index.timeline()) {}

}  // namespace perfdata
