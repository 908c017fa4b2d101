// SPDX-License-Identifier: MIT
// Unpacks compressed streams. unpack.cpp is the only file of this library that includes Boost.Iostreams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "perfdata/core/types.hpp"

namespace perfdata {

enum class Packing : std::uint8_t { none, gzip, xz, zstd, zlib };

// packing_of(start) looks at the first bytes of a file, of which 6 are enough. Streams of zlib have no mark: they are
// `none`.
Packing packing_of(Bytes start);

// ReadPacked reads the next bytes into a buffer. It returns how many, 0 at the end, or why it cannot.
using ReadPacked = std::function<std::expected<std::size_t, std::string>(std::span<std::byte>)>;
// PutUnpacked takes the next bytes. It returns false to stop.
using PutUnpacked = std::function<bool(Bytes)>;

// read_from(bytes) returns what reads bytes in memory, which must outlive it.
ReadPacked read_from(Bytes bytes);

// unpack_stream(packing, read, put) unpacks everything that `read` returns, in blocks of at most 64 KiB. Concatenated
// streams are one. Returns nothing at the end or if `put` stopped, else why it broke off; what was unpacked before the
// break has been put.
std::optional<std::string> unpack_stream(Packing packing, const ReadPacked& read, const PutUnpacked& put);

// unpack_zlib(packed, out, look) fills `out` from a stream of zlib. Returns how many bytes the stream has, at most one
// more than `out` takes; or why it broke off. What is behind the stream is not looked at. Calls look() after each
// quarter of a megabyte; it may throw.
std::expected<std::size_t, std::string> unpack_zlib(Bytes packed, std::span<char> out,
                                                    const std::function<void()>& look = {});

}  // namespace perfdata
