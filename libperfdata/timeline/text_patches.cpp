// SPDX-License-Identifier: MIT
#include "perfdata/timeline/text_patches.hpp"

#include <string>
#include <utility>

#include "perfdata/core/range_index_builder.hpp"
#include "perfdata/wire/record/text_poke.hpp"

#include "text_patches_builder.hpp"

namespace perfdata {

std::optional<Diagnostic> TextPatchesBuilder::add(Time time, std::uint64_t offset, const TextPoke& poke) {
    if (full_) return {};
    // The pool never exceeds its limit, so the difference does not wrap.
    if (added_.size() >= limits_.text_patches || poke.bytes.size() > limits_.text_patch_bytes - pool_.size()) {
        full_ = true;
        return Diagnostic{ErrorCode::limit, offset, "timeline",
                          "more changes of kernel text than the limit of " + std::to_string(limits_.text_patches) +
                              " and " + std::to_string(limits_.text_patch_bytes) + " bytes; later ones are ignored"};
    }
    added_.push_back({{poke.address, time, offset, {}, {}}, pool_.size(), poke.old_size, poke.new_size});
    pool_.insert(pool_.end(), poke.bytes.begin(), poke.bytes.end());
    return {};
}

TextPatches TextPatchesBuilder::build(LookOut& look) && {
    std::ranges::sort(added_, {},
                      look.by([](const Added& added) { return std::pair(added.patch.time, added.patch.offset); }));
    TextPatches result;
    result.pool_ = Shared<const std::vector<std::byte>>::make(std::move(pool_));
    const Bytes pool = *result.pool_;
    result.patches_.reserve(added_.size());
    for (const auto& added : added_) {
        auto& patch = result.patches_.emplace_back(added.patch);
        patch.old_bytes = pool.subspan(added.bytes_at, added.old_size);
        patch.new_bytes = pool.subspan(added.bytes_at + added.old_size, added.new_size);
    }
    const auto first = [&](std::uint32_t index) {
        look();
        return result.first(index);
    };
    const auto last = [&](std::uint32_t index) { return result.last(index); };
    result.by_address_ = RangeIndex(result.patches_.size(), first, last);
    return result;
}

std::vector<const TextPatch*> TextPatches::touching(AddressRange range) const {
    std::vector<const TextPatch*> found;
    if (range.size == 0) return found;
    by_address_.touching(
        range.begin.value, range.last().value, [&](std::uint32_t index) { return first(index); },
        [&](std::uint32_t index) { return last(index); },
        [&](std::uint32_t index) {
            if (patches_[index].range().size != 0) found.push_back(&patches_[index]);
        });
    // Both orders are those of positions in one vector.
    std::ranges::sort(found);
    return found;
}

std::span<const TextPatch> TextPatches::all() const {
    return patches_;
}

}  // namespace perfdata
