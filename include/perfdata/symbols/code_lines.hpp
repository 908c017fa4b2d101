// SPDX-License-Identifier: MIT
// Source lines of any code: BTF of BPF programs, debug information of JIT compilers, DWARF of files.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/code_versions.hpp"
#include "perfdata/symbols/names.hpp"
#include "perfdata/symbols/symbols.hpp"

namespace perfdata {

struct CodeLineOptions {
    // Directories to look for source files in: below each the recorded path as it is, then without its first parts, one
    // after the other. Empty: no source file is read, but for those next to --symfs.
    std::vector<std::string> source_dirs;
    // Read source files where debug information says that they are, on this machine.
    bool local_sources = false;
};

// CodeLines reads debug information when it is first asked for and keeps it. Const use from many threads is safe. What
// it is made of must outlive it.
class CodeLines {
  public:
    CodeLines(const Timeline& timeline, const Names& names, const Symbols& symbols, CodeLineOptions options = {});
    ~CodeLines();
    CodeLines(CodeLines&&) noexcept;
    CodeLines& operator=(CodeLines&&) noexcept;

    // lines(function, size) is by offset from the start of the function; empty if nothing is known of its lines. `size`
    // is how many bytes of it are of interest. Texts live as long as this. Errors: malformed, unsupported, io, limit.
    Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const;

    // file(function) is the same for all functions whose lines come from one file with debug information, and null for
    // others. What is read of one file is bounded over all calls of lines(): for the same answers in each run they are
    // asked for in the same order.
    const void* file(const Frame& function) const;

    // problem(function, lines) is what those, which lines() gave, lack: names of files that are damaged in a jitdump,
    // names of inlined calls that are in a file which is not here, lines whose address is not known.
    std::optional<Error> problem(const Frame& function, std::span<const LineStart> lines) const;
    // problem(code, lines) is that of lines which were read of this jitdump.
    static std::optional<Error> problem(const JitCode& code, const JitLines& lines);

    // text_problem() is what lines() has left out so far of the text of source files, which they may take too much of.
    std::optional<Error> text_problem() const;

    // is_loss(function, error): whether that error of lines() or problem() is of something that is there and damaged,
    // or beyond a limit. What the recording lacks is no loss, nor is debug information that this library was built
    // without.
    static bool is_loss(const Frame& function, const Error& error);

  private:
    struct Sources;

    std::unique_ptr<Sources> sources_;
};

}  // namespace perfdata
