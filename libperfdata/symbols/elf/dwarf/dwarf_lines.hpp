// SPDX-License-Identifier: MIT
// Lines and inlined calls of the code of one ELF file, from its debug information.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/source_line.hpp"

namespace perfdata {

// DwarfFiles is where the debug information of a file is.
struct DwarfFiles {
    std::shared_ptr<const ElfFile> file;       // the code
    std::shared_ptr<const ElfFile> debug;      // what has its debug information; may be the same
    std::shared_ptr<const ElfFile> alternate;  // what dwz moved parts of that to; null: nothing, or it was not found
    bool demangle = true;                      // names of inlined functions
};

// DwarfLines may be used from several threads at once: one is served after the other.
class DwarfLines {
  public:
    // available() is false in a library that was built without libdw.
    static bool available();

    // open(files, limits). Errors: malformed, limit, io; unsupported if not available().
    static Result<DwarfLines> open(const DwarfFiles& files, const Limits& limits);
    DwarfLines(DwarfLines&&) noexcept;
    DwarfLines& operator=(DwarfLines&&) noexcept;
    ~DwarfLines();

    // lines(vaddr, size) of that code; offsets are from vaddr (as of ElfFile::vaddr(): of relocatable files a file
    // offset). SourceLine::text is empty, the other texts live as long as this. Errors: malformed, limit.
    Result<std::vector<LineStart>> lines(std::uint64_t vaddr, std::uint64_t size) const;

    // problem(lines) is what those, which lines() gave, lack: names of inlined calls that are in another file, or in
    // one that cannot be read; without any, why the file has fewer than it should. `missing` and `unsupported` are of
    // what is not here, or not read; others of damage.
    std::optional<Error> problem(std::span<const LineStart> lines) const;

  private:
    static Result<DwarfLines> read(const DwarfFiles& files, const Limits& limits);

    struct State;

    explicit DwarfLines(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

}  // namespace perfdata
