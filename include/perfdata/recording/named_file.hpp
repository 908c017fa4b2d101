// SPDX-License-Identifier: MIT
// Files that a recording names, or a file that was read because of it: a name that nobody vouches for.
#pragma once

#include <compare>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/content.hpp"

namespace perfdata {

// FileName is a path, and the directory that it must not lead out of.
struct FileName {
    // root: `path` begins there, and neither ".." nor a link leads out of it: an absolute link begins there, too, as
    // for a process whose root directory it is. Empty: the whole machine, from the current directory if `path` is
    // relative.
    std::string root{};
    std::string path;

    // shown() is the name for a person, and for what opens it without such care.
    std::string shown() const {
        if (root.empty()) return path;
        return path.starts_with('/') ? root + path : root + "/" + path;
    }
    FileName below(std::string_view name) const { return {root, path + "/" + std::string(name)}; }

    bool operator==(const FileName&) const = default;
};

// LinkWalk is who follows the links in a name below a root: the kernel (openat2, since Linux 5.6, with a walk where
// that is missing or forbidden), or the walk alone. The answers are the same.
enum class LinkWalk : std::uint8_t { kernel, own };

struct NamedFileOptions {
    Content content = Content::any;
    LinkWalk walk = LinkWalk::kernel;
    // Refuse what belongs neither to this user nor to root: everybody may write to /tmp.
    bool trusted_owner = false;
};

// open_named_file(name) is open_source() for a name that nobody vouches for. It opens a regular file of an ordinary
// file system and nothing else: no device, FIFO or socket is opened, not even for a moment, and nothing in proc, sysfs,
// tracefs, debugfs, bpf and other file systems in which the kernel shows itself. The one way through these is
// /proc/PID/root, the root directory of a container; absolute links behind it begin there. What is checked is the
// descriptor that is then read. Nothing is read of a file that says that it is empty. Network file systems and FUSE are
// ordinary. Errors: missing (there is no such regular file), io (it cannot be opened), mismatch (its owner); as
// open_source().
Result<std::shared_ptr<const Source>> open_named_file(const FileName& name, const Limits& limits,
                                                      const NamedFileOptions& options = {});

// is_named_file(name) is whether open_named_file() would find a regular file. It opens nothing.
bool is_named_file(const FileName& name, LinkWalk walk = LinkWalk::kernel);

// FileIdentity is one file as it is now, whatever names and links lead to it.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t written = 0, written_nanoseconds = 0;

    auto operator<=>(const FileIdentity&) const = default;
};

// named_file_identity(name) is what open_named_file() would open. Errors: missing.
Result<FileIdentity> named_file_identity(const FileName& name, LinkWalk walk = LinkWalk::kernel);

// named_file_time(name) is when it was last written. Errors: missing.
Result<std::timespec> named_file_time(const FileName& name, LinkWalk walk = LinkWalk::kernel);

}  // namespace perfdata
