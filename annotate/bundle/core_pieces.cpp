// SPDX-License-Identifier: MIT
#include "core_pieces.hpp"

#include <algorithm>
#include <bit>

#include "elf/elf_bytes.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
constexpr std::size_t most_pieces = 60'000;  // e_phnum has 16 bits
constexpr std::uint64_t piece_alignment = 4096;

struct CorePiece {
    std::uint64_t vaddr = 0, offset = 0, size = 0;  // offset: in the file that is copied
    bool executable = false;
};

std::unexpected<Error> too_much() {
    return fail(ErrorCode::limit, Error::no_offset, "the kernel's memory",
                "the pieces that samples hit are too large, or too many");
}

Result<std::vector<CorePiece>> find_pieces(const ElfFile& core,
                                           const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges) {
    std::vector<CorePiece> pieces;
    std::uint64_t sum = 0;
    for (const auto& segment : core.segments()) {
        if (segment.file_size == 0 || segment.offset + segment.file_size < segment.offset) continue;
        const auto end = segment.offset + segment.file_size;
        auto range = std::ranges::upper_bound(ranges, segment.offset, {}, [](const auto& one) { return one.second; });
        for (; range != ranges.end() && range->first < end; ++range) {
            const auto first = std::max(range->first, segment.offset), last = std::min(range->second, end);
            if (first >= last) continue;
            pieces.push_back({segment.vaddr + (first - segment.offset), first, last - first, segment.executable});
            sum += last - first;
            if (sum > most_bytes || pieces.size() > most_pieces) return too_much();
        }
    }
    std::ranges::stable_sort(pieces, {}, &CorePiece::vaddr);
    return pieces;
}

void write_head(const ElfFile& core, const std::vector<CorePiece>& pieces, std::uint64_t first, ElfBytes& out) {
    const bool wide = core.wide();
    out.raw(
        "\x7f"
        "ELF");
    out.u8(wide ? 2 : 1);
    out.u8(core.order().endian() == std::endian::little ? 1 : 2);
    out.u8(1);
    out.align(16);
    const std::uint64_t header = wide ? 64 : 52, program = wide ? 56 : 32;
    out.u16(4);  // ET_CORE
    out.u16(core.machine());
    out.u32(1);
    out.word(0);
    out.word(header);
    out.word(0);
    out.u32(0);
    out.u16(header);
    out.u16(program);
    out.u16(pieces.size());
    out.u16(0);
    out.u16(0);
    out.u16(0);
    auto at = first;
    for (const auto& piece : pieces) {
        const std::uint64_t flags = piece.executable ? 7 : 6;
        out.u32(1);  // PT_LOAD
        if (wide) out.u32(flags);
        out.word(at);
        out.word(piece.vaddr);
        out.word(0);
        out.word(piece.size);
        out.word(piece.size);
        if (!wide) out.u32(flags);
        out.word(piece_alignment);
        at += piece.size;
    }
}

}  // namespace

Result<std::string> core_pieces(const ElfFile& core, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges,
                                const Watch& watch) {
    const auto pieces = find_pieces(core, ranges);
    if (!pieces) return fail(pieces.error());
    ElfBytes out(core.order().endian(), core.wide());
    const auto head = (core.wide() ? 64 : 52) + pieces->size() * (core.wide() ? 56 : 32);
    const auto first = (head + piece_alignment - 1) / piece_alignment * piece_alignment;
    write_head(core, *pieces, first, out);
    out.align(piece_alignment);
    auto bytes = out.bytes();
    for (const auto& piece : *pieces) {
        auto part = read_part(core.source(), piece.offset, static_cast<std::size_t>(piece.size), watch);
        if (!part) return fail(std::move(part.error()));
        part->resize(static_cast<std::size_t>(piece.size));  // where the file ends early it has zeros
        bytes += *part;
    }
    return bytes;
}

}  // namespace perfdata
