// SPDX-License-Identifier: MIT
// Which file on the viewing machine is the one that was recorded.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/elf/find/finder_options.hpp"
#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/wire/identities.hpp"

namespace perfdata {

// RecordedObject is a mapped file as the recording names it. Of two objects with one path the build id tells which.
struct RecordedObject {
    std::string path;
    BuildId build_id;  // size 0: not recorded

    bool operator==(const RecordedObject&) const = default;
};

struct FoundObject {
    std::string path;        // where `file` was found; may be a place in the cache
    std::string debug_path;  // where `debug` was found, empty if it was not
    std::shared_ptr<const ElfFile> file;
    std::shared_ptr<const ElfFile> debug;  // its separate symbols, null if it has its own or none were found
    bool proven = false;                   // its build id is the recorded one
    std::string root{}, debug_root{};      // the directory that what `file` (`debug`) links to must not lead out of

    FileName name() const { return {root, path.substr(root.size())}; }
    FileName debug_name() const { return {debug_root, debug_path.substr(debug_root.size())}; }
};

// ObjectFinder looks in this order: the recording's directory, symfs, the build-id caches, the path itself; for the
// symbols of stripped files in debug_dirs by build id, and by debug link. Names that lead to one file give one
// ElfFile, as long as somebody has it. Const use from many threads is safe. Without `files` they are the machine's, as
// far as the options allow.
class ObjectFinder {
  public:
    explicit ObjectFinder(FinderOptions options = {}, std::shared_ptr<const FileSystem> files = {});

    const FinderOptions& options() const { return options_; }
    const FileSystem& files() const { return *files_; }
    const std::shared_ptr<const FileSystem>& shared_files() const { return files_; }

    std::expected<FoundObject, SymbolMiss> find(const RecordedObject& object) const;

    // find_debug(object, found, accept) is the first separate debug file of a found one that `accept` takes, wherever
    // find() looks for such files.
    struct DebugFile {
        FileName name;
        std::shared_ptr<const ElfFile> file;  // null: there is none
    };
    DebugFile find_debug(const RecordedObject& object, const FoundObject& found,
                         const Callback<bool(const ElfFile&)>& accept) const;

    // find_alternate(file, name) is what the file's alternate_link() names, null if it has none or it is not here. name
    // is where the file was found.
    std::shared_ptr<const ElfFile> find_alternate(const ElfFile& file, const FileName& name) const;

  private:
    struct Opened;
    struct Search;
    struct DebugSearch;

    FinderOptions options_;
    std::shared_ptr<const FileSystem> files_;
    std::shared_ptr<Opened> opened_;
};

// same_build_id(recorded, in_file): old recordings pad ids of any size to 20 bytes with zeros.
bool same_build_id(const BuildId& recorded, Bytes in_file);

// is_file_name(path) is false for the names that the kernel and perf give to memory without a file: "[heap]", "//anon",
// "/memfd:x", "/SYSV0000".
bool is_file_name(std::string_view path);

}  // namespace perfdata
