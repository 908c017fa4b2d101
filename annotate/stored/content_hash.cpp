// SPDX-License-Identifier: MIT
#include "content_hash.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "perfdata/recording/source.hpp"

#include "symbols/bundle/sha256.hpp"

namespace perfdata {
namespace {

constexpr std::size_t hashed_block = std::size_t{1} << 20;

std::string digest_bytes(Sha256& hash) {
    const auto digits = hash.hex();
    const auto value = [](char digit) { return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10); };
    std::string bytes;
    for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
        bytes += static_cast<char>(value(digits[at]) << 4 | value(digits[at + 1]));
    }
    return bytes;
}

}  // namespace

Result<std::string> content_hash(const Recording& recording, const Watch& watch) {
    const auto files = recording.input_files();
    std::uint64_t all = 0, done = 0;
    for (const auto& file : files) all += file.content->size();
    Sha256 hash;
    std::vector<std::byte> block(hashed_block);
    for (const auto& file : files) {
        const auto size = file.content->size();
        std::array<std::byte, 8> size_bytes{};
        for (unsigned at = 0; at < size_bytes.size(); ++at) size_bytes[at] = std::byte(size >> 8 * at & 0xff);
        hash.add(std::as_bytes(std::span(file.name.c_str(), file.name.size() + 1)));  // with the zero at its end
        hash.add(size_bytes);
        for (std::uint64_t offset = 0; offset < size;) {
            if (watch.stop.stop_requested()) {
                return fail(ErrorCode::cancelled, Error::no_offset, recording.path(), "asked to stop");
            }
            const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(hashed_block, size - offset));
            const auto read = file.content->read_at(offset, std::span(block).first(wanted));
            if (!read) return fail(read.error());
            if (*read == 0) break;  // it became shorter meanwhile: its size was hashed
            hash.add(Bytes(block).first(*read));
            offset += *read;
            done += *read;
            if (watch.progress) watch.progress(done, all);
        }
    }
    return digest_bytes(hash);
}

std::string hash_of_code(Bytes bytes) {
    Sha256 hash;
    hash.add(bytes);
    return digest_bytes(hash);
}

}  // namespace perfdata
