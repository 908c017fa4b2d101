// SPDX-License-Identifier: MIT
// The viewing machine's files, as far as symbols are looked for in them.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// FileTime is a time of the machine's clock, since 1970 in UTC.
struct FileTime {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;  // below 1,000,000,000

    auto operator<=>(const FileTime&) const = default;
};

// FileSystem is the only way in which symbols/ opens files by name. There are two ways to open one, by who named it:
// open() for names that a recording has, or a file that was read because of it; open_given() for those that the user
// typed. Const use from many threads must be safe.
class FileSystem {
  public:
    FileSystem() = default;
    FileSystem(const FileSystem&) = delete;
    FileSystem& operator=(const FileSystem&) = delete;
    virtual ~FileSystem() = default;

    // open(name, limits) is by a recording's word: a regular file of an ordinary file system, unpacked if it is
    // compressed, and only as long as that gives the content that is asked for. Errors: missing (there is no such
    // file, or it is not to be read), io, malformed, limit, mismatch (of owner).
    virtual Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                                       Content content = Content::any) const = 0;
    // open_given(path, limits) is by the user's word: anything that can be read, such as a pipe. What can be read only
    // once may be asked for again. Errors: io, malformed, limit.
    virtual Result<std::shared_ptr<const Source>> open_given(const std::string& path, const Limits& limits,
                                                             Content content = Content::any) const;
    // has(name) is whether open() would find a file that it may read.
    virtual bool has(const FileName& name) const;
    // read_kernel_file(path, most) is a file of /proc or /sys, whose size is not known beforehand. Only fixed names may
    // come here: reading some of these files waits for ever. Errors: missing, io, limit.
    virtual Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const = 0;
    // read_kernel_file_start(path, most) is so many bytes of its beginning, or all.
    virtual Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const;
    // modified(name) is when the file was last written; nothing if that is not known.
    virtual std::optional<FileTime> modified(const FileName&) const { return {}; }
    // identity(name) tells which names lead to one file: a recording and a tree of files may have any number of names
    // for a large one. What has none is read by each name.
    virtual std::optional<FileIdentity> identity(const FileName&) const { return {}; }
};

// Reach is what a recording's word may open: files of the whole machine, or only those below the root of a name, which
// the user gave (--offline, --symfs). It holds for the running kernel's files, too.
enum class Reach : std::uint8_t { machine, given };

// LocalFiles is the machine's own file system; open_named_file() says what it opens by a recording's word. A perf map
// outside of a root must belong to this user or to root, as in perf.
class LocalFiles final : public FileSystem {
  public:
    explicit LocalFiles(Reach reach = Reach::machine, LinkWalk walk = LinkWalk::kernel);
    ~LocalFiles() override;

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_given(const std::string& path, const Limits& limits,
                                                     Content content = Content::any) const override;
    bool has(const FileName& name) const override;
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override;
    Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const override;
    std::optional<FileTime> modified(const FileName& name) const override;
    std::optional<FileIdentity> identity(const FileName& name) const override;

  private:
    bool reaches(const FileName& name) const { return reach_ == Reach::machine || !name.root.empty(); }

    Reach reach_;
    LinkWalk walk_;
    struct ReadOnce;
    std::unique_ptr<ReadOnce> read_once_;  // pipes, by the path that was given
};

}  // namespace perfdata
