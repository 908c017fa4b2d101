// SPDX-License-Identifier: MIT
#include "content_check.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/core/cursor.hpp"
#include "perfdata/wire/file_header.hpp"
#include "perfdata/wire/jitdump/header.hpp"

#include "stored/profile_file.hpp"

namespace perfdata {
namespace {

constexpr std::size_t enough = 512;  // a tar header is the longest beginning that is checked

// Some lines of a perf map may be anything, and names may end early with a NUL: only bytes that are no text at all rule
// it out.
bool is_shown(std::byte byte) {
    const auto c = std::to_integer<unsigned char>(byte);
    return c >= ' ' || c == '\t' || c == '\n' || c == '\r';
}

// A tar header contains the sum of its bytes in octal, with the field itself counted as spaces.
bool is_tar(Bytes start) {
    constexpr std::size_t sum_at = 148, sum_bytes = 8;
    if (start.size() < enough) return false;
    std::uint32_t sum = sum_bytes * ' ';
    for (std::size_t at = 0; at < enough; ++at) {
        if (at < sum_at || at >= sum_at + sum_bytes) sum += std::to_integer<std::uint32_t>(start[at]);
    }
    std::uint32_t said = 0;
    for (const char c : as_text(start.subspan(sum_at, sum_bytes))) {
        if (c >= '0' && c <= '7') said = said * 8 + static_cast<std::uint32_t>(c - '0');
    }
    return said == sum;
}

// A record has a nonzero type, and a size of at least its header, in either byte order.
bool is_record(Bytes start) {
    constexpr std::size_t header = 8;
    const auto any_set = [&](std::size_t at, std::size_t size) {
        return std::ranges::any_of(start.subspan(at, size), [](std::byte byte) { return byte != std::byte{}; });
    };
    return start.size() >= header && any_set(0, 4) && any_set(6, 2);
}

}  // namespace

Result<void> ContentCheck::more(Bytes piece) {
    if (decided_ || content_ == Content::any) return {};
    const auto taken = piece.first(std::min(piece.size(), enough - start_.size()));
    start_.insert(start_.end(), taken.begin(), taken.end());
    if (start_.size() < enough) return {};
    decided_ = true;
    return decide();
}

Result<void> ContentCheck::end() {
    if (decided_ || content_ == Content::any) return {};
    decided_ = true;
    return decide();
}

Result<void> ContentCheck::decide() const {
    const Bytes start(start_);
    const auto other = [&](const char* what) -> Result<void> {
        return fail(ErrorCode::malformed, 0, path_, std::string("does not begin as ") + what + " does");
    };
    switch (content_) {
        case Content::any: return {};
        case Content::recording_or_archive:
            if (is_tar(start)) return {};
            [[fallthrough]];
        case Content::recording: {
            if (stored::is_profile(start)) return {};
            const auto header = FileHeader::parse(start);
            return header ? Result<void>() : fail(header.error());
        }
        case Content::records: return start.empty() || is_record(start) ? Result<void>() : other("a record");
        case Content::elf: return as_text(start).starts_with("\177ELF") ? Result<void>() : other("an ELF file");
        case Content::jitdump: {
            auto header = JitDumpHeader::decode(start);
            if (header) return {};
            header.error().where = path_;
            return fail(std::move(header.error()));
        }
        case Content::archive: return is_tar(start) ? Result<void>() : other("a tar-ball");
        case Content::perf_map: return start.empty() || is_shown(start.front()) ? Result<void>() : other("a perf map");
        case Content::text:
            return std::ranges::find(start, std::byte{}) == start.end() ? Result<void>() : other("text");
    }
    return {};
}

}  // namespace perfdata
