// SPDX-License-Identifier: MIT
#include "mini_debug_info.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "perfdata/core/cursor.hpp"

#include "recording/unpack.hpp"

namespace perfdata {
namespace {

Error debug_data_error(ErrorCode code, std::string why) {
    return {code, Error::no_offset, "section " + std::string(mini_debug_section), std::move(why)};
}

// Returns nothing if the section unpacks to more than the limit.
std::string unpack_xz(std::string_view packed, std::uint64_t limit, LookOut& look, std::optional<Error>& damage) {
    std::string out;
    const auto broken = unpack_stream(Packing::xz, read_from(std::as_bytes(std::span(packed))), [&](Bytes got) {
        out += as_text(got);
        for (std::size_t at = 0; at < got.size(); at += 16) look();
        return out.size() <= limit;
    });
    if (out.size() > limit) {
        damage = debug_data_error(ErrorCode::limit, "unpacks to more than " + std::to_string(limit) + " bytes");
        return {};
    }
    if (broken) damage = debug_data_error(ErrorCode::malformed, "cannot be unpacked any further: " + *broken);
    return out;
}

}  // namespace

MiniDebugInfo MiniDebugInfo::unpack(std::string_view packed, const Limits& limits, LookOut& look) {
    // Symbols pack to a fifth or so.
    constexpr std::uint64_t times = 32, some = std::uint64_t{1} << 20;
    MiniDebugInfo info;
    const auto most = std::min(limits.section_bytes, some + packed.size() * times);
    info.bytes = std::make_unique<const std::string>(unpack_xz(packed, most, look, info.damage));
    auto file = ElfFile::open(memory_source(std::as_bytes(std::span(*info.bytes))), limits, look.watch());
    if (!file && file.error().code == ErrorCode::cancelled) throw Stopped();
    if (file) {
        info.file.emplace(std::move(*file));
    } else if (!info.damage) {
        info.damage = debug_data_error(file.error().code, "unpacks to no ELF file: " + file.error().detail);
    }
    return info;
}

}  // namespace perfdata
