// SPDX-License-Identifier: MIT
// Reads files in a tar-ball that `perf archive` packed from a build-id cache.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"

namespace perfdata {

class LookOut;

// ArchivedFiles is a file system in which a tar-ball is also a directory: "/a/perf.data.tar.bz2/x" is the member x of
// "/a/perf.data.tar.bz2". Its root is the directory with .build-id, wherever that is in the tar-ball. Links are
// followed inside the tar-ball only. Const use from many threads is safe.
class PERFDATA_EXPORT ArchivedFiles final : public FileSystem {
  public:
    // Returns false if the library was built without libarchive.
    static bool available();

    // Unpacks a tar-ball (plain, or packed with gzip, bzip2, xz or zstd) to a temporary file. In the tar-balls of
    // `perf archive --all` it reads the inner one, with the symbols. Other files are those of `beneath`. Errors:
    // missing, io, limit, malformed (no tar-ball), unsupported (see available()).
    static Result<std::shared_ptr<const ArchivedFiles>> open(const std::string& path, Shared<const FileSystem> beneath,
                                                             const Limits& limits, const Progress& progress = {});
    // The same, which can be stopped. Errors: also cancelled.
    static Result<std::shared_ptr<const ArchivedFiles>> open(const std::string& path, Shared<const FileSystem> beneath,
                                                             const Limits& limits, const Watch& watch);

    // Returns why files may be missing: the tar-ball breaks off, a limit was reached, or it has no .build-id.
    const std::optional<Error>& damage() const { return damage_; }
    std::size_t size() const { return entries_.size(); }  // files and links

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_given(const std::string& path, const Limits& limits,
                                                     Content content = Content::any) const override;
    Result<std::shared_ptr<const Source>> open_watched(const FileName& name, const Limits& limits, Content content,
                                                       const Watch& watch) const override;
    Result<std::shared_ptr<const Source>> open_given_watched(const std::string& path, const Limits& limits,
                                                             Content content, const Watch& watch) const override;
    bool has(const FileName& name) const override;
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override;
    Result<std::string> read_kernel_file_watched(const std::string& path, std::uint64_t most,
                                                 const Watch& watch) const override;
    Result<std::string> read_kernel_file_start(const std::string& path, std::uint64_t most) const override;
    Result<std::shared_ptr<const Source>> vdso() const override;
    std::optional<FileTime> modified(const FileName& name) const override;
    std::string shown(const std::string& path) const override;
    std::optional<FileIdentity> identity(const FileName& name) const override;

  private:
    // Entry is a range of content_, or a link.
    struct Entry {
        std::uint64_t offset = 0, size = 0;
        std::string link;  // target from the root of the tar-ball, without "." and ".."; empty: no link
    };
    using Entries = std::map<std::string, Entry, std::less<>>;
    using Link = std::pair<std::string, std::string>;

    ArchivedFiles(std::string path, Shared<const FileSystem> beneath)
        : prefix_(std::move(path) + "/"), beneath_(std::move(beneath)) {}

    // These may throw Stopped.
    Result<void> read(const std::shared_ptr<const Source>& packed, const Limits& limits, LookOut& look);
    Result<std::shared_ptr<const Source>> plain(std::shared_ptr<const Source> packed, const Limits& limits,
                                                const LookOut& look);
    Result<void> unpack(const std::shared_ptr<const Source>& packed, const Limits& limits, LookOut& look);
    void find_root(LookOut& look);
    void find_links(LookOut& look);
    // Returns the entry of a name below root_; null if there is none.
    const Entry* find(std::string_view name) const;

    std::string prefix_;  // of all names in the tar-ball
    Shared<const FileSystem> beneath_;
    std::shared_ptr<const Source> content_;  // all files, one after the other
    Entries entries_;  // by name from the root of the tar-ball, without leading slash; a tree: O(log n)
    // Links and their targets, sorted by name with '\0' for slashes: names below a link then follow it directly. Links
    // below other links are left out: no name reaches them.
    std::vector<Link> links_;
    std::string root_;  // "", or the directory of .build-id with a trailing slash
    std::optional<Error> damage_;
};

}  // namespace perfdata
