// SPDX-License-Identifier: MIT
#include "elf_packed.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <zstd.h>
#include <zstd_errors.h>

#include "perfdata/core/cursor.hpp"

#include "elf_constants.hpp"

namespace perfdata {
namespace {

std::unexpected<Error> damaged(const std::string& why) {
    return fail(ErrorCode::malformed, Error::no_offset, "ELF", "a compressed section cannot be unpacked: " + why);
}

Result<void> unpack_zstd_section(Bytes packed, std::span<char> out) {
    const auto made = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
    if (ZSTD_isError(made) != 0) {
        if (ZSTD_getErrorCode(made) == ZSTD_error_memory_allocation) throw std::bad_alloc();
        return damaged(ZSTD_getErrorName(made));
    }
    if (made != out.size()) return damaged("it is shorter than it says");
    return {};
}

Result<void> unpack_zlib_section(Bytes packed, std::span<char> out) {
    const auto size = unpack_zlib(packed, out);
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

Result<void> unpack(Bytes packed, Packing packing, std::span<char> out) {
    return packing == Packing::zstd ? unpack_zstd_section(packed, out) : unpack_zlib_section(packed, out);
}

}  // namespace perfdata
