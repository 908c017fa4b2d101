// SPDX-License-Identifier: MIT
// Unpacks files compressed with zstd as a whole.
#pragma once

#include <array>
#include <boost/iostreams/categories.hpp>
#include <ios>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <zstd.h>
#include <zstd_errors.h>

namespace perfdata {

// ZstdDevice unpacks the contents of a device, frame after frame. It throws where the input breaks off within a frame:
// Boost's own filter takes that for the end. Copies share what they read.
template <class Device>
class ZstdDevice {
  public:
    using char_type = char;
    using category = boost::iostreams::source_tag;

    explicit ZstdDevice(Device device) : state_(std::make_shared<State>(std::move(device))) {}

    std::streamsize read(char* out, std::streamsize count) {
        auto& state = *state_;
        ZSTD_outBuffer target{out, static_cast<std::size_t>(count), 0};
        while (target.pos == 0) {
            if (state.failure) throw std::runtime_error(*state.failure);
            if (state.in.pos == state.in.size && !state.ended) state.read_more();
            const bool last = state.ended && state.in.pos == state.in.size;
            if (last && state.between_frames) return -1;
            const auto left = ZSTD_decompressStream(state.context.get(), &target, &state.in);
            if (ZSTD_isError(left) != 0) {
                if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) throw std::bad_alloc();
                state.failure = ZSTD_getErrorName(left);  // reported after the data unpacked before it
            } else {
                state.between_frames = left == 0;
                if (last && target.pos == 0 && left != 0) state.failure = "it breaks off";
            }
        }
        return static_cast<std::streamsize>(target.pos);
    }

  private:
    struct State {
        explicit State(Device from) : device(std::move(from)) {
            if (context == nullptr) throw std::bad_alloc();
        }
        void read_more() {
            const auto got = device.read(block.data(), static_cast<std::streamsize>(block.size()));
            ended = got <= 0;
            in = {block.data(), ended ? 0 : static_cast<std::size_t>(got), 0};
        }

        struct Free {
            void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
        };
        Device device;
        std::unique_ptr<ZSTD_DCtx, Free> context{ZSTD_createDCtx()};
        std::array<char, 65536> block{};
        ZSTD_inBuffer in{block.data(), 0, 0};
        bool ended = false;          // the device is at its end
        bool between_frames = true;  // everything read so far is complete frames
        std::optional<std::string> failure;
    };

    std::shared_ptr<State> state_;
};

}  // namespace perfdata
