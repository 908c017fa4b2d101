// SPDX-License-Identifier: MIT
// The continuous zstd stream of a recording's compressed records.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <zstd.h>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/recording/record_stream.hpp"

namespace perfdata {

// The payloads of all compressed records of one file are one zstd stream: frames go on from record to record and need
// not end. Records inside may straddle as well: an undecoded tail waits in front of the next output.
class RecordStream::Unpacker {
  public:
    Unpacker() : context_(ZSTD_createDCtx()), buffer_(buffer_bytes) {}

    // restart() forgets the stream: a new file begins.
    void restart() {
        if (context_) ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
        tail_ = 0;
        broken_ = false;
    }

    // feed(payload) is the next piece of the stream. It must live until drained.
    void feed(Bytes payload) {
        input_ = payload;
        flushed_ = false;
        record_bytes_ = 0;
        // Behind an error only a new frame can be understood.
        if (broken_ && as_text(payload).starts_with(frame_magic)) restart();
        if (broken_) input_ = {};
    }

    // keep(rest) keeps bytes that do not make a whole record yet until the next piece comes. They may lie in the
    // buffer.
    void keep(Bytes rest) {
        if (!rest.empty()) std::memmove(buffer_.data(), rest.data(), rest.size());
        tail_ = rest.size();
    }
    Bytes tail() const { return Bytes(buffer_).first(tail_); }

    // unpack(rest, limit) moves `rest` to the front of the buffer and fills the buffer behind it; the result is both.
    // Errors: malformed, limit; then the stream is broken.
    Result<Bytes> unpack(Bytes rest, std::uint64_t limit, std::uint64_t& unpacked) {
        keep(rest);
        ZSTD_outBuffer out{buffer_.data(), buffer_.size(), tail_};
        while (out.pos < out.size && !flushed_ && !broken_) {
            ZSTD_inBuffer in{input_.data(), input_.size(), 0};
            const auto before = out.pos;
            if (!context_) return break_off(ErrorCode::limit, "zstd is out of memory");
            const auto status = ZSTD_decompressStream(context_.get(), &out, &in);
            input_ = input_.subspan(in.pos);
            const auto made = out.pos - before;
            unpacked += made;
            record_bytes_ += made;
            if (ZSTD_isError(status) != 0) return break_off(ErrorCode::malformed, ZSTD_getErrorName(status));
            if (record_bytes_ > limit) {
                return break_off(ErrorCode::limit, "unpacks to more than " + std::to_string(limit) + " bytes");
            }
            // Room left in the output and no input left: all there was has come out.
            flushed_ = (input_.empty() && out.pos < out.size) || (made == 0 && in.pos == 0);
        }
        return Bytes(buffer_).first(out.pos);
    }
    bool used_up() const { return flushed_ || broken_; }

  private:
    std::unexpected<Error> break_off(ErrorCode code, std::string why) {
        broken_ = true;
        tail_ = 0;
        return fail(code, Error::no_offset, "", std::move(why));
    }

    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    static constexpr std::string_view frame_magic = "\x28\xb5\x2f\xfd";
    static constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

    std::unique_ptr<ZSTD_DCtx, Free> context_;
    std::vector<std::byte> buffer_;
    std::size_t tail_ = 0;
    Bytes input_;
    std::uint64_t record_bytes_ = 0;
    bool flushed_ = true;
    bool broken_ = false;
};

}  // namespace perfdata
