// SPDX-License-Identifier: MIT
#include "patched_image.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace perfdata {
namespace {

// Returns what the patches of a version changed: bytes that differ before and after it.
std::vector<CodeChange> changes_between(const PatchedCode& before, const PatchedCode& after, Address begin,
                                        std::span<const TextPatch* const> patches, const CodeVersion& version) {
    std::vector<CodeChange> changes;
    std::set<std::pair<std::uint64_t, std::size_t>> told;  // offset and size
    const auto first_of = std::ranges::lower_bound(patches, version.from, {}, &TextPatch::time);
    for (const auto* patch : std::ranges::subrange(first_of, patches.end())) {
        if (patch->time >= version.until) break;
        // Removed code is still shown.
        const AddressRange range{patch->address, patch->new_bytes.size()};
        if (range.size == 0) continue;
        const auto first = patch->address < begin ? 0 : patch->address - begin;
        const auto last = std::min<std::uint64_t>(range.last() < begin ? 0 : range.last() - begin + 1, after.size());
        CodeChange change{first, patch->time, {}, {}};
        bool differs = false;
        for (auto offset = static_cast<std::size_t>(first); offset < last; ++offset) {
            // Code written where there was none is no change of code.
            if (!before.known(offset) || !after.known(offset)) break;
            change.before.push_back(before.bytes()[offset]);
            change.after.push_back(after.bytes()[offset]);
            differs = differs || change.before.back() != change.after.back();
        }
        // Two events may record one change.
        if (!differs || !told.emplace(change.offset, change.before.size()).second) continue;
        changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace

Result<CodeImage> patched_image(const CodeVersions& versions, const CodeVersion& version, std::uint64_t size,
                                std::uint64_t held, const ReadCode& read) {
    CodeImage image;
    image.address = *version.address;
    const auto patches = versions.patches(version.function, {image.address, size});
    for (const auto* patch : patches) held = std::max(held, patch->range().last() - image.address + 1);
    PatchedCode code(image.address, std::min(size, held));
    if (auto filled = read(code, image); !filled) return fail(std::move(filled.error()));
    if (!patches.empty()) {
        auto found = code.check(patches);
        std::ranges::move(found, std::back_inserter(image.problems));
        if (version.number != 0) {
            auto before = code;
            before.apply(patches, version.from);
            code.apply(patches, version.until);
            image.changes = changes_between(before, code, image.address, patches, version);
        } else {
            code.apply(patches, version.until);
        }
        if (image.origin.empty()) image.origin = the_recording;
    }
    std::move(code).finish(image);
    return image;
}

}  // namespace perfdata
