// SPDX-License-Identifier: MIT
// Opens files that a recording names, or a file that was read because of it: untrusted names.
#pragma once

#include <compare>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/recording/handed_on.hpp"
#include "perfdata/wire/identities.hpp"

namespace perfdata {

// FileName is a path and the directory that it must not lead out of.
struct FileName {
    // root: `path` is relative to it, and neither ".." nor a link leads out of it: absolute links start there, too, as
    // for a process with this root directory. Empty: the whole machine; a relative `path` starts at the current
    // directory.
    std::string root{};
    std::string path;

    // shown() returns the name to show, and to open without this protection.
    std::string shown() const {
        if (root.empty()) return path;
        return path.starts_with('/') ? root + path : root + "/" + path;
    }

    // below(name) returns a file in this directory, below the same root.
    FileName below(std::string_view name) const { return {root, path + "/" + std::string(name)}; }

    bool operator==(const FileName&) const = default;
};

// LinkWalk selects who follows the links in a name below a root: the kernel (openat2, since Linux 5.6, with our own
// walk where that is missing or forbidden), or our own walk alone. The results are the same.
enum class LinkWalk : std::uint8_t { kernel, own };

// no_user is the number of no user: open_named_file() on behalf of it opens only what everybody may read.
inline constexpr std::uint32_t no_user = ~std::uint32_t{0};

// NamedFileOptions is what a file must be, and who watches it being unpacked.
struct NamedFileOptions {
    Content content = Content::any;    // what the file must begin with
    LinkWalk walk = LinkWalk::kernel;  // who follows links
    // Reject files that belong neither to this user nor to root, and those that a link of another user leads to:
    // everybody may write to /tmp, and make links there to files that only this user may read.
    bool trusted_owner = false;
    // Reject only what links of other users lead to: below a root, such as that of a container, files have any owner.
    // A link whose owner is not proven (see trusted_way) may lead only to what everybody may read.
    bool trusted_links = false;
    // Reject files that this user (by number) may not read: that belong to another one, where not everybody may read
    // them and pass the directories that lead to them. Groups and access lists count as nothing.
    std::optional<std::uint32_t> on_behalf_of{};
    // Reject files that not everybody may read, if somebody else than root, this user and that of on_behalf_of may have
    // made the name lead there: a link or a directory on the way is theirs, or they may write to a directory. A group
    // with the number of the directory's owner, of root or of this user is theirs alone, if there is no access list. In
    // file systems that users may bring (see docs/collect.md) owners prove nothing. In a sticky directory, such as
    // /tmp, a file is good that has one name, belongs to on_behalf_of (else to this user) and has that name since it
    // was written, or was mapped.
    bool trusted_way = false;
    // The file is for a process whose root FileName::root is: what everybody may read who has that root is everybody's.
    // Without it nothing below /proc/PID/root is, since nobody passes it who may not trace the process. Other files
    // must have one name: who may not read a file can still give it another one there.
    bool inside_process = false;
    bool mapped = false;  // the recording says that a process mapped this very file
    // Reject files that are for their owner alone, by their own mode.
    bool for_others = false;
    Watch watch = {};  // of unpacking
};

// open_named_file(name) is open_source() for an untrusted name. It opens only regular files of ordinary file systems:
// never a device, FIFO or socket, not even briefly, and nothing in proc, sysfs, tracefs, debugfs, bpf and other file
// systems that expose kernel state. The one exception is a path through /proc/PID/root, the root directory of a
// container; absolute links behind it start there. The checks apply to the descriptor that is then read. Files that
// report a size of zero are not read. Network file systems and FUSE are ordinary. Errors: missing (no such regular
// file), io (it cannot be opened), mismatch (its owner, or that of a link); and those of open_source().
PERFDATA_EXPORT Result<std::shared_ptr<const Source>> open_named_file(const FileName& name, const Limits& limits,
                                                                      const NamedFileOptions& options = {});

// open_own_program(name, mapped, limits, watch) opens an ELF file that is this user's own, and so are its words: others
// may not write it, its owner is proven, nobody else may have made the name lead there, and it is the file that was
// mapped, if that is known. perf copies programs of others to its caches: files that are named by a build id there, or
// are in a directory that is, are nobody's. Errors: mismatch, with what is not so; those of open_named_file().
PERFDATA_EXPORT Result<std::shared_ptr<const Source>> open_own_program(const FileName& name,
                                                                       const std::optional<FileInode>& mapped,
                                                                       const Limits& limits, const Watch& watch = {});

// others_may_have_written(source) returns true if a file belongs to another user than root and this one, or others may
// write to it, also on standard input; and for what came through a pipe, FIFO or socket. False for memory.
PERFDATA_EXPORT bool others_may_have_written(const Source& source);

// everybody_may_read(source) returns true if the file that a source was read from is one that everybody may read and
// reach by its name, also if it was unpacked: modes let the group and others read it and pass the directories, and no
// access list shuts anybody out. False if that is not known, as of memory, pipes and archives.
PERFDATA_EXPORT bool everybody_may_read(const Source& source);

// MayHandOn is for what is read to be handed on.
struct MayHandOn {
    FileName name;                                   // by which the file was opened
    Content content = Content::any;                  // what it must begin with
    const std::vector<FileInode>* mapped = nullptr;  // the files of that name that processes mapped; null: not known
    // not if_fit: only what everybody may read; below a root, who has that root
    HandedOn handed_on = HandedOn::if_fit;
};

// fit_to_hand_on(source, how, limits, watch) returns a source that was opened by a name, or the same file opened again.
// Everybody may read it, or else only its owner, root and this user may have made the name lead there (see
// NamedFileOptions::trusted_way), and it is a file that was mapped: who maps a file may read it, but a process in a
// namespace of its own chooses what its names are. If what was mapped is not known, it is root's or this user's. Below
// a root, which the user gave, no link of another user leads to it. Errors: mismatch if it is none of that; those of
// open_named_file().
PERFDATA_EXPORT Result<std::shared_ptr<const Source>> fit_to_hand_on(std::shared_ptr<const Source> source,
                                                                     const MayHandOn& how, const Limits& limits,
                                                                     const Watch& watch = {});

// is_private(error) returns true if a file was refused because not everybody may read it.
PERFDATA_EXPORT bool is_private(const Error& error);

// is_named_file(name) returns true if open_named_file() would find a regular file. It opens nothing.
PERFDATA_EXPORT bool is_named_file(const FileName& name, LinkWalk walk = LinkWalk::kernel);

// FileIdentity identifies one file in its current state, whatever names and links lead to it.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0, size = 0;      // st_dev, st_ino and st_size of stat(2)
    std::int64_t written = 0, written_nanoseconds = 0;  // st_mtim: seconds since 1970, and nanoseconds

    auto operator<=>(const FileIdentity&) const = default;
};

// named_file_identity(name) returns the identity of the file that open_named_file() would open. Errors: missing.
PERFDATA_EXPORT Result<FileIdentity> named_file_identity(const FileName& name, LinkWalk walk = LinkWalk::kernel);

// named_file_time(name) returns the time of its last modification. Errors: missing.
PERFDATA_EXPORT Result<std::timespec> named_file_time(const FileName& name, LinkWalk walk = LinkWalk::kernel);

}  // namespace perfdata
