// SPDX-License-Identifier: MIT
#include "elf_packed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <zstd.h>
#include <zstd_errors.h>

#include "perfdata/core/cursor.hpp"

#include "elf_constants.hpp"
#include "recording/look_out.hpp"
#include "unpack_at_once.hpp"

namespace perfdata {
namespace {

std::unexpected<Error> damaged(const std::string& why) {
    return fail(ErrorCode::malformed, Error::no_offset, "ELF", "a compressed section cannot be unpacked: " + why);
}

struct FreeContext {
    void operator()(ZSTD_DCtx* unused) const { ZSTD_freeDCtx(unused); }
};

std::unexpected<Error> zstd_failure(std::size_t code) {
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    return damaged(ZSTD_getErrorName(code));
}

Result<void> unpack_zstd_at_once(Bytes packed, std::span<char> out) {
    const auto made = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
    if (ZSTD_isError(made) != 0) return zstd_failure(made);
    if (made != out.size()) return damaged("it is shorter than it says");
    return {};
}

Result<void> unpack_zstd_section(Bytes packed, std::span<char> out, const LookOut& look) {
    constexpr std::size_t bytes_a_look = std::size_t{1} << 20;
    if (out.size() <= bytes_a_look) return unpack_zstd_at_once(packed, out);
    const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
    if (context == nullptr) throw std::bad_alloc();
    // A stream keeps a window of what it made. One larger than the section is good for nothing.
    const auto most =
        std::min(static_cast<int>(std::bit_width(out.size())), ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, most);
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    std::size_t filled = 0, left = 0;
    char behind = 0;
    for (;;) {
        const bool full = filled == out.size();
        if (in.pos == in.size && left == 0) break;
        ZSTD_outBuffer part{full ? &behind : out.data() + filled,
                            full ? 1 : std::min(bytes_a_look, out.size() - filled), 0};
        const auto before = in.pos;
        left = ZSTD_decompressStream(context.get(), &part, &in);
        if (ZSTD_isError(left) != 0 && ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge) {
            return unpack_zstd_at_once(packed, out);
        }
        if (ZSTD_isError(left) != 0) return zstd_failure(left);
        if (full && part.pos != 0) return damaged("it is longer than it says");
        filled += part.pos;
        if (in.pos == before && part.pos == 0) break;  // it breaks off
        look.look();
    }
    if (left != 0 || filled != out.size()) return damaged("it is shorter than it says");
    return {};
}

Result<void> unpack_zlib_section(Bytes packed, std::span<char> out, const LookOut& look) {
    constexpr std::size_t most_at_once = std::size_t{64} << 20;  // 0.1 s
    if (out.size() <= most_at_once) {
        if (unpack_zlib_at_once(packed, out) == out.size()) return {};
        std::ranges::fill(out, '\0');  // what zlib does not reach stays so
    }
    const auto size = unpack_zlib(packed, out, look.beats() ? [&] { look.look(); } : std::function<void()>());
    if (!size) return damaged(size.error());
    if (*size > out.size()) return damaged("it is longer than it says");
    if (*size < out.size()) return damaged("it is shorter than it says");
    return {};
}

}  // namespace

Result<PackedSection> packed_section(const ElfFile& file, const ElfFile::Section& section) {
    const bool flagged = (section.flags & compressed_flag) != 0;
    PackedSection plain{Packing::none, 0, section.size};
    if (!flagged && !section.name.starts_with(".z")) return plain;
    std::array<std::byte, 24> head{};
    const auto room = std::span(head).first(static_cast<std::size_t>(std::min<std::uint64_t>(24, section.size)));
    const auto got = file.source().read_at(section.offset, room);
    if (!got) return fail(got.error());
    const auto start = Bytes(room).first(*got);
    if (flagged) {
        Cursor in(start, file.order(), {.where = "compressed section", .offset = section.offset});
        const auto type = in.u32();
        if (file.wide()) in.skip(4);  // ch_reserved
        const auto size = file.wide() ? in.u64() : in.u32();
        in.skip(file.wide() ? 8 : 4);  // ch_addralign
        if (!in.ok()) return in.failure("the header");
        constexpr std::uint32_t zlib = 1, zstd = 2;
        if (type != zlib && type != zstd) {
            return fail(ErrorCode::unsupported, section.offset, "ELF",
                        "section " + std::string(section.name) + " is compressed in an unknown way");
        }
        return PackedSection{type == zlib ? Packing::zlib : Packing::zstd, in.position(), size};
    }
    // GNU's older way: "ZLIB", then the unpacked size in big-endian order. A section without this header was unpacked
    // by a tool that kept the name.
    if (!as_text(start).starts_with("ZLIB")) return plain;
    Cursor in(start, AnyOrder(std::endian::big), {.where = "compressed section", .offset = section.offset});
    in.skip(4);
    const auto size = in.u64();
    if (!in.ok()) return in.failure("the header");
    return PackedSection{Packing::zlib, in.position(), size};
}

Result<void> unpack(Bytes packed, Packing packing, std::span<char> out, const LookOut& look) {
    return packing == Packing::zstd ? unpack_zstd_section(packed, out, look) : unpack_zlib_section(packed, out, look);
}

}  // namespace perfdata
