// SPDX-License-Identifier: MIT
// A source in zstd frames that say how long they are: only those that are read are unpacked.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perfdata/core/limits.hpp"
#include "perfdata/recording/source.hpp"

#include "recording/owned_mutex.hpp"

namespace perfdata {

class LookOut;

// PackedFrames is what all frames unpack to, one behind the other. Each is unpacked at most once: short ones into
// memory, others into temporary files. Const use from many threads is safe.
class PackedFrames final : public Source {
  public:
    // Frame is one frame, and where its content begins.
    struct Frame {
        std::uint64_t packed_at = 0, packed_size = 0;
        std::uint64_t at = 0, size = 0;
        bool fits = true;  // in Limits::unpacked_bytes together with those before it that do
    };

    // scan(packed, path, limits, look) looks at the headers of frames and blocks alone. Null if a frame does not say
    // how long it is, or if there is no whole frame. Frames that cannot be read are left out: see damage(). path is for
    // messages. Throws Stopped. Errors: io.
    static Result<std::shared_ptr<const PackedFrames>> scan(std::shared_ptr<const Source> packed, std::string path,
                                                            const Limits& limits, LookOut& look);

    // beginning(packed, out) unpacks the first bytes of zstd frames, whether they say how long they are or not. Returns
    // how many there are: fewer before damage, which counts only if it comes before them. Errors: io.
    static Result<std::size_t> beginning(const Source& packed, std::span<std::byte> out);

    std::uint64_t size() const override { return frames_.empty() ? 0 : frames_.back().at + frames_.back().size; }
    std::optional<Error> damage() const override { return damage_; }
    // Unpacks the frames that it reads. Errors: io, malformed, limit.
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override;

    const std::vector<Frame>& frames() const { return frames_; }
    // frame_at(offset) returns the number of the frame whose content has that byte; that of the last one behind the
    // end.
    std::size_t frame_at(std::uint64_t offset) const;
    // content(frame, look) returns the content of a frame; with damage() if it is shorter than it says. Throws Stopped.
    // Errors: io, malformed, limit.
    Result<std::shared_ptr<const Source>> content(std::size_t frame, const LookOut& look) const;
    // HeadsSource has the same bytes for one thread that reads little, and forwards: nothing is kept. Whoever reads may
    // be written in C: what looking out throws is the error `cancelled`, until rethrow() throws it.
    class HeadsSource : public Source {
      public:
        virtual void rethrow() const = 0;
    };
    // heads(look): both must outlive it.
    std::unique_ptr<const HeadsSource> heads(const LookOut& look) const;

  private:
    class Decoder;
    class Heads;
    struct Scan;
    // Slot is the content of a frame, once it is unpacked or has failed to be.
    struct Slot {
        OwnedMutex mutex;
        std::optional<Result<std::shared_ptr<const Source>>> content;
    };

    PackedFrames(std::shared_ptr<const Source> packed, std::string path, const Limits& limits)
        : packed_(std::move(packed)), path_(std::move(path)), limits_(limits) {}
    Result<std::shared_ptr<const Source>> unpack(const Frame& frame, const LookOut& look) const;

    std::shared_ptr<const Source> packed_;
    std::string path_;
    Limits limits_;
    std::vector<Frame> frames_;  // none is empty
    std::optional<Error> damage_;
    std::unique_ptr<Slot[]> slots_;  // of each frame
    mutable std::atomic<std::uint64_t> in_memory_ = 0;
};

}  // namespace perfdata
