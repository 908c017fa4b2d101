// SPDX-License-Identifier: MIT
// The viewing machine's files, as far as symbols are looked for in them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

using FileTime = std::filesystem::file_time_type;

// FileSystem is the only way in which symbols/ opens files by name. Const use from many threads must be safe.
class FileSystem {
  public:
    FileSystem() = default;
    FileSystem(const FileSystem&) = delete;
    FileSystem& operator=(const FileSystem&) = delete;
    virtual ~FileSystem() = default;

    // open(path) opens a regular file, unpacked if it is compressed. Errors: missing (there is no regular file of that
    // name), io, malformed, limit.
    virtual Result<std::shared_ptr<const Source>> open(const std::string& path, const Limits& limits) const = 0;
    // read_kernel_file(path, most) is a file of /proc or /sys, whose size is not known beforehand. Only fixed names may
    // come here: reading some of these files waits for ever. Errors: missing, io, limit.
    virtual Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const = 0;
    // read_kernel_file_start(path, most) is so many bytes of its beginning, or all.
    virtual Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const {
        auto text = read_kernel_file(path, std::numeric_limits<std::uint64_t>::max());
        if (text && text->size() > most) text->resize(static_cast<std::size_t>(most));
        return text;
    }
    // modified(path) is when the file was last written; nothing if that is not known.
    virtual std::optional<FileTime> modified(const std::string&) const { return {}; }
};

// LocalFiles is the machine's own file system. Pipes and devices are not opened: names come from recordings.
class LocalFiles final : public FileSystem {
  public:
    Result<std::shared_ptr<const Source>> open(const std::string& path, const Limits& limits) const override;
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override;
    Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const override;
    std::optional<FileTime> modified(const std::string& path) const override;
};

}  // namespace perfdata
