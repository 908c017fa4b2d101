// SPDX-License-Identifier: MIT
// The bytes of code at a time, wherever they are kept.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/code_versions.hpp"
#include "perfdata/symbols/names.hpp"
#include "perfdata/symbols/symbols.hpp"

namespace perfdata {

struct CodeImageOptions {
    std::string kcore;  // a copy of /proc/kcore, whole or only some pages; empty: that of the recording's directory
};

// CodeChange is a place in an image where this version differs from the one before.
struct CodeChange {
    std::uint64_t offset = 0;  // from the start of the function
    Time time;                 // when the kernel wrote it
    std::vector<std::byte> before, after;
};

// CodeGap is a part of an image of which no source has the bytes.
struct CodeGap {
    std::uint64_t offset = 0;  // from the start of the function
    std::uint64_t size = 0;

    bool operator==(const CodeGap&) const = default;
};

// RelocationBase is from where a filled in distance counts.
enum class RelocationBase : std::uint8_t { none, instruction, next_instruction };

// CodeRelocation is a place that a loader fills in: of the file, not of the code that ran.
struct CodeRelocation {
    std::uint64_t offset = 0;  // of the field, from the start of the function
    std::string symbol;        // as the file has it; of a static function its name, too
    std::int64_t addend = 0;   // from the symbol, as the field is to hold it
    RelocationBase base = RelocationBase::none;
};

struct CodeImage {
    std::vector<std::byte> bytes;     // from the start of the function; shorter than it where the source has no more
    std::vector<CodeGap> gaps;        // where `bytes` are zeros that stand for nothing, ascending
    Address address;                  // of its first byte, as a disassembler is to see it: where it ran, or in the file
    std::string origin;               // what the bytes are from: a path, or "the recording"
    std::vector<CodeChange> changes;  // what made this version of the one before, by time; empty for the first
    std::vector<CodeRelocation> relocations;  // what is not filled in yet: of a module's file, ascending
    std::vector<Error> problems;              // what makes the bytes doubtful: a poke that met other bytes than it says
};

// Where bytes are from:
// - of BPF programs from the recording. When perf asked for them is not known; of JIT code from its jitdump;
// - of the kernel and its modules from a kcore: that given, that of the recording's directory (perf record --kcore), or
//   /proc/kcore of this machine if its /proc/kallsyms was proven to be of the recorded boot; else from vmlinux and the
//   modules' files, which lack what the kernel patched when it booted, and say so;
// - of out-of-line code (kprobe slots, ftrace trampolines) from the TEXT_POKE records that laid it there;
// - of mapped files from the file that the names are from.
// No source says when it was taken. Places that TEXT_POKE records tell of are as those say, before and after each of
// them, so that it does not matter; but what the source has there must be what was there at some time between them, or
// it is a problem of the image.
//
// CodeImages finds bytes when they are asked for, and keeps what it opened. Const use from many threads is safe. What
// it is made of must outlive it.
class CodeImages {
  public:
    CodeImages(const Recording& recording, const Timeline& timeline, const Names& names, const Symbols& symbols,
               const CodeVersions& versions, CodeImageOptions options = {});
    ~CodeImages();
    CodeImages(CodeImages&&) noexcept;
    CodeImages& operator=(CodeImages&&) noexcept;

    // image(version) is the code as it was then. Errors: missing (with what would supply it), malformed, io, limit.
    Result<CodeImage> image(const CodeVersion& version) const;

    // problems() is what is wrong with files that the user gave.
    const std::vector<Error>& problems() const;

  private:
    struct Sources;

    std::unique_ptr<Sources> sources_;
};

}  // namespace perfdata
