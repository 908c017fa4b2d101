// SPDX-License-Identifier: MIT
// What was read of files with code, for several recordings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "perfdata/core/export.hpp"

namespace perfdata {

class FileStore;

// SymbolCacheOptions bounds what a cache keeps.
struct SymbolCacheOptions {
    std::uint64_t bytes = std::uint64_t{512} << 20;  // of memory, about
    std::size_t files = 256;                         // each of them that is an ELF file stays open
};

// SymbolCache keeps what Symbolizers read of ELF files, so that those of several recordings of the same programs read
// each file once: its headers, its symbols, its lines and inlined calls, its unwind information; and what they read of
// files with names of the kernel (kallsyms) and of JIT code (perf maps). Give it to each by
// SymbolizerOptions::cache; they share it, on any threads, and keep it alive. What a Symbolizer says is the same with
// it and without.
//
// A file is the same if device, inode, size and time of its last change are; of a FileSystem of the caller's if it is
// the same object and says so. What is kept is for one set of limits and one kind of names
// (SymbolizerOptions::demangle). When the bounds are reached, the files go that were not used for the longest time;
// Symbolizers that use them keep theirs. Debug information that is damaged, or goes beyond a limit, is not shared any
// more once that was met.
//
// Not kept: what has no identity (this machine's /proc/kallsyms, pipes), symbols of a vmlinux, files in a packed
// build-id cache, jitdumps, and source files.
class PERFDATA_EXPORT SymbolCache {
  public:
    explicit SymbolCache(const SymbolCacheOptions& options = {});
    SymbolCache(const SymbolCache&) = delete;
    SymbolCache& operator=(const SymbolCache&) = delete;
    ~SymbolCache();

    // Returns how many bytes of memory what is kept takes, about.
    std::uint64_t bytes() const;
    // Returns how many files are kept.
    std::size_t files() const;
    // Drops all that no Symbolizer uses.
    void clear() const;

  private:
    friend class CodeSources;

    std::shared_ptr<FileStore> store_;  // locks itself
};

}  // namespace perfdata
