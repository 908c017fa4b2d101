// SPDX-License-Identifier: MIT
#include "damage/frames.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <zstd.h>

namespace perfdata::test {
namespace {

constexpr std::uint32_t sample = 9, tracing_data = 66, auxtrace = 71, compressed = 81, compressed2 = 83;

// Sizes of records in tools/perf and the kernel's headers: from ... to. Kernel records may also have a trailer of up to
// 64 bytes.
struct Sizes {
    std::uint64_t type, least, most;
    bool trailer = true;
};
constexpr std::uint64_t any = 65535, path = 4096, list = 1024;
constexpr Sizes known_sizes[] = {{1, 48, 40 + path},    {2, 24, 24},
                                 {3, 24, 272},          {4, 32, 32},
                                 {5, 32, 32},           {6, 32, 32},
                                 {7, 32, 32},           {8, 24, any},
                                 {9, 8, any},           {10, 80, 72 + path},
                                 {11, 32, 32},          {12, 16, 16},
                                 {13, 16, 16},          {14, 8, 8},
                                 {15, 16, 16},          {16, 24, 536},
                                 {17, 32, 1048},        {18, 24, 24},
                                 {19, 24, 16 + path},   {20, 24, any},
                                 {21, 16, 16},          {22, 24, any},
                                 {64, 72, list, false}, {65, 16, 80, false},
                                 {66, 12, 16, false},   {67, 40, 36 + path, false},
                                 {68, 8, 8, false},     {69, 16, list, false},
                                 {70, 16, list, false}, {71, 48, 48, false},
                                 {72, 48, 160, false},  {73, 16, list, false},
                                 {74, 16, list, false}, {75, 16, list, false},
                                 {76, 48, 48, false},   {77, 24, 24, false},
                                 {78, 24, list, false}, {79, 32, 64, false},
                                 {80, 16, any, false},  {81, 8, any, false},
                                 {82, 8, 8, false},     {83, 16, any, false},
                                 {84, 528, any, false}, {85, 24, any, false},
                                 {86, 24, any, false}};

struct Header {
    std::uint64_t type = 0, size = 0;

