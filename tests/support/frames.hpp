// SPDX-License-Identifier: MIT
// zstd frames that say how long they are.
#pragma once

#include <stdexcept>
#include <zstd.h>

#include "support/writer.hpp"

namespace perfdata::test {

// sized_frame(content) returns one frame.
inline Blob sized_frame(Bytes content) {
    Blob frame(ZSTD_compressBound(content.size()));
    const auto size = ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), 3);
    if (ZSTD_isError(size) != 0) throw std::logic_error("zstd");
    frame.resize(size);
    return frame;
}

// sized_frames(content, piece) returns a frame for each piece of that many bytes.
inline Blob sized_frames(Bytes content, std::size_t piece) {
    Blob all;
    for (std::size_t at = 0; at < content.size(); at += piece) {
        const auto frame = sized_frame(content.subspan(at, std::min(piece, content.size() - at)));
        all.insert(all.end(), frame.begin(), frame.end());
    }
    return all;
}

}  // namespace perfdata::test
