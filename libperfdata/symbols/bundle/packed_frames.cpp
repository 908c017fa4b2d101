// SPDX-License-Identifier: MIT
#include "packed_frames.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <new>
#include <utility>
#include <zstd.h>
#include <zstd_errors.h>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/thread_end.hpp"

#include "recording/lock_or_stop.hpp"
#include "recording/look_out.hpp"
#include "recording/spool.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t zstd_frame_magic = 0xfd2fb528, skippable_magic = 0x184d2a50, skippable_mask = 0xfffffff0;
constexpr std::uint64_t short_frame = std::uint64_t{256} << 10;    // kept in memory ...
constexpr std::uint64_t most_in_memory = std::uint64_t{64} << 20;  // ... as long as all of them take no more
constexpr std::uint64_t most_content = std::uint64_t{1} << 60;     // sums of sizes stay far from overflowing

// KeptFrame is content in memory.
class KeptFrame final : public Source {
  public:
    KeptFrame(std::vector<std::byte> bytes, std::optional<Error> damage)
        : bytes_(std::move(bytes)), damage_(std::move(damage)) {}

    std::uint64_t size() const override { return bytes_.size(); }
    Bytes in_memory() const override { return bytes_; }
    std::optional<Error> damage() const override { return damage_; }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset >= bytes_.size()) return std::size_t{0};
        const auto rest = Bytes(bytes_).subspan(static_cast<std::size_t>(offset));
        const auto count = std::min(rest.size(), out.size());
        std::copy_n(rest.begin(), count, out.begin());
        return count;
    }

  private:
    std::vector<std::byte> bytes_;
    std::optional<Error> damage_;
};

// FrameWindow reads a source in blocks, at places that only grow.
class FrameWindow {
  public:
    explicit FrameWindow(const Source& source) : source_(source) {}

    // Returns up to `count` bytes at a place: fewer only at the end of the source.
    Result<Bytes> at(std::uint64_t offset, std::size_t count) {
        if (offset < begin_ || offset + count > begin_ + filled_) {
            const auto got = source_.read_at(offset, buffer_);
            if (!got) return fail(got.error());
            begin_ = offset;
            filled_ = *got;
        }
        const auto from = static_cast<std::size_t>(offset - begin_);
        return Bytes(buffer_).subspan(from, std::min(count, filled_ - from));
    }

  private:
    const Source& source_;
    std::uint64_t begin_ = 0;
    std::size_t filled_ = 0;
    std::array<std::byte, 4096> buffer_{};
};

std::uint64_t little_number(Bytes bytes) {
    std::uint64_t value = 0;
    for (std::size_t at = bytes.size(); at-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at]);
    return value;
}

}  // namespace

// Scan finds the frames, by the format in RFC 8878.
struct PackedFrames::Scan {
    const Source& packed;
    LookOut& look;
    FrameWindow window{packed};
    std::uint64_t at = 0;
    std::optional<std::string> wrong{};  // what ends the scan
    bool sized = true;                   // all frames so far say how long they are

    // Reads a frame at `at`, and steps behind it. Nothing: it was skippable, or `wrong` says what is wrong.
    Result<std::optional<Frame>> next() {
        constexpr std::size_t longest_header = 18;
        const auto got = window.at(at, longest_header);
        if (!got) return fail(got.error());
        const auto head = *got;
        if (head.size() < 5) return failed("it breaks off");
        const auto magic = static_cast<std::uint32_t>(little_number(head.first(4)));
        if ((magic & skippable_mask) == skippable_magic) {
            if (head.size() < 8) return failed("it breaks off");
            at += 8 + little_number(head.subspan(4, 4));
            if (at > packed.size()) return failed("it breaks off");
            return std::nullopt;
        }
        if (magic != zstd_frame_magic) return failed("what follows is not compressed with zstd");
        const auto descriptor = std::to_integer<unsigned>(head[4]);
        const bool single = (descriptor & 0x20) != 0, checksum = (descriptor & 4) != 0;
        constexpr std::array<std::size_t, 4> dictionary_bytes{0, 1, 2, 4};
        const std::array<std::size_t, 4> size_bytes{single ? std::size_t{1} : std::size_t{0}, 2, 4, 8};
        const auto dictionary = dictionary_bytes[descriptor & 3], sizes = size_bytes[descriptor >> 6];
        const auto size_at = std::size_t{5} + (single ? 0 : 1) + dictionary;
        if (head.size() < size_at + sizes) return failed("it breaks off");
        Frame frame{at, 0, 0, little_number(head.subspan(size_at, sizes)) + (sizes == 2 ? 256 : 0)};
        if (sizes == 0) sized = false;
        auto end = at + size_at + sizes;
        for (bool last = false; !last;) {
            look();
            const auto block = window.at(end, 3);
            if (!block) return fail(block.error());
            if (block->size() < 3) return failed("it breaks off");
            const auto header = little_number(*block);
            last = (header & 1) != 0;
            const auto type = header >> 1 & 3;
            if (type == 3) return failed("it has a block of an unknown type");
            end += 3 + (type == 1 ? 1 : header >> 3);
        }
        if (checksum) end += 4;
        if (end > packed.size()) return failed("it breaks off");
        frame.packed_size = end - at;
        at = end;
        return frame;
    }

