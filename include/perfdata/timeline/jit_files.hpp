// SPDX-License-Identifier: MIT
// Where the files are that a just-in-time compiler left beside a recording.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/wire/jitdump/header.hpp"

namespace perfdata {

// JitSearch is where to look, in this order: files given by the user, below symfs, next to the recording, and where the
// recorded machine had them; there not if there is a symfs. What the user gives is opened whatever it is, what is found
// as open_named_file() does. No link leads out of symfs, nor away from the recording.
struct JitSearch {
    std::vector<std::string> given;         // --jitdump FILE
    std::string symfs;                      // --symfs DIRECTORY; empty: none
    std::vector<std::string> beside;        // directories, such as that of the recording
    bool as_recorded = true;                // false under --offline: this machine is not the recorded one
    Limits limits{};                        // for unpacking given files to look at their headers
    std::vector<std::string> given_maps{};  // --perf-map FILE
};

// JitMapping is a mapping as MMAP and MMAP2 records have it.
struct JitMapping {
    Pid pid;           // as the recording knows the process
    std::string path;  // any; only those of jitdump files count
    Time at;
};

// JitDumpFile is a dump of one process.
struct JitDumpFile {
    enum class From : std::uint8_t { nowhere, given, symfs, beside, recorded };

    // The process whose code it is. It is known by the mapping: compilers map the dump as executable only to leave that
    // mark. Without a mark (a dump that was given) it is the dump's own word, wrong for a process in a container.
    Pid pid;
    bool marked = true;
    std::uint32_t namespace_pid = 0;  // N of jit-N.dump
    Time mapped_at;                   // of the first such mapping
    std::string recorded_path;        // empty if not marked
    std::string path;                 // where it is on this machine; empty if it is missing
    From from = From::nowhere;
    std::vector<std::string> looked_at;  // in vain
    std::string root;                    // the directory that no link leads out of, see FileName; empty: none
    // opened is a given file whose header was looked at: a pipe is read only once.
    std::optional<Result<std::shared_ptr<const Source>>> opened{};

    FileName name() const { return {root, path.substr(root.size())}; }
    bool found() const { return !path.empty(); }
    // missing() says what was looked for and what would supply it. Valid if not found().
    Error missing() const;
};

// jitdump_pid(path) is N if the last part of the path is jit-N.dump, as perf asks.
std::optional<std::uint32_t> jitdump_pid(std::string_view path);

// find_jit_dumps(mappings, search) has one element for each process and dump that it mapped, in order of the mappings,
// then the given files that no mapping marks. A given file stands for a mapped one of the same name, else for one whose
// namespace pid its header has. Recordings that perf inject --jit has rewritten need none of this: they map an ELF file
// (jitted-N-M.so) for each function, and a dump that is missing then is no loss.
std::vector<JitDumpFile> find_jit_dumps(std::span<const JitMapping> mappings, const JitSearch& search);

// check_jit_dump(file, header) is an error (mismatch) if the dump was written by another process than its name says.
Result<void> check_jit_dump(const JitDumpFile& file, const JitDumpHeader& header);

// find_recorded_file(path, search, given) looks for a file of the recorded machine among those that the user gave, by
// its name, then at all places of `search`. Empty if there is none; then `looked_at` has the places.
struct FoundFile {
    std::string path;
    JitDumpFile::From from = JitDumpFile::From::nowhere;
    std::vector<std::string> looked_at;
    std::string root{};

    FileName name() const { return {root, path.substr(root.size())}; }
};
FoundFile find_recorded_file(const std::string& path, const JitSearch& search, std::span<const std::string> given);

}  // namespace perfdata
