// SPDX-License-Identifier: MIT
// An open file as a source.
#pragma once

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "perfdata/recording/content.hpp"
#include "perfdata/recording/spool.hpp"

namespace perfdata {

// io_failure(path, what) returns an error made from errno.
inline std::unexpected<Error> io_failure(const std::string& path, std::string_view what) {
    return fail(ErrorCode::io, Error::no_offset, path,
                std::string(what) + ": " + std::generic_category().message(errno));
}

// FileSource reads a file with pread, so that a file that shrinks meanwhile gives short reads and never a SIGBUS.
class FileSource final : public Source {
  public:
    FileSource(Descriptor file, std::uint64_t size, std::string path, std::optional<Error> damage = {})
        : file_(std::move(file)), size_(size), path_(std::move(path)), damage_(std::move(damage)) {}

    std::uint64_t size() const override { return size_; }
    std::optional<Error> damage() const override { return damage_; }

    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        std::size_t done = 0;
        while (done < out.size() && offset + done < size_) {
            const auto wanted =
                static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, size_ - offset - done));
            const auto got = ::pread(file_.get(), out.data() + done, wanted, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return io_failure(path_, "cannot read");
            if (got == 0) break;  // the file has shrunk since it was opened
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

    std::uint64_t next_data(std::uint64_t offset) const override {
        if (offset >= size_) return offset;
        // Nobody else uses the position of this descriptor.
        const auto found = ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_DATA);
        if (found >= 0) return std::clamp(static_cast<std::uint64_t>(found), offset, size_);
        if (errno != ENXIO) return offset;
        // A hole up to the end; unless the file has shrunk, which reading will reveal.
        struct stat status {};
        const bool whole = ::fstat(file_.get(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= size_;
        return whole ? size_ : offset;
    }

  private:
    Descriptor file_;
    std::uint64_t size_;
    std::string path_;
    std::optional<Error> damage_;
};

// source_of(file, status, path) returns the source that open_source() makes of an open file, from its beginning.
// `copied` requests a copy even of a plain file.
Result<std::shared_ptr<const Source>> source_of(Descriptor file, const struct stat& status, const std::string& path,
                                                const Limits& limits, Content content, bool copied = false);

}  // namespace perfdata
