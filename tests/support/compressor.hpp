// SPDX-License-Identifier: MIT
// Writes compressed records like perf record -z.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <zstd.h>

#include "support/random.hpp"
#include "support/records.hpp"

namespace perfdata::test {

// Compressor serves a whole recording, or one file of a directory. It flushes after each piece and never ends the
// frame.
class Compressor {
  public:
    Blob piece(Bytes content) { return run(content, ZSTD_e_flush); }
    // end() ends the frame, so that the next piece begins another, like a restart of perf's compressor.
    Blob end() { return run({}, ZSTD_e_end); }

  private:
    Blob run(Bytes content, ZSTD_EndDirective directive) {
        ZSTD_inBuffer in{content.data(), content.size(), 0};
        Blob out(ZSTD_compressBound(content.size()) + 64);
        ZSTD_outBuffer target{out.data(), out.size(), 0};
        const auto left = ZSTD_compressStream2(context_.get(), &target, &in, directive);
        if (left != 0 || in.pos != in.size) throw std::runtime_error("zstd did not take everything");
        out.resize(target.pos);
        return out;
    }

    struct Free {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };
    std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
};

// compressed_record(...) returns COMPRESSED, or COMPRESSED2 with its size field and padding.
inline Blob compressed_record(std::endian order, RecordType type, const Blob& piece) {
    const RecordFrame frame{order, {}, 0};
    if (type == RecordType::compressed) return record(type, frame, piece);
    auto body = joined({Writer(order).u64(piece.size()).take(), piece});
    body.resize((body.size() + 7) / 8 * 8, std::byte{0xff});
    return record(type, frame, body);
}

// packed(order, type, plain, random) compresses the records `plain`. It cuts plain and compressed bytes at random
// places. Some frames end; the last does not.
inline Blob packed(std::endian order, RecordType type, Bytes plain, Random& random) {
    Compressor compressor;
    Blob all;
    Blob waiting;
    const auto put = [&](std::size_t size) {
        const auto end = waiting.begin() + static_cast<std::ptrdiff_t>(size);
        const auto one = compressed_record(order, type, Blob(waiting.begin(), end));
        all.insert(all.end(), one.begin(), one.end());
        waiting.erase(waiting.begin(), end);
    };
    while (!plain.empty()) {
        const auto size = std::min(plain.size(), random.one_in(2) ? 1 + random.size(40) : 1 + random.size(20000));
        const auto piece = compressor.piece(plain.first(size));
        waiting.insert(waiting.end(), piece.begin(), piece.end());
        plain = plain.subspan(size);
        if (random.one_in(16)) {
            const auto end = compressor.end();
            waiting.insert(waiting.end(), end.begin(), end.end());
        }
        if (random.one_in(3)) put(std::min(waiting.size(), random.size(waiting.size() + 1)));
        while (waiting.size() > 60000) put(30000 + random.size(30000));
    }
    put(waiting.size());
    return all;
}

}  // namespace perfdata::test