    // Steps to what may be the next frame behind a place. Returns false if there is none.
    Result<bool> find_next(std::uint64_t behind) {
        constexpr std::array magic{std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f}, std::byte{0xfd}};
        constexpr std::size_t some = 4096;
        for (at = behind + 1; at + magic.size() <= packed.size(); at += some - magic.size() + 1) {
            look();
            const auto part = window.at(at, some);
            if (!part) return fail(part.error());
            const auto found = std::ranges::search(*part, magic);
            if (found.empty()) continue;
            at += static_cast<std::uint64_t>(found.begin() - part->begin());
            wrong.reset();
            return true;
        }
        return false;
    }

    std::optional<Frame> failed(std::string why) {
        wrong = std::move(why);
        return {};
    }
};

Result<std::shared_ptr<const PackedFrames>> PackedFrames::scan(std::shared_ptr<const Source> packed, std::string path,
                                                               const Limits& limits, LookOut& look) {
    constexpr std::size_t some_more = 64;  // frames that are no members
    // Each may be looked through to the end.
    constexpr int most_resumed = 64;
    int resumed = 0;
    const std::shared_ptr<PackedFrames> all(new PackedFrames(std::move(packed), std::move(path), limits));
    const auto damaged = [&](ErrorCode code, std::uint64_t at, std::string why) {
        if (!all->damage_) all->damage_ = Error{code, at, all->path_, "a frame cannot be read: " + std::move(why)};
    };
    Scan scan{*all->packed_, look};
    std::uint64_t end = 0;
    auto room = limits.unpacked_bytes;
    while (scan.at < all->packed_->size()) {
        look();
        const auto begin = scan.at;
        auto frame = scan.next();
        if (!frame) return fail(std::move(frame.error()));
        if (!scan.sized && !all->damage_) return std::shared_ptr<const PackedFrames>();
        if (!scan.sized) scan.wrong = "it does not say how long it is";
        scan.sized = true;
        if (scan.wrong) {
            damaged(ErrorCode::malformed, begin, std::move(*scan.wrong));
            const auto more = resumed++ < most_resumed ? scan.find_next(begin) : false;
            if (!more) return fail(more.error());
            if (!*more) break;
            continue;
        }
        if (!*frame || (*frame)->size == 0) continue;
        if ((*frame)->size > most_content - end) {
            damaged(ErrorCode::malformed, begin, "it claims " + std::to_string((*frame)->size) + " bytes");
            continue;
        }
        if (all->frames_.size() >= limits.archived_files + some_more) {
            damaged(ErrorCode::limit, begin,
                    "there are more than " + std::to_string(all->frames_.size()) + " before it");
            break;
        }
        (*frame)->at = end;
        end += (*frame)->size;
        // By its place, and not by what was read before it: the same ones for whatever threads read.
        (*frame)->fits = (*frame)->size <= room;
        if ((*frame)->fits) room -= (*frame)->size;
        all->frames_.push_back(**frame);
    }
    if (all->frames_.empty()) return std::shared_ptr<const PackedFrames>();
    all->slots_ = std::make_unique<Slot[]>(all->frames_.size());
    return all;
}

