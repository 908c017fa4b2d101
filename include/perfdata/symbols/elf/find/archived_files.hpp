// SPDX-License-Identifier: MIT
// Files inside a tar-ball, as `perf archive` packs them from a build-id cache.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"

namespace perfdata {

// ArchivedFiles is another file system in which one file, a tar-ball, is a directory too: "/a/perf.data.tar.bz2/x" is
// x of "/a/perf.data.tar.bz2". Its root is where .build-id is, so it does not matter from where it was packed. Links
// are followed inside the tar-ball only. Const use from many threads is safe.
class ArchivedFiles final : public FileSystem {
  public:
    // available() is false if the library was built without libarchive.
    static bool available();

    // open(path, beneath) unpacks the tar-ball (plain, or packed with gzip, bzip2, xz or zstd) to a temporary file. In
    // the tar-balls of `perf archive --all` it takes the one with the symbols. Errors: missing, io, limit, malformed
    // (no tar-ball), unsupported (see available()).
    static Result<std::shared_ptr<const ArchivedFiles>> open(const std::string& path,
                                                             std::shared_ptr<const FileSystem> beneath,
                                                             const Limits& limits, const Progress& progress = {});

    // damage() is why there may be more in the tar-ball than was found: it breaks off, or a limit was reached, or it
    // has no .build-id at all.
    const std::optional<Error>& damage() const { return damage_; }
    std::size_t size() const { return entries_.size(); }  // files and links

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
    // Entry is a piece of content_, or a link.
    struct Entry {
        std::uint64_t offset = 0, size = 0;
        std::string link;  // empty: none; else from the root of the tar-ball, without "." and ".."
    };
    using Entries = std::map<std::string, Entry, std::less<>>;
    using Link = std::pair<std::string, std::string>;

    ArchivedFiles(std::string path, std::shared_ptr<const FileSystem> beneath)
        : prefix_(std::move(path) + "/"), beneath_(std::move(beneath)) {}

    Result<void> unpack(const Source& packed, const Limits& limits, const Progress& progress);
    void find_root();
    void find_links();
    // find(name) is of a name below root_.
    const Entry* find(std::string_view name) const;

    std::string prefix_;  // of all names inside
    std::shared_ptr<const FileSystem> beneath_;
    std::shared_ptr<const Source> content_;  // of all files, one behind the other
    Entries entries_;  // by name from the root of the tar-ball, without a slash in front; a tree: log n
    // Links and what they lead to, by name, with '\0' for slashes: what is below a link then stands behind it at once.
    // Links below others are left out, since names that lead there lead elsewhere before.
    std::vector<Link> links_;
    std::string root_;  // "", or where .build-id is, with a slash behind
    std::optional<Error> damage_;
};

}  // namespace perfdata
