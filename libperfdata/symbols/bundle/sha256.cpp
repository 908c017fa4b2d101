// SPDX-License-Identifier: MIT
#include "sha256.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "perfdata/recording/source.hpp"
#include "perfdata/symbols/bundle/bundle_packer.hpp"

namespace perfdata {

Result<std::string> sha256_of(const Source& content, const Watch& watch) {
    constexpr std::uint64_t block_bytes = std::uint64_t{256} << 10;
    const auto size = content.size();
    std::vector<std::byte> block(static_cast<std::size_t>(std::min(size, block_bytes)));
    Sha256 hash;
    for (std::uint64_t at = 0; at < size;) {
        if (watch.stop.stop_requested()) return fail(ErrorCode::cancelled, Error::no_offset, {}, "asked to stop");
        const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), size - at));
        const auto got = content.read_at(at, part);
        if (!got) return fail(got.error());
        if (*got == 0) return fail(ErrorCode::io, at, {}, "it has shrunk meanwhile");
        hash.add(Bytes(part).first(*got));
        at += *got;
        if (watch.progress) watch.progress(at, size);
    }
    return hash.hex();
}

}  // namespace perfdata
