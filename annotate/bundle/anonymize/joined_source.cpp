// SPDX-License-Identifier: MIT
#include "bundle/anonymize/joined_source.hpp"

#include <algorithm>

#include "perfdata/core/small_algorithms.hpp"

namespace perfdata {

Result<std::size_t> OwnedBytes::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset >= bytes_.size()) return std::size_t{0};
    const auto part = Bytes(bytes_).subspan(static_cast<std::size_t>(offset));
    const auto size = std::min(part.size(), out.size());
    copy_bytes(part.first(size), out.data());
    return size;
}

JoinedSource::JoinedSource(std::vector<std::shared_ptr<const Source>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) size_ += part->size();
}

Result<std::size_t> JoinedSource::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    std::size_t done = 0;
    for (const auto& part : parts_) {
        const auto size = part->size();
        if (offset >= size) {
            offset -= size;
            continue;
        }
        if (done == out.size()) break;
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, size - offset));
        const auto got = part->read_at(offset, out.subspan(done, wanted));
        if (!got) return got;
        done += *got;
        if (*got != wanted) break;
        offset = 0;
    }
    return done;
}

}  // namespace perfdata
