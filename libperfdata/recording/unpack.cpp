// SPDX-License-Identifier: MIT
#include "unpack.hpp"

#include <algorithm>
#include <array>
#include <boost/iostreams/categories.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <exception>
#include <ios>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <zstd.h>
#include <zstd_errors.h>

#include "perfdata/core/cursor.hpp"

namespace perfdata {
namespace {

namespace io = boost::iostreams;

constexpr std::size_t block_size = 65536;

// Device gives a stream of Boost what is read.
class Device {
  public:
    using char_type = char;
    using category = io::source_tag;

    explicit Device(const ReadPacked& read) : read_(&read) {}

    std::streamsize read(char* out, std::streamsize count) {
        const auto got = (*read_)(std::as_writable_bytes(std::span(out, static_cast<std::size_t>(count))));
        if (!got) throw std::runtime_error(got.error());
        return *got == 0 ? -1 : static_cast<std::streamsize>(*got);
    }

  private:
    const ReadPacked* read_;
};

// ZstdDevice unpacks frame after frame. It throws if the input breaks off within a frame: Boost's own filter takes that
// for the end. Copies share what they read.
class ZstdDevice {
  public:
    using char_type = char;
    using category = io::source_tag;

    explicit ZstdDevice(Device packed) : state_(std::make_shared<State>(packed)) {}

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
        explicit State(Device from) : device(from) {
            if (context == nullptr) throw std::bad_alloc();
        }
        void read_more() {
            const auto got = device.read(block.data(), static_cast<std::streamsize>(block.size()));
            ended = got <= 0;
            in = {block.data(), ended ? 0 : static_cast<std::size_t>(got), 0};
        }

        struct Free {
            void operator()(ZSTD_DCtx* unused) const { ZSTD_freeDCtx(unused); }
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

void push(io::filtering_streambuf<io::input>& in, Packing packing, const ReadPacked& read) {
    // A filter that fails loses the output buffered in the same call: keep the buffer small.
    constexpr std::streamsize small = 1024;
    const Device device(read);
    switch (packing) {
        case Packing::none: break;
        case Packing::gzip: in.push(io::gzip_decompressor(), small); break;
        case Packing::xz: in.push(io::lzma_decompressor(), small); break;
        case Packing::zlib: in.push(io::zlib_decompressor(), std::streamsize{block_size}); break;
        case Packing::zstd: return in.push(ZstdDevice(device), std::streamsize{block_size});
    }
    in.push(device, std::streamsize{block_size});
}

}  // namespace

Packing packing_of(Bytes start) {
    using namespace std::string_view_literals;
    const auto text = as_text(start);
    if (text.starts_with("\x1f\x8b"sv)) return Packing::gzip;
    if (text.starts_with("\xfd\x37zXZ\0"sv)) return Packing::xz;
    if (text.starts_with("\x28\xb5\x2f\xfd"sv)) return Packing::zstd;
    // pzstd and others write a skippable frame first.
    const bool any_of_16 = !text.empty() && (static_cast<unsigned char>(text[0]) & 0xf0U) == 0x50;
    if (any_of_16 && text.substr(1).starts_with("\x2a\x4d\x18"sv)) return Packing::zstd;
    return Packing::none;
}

ReadPacked read_from(Bytes bytes) {
    return [bytes](std::span<std::byte> out) mutable {
        const auto count = std::min(bytes.size(), out.size());
        std::copy_n(bytes.begin(), count, out.begin());
        bytes = bytes.subspan(count);
        return count;
    };
}

std::optional<std::string> unpack_stream(Packing packing, const ReadPacked& read, const PutUnpacked& put) {
    try {
        io::filtering_streambuf<io::input> in;
        push(in, packing, read);
        std::array<char, block_size> buffer;
        while (in.sgetc() != std::char_traits<char>::eof()) {
            const auto ready = std::min<std::streamsize>(in.in_avail(), buffer.size());
            const auto got = static_cast<std::size_t>(in.sgetn(buffer.data(), ready));
            if (!put(std::as_bytes(std::span(buffer).first(got)))) return {};
        }
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& problem) {
        return problem.what();
    }
    return {};
}

std::expected<std::size_t, std::string> unpack_zlib(Bytes packed, std::span<char> out,
                                                    const std::function<void()>& look) {
    constexpr std::size_t bytes_a_look = std::size_t{256} << 10;
    const auto read = read_from(packed);
    Device device(read);
    std::size_t filled = 0;
    std::optional<std::string> broken;
    // Without a stream around it, the filter unpacks right into `out`.
    std::optional<io::zlib_decompressor> filter;
    // Returns true if it got all that it asked for.
    const auto read_into = [&](char* to, std::size_t size) {
        const auto before = filled;
        try {
            if (!filter) filter.emplace(io::zlib::default_window_bits, block_size);
            const auto got = filter->read(device, to, static_cast<std::streamsize>(size));
            filled += got > 0 ? static_cast<std::size_t>(got) : 0;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& problem) {
            broken = problem.what();
        }
        return filled - before == size;
    };
    bool more = true;
    while (more && filled < out.size()) {
        more = read_into(out.data() + filled, std::min(bytes_a_look, out.size() - filled));
        if (look) look();
    }
    char behind = 0;
    if (more) read_into(&behind, 1);
    if (broken) return std::unexpected(std::move(*broken));
    return filled;
}

}  // namespace perfdata
