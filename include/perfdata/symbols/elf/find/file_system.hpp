// SPDX-License-Identifier: MIT
// Opens files of the viewing machine for symbols.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// FileTime is a time since 1970 in UTC.
struct FileTime {
    std::int64_t seconds = 0;      // negative before 1970
    std::int64_t nanoseconds = 0;  // below 1,000,000,000

    auto operator<=>(const FileTime&) const = default;
};

// FileSystem is the only way in which symbols/ opens files by name. Who named the file decides how: open() is for names
// from a recording, or from a file that was read because of it; open_given() is for names from the user. Const use from
// many threads must be safe.
class PERFDATA_EXPORT FileSystem {
  public:
    FileSystem() = default;
    FileSystem(const FileSystem&) = delete;
    FileSystem& operator=(const FileSystem&) = delete;
    virtual ~FileSystem() = default;

    // Opens a file that a recording names, if it is a regular file of an ordinary file system. Unpacks it if it is
    // compressed; stops if the first bytes are not `content`. Errors: missing (no such file, or one that must not be
    // read), io, malformed, limit, mismatch (owner).
    virtual Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                                       Content content = Content::any) const = 0;
    // Opens a file that the user names: anything readable, such as a pipe. A pipe may be opened again: its content is
    // kept. Errors: io, malformed, limit.
    virtual Result<std::shared_ptr<const Source>> open_given(const std::string& path, const Limits& limits,
                                                             Content content = Content::any) const;
    // open_watched() and open_given_watched() are the same, and ask whether to stop while they unpack or copy. Those of
    // this class ask before they call the others: overriding them is for file systems with packed or slow files.
    // Errors: also cancelled.
    virtual Result<std::shared_ptr<const Source>> open_watched(const FileName& name, const Limits& limits,
                                                               Content content, const Watch& watch) const;
    // The same for open_given().
    virtual Result<std::shared_ptr<const Source>> open_given_watched(const std::string& path, const Limits& limits,
                                                                     Content content, const Watch& watch) const;
    // Returns true if open() would find a file that it may read.
    virtual bool has(const FileName& name) const;
    // Reads a file of /proc or /sys, whose size is not known in advance, of at most `most` bytes. Pass only fixed
    // names: reading some of these files blocks forever. Errors: missing, io, limit.
    virtual Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const = 0;
    // The same, watched: the kernel takes long to write some of them. That of this class asks before it calls the
    // other. Errors: also cancelled.
    virtual Result<std::string> read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                         const Watch& watch) const;
    // Reads the first `most` bytes of such a file, or all of it.
    virtual Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const;
    // Returns the vdso that the running kernel gives to programs of this one's architecture: an ELF file that has no
    // name. Errors: missing.
    virtual Result<std::shared_ptr<const Source>> vdso() const;
    // Returns when the file was last written; nothing if unknown.
    virtual std::optional<FileTime> modified(const FileName&) const { return {}; }
    // Returns the path to show for a file that was opened by this one: files in a bundle are shown by their recorded
    // paths.
    virtual std::string shown(const std::string& path) const { return path; }
    // Returns an identity that is equal for all names of one file: a hostile recording may have any number of names for
    // a large file. A file without identity is read once per name.
    virtual std::optional<FileIdentity> identity(const FileName&) const { return {}; }
};

// Reach says what names from a recording may open: files of the whole machine, or only files below the root that the
// user gave (--offline, --symfs). It also applies to files of the running kernel.
enum class Reach : std::uint8_t { machine, given };

// LocalFiles is the machine's own file system. See open_named_file() for what names from a recording may open. A perf
// map outside of a root must belong to this user or to root, as in perf. No link of another user leads to a perf map:
// everybody may make one in /tmp, to a file that only this user may read.
class PERFDATA_EXPORT LocalFiles final : public FileSystem {
  public:
    // `reach` limits open() and the files of the kernel, not open_given(); `walk` is for tests.
    explicit LocalFiles(Reach reach = Reach::machine, LinkWalk walk = LinkWalk::kernel);

    ~LocalFiles() override;

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_given(const std::string& path, const Limits& limits,
                                                     Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_watched(const FileName& name, const Limits& limits, Content content,
                                                       const Watch& watch) const override;
    // If it is stopped while it reads a pipe, what it has read is lost.
    Result<std::shared_ptr<const Source>> open_given_watched(const std::string& path, const Limits& limits,
                                                             Content content, const Watch& watch) const override;
    bool has(const FileName& name) const override;
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override;
    Result<std::string> read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                 const Watch& watch) const override;
    Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const override;
    Result<std::shared_ptr<const Source>> vdso() const override;
    std::optional<FileTime> modified(const FileName& name) const override;
    std::optional<FileIdentity> identity(const FileName& name) const override;

  private:
    bool reaches(const FileName& name) const { return reach_ == Reach::machine || !name.root.empty(); }

    Reach reach_;
    LinkWalk walk_;
    struct ReadOnce;
    std::unique_ptr<ReadOnce> read_once_;  // content of pipes, by path
};

}  // namespace perfdata
