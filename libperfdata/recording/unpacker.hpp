// SPDX-License-Identifier: MIT
// The continuous zstd stream of a recording's compressed records.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <zstd.h>
#include <zstd_errors.h>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/recording/record_stream.hpp"

namespace perfdata {

// new_block(size) returns uninitialized memory.
inline std::shared_ptr<std::byte[]> new_block(std::size_t size) {
    return std::make_shared_for_overwrite<std::byte[]>(size);
}

// The payloads of all compressed records of one file form one zstd stream: frames continue from record to record and
// need not end. Records inside may straddle as well: an undecoded tail waits in front of the next output.
//
// Output fills the buffer from record to record; when little room is left, what is still needed (the last bytes of the
// output) moves to the front, or to the front of a new buffer if somebody keeps the old one.
class RecordStream::Unpacker {
  public:
    explicit Unpacker(std::uint64_t window_bytes) : context_(ZSTD_createDCtx()), buffer_(new_block(buffer_bytes)) {
        constexpr int least = 10, most = 30;  // zstd's limits: 31 is not for 32-bit machines
        const auto log = std::clamp(static_cast<int>(std::bit_width(window_bytes)) - 1, least, most);
        if (!context_) throw std::bad_alloc();
        ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, log);
    }

    std::shared_ptr<const std::byte[]> block() const { return buffer_; }

    // restart() resets the stream: a new file begins.
    void restart() {
        ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
        tail_ = 0;
        broken_ = false;
        wanted_ = 0;
    }

    // break_stream() discards everything up to the next frame: a piece may be missing.
    void break_stream() {
        broken_ = true;
        tail_ = 0;
        wanted_ = 0;
    }

    // feed(payload) supplies the next piece of the stream. It must live until drained.
    void feed(Bytes payload) {
        input_ = payload;
        // Everything before has been output. zstd reports several calls in a row without input as an error.
        flushed_ = payload.empty();
        record_bytes_ = 0;
        // After an error only a new frame can be decoded.
        if (broken_ && as_text(payload).starts_with(frame_magic)) restart();
        if (broken_) input_ = {};
    }

    // keep(rest) keeps the last `rest` bytes of the output, an incomplete record, until the next piece comes.
    void keep(std::size_t rest) { tail_ = rest; }
    Bytes tail() const { return {buffer_.get() + (filled_ - tail_), tail_}; }

    // breaks_off() returns true if the stream ended here in the middle of a block, whose output is lost. Between blocks
    // any stream may end: perf never ends its frames.
    bool breaks_off() const { return wanted_ != 0 && wanted_ != block_header; }

    // unpack(rest, limit) fills the buffer behind the last `rest` bytes and returns both. Errors: malformed, limit;
    // then the stream is broken. Adds to the counts of unpacked bytes and of buffer refills.
    Result<Bytes> unpack(std::size_t rest, std::uint64_t limit, std::uint64_t& unpacked, std::uint64_t& refills) {
        keep(rest);
        if (make_room()) ++refills;
        ZSTD_outBuffer out{buffer_.get(), buffer_bytes, filled_};
        std::size_t made_all = 0;
        while (out.pos < out.size && !flushed_ && !broken_) {
            ZSTD_inBuffer in{input_.data(), input_.size(), 0};
            const auto before = out.pos;
            const auto status = ZSTD_decompressStream(context_.get(), &out, &in);
            input_ = input_.subspan(in.pos);
            const auto made = out.pos - before;
            made_all += made;
            unpacked += made;
            record_bytes_ += made;
            if (ZSTD_isError(status) != 0) {
                // Memory that is short now is no damage of the recording.
                if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
                const bool window = ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge;
                return break_off(window ? ErrorCode::limit : ErrorCode::malformed, ZSTD_getErrorName(status));
            }
            if (record_bytes_ > limit) {
                return break_off(ErrorCode::limit, "unpacks to more than " + std::to_string(limit) + " bytes");
            }
            wanted_ = status;
            // Output room is left and no input: everything has been output.
            flushed_ = (input_.empty() && out.pos < out.size) || (made == 0 && in.pos == 0);
        }
        filled_ = out.pos;
        return Bytes(buffer_.get() + (filled_ - rest - made_all), rest + made_all);
    }
    bool used_up() const { return flushed_ || broken_; }

  private:
    // The buffer holds more than the largest record, so that moving always gains room.
    bool make_room() {
        if (buffer_bytes - filled_ >= least_room) return false;
        auto into = buffer_.use_count() == 1 ? buffer_ : new_block(buffer_bytes);
        std::memmove(into.get(), tail().data(), tail_);
        buffer_ = std::move(into);
        filled_ = tail_;
        return true;
    }

    std::unexpected<Error> break_off(ErrorCode code, std::string why) {
        break_stream();
        return fail(code, Error::no_offset, "", std::move(why));
    }

    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    static constexpr std::string_view frame_magic = "\x28\xb5\x2f\xfd";
    static constexpr std::size_t block_header = 3;  // what zstd wants between blocks
    static constexpr std::size_t buffer_bytes = std::size_t{256} << 10, least_room = std::size_t{64} << 10;

    std::unique_ptr<ZSTD_DCtx, Free> context_;
    std::shared_ptr<std::byte[]> buffer_;
    std::size_t filled_ = 0;  // bytes used in the buffer
    std::size_t tail_ = 0;    // the last of them, which are still needed
    Bytes input_;
    std::uint64_t record_bytes_ = 0;
    std::size_t wanted_ = 0;  // bytes that zstd wants next; 0 between frames
    bool flushed_ = true;
    bool broken_ = false;
};

}  // namespace perfdata
