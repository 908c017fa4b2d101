// SPDX-License-Identifier: MIT
// An open file as a source.
#pragma once

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "perfdata/recording/content.hpp"

#include "core/platform.hpp"

namespace perfdata {

// io_failure(path, what, problem) returns the error for an errno.
inline std::unexpected<Error> io_failure(const std::string& path, std::string_view what, int problem) {
    return fail(ErrorCode::io, Error::no_offset, path,
                std::string(what) + ": " + std::generic_category().message(problem));
}

// ReadFrom is what bytes were read from, when it was opened.
struct ReadFrom : platform::FileStatus {
    bool written_by_others = false;  // others may write it, or own it, as was seen then; only for copies
    // Keeps the file of a copy open: while it is, no other file gets its inode number.
    std::shared_ptr<const void> held{};
};

// FileSource reads a file with pread, so that a file that shrinks meanwhile gives short reads and never a SIGBUS.
class FileSource final : public Source {
  public:
    // A file that nobody else can open. `from`: what it is a copy of, if that is known.
    FileSource(platform::Descriptor file, std::uint64_t size, std::string path, std::optional<Error> damage = {},
               std::optional<ReadFrom> from = {})
        : file_(std::move(file)),
          size_(size),
          path_(std::move(path)),
          damage_(std::move(damage)),
          from_(std::move(from)) {}
    // A file that has a name, and its status when it was opened: others may change it.
    FileSource(platform::Descriptor file, const platform::FileStatus& opened, std::string path)
        : file_(std::move(file)),
          size_(opened.size),
          path_(std::move(path)),
          opened_(opened),
          from_({opened, false, nullptr}) {}

    std::uint64_t size() const override { return size_; }
    std::optional<Error> damage() const override { return damage_; }

    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        std::size_t done = 0;
        while (done < out.size() && offset + done < size_) {
            const auto wanted =
                static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, size_ - offset - done));
            const auto got = platform::read_at(file_.get(), offset + done, out.subspan(done, wanted));
            if (!got) return io_failure(path_, "cannot read", got.error());
            if (*got == 0) break;  // the file has shrunk since it was opened
            done += *got;
        }
        return done;
    }

    std::uint64_t next_data(std::uint64_t offset) const override {
        if (offset >= size_) return offset;
        // Nobody else uses the position of this descriptor.
        const auto found = platform::next_data(file_.get(), offset);
        if (found) return std::clamp(*found, offset, size_);
        if (found.error() != ENXIO) return offset;
        // A hole up to the end; unless the file has shrunk, which reading will reveal.
        const auto status = platform::status(file_.get());
        return status && status->size >= size_ ? size_ : offset;
    }

    const std::string& path() const { return path_; }  // it was opened by, for messages
    const std::optional<platform::FileStatus>& opened() const { return opened_; }
    // What the bytes are from, also if they were unpacked or read from a pipe; nothing if it is not known.
    const std::optional<ReadFrom>& read_from() const { return from_; }
    platform::Answer<platform::FileStatus> status() const { return platform::status(file_.get()); }
    int descriptor() const { return file_.get(); }

  private:
    platform::Descriptor file_;
    std::uint64_t size_;
    std::string path_;
    std::optional<Error> damage_;
    std::optional<platform::FileStatus> opened_;  // none if nobody else can change the file
    std::optional<ReadFrom> from_;
};

// source_of(file, status, path) returns the source that open_source() makes of an open file, from its beginning.
// `copied` requests a copy even of a plain file.
Result<std::shared_ptr<const Source>> source_of(platform::Descriptor file, const platform::FileStatus& status,
                                                const std::string& path, const Limits& limits, Content content,
                                                const Watch& watch, bool copied = false);

}  // namespace perfdata
