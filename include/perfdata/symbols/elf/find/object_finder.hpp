// SPDX-License-Identifier: MIT
// Finds the recorded files on the viewing machine.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/elf/find/finder_options.hpp"
#include "perfdata/symbols/missing_debug_file.hpp"
#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/wire/identities.hpp"

namespace perfdata {

class FileStore;
class LookOut;

// RecordedObject is a mapped file as the recording names it. The build-id tells objects with one path apart.
struct RecordedObject {
    std::string path;  // as recorded: any bytes
    BuildId build_id;  // size 0: not recorded
    // The file that was mapped, if its build-id was not recorded; of several of one path the first. It does not tell
    // objects apart.
    std::optional<FileInode> inode{};

    bool operator==(const RecordedObject& other) const { return path == other.path && build_id == other.build_id; }
};

// FoundObject is the files with an object's code and symbols.
struct FoundObject {
    std::string path;                      // of `file`; may be in a build-id cache
    std::string debug_path;                // of `debug`; empty if none was found
    std::shared_ptr<const ElfFile> file;   // has the code; null only for what a profile file says of its files
    std::shared_ptr<const ElfFile> debug;  // separate symbols; null if it has its own, or none were found
    bool proven = false;                   // its build-id equals the recorded one
    std::string root{};                    // directory that links in `file` must not leave; empty: none
    std::string debug_root{};              // the same for `debug`

    FileName name() const { return {root, path.substr(root.size())}; }  // of `file`, for open_named_file()

    // Of `debug`, for open_named_file().
    FileName debug_name() const { return {debug_root, debug_path.substr(debug_root.size())}; }
};

// ObjectFinder searches for an object's file, in this order:
//
//     recording's directory -> symfs -> build-id caches -> the recorded path
//         each proven by its build-id; with allow_local also unproven ones
//     stripped? its symbols: debug_dirs/.build-id/xx/yyyy.debug -> debug link, beside the file and the recorded path
//
// Different names of one file share one ElfFile while anybody uses it. Const use from many threads is safe. Without
// `files` it uses the machine's files, as far as the options allow.
class PERFDATA_EXPORT ObjectFinder {
  public:
    // Without `files` it opens the machine's own.
    explicit ObjectFinder(FinderOptions options = {}, Shared<const FileSystem> files = {});
    // The library's own: what is read of files is in a store that others use, too, under a number that means the same
    // files and limits for all of them.
    ObjectFinder(FinderOptions options, Shared<const FileSystem> files, std::shared_ptr<FileStore> store,
                 std::uint64_t realm);

    const FinderOptions& options() const { return options_; }                // as passed to the constructor
    const FileSystem& files() const { return *files_; }                      // whatever opens files by name
    const Shared<const FileSystem>& shared_files() const { return files_; }  // the same, to share
    // Returns what was read of files: the library's own.
    FileStore& store() const;
    // Returns the number of these files and limits in it.
    std::uint64_t realm() const;

    // Returns the files of an object, or the best reason why there are none.
    std::expected<FoundObject, SymbolMiss> find(const RecordedObject& object) const;
    // The library's own, like the others with a LookOut: they may throw Stopped while a file is unpacked.
    std::expected<FoundObject, SymbolMiss> find(const RecordedObject& object, const LookOut& look) const;

    // Returns the first separate debug file of a found object that `accept` takes, in the order of find().
    struct DebugFile {
        FileName name;                        // valid if there is a file
        std::shared_ptr<const ElfFile> file;  // null: none
    };
    // `accept` may be called with several files.
    DebugFile find_debug(const RecordedObject& object, const FoundObject& found,
                         const Callback<bool(const ElfFile&)>& accept) const;
    // The same, which may throw Stopped.
    DebugFile find_debug(const RecordedObject& object, const FoundObject& found,
                         const Callback<bool(const ElfFile&)>& accept, const LookOut& look) const;

    // Returns what a found object says of its separate debug file; nothing if it names none, or if that is here.
    std::optional<MissingDebugFile> missing_debug(const RecordedObject& object, const FoundObject& found) const;
    // The same, which may throw Stopped.
    std::optional<MissingDebugFile> missing_debug(const RecordedObject& object, const FoundObject& found,
                                                  const LookOut& look) const;

    // Returns the file that alternate_link() names; null if there is no link or no such file. `name`: of the file with
    // the link.
    std::shared_ptr<const ElfFile> find_alternate(const ElfFile& file, const FileName& name) const;
    std::shared_ptr<const ElfFile> find_alternate(const ElfFile& file, const FileName& name, const LookOut& look) const;

  private:
    struct Opened;
    struct Search;
    struct DebugSearch;

    FinderOptions options_;
    Shared<const FileSystem> files_;
    std::shared_ptr<Opened> opened_;
};

// Compares build-ids. Old recordings pad ids of any size to 20 bytes with zeros.
PERFDATA_EXPORT bool same_build_id(const BuildId& recorded, Bytes in_file);

// Returns false for names that the kernel and perf give to memory without a file: "[heap]", "//anon", "/memfd:x",
// "/SYSV0000".
PERFDATA_EXPORT bool is_file_name(std::string_view path);

}  // namespace perfdata