// Decoder unpacks one frame from its beginning.
class PackedFrames::Decoder {
  public:
    Decoder(const PackedFrames& all, const Frame& frame)
        : packed_(*all.packed_), path_(all.path_), frame_(frame), context_(ZSTD_createDCtx()) {
        if (!context_) throw std::bad_alloc();
        constexpr int least = 10, most = 30;  // zstd's limits: 31 is not for 32-bit machines
        const auto log = std::clamp(static_cast<int>(std::bit_width(all.limits_.zstd_window_bytes)) - 1, least, most);
        ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, log);
    }

    // Fills `out`, and returns how many bytes there were: fewer only at the end of the frame's content, or before
    // damage(). Errors: io.
    Result<std::size_t> read(std::span<std::byte> out) {
        // zstd compares sizes at the end of a frame: one that is longer than it says is noticed at its first byte more.
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), frame_.size - made_ + 1));
        ZSTD_outBuffer target{out.data(), 0, 0};
        while (target.pos < wanted && !ended_) {
            target.size = std::min(wanted, target.pos + most_at_once(made_ + target.pos));
            if (in_.pos == in_.size && read_ < frame_.packed_size) {
                const auto part = std::span(block_).first(
                    static_cast<std::size_t>(std::min<std::uint64_t>(block_.size(), frame_.packed_size - read_)));
                const auto got = packed_.read_at(frame_.packed_at + read_, part);
                if (!got) return fail(got.error());
                if (*got == 0) return stop(target.pos, "it breaks off");
                read_ += *got;
                in_ = {block_.data(), *got, 0};
            }
            const auto before = target.pos;
            const auto used = in_.pos;
            const auto status = ZSTD_decompressStream(context_.get(), &target, &in_);
            if (ZSTD_isError(status) != 0) {
                const auto code = ZSTD_getErrorCode(status);
                if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
                code_ = code == ZSTD_error_frameParameter_windowTooLarge ? ErrorCode::limit : ErrorCode::malformed;
                return stop(target.pos, ZSTD_getErrorName(status));
            }
            ended_ = status == 0;
            if (!ended_ && target.pos == before && in_.pos == used && read_ == frame_.packed_size) {
                return stop(target.pos, "it breaks off");
            }
        }
        if (made_ + target.pos > frame_.size) return stop(target.pos - 1, "a frame is longer than it says");
        made_ += target.pos;
        return target.pos;
    }
    const std::optional<Error>& damage() const { return damage_; }

  private:
    // zstd keeps back what one call has unpacked before it fails: all of the frame if there is room for it. The last
    // byte comes alone, with what the checksum says.
    std::size_t most_at_once(std::uint64_t made) const {
        constexpr std::uint64_t at_once = 16384;
        return static_cast<std::size_t>(
            std::clamp<std::uint64_t>(frame_.size - std::min(frame_.size, made + 1), 1, at_once));
    }
    std::size_t stop(std::size_t got, std::string why) {
        ended_ = true;
        made_ += got;
        damage_ = Error{code_, frame_.packed_at, path_, "cannot be unpacked any further: " + std::move(why)};
        return got;
    }

    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    const Source& packed_;
    const std::string& path_;
    Frame frame_;
    std::unique_ptr<ZSTD_DCtx, Free> context_;
    std::uint64_t read_ = 0, made_ = 0;
    bool ended_ = false;
    ErrorCode code_ = ErrorCode::malformed;
    std::optional<Error> damage_;
    ZSTD_inBuffer in_{nullptr, 0, 0};
    std::array<std::byte, 65536> block_{};
};

Result<std::size_t> PackedFrames::beginning(const Source& packed, std::span<std::byte> out) {
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
    };
    const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
    if (!context) throw std::bad_alloc();
    std::vector<std::byte> block(65536);
    ZSTD_outBuffer target{out.data(), out.size(), 0};
    for (std::uint64_t at = 0; target.pos < target.size;) {
        const auto got = packed.read_at(at, block);
        if (!got) return fail(got.error());
        if (*got == 0) break;
        at += *got;
        ZSTD_inBuffer in{block.data(), *got, 0};
        while (in.pos < in.size && target.pos < target.size) {
            const auto status = ZSTD_decompressStream(context.get(), &target, &in);
            if (ZSTD_isError(status) == 0) continue;
            if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
            return target.pos;
        }
    }
    return target.pos;
}

// Heads keeps the decoder of the frame that was read last.
class PackedFrames::Heads final : public HeadsSource {
  public:
    Heads(const PackedFrames& all, const LookOut& look) : all_(all), look_(look) {}

