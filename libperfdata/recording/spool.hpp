// SPDX-License-Identifier: MIT
// A temporary file for input that cannot be read twice, or not in place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "perfdata/recording/source.hpp"

#include "core/platform.hpp"
#include "file_source.hpp"

namespace perfdata {

// Spool is an unlinked file in TMPDIR, or in /tmp, to which bytes are appended. Nobody else can open it; it disappears
// with its last source.
class Spool {
  public:
    // create(path, most): path is the name in messages; more than `most` bytes are an error. Errors: io.
    static Result<Spool> create(std::string path, std::uint64_t most);

    // append(bytes). Errors: io (no room, for example), limit.
    Result<void> append(Bytes bytes);
    std::uint64_t size() const { return size_; }

    // finish(damage, from) returns what was appended as a source. damage is why it is incomplete; from is the file of
    // that path that it is a copy of, or was unpacked from.
    std::shared_ptr<const Source> finish(std::optional<Error> damage = {}, std::optional<ReadFrom> from = {}) &&;

  private:
    Spool(platform::Descriptor file, std::string path, std::uint64_t most)
        : file_(std::move(file)), path_(std::move(path)), most_(most) {}

    platform::Descriptor file_;
    std::string path_;
    std::uint64_t most_;
    std::uint64_t size_ = 0;
};

}  // namespace perfdata