    // A size that the known type can have, newer versions included.
    bool usual() const {
        if (type >= 32768 && type < 32832) return size >= 8;
        const auto* known = std::ranges::find(known_sizes, type, &Sizes::type);
        if (known == std::end(known_sizes) || size < known->least) return false;
        return size <= known->most + (known->trailer ? 64 : 0) && (type >= 64 || size % 8 == 0);
    }
    // For kernel types any multiple of 8 is accepted.
    bool believed() const { return type >= 1 && type <= 22 ? size >= 8 && size % 8 == 0 : usual(); }
    bool inconceivable() const { return type == 0 || (type > 255 && (type < 32768 || type >= 32832)); }
    bool has_known_type() const {
        return (type >= 32768 && type < 32832) ||
               std::ranges::find(known_sizes, type, &Sizes::type) != std::end(known_sizes);
    }
    // An impossible size for its type, or a type that cannot become valid.
    bool unheard_of() const { return !usual() && !plain() && !of_perf() && (has_known_type() || !possible()); }
    // perf's own types: accepted if a record follows, even with an unusual size.
    bool of_perf() const { return type >= 64 && has_known_type(); }
    // Kernel types with a common size: accepted if a record follows.
    bool plain() const { return type >= 1 && type <= 22 && size >= 8 && size <= 4232 && size % 8 == 0; }
    // All types but three have sizes that are multiples of 8.
    bool padded() const { return size % 8 == 0 || type == tracing_data || type == compressed || type == compressed2; }
    bool possible() const { return type >= 1 && type <= 255 && size >= 8 && size % 8 == 0; }
};

Header header_at(Bytes file, std::uint64_t at, std::endian order) {
    return {number(file, at, 4, order), number(file, at + 6, 2, order)};
}

// Returns the size of the record at `at`; empty if there is none.
std::optional<std::uint64_t> record_at(Bytes file, std::uint64_t at, std::uint64_t end, std::endian order) {
    if (end - at < 8) return {};
    const auto header = header_at(file, at, order);
    if (header.size < 8 || header.size > end - at) return {};
    if (header.believed()) return header.size;
    const auto behind = end - at - header.size;
    if (behind == 0) return header.size;
    if (behind < 8) return {};
    const auto next = header_at(file, at + header.size, order);
    const bool confirmed = next.usual() || (header.possible() && next.possible());
    if (!confirmed) return {};
    return header.size;
}

// is_found(...) returns true if enough records follow `at`. on_grid: records begin here if no byte was lost or added;
// in_data: inside data that may not be records.
bool is_found(Bytes file, std::uint64_t at, std::uint64_t end, std::endian order, bool on_grid, bool in_data) {
    const std::uint64_t wanted = in_data && !on_grid ? 6 : 3;
    const std::uint64_t before_end = in_data ? 3 : on_grid ? 1 : 2, before_cut = in_data ? 3 : 1;
    const auto begin = at;
    for (std::uint64_t records = 0; records < wanted; ++records) {
        if (at - begin >= 131072) return true;
        const auto left = end - at;
        if (left == 0) return records >= before_end;
        if (left < 4) return records >= before_end + 1;
        if (left < 8) {
            const bool known = Header{number(file, at, 4, order)}.has_known_type();
            return records >= (known ? before_cut : before_end + 1);
        }
        const auto header = header_at(file, at, order);
        if (!header.usual() || (!on_grid && !header.padded())) return false;
        if (header.size > left) return records >= before_cut;
        at += header.size;
    }
    return true;
}

// Returns the first place inside the record at `at` from which at least three usual records fill it to its end; 0 if
// there is none.
std::uint64_t filled_from(Bytes file, std::uint64_t at, std::uint64_t size, std::endian order) {
    for (auto place = at + 8; place < at + size; place += 8) {
        std::uint64_t records = 0, next = place;
        while (next + 8 <= at + size) {
            const auto header = header_at(file, next, order);
            if (!header.usual() || header.size % 8 != 0) break;
            next += header.size;
            ++records;
        }
        if (next == at + size && records >= 3) return place;
    }
    return 0;
}

// Returns the place inside the record at `at` where reading continues because the record is doubtful; 0 if there is
// none.
std::uint64_t better_place(Bytes file, std::uint64_t at, std::uint64_t size, std::uint64_t end, std::endian order,
                           bool aligned, std::uint64_t longest) {
    const auto header = header_at(file, at, order);
    const auto behind = at + size;
    bool doubtful = header.unheard_of();
    if (!doubtful && header.type != auxtrace && header.type != tracing_data && end - behind >= 8) {
        doubtful = !header_at(file, behind, order).usual() && !record_at(file, behind, end, order);
    }
    for (auto place = at + 1; doubtful && place < behind; ++place) {
        if (is_found(file, place, end, order, !aligned || (place - at) % 8 == 0, false)) return place;
    }
    return header.type <= 22 && size > longest && size % 8 == 0 ? filled_from(file, at, size, order) : 0;
}

std::uint64_t payload_behind(Bytes file, std::uint64_t at, std::uint64_t size, const Frames& frames) {
    const auto type = number(file, at, 4, frames.order);
    if (type == auxtrace && size >= 16) return number(file, at + 8, 8, frames.order);
    if (type == tracing_data && frames.pipe && size >= 12) return number(file, at + 8, 4, frames.order);
    return 0;
}

Bytes packed_bytes(Bytes file, const Frame& frame, std::endian order) {
    if (frame.type == compressed) return file.subspan(frame.offset + 8, frame.size - 8);
    const auto size = number(file, frame.offset + 8, 8, order);
    return file.subspan(frame.offset + 16, std::min<std::uint64_t>(size, frame.size - 16));
}

// Unpacked counts the samples in a stream of compressed records, record by record.
class Unpacked {
  public:
    explicit Unpacked(std::endian order) : order_(order) {}