    std::uint64_t size() const override { return all_.size(); }
    void rethrow() const override {
        if (thrown_) std::rethrow_exception(thrown_);
    }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        std::size_t done = 0;
        while (done < out.size() && offset + done < size()) {
            const auto got = some(offset + done, out.subspan(done));
            // Who asked for more than a header has it, and is told of a bad frame when it begins there.
            if (!got && done != 0 && !thrown_) return done;
            if (!got) return got;
            done += *got;
        }
        return done;
    }

  private:
    Result<std::size_t> some(std::uint64_t offset, std::span<std::byte> out) const {
        const auto number = all_.frame_at(offset);
        const auto& frame = all_.frames_[number];
        const auto wanted = offset - frame.at;
        if (!decoder_ || number != number_ || wanted < begin_) {
            decoder_ = std::make_unique<Decoder>(all_, frame);
            number_ = number;
            begin_ = 0;
            filled_ = 0;
        }
        while (wanted >= begin_ + filled_) {
            try {
                look_.ask();
            } catch (const ThreadEnd&) {
                throw;
            } catch (...) {
                thrown_ = std::current_exception();
                return fail(ErrorCode::cancelled, Error::no_offset, all_.path_, "asked to stop");
            }
            begin_ += filled_;
            const auto got = decoder_->read(block_);
            if (!got) return got;
            filled_ = *got;
            unpacked_ += filled_;
            if (unpacked_ > all_.limits_.unpacked_bytes) {
                return fail(ErrorCode::limit, Error::no_offset, all_.path_,
                            "unpacks to more than " + std::to_string(all_.limits_.unpacked_bytes) + " bytes");
            }
            if (filled_ != 0) continue;
            auto damage = decoder_->damage();
            decoder_.reset();
            if (damage) return fail(std::move(*damage));
            return fail(ErrorCode::malformed, frame.packed_at, all_.path_, "a frame is shorter than it says");
        }
        const auto from = static_cast<std::size_t>(wanted - begin_);
        const auto count = std::min(out.size(), filled_ - from);
        std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(from), count, out.begin());
        return count;
    }

    const PackedFrames& all_;
    const LookOut& look_;
    mutable std::unique_ptr<Decoder> decoder_;
    mutable std::size_t number_ = 0, filled_ = 0;
    mutable std::uint64_t begin_ = 0, unpacked_ = 0;
    mutable std::exception_ptr thrown_;
    mutable std::array<std::byte, 16384> block_{};
};

std::unique_ptr<const PackedFrames::HeadsSource> PackedFrames::heads(const LookOut& look) const {
    return std::make_unique<const Heads>(*this, look);
}

std::size_t PackedFrames::frame_at(std::uint64_t offset) const {
    const auto behind = std::ranges::upper_bound(frames_, offset, {}, &Frame::at);
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind - frames_.begin(), 1) - 1);
}

Result<std::shared_ptr<const Source>> PackedFrames::content(std::size_t frame, const LookOut& look) const {
    auto& slot = slots_[frame];
    const auto lock = lock_or_stop(slot.mutex, look);
    if (!slot.content) slot.content = unpack(frames_[frame], look);
    return *slot.content;
}

Result<std::shared_ptr<const Source>> PackedFrames::unpack(const Frame& frame, const LookOut& look) const {
    if (!frame.fits) {
        return fail(ErrorCode::limit, Error::no_offset, path_,
                    "unpacks to more than " + std::to_string(limits_.unpacked_bytes) + " bytes");
    }
    const bool in_memory = frame.size <= short_frame && in_memory_.fetch_add(frame.size) <= most_in_memory;
    const auto decoder = std::make_unique<Decoder>(*this, frame);
    if (in_memory) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(frame.size));
        const auto got = decoder->read(bytes);
        if (!got) return fail(got.error());
        bytes.resize(*got);
        // What the checksum says comes behind the last byte.
        std::array<std::byte, 1> behind{};
        if (const auto more = decoder->read(behind); !more) return fail(more.error());
        return std::make_shared<const KeptFrame>(std::move(bytes), decoder->damage());
    }
    auto spool = Spool::create(path_, frame.size);
    if (!spool) return fail(std::move(spool.error()));
    std::vector<std::byte> block(std::size_t{256} << 10);
    for (;;) {
        look.ask();
        const auto got = decoder->read(block);
        if (!got) return fail(got.error());
        if (*got == 0) break;
        if (auto put = spool->append(Bytes(block).first(*got)); !put) return fail(std::move(put.error()));
        if (look.watch().progress) look.watch().progress(spool->size(), frame.size);
    }
    return std::move(*spool).finish(decoder->damage());
}

Result<std::size_t> PackedFrames::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    std::size_t done = 0;
    while (done < out.size() && offset + done < size()) {
        const auto number = frame_at(offset + done);
        const auto& frame = frames_[number];
        const auto inside = [&]() -> Result<std::shared_ptr<const Source>> {
            try {
                return content(number, LookOut());
            } catch (const Reentered&) {  // whoever reads may be written in C
                return std::unexpected(Reentered::error());
            }
        }();
        if (!inside) return fail(inside.error());
        const auto from = offset + done - frame.at;
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, frame.size - from));
        const auto got = (*inside)->read_at(from, out.subspan(done, wanted));
        if (!got) return got;
        if (*got < wanted) {
            if (auto damage = (*inside)->damage()) return fail(std::move(*damage));
            return fail(ErrorCode::malformed, frame.packed_at, path_, "a frame is shorter than it says");
        }
        done += *got;
    }
    return done;
}

}  // namespace perfdata
