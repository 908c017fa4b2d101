// SPDX-License-Identifier: MIT
#include "perfdata/timeline/text_patches.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "text_patches_builder.hpp"

namespace perfdata {

std::optional<Diagnostic> TextPatchesBuilder::add(Time time, std::uint64_t offset, const TextPoke& poke) {
    if (full_) return {};
    // The pool holds fewer bytes than its limit at any time, so that the difference does not wrap.
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

TextPatches TextPatchesBuilder::build() && {
    std::ranges::sort(added_, {}, [](const Added& added) { return std::pair(added.patch.time, added.patch.offset); });
    TextPatches result;
    result.pool_ = std::make_shared<const std::vector<std::byte>>(std::move(pool_));
    const Bytes pool = *result.pool_;
    result.patches_.reserve(added_.size());
    for (const auto& added : added_) {
        auto& patch = result.patches_.emplace_back(added.patch);
        patch.old_bytes = pool.subspan(added.bytes_at, added.old_size);
        patch.new_bytes = pool.subspan(added.bytes_at + added.old_size, added.new_size);
        result.widest_ = std::max(result.widest_, patch.range().size);
    }
    result.by_address_.resize(result.patches_.size());
    std::iota(result.by_address_.begin(), result.by_address_.end(), 0u);
    std::ranges::sort(result.by_address_, {},
                      [&](std::uint32_t index) { return std::pair(result.patches_[index].address, index); });
    return result;
}

std::vector<const TextPatch*> TextPatches::touching(AddressRange range) const {
    std::vector<const TextPatch*> found;
    if (range.size == 0 || widest_ == 0) return found;
    // Below this address none is wide enough to reach the range.
    const Address lowest{range.begin.value - std::min(range.begin.value, widest_ - 1)};
    const auto address_of = [&](std::uint32_t index) { return patches_[index].address; };
    for (auto place = std::ranges::lower_bound(by_address_, lowest, {}, address_of);
         place != by_address_.end() && address_of(*place) <= range.last(); ++place) {
        if (patches_[*place].range().overlaps(range)) found.push_back(&patches_[*place]);
    }
    // Both orders are those of places in one vector.
    std::ranges::sort(found);
    return found;
}

}  // namespace perfdata