    std::uint64_t samples_ending_in(Bytes packed) {
        unpack(packed);
        std::uint64_t samples = 0;
        while (bytes_.size() - at_ >= 8) {
            const auto size = number(bytes_, at_ + 6, 2, order_);
            if (size < 8) throw std::runtime_error("a fixture with damage in its compressed records");
            if (size > bytes_.size() - at_) break;
            samples += number(bytes_, at_, 4, order_) == sample ? 1 : 0;
            at_ += size;
        }
        return samples;
    }

  private:
    void unpack(Bytes packed) {
        ZSTD_inBuffer in{packed.data(), packed.size(), 0};
        std::vector<std::byte> room(ZSTD_DStreamOutSize());
        for (bool more = true; more;) {
            ZSTD_outBuffer out{room.data(), room.size(), 0};
            if (ZSTD_isError(ZSTD_decompressStream(context_.get(), &out, &in)) != 0) {
                throw std::runtime_error("a fixture that cannot be unpacked");
            }
            bytes_.insert(bytes_.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(out.pos));
            more = in.pos < in.size || out.pos == out.size;
        }
    }

    std::endian order_;
    std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(), ZSTD_freeDCtx};
    Blob bytes_;
    std::uint64_t at_ = 0;
};

}  // namespace

std::uint64_t number(Bytes file, std::uint64_t at, unsigned size, std::endian order) {
    if (at > file.size() || file.size() - at < size) throw std::runtime_error("a number beyond the end of the file");
    std::uint64_t value = 0;
    for (unsigned index = 0; index < size; ++index) {
        const auto byte = std::to_integer<std::uint64_t>(file[at + index]);
        value |= byte << (8 * (order == std::endian::little ? index : size - 1 - index));
    }
    return value;
}

std::uint64_t Frames::samples() const {
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Frame& frame) { return sum + frame.samples; });
}

bool Frames::packed() const {
    return std::ranges::any_of(all, &Frame::packed);
}

Frames frames_of(Bytes file) {
    Frames frames;
    frames.order = std::to_integer<char>(file[0]) == 'P' ? std::endian::little : std::endian::big;
    frames.pipe = number(file, 8, 8, frames.order) == 16;
    frames.begin = frames.pipe ? 16 : number(file, 40, 8, frames.order);
    const auto data_size = frames.pipe ? 0 : number(file, 48, 8, frames.order);
    frames.end = data_size == 0 ? file.size() : frames.begin + data_size;
    Unpacked unpacked(frames.order);
    for (auto at = frames.begin; at < frames.end;) {
        Frame frame{.offset = at, .size = number(file, at + 6, 2, frames.order)};
        frame.type = static_cast<std::uint32_t>(number(file, at, 4, frames.order));
        frame.whole = frame.size + payload_behind(file, at, frame.size, frames);
        if (frame.size < 8 || frame.end() > frames.end) {
            if (data_size == 0) break;  // the recorder wrote no further
            throw std::runtime_error("a fixture with damage in its records");
        }
        if (frame.type == sample) frame.samples = 1;
        if (frame.packed()) frame.samples = unpacked.samples_ending_in(packed_bytes(file, frame, frames.order));
        frames.all.push_back(frame);
        at = frame.end();
    }
    return frames;
}

