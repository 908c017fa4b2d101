// SPDX-License-Identifier: MIT
// Finds the files that a just-in-time compiler left beside a recording.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/timeline/jit_search.hpp"

namespace perfdata {

struct JitDumpHeader;

// JitMapping is a mapping from an MMAP or MMAP2 record.
struct JitMapping {
    Pid pid;                           // as the recording identifies the process
    std::string path;                  // any; only those of jitdump files count
    Time at;                           // when it was mapped
    std::optional<FileInode> inode{};  // of the file; nothing: not recorded
};

// JitDumpFile is a dump of one process.
struct PERFDATA_EXPORT JitDumpFile {
    // From is where the file was found: in the order of JitSearch. Nowhere: it is missing.
    enum class From : std::uint8_t { nowhere, given, symfs, beside, recorded };

    // The process that owns the code. It is known from the mapping: compilers map the dump as executable only to leave
    // that mark. Without it (a dump given by the user) the pid comes from the dump, and is wrong for a process in a
    // container.
    Pid pid;
    bool marked = true;                  // a mapping of the recording names it
    std::uint32_t namespace_pid = 0;     // N of jit-N.dump
    Time mapped_at;                      // of the first such mapping
    std::string recorded_path;           // empty if not marked
    std::string path;                    // on this machine; empty if missing
    From from = From::nowhere;           // nowhere if it is missing
    std::vector<std::string> looked_at;  // tried without success
    std::string root;                    // the directory that no link leads out of, see FileName; empty: none
    std::vector<FileInode> mapped{};     // what was mapped by that path: at most 16 files, the first ones
    // opened is a given file whose header has been read: a pipe can be read only once.
    std::optional<Result<std::shared_ptr<const Source>>> opened{};

    FileName name() const { return {root, path.substr(root.size())}; }  // for open_named_file()
    // Returns what was opened by name() if it may be handed on, see fit_to_hand_on().
    Result<std::shared_ptr<const Source>> to_hand_on(std::shared_ptr<const Source> source, HandedOn handed_on,
                                                     const Limits& limits, const Watch& watch) const;
    bool found() const { return !path.empty(); }  // it is on this machine
    // missing() returns an error that says what was searched for and what would supply it. Valid if not found().
    Error missing() const;
};

// jitdump_pid(path) returns N if the last part of the path is jit-N.dump, as perf requires.
PERFDATA_EXPORT std::optional<std::uint32_t> jitdump_pid(std::string_view path);

// find_jit_dumps(mappings, search) returns one element for each process and dump that it mapped, in order of the
// mappings, then the given files that no mapping marks. A given file stands for a mapped one of the same name, else for
// one with the namespace pid of its header. Recordings rewritten by perf inject --jit do not need this: they map an ELF
// file (jitted-N-M.so) for each function, and a missing dump is no loss.
PERFDATA_EXPORT std::vector<JitDumpFile> find_jit_dumps(std::span<const JitMapping> mappings, const JitSearch& search);

// check_jit_dump(file, header) returns an error (mismatch) if another process than its name says wrote the dump.
PERFDATA_EXPORT Result<void> check_jit_dump(const JitDumpFile& file, const JitDumpHeader& header);

// FoundFile is where find_recorded_file() found a file, or where it looked.
struct PERFDATA_EXPORT FoundFile {
    std::string path;                                     // on this machine; empty: there is none
    JitDumpFile::From from = JitDumpFile::From::nowhere;  // nowhere if there is none
    std::vector<std::string> looked_at;                   // tried without success
    std::string root{};  // the directory that no link leads out of, see FileName; empty: none

    FileName name() const { return {root, path.substr(root.size())}; }  // for open_named_file()
    // Returns what was opened by name() if it may be handed on, see fit_to_hand_on().
    Result<std::shared_ptr<const Source>> to_hand_on(std::shared_ptr<const Source> source, Content content,
                                                     HandedOn handed_on, const Limits& limits,
                                                     const Watch& watch) const;
};
// process_root(pid) returns "/proc/PID/root". Below it a bundle has files that are of one process alone, as those of
// containers whose paths and own pids are the same: find_jit_dumps() looks there before it looks for the path itself.
PERFDATA_EXPORT std::string process_root(std::uint32_t pid);

// find_recorded_file(path, search, given) looks for a file of the recorded machine among the files given by the user,
// by its name, then in all places of `search`. The path is empty if there is none; then `looked_at` lists the places.
PERFDATA_EXPORT FoundFile find_recorded_file(const std::string& path, const JitSearch& search,
                                             std::span<const std::string> given);

}  // namespace perfdata
