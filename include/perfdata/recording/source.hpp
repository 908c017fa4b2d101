// SPDX-License-Identifier: MIT
// Where the bytes of a recording come from: a file, standard input, a compressed file, memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/progress.hpp"

namespace perfdata {

// Source gives random access to input of known size. Reading is const and may happen on several threads at once.
class PERFDATA_EXPORT Source {
  public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source();  // in the library, which alone then has the type's data

    virtual std::uint64_t size() const = 0;  // in bytes
    // read_at(offset, out) fills `out` and returns the number of bytes read: fewer only at the end of the input.
    virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;
    // next_data(offset) returns the first place at or after `offset` where bytes may be nonzero: files can have holes,
    // which take no room however large they are. size() if there is none.
    virtual std::uint64_t next_data(std::uint64_t offset) const { return offset; }
    // in_memory() returns the whole input if it is in memory anyway, else an empty view.
    virtual Bytes in_memory() const { return {}; }
    // damage() returns why the input is shorter than it should be: a packed file that breaks off, for example.
    virtual std::optional<Error> damage() const { return {}; }
};

// open_source(path) opens a file; "-" is standard input. Compressed input (gzip, xz, zstd, recognised by its first
// bytes) is unpacked and input that cannot be read twice is copied to an unlinked temporary file, at most
// limits.unpacked_bytes of it. Errors: io, limit, malformed (broken compression).
PERFDATA_EXPORT Result<std::shared_ptr<const Source>> open_source(const std::string& path, const Limits& limits);

// unpacked(source, path) returns what open_source() makes of a file with these bytes: the source itself unless it is
// compressed. path is the name in messages.
PERFDATA_EXPORT Result<std::shared_ptr<const Source>> unpacked(std::shared_ptr<const Source> source,
                                                               const std::string& path, const Limits& limits);

// memory_source(bytes) does not copy: the bytes must outlive it.
PERFDATA_EXPORT std::shared_ptr<const Source> memory_source(Bytes bytes);

// ReadAt reads bytes of an input that the caller has: it fills the span from an offset and returns how many bytes it
// wrote, 0 only at the end or behind it. It may return fewer than it was asked for: it is asked again for the rest.
using ReadAt = Callback<Result<std::size_t>(std::uint64_t offset, std::span<std::byte> out)>;

// callback_source(size, read_at, name) is an input of that size that is read by the callback: a remote file, or one in
// an archive. name is for messages. read_at is called on whichever threads read, several at once if several threads do.
// It must not throw. Errors of reading: those that it returns, and io if it claims more than it was asked for.
PERFDATA_EXPORT std::shared_ptr<const Source> callback_source(std::uint64_t size, ReadAt read_at, std::string name);

// read_whole(source, limit, watch) copies the input to memory. Errors: io, limit, cancelled.
PERFDATA_EXPORT Result<std::string> read_whole(const Source& source, std::uint64_t limit, const Watch& watch = {});
// read_part(source, offset, size, watch) copies a part of it, with room for one byte more: less only at the end of the
// input. Errors: io, cancelled.
PERFDATA_EXPORT Result<std::string> read_part(const Source& source, std::uint64_t offset, std::size_t size,
                                              const Watch& watch = {});

}  // namespace perfdata
