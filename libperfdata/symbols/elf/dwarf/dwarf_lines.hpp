// SPDX-License-Identifier: MIT
// Reads lines and inlined calls of the code in one ELF file from its debug information.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/compiled_line.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/source_line.hpp"

#include "recording/look_out.hpp"
#include "symbols/inlined_function.hpp"
#include "symbols/once.hpp"

namespace perfdata {

struct DwarfAlternate;

// DwarfAlternates keeps the alternates that files refer to, each opened once. May be used from several threads.
class DwarfAlternates {
  public:
    // Errors: malformed, limit, io. Throws Stopped.
    Result<std::shared_ptr<DwarfAlternate>> open(const std::shared_ptr<const ElfFile>& file, const Limits& limits,
                                                 LookOut& look);
    // Stops sharing it; whoever has it keeps it. Returns what the caller should destroy.
    std::shared_ptr<const void> forget(const std::shared_ptr<const ElfFile>& file) {
        const std::scoped_lock lock(mutex_);
        auto node = all_.extract(file);
        return node ? std::move(node.mapped()) : nullptr;
    }
    // Does so with all whose file keeps(file) does not keep: one may have been dropped before it was opened here. Adds
    // what the caller should destroy to `dropped`.
    template <class Keeps>
    void forget_unless(Keeps&& keeps, std::vector<std::shared_ptr<const void>>& dropped) {
        const std::scoped_lock lock(mutex_);
        for (auto one = all_.begin(); one != all_.end();) {
            if (keeps(one->first.get())) {
                ++one;
                continue;
            }
            dropped.push_back(one->first);
            dropped.push_back(std::move(one->second));
            one = all_.erase(one);
        }
    }

  private:
    struct One {
        Once once;
        Result<std::shared_ptr<DwarfAlternate>> opened = nullptr;
    };
    std::mutex mutex_;
    std::map<std::shared_ptr<const ElfFile>, std::shared_ptr<One>> all_;
};

// DwarfFiles are the files with the debug information of one file.
struct DwarfFiles {
    std::shared_ptr<const ElfFile> file;       // the code
    std::shared_ptr<const ElfFile> debug;      // has its debug information; may be the same file
    std::shared_ptr<const ElfFile> alternate;  // has the parts that dwz moved; null: none, or not found
    bool demangle = true;                      // the names of inlined functions
    DwarfAlternates* alternates = nullptr;     // keeps the alternate for other files; null: it is for this one
};

// DwarfLines may be used from several threads at once. It serves them one after the other.
class DwarfLines {
  public:
    // Returns false if the library was built without libdw.
    static bool available();

    // Opens debug information. Errors: malformed, limit, io; unsupported if not available().
    static Result<DwarfLines> open(const DwarfFiles& files, const Limits& limits);
    // The same. Throws Stopped. What libdw does of its own accord is not watched: relocating a kernel module.
    static Result<DwarfLines> open(const DwarfFiles& files, const Limits& limits, LookOut& look);
    DwarfLines(DwarfLines&&) noexcept;
    DwarfLines& operator=(DwarfLines&&) noexcept;
    ~DwarfLines();

    // Unpacks line tables if they are packed, as lines() does. Throws Stopped.
    void unpack_lines(const LookOut& look) const;
    // Returns the lines of code by offset from `vaddr`, an address as ElfFile::vaddr() returns it (in relocatable files
    // a file offset). SourceLine::text is empty; the other texts live as long as this. Errors: malformed, limit.
    Result<std::vector<LineStart>> lines(std::uint64_t vaddr, std::uint64_t size) const;

    // Returns the lines of code by offset from `vaddr` as compilers count them. Names live as long as this. Errors: the
    // same.
    Result<std::vector<CompiledLine>> compiled(std::uint64_t vaddr, std::uint64_t size) const;

    // Returns the functions inlined at vaddr, and what is missing there: names of some, all that are in another file,
    // or those nested too deep. Their names live as long as this. Reads no line table. Errors: malformed, limit.
    Result<InlinedFunctions> inlined_at(std::uint64_t vaddr) const;

    // Returns what is missing from lines that lines() returned: names of inlined calls in another file, or in one that
    // cannot be read, and calls nested too deep. For no lines: why the file has fewer than it should. Codes: missing
    // and unsupported for files that were not found or not read; others for damage.
    std::optional<Error> problem(std::span<const LineStart> lines) const;

    // Returns about how many bytes of memory it takes.
    std::uint64_t memory() const;
    // Returns false once a question failed, or met a limit or damage: then answers depend on what was asked before.
    bool intact() const;

  private:
    static Result<DwarfLines> read(const DwarfFiles& files, const Limits& limits, LookOut& look);

    struct State;

    explicit DwarfLines(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace perfdata
