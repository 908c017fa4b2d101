// SPDX-License-Identifier: MIT
// The header at byte 0 of a recording. Follows tools/perf/util/header.{h,c}.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

// FileSection is a part of the file. It may lie outside the file: check before use.
struct FileSection {
    std::uint64_t offset = 0;  // bytes from the start of the file
    std::uint64_t size = 0;    // bytes
};

// FileHeader is the 104-byte header of a regular recording (72 bytes, without features, in ancient ones), or the
// 16-byte header of a pipe stream, which has only a magic and its own size.
struct FileHeader {
    static constexpr std::size_t bytes = 104;                  // size of the header of today's regular recordings
    static constexpr std::size_t bytes_without_features = 72;  // size of the header in ancient ones
    static constexpr std::size_t pipe_bytes = 16;              // size of the header of pipe streams

    AnyOrder order;               // of the whole file
    bool pipe = false;            // a pipe stream: records follow immediately, everything below is empty
    bool legacy = false;          // version 1 (magic PERFFILE)
    std::uint64_t size = 0;       // of this header
    std::uint64_t attr_size = 0;  // stride of the attr section: the writer's attr + 16
    FileSection attrs;            // array of attr_size bytes each
    FileSection event_types;      // obsolete: names of events in files of perf 3; not needed
    FileSection data;             // data.size 0: the recorder did not finish; data extend to the end of the file
    std::array<std::uint64_t, 4> features{};  // bit n: feature n is present

    // has_feature(number) returns whether the file has the section of that Feature; false for numbers above 255.
    bool has_feature(unsigned number) const {
        return number < 256 && (features[number / 64] >> (number % 64) & 1) != 0;
    }

    // parse(start) reads the header from the first bytes of a file (104 are enough). Errors: not_perf_data,
    // truncated, malformed, unsupported. Sections are not checked against the file's size here.
    static Result<FileHeader> parse(Bytes start);

  private:
    static constexpr std::uint64_t magic_v2 = 0x32454c4946524550;  // "PERFILE2" read as little-endian
    static constexpr std::uint64_t magic_v1 = 0x454c494646524550;  // "PERFFILE" read as little-endian

    void read_features(Cursor& in);
};

namespace detail {

// The magic of version 1 does not reveal the byte order: only one order gives a size that a version-1 attr can have.
inline bool plausible_v1_attr_size(std::uint64_t size) {
    for (const std::uint64_t known : {64u, 72u, 80u, 96u, 104u}) {
        if (size == known + sizeof(FileSection)) return true;
    }
    return false;
}

}  // namespace detail

inline Result<FileHeader> FileHeader::parse(Bytes start) {
    constexpr std::string_view where = "file header";
    const AnyOrder little(std::endian::little);
    const AnyOrder big(std::endian::big);
    if (start.size() < pipe_bytes) {
        return fail(ErrorCode::not_perf_data, 0, std::string(where),
                    "only " + std::to_string(start.size()) + " bytes; a recording begins with a header of 104");
    }
    FileHeader header;
    const auto magic = little.load<std::uint64_t>(start.data());
    if (magic == magic_v2) {
        header.order = little;
    } else if (byteswap(magic) == magic_v2) {
        header.order = big;
    } else if (magic == magic_v1) {
        header.legacy = true;
        header.order = start.size() >= 24 && detail::plausible_v1_attr_size(big.load<std::uint64_t>(start.data() + 16))
                           ? big
                           : little;
    } else {
        return fail(ErrorCode::not_perf_data, 0, std::string(where), "no perf.data magic (PERFILE2) at the start");
    }

    Cursor in(start, header.order, {.where = where, .offset = 0});
    in.skip(8);
    header.size = in.u64();
    if (header.size == pipe_bytes && !header.legacy) {
        header.pipe = true;
        return header;
    }
    if (header.size != bytes && header.size != bytes_without_features) {
        return fail(ErrorCode::malformed, 8, std::string(where),
                    "header size " + std::to_string(header.size) + "; known are 104, 72 and, in pipe mode, 16");
    }
    header.attr_size = in.u64();
    for (FileSection* section : {&header.attrs, &header.data, &header.event_types}) {
        section->offset = in.u64();
        section->size = in.u64();
    }
    if (header.size == bytes) header.read_features(in);
    if (!in.ok()) return in.failure("the header");
    return header;
}

// On disk the bitmap is an array of the writer's `unsigned long`. A 32-bit big-endian writer therefore orders its words
// differently from a 64-bit one; bit 3 (HOSTNAME), which every writer sets, distinguishes them.
inline void FileHeader::read_features(Cursor& in) {
    constexpr std::uint64_t hostname = std::uint64_t{1} << 3;
    for (auto& word : features) word = in.u64();
    if (order == AnyOrder(std::endian::big) && (features[0] & hostname) == 0 && (features[0] >> 32 & hostname) != 0) {
        for (auto& word : features) word = word << 32 | word >> 32;
    }
}

}  // namespace perfdata