Expectation expect(Bytes file, const Frames& frames, std::uint64_t begin, std::uint64_t end,
                   const std::vector<Start>& starts) {
    Expectation expected;
    bool stream_began = false, stream_broken = false, aligned = true, in_data = false;
    std::uint64_t longest = 4232;
    auto start = starts.begin();
    for (auto at = begin; at < end;) {
        while (start != starts.end() && start->offset < at) ++start;
        const bool undamaged = start != starts.end() && start->offset == at && start->intact;
        const auto size = record_at(file, at, end, frames.order);
        if (!size || in_data) {
            auto next = in_data ? at : at + 1;
            const auto on_grid = [&] { return !aligned || (next - at) % 8 == 0; };
            while (next < end && !is_found(file, next, end, frames.order, on_grid(), in_data)) ++next;
            for (auto lost = start; lost != starts.end() && lost->offset < std::min(next, end); ++lost) {
                if (lost->intact && (in_data || lost->offset != at)) expected.too_few += lost->samples;
            }
            stream_broken = stream_broken || stream_began;
            in_data = false;
            at = next;
            continue;
        }
        const auto type = number(file, at, 4, frames.order);
        if (const auto place = better_place(file, at, *size, end, frames.order, aligned, longest); place != 0) {
            for (auto lost = start; lost != starts.end() && lost->offset < place; ++lost) {
                if (lost->intact) expected.swallowed += lost->samples;
            }
            if (type == compressed || type == compressed2) {
                stream_began = true;
                expected.exact = false;  // its first bytes were already unpacked
            }
            stream_broken = stream_broken || stream_began;
            at = place;
            continue;
        }
        if (type <= 22) longest = std::max(longest, *size);
        aligned = aligned && *size % 8 == 0;
        if (type == compressed || type == compressed2) {
            stream_began = true;
            expected.exact = expected.exact && (stream_broken || (undamaged && !start->orphan));
            stream_broken = stream_broken || !undamaged;
            if (!stream_broken) {
                expected.framed += start->samples;
                expected.saved += start->samples;
            } else if (undamaged) {
                expected.swallowed += start->samples;
            }
        } else if (type == sample) {
            ++expected.framed;
            if (undamaged) ++expected.saved;
        } else if (header_at(file, at, frames.order).inconceivable()) {
            stream_broken = stream_broken || stream_began;
        }
        const auto payload = payload_behind(file, at, *size, frames);
        in_data = payload > end - at - *size;
        const auto claimed = *size + (in_data ? 0 : payload);
        for (auto inside = start; inside != starts.end() && inside->offset < at + claimed; ++inside) {
            if (inside->offset == at) continue;
            if (inside->intact) expected.swallowed += inside->samples;
            const auto inner = header_at(file, inside->offset, frames.order).type;
            stream_broken = stream_broken || inner == compressed || inner == compressed2;
        }
        aligned = aligned && (in_data || payload % 8 == 0);
        at += claimed;
    }
    return expected;
}

std::vector<Start> starts_of(const Frames& frames) {
    return starts_without(frames, frames.end, frames.end);
}

std::vector<Start> starts_without(const Frames& frames, std::uint64_t from, std::uint64_t until, std::int64_t shift) {
    std::vector<Start> starts;
    bool stream_began = false, stream_broken = false;
    for (const auto& frame : frames.all) {
        stream_began = stream_began || frame.packed();
        if (frame.end() <= from) {
            starts.push_back({frame.offset, frame.samples});
        } else if (frame.offset < until) {
            stream_broken = stream_began;
        } else {
            starts.push_back({frame.offset + static_cast<std::uint64_t>(shift),
                              stream_broken && frame.packed() ? 0 : frame.samples, true,
                              stream_broken && frame.packed()});
        }
    }
    return starts;
}

std::vector<Start> starts_in(const Frames& frames, Bytes before, Bytes after) {
    std::vector<Start> starts;
    bool stream_began = false, stream_broken = false;
    for (const auto& frame : frames.all) {
        stream_began = stream_began || frame.packed();
        const auto same = [&](std::uint64_t size) {
            return std::ranges::equal(before.subspan(frame.offset, size), after.subspan(frame.offset, size));
        };
        const bool intact = same(frame.size);
        stream_broken = stream_broken || (stream_began && !intact);
        const bool orphan = stream_broken && frame.packed();
        if (same(8)) starts.push_back({frame.offset, orphan ? 0 : frame.samples, intact, orphan});
    }
    return starts;
}

std::uint64_t samples_in(const std::vector<Start>& starts) {
    return std::accumulate(starts.begin(), starts.end(), std::uint64_t{0}, [](std::uint64_t sum, const Start& start) {
        return sum + (start.intact ? start.samples : 0);
    });
}

}  // namespace perfdata::test
