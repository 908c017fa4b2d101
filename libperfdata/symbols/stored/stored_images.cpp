// SPDX-License-Identifier: MIT
#include "stored_images.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "recording/stored/problems.hpp"

namespace perfdata {
namespace {

std::vector<std::byte> stored_bytes(std::string_view text) {
    std::vector<std::byte> bytes(text.size());
    std::ranges::transform(text, bytes.begin(), [](char byte) { return static_cast<std::byte>(byte); });
    return bytes;
}

}  // namespace

const stored::Version* StoredImages::version(stored::Ref<stored::Function> function, std::uint32_t number) const {
    const auto key = [](const stored::Version& version) { return std::tuple(version.function, version.number); };
    const auto found = std::ranges::lower_bound(model_.versions, std::tuple(function, number), {}, key);
    const bool known = found != model_.versions.end() && key(*found) == std::tuple(function, number);
    return known ? &*found : nullptr;
}

Result<CodeImage> StoredImages::image(stored::Ref<stored::Function> function, std::uint32_t number) const {
    const std::string where(model_.text(model_.at(function).symbol));
    const auto* known = version(function, number);
    if (known == nullptr || known->image.absent) {
        if (known != nullptr && !known->image.problems.empty()) {
            return fail(stored::error(model_, known->image.problems.front()));
        }
        return fail(ErrorCode::missing, Error::no_offset, where, "the profile has not kept its code");
    }
    const auto& row = known->image;
    CodeImage image;
    image.bytes = stored_bytes(row.bytes);
    image.address = {row.address};
    image.origin = model_.text(row.origin);
    image.problems = stored::errors(model_, row.problems);
    for (const auto& gap : row.gaps) image.gaps.push_back({gap.offset, gap.size});
    for (const auto& change : row.changes) {
        image.changes.push_back(
            {change.offset, {change.time}, stored_bytes(change.before), stored_bytes(change.after)});
    }
    for (const auto& one : row.relocations) {
        image.relocations.push_back({one.offset, std::string(model_.text(one.symbol)),
                                     static_cast<std::int64_t>(one.addend), one.base.as<RelocationBase>()});
    }
    if (known->differs) {
        image.problems.push_back({ErrorCode::mismatch, Error::no_offset, where,
                                  "its code differs between the recordings that were merged: this is that of one"});
    }
    return image;
}

std::optional<KnownTarget> StoredImages::target(stored::Ref<stored::Function> function, std::uint32_t number,
                                                Address address, TargetUse use) const {
    const auto* known = version(function, number);
    if (known == nullptr) return {};
    const auto& targets = known->image.targets;
    const std::tuple wanted(address.value, use == TargetUse::constant);
    const auto key = [](const stored::Target& target) { return std::tuple(target.address, target.constant); };
    const auto found = std::ranges::lower_bound(targets, wanted, {}, key);
    if (found == targets.end() || key(*found) != wanted) return {};
    const auto name = model_.text(found->name);
    if (name.empty()) return {};
    return KnownTarget{name, found->offset};
}

}  // namespace perfdata
