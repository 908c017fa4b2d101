// SPDX-License-Identifier: MIT
// Names, bytes and source lines of BPF programs, from the recording.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/symbols/bpf/btf.hpp"
#include "perfdata/symbols/source_line.hpp"
#include "perfdata/timeline/code_filter.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

namespace stored {
struct Model;
}

// FunctionName is the name of a piece of code. Views live as long as the BpfPrograms that returned them: any number of
// functions may share a long name.
struct FunctionName {
    std::string_view name;  // from BTF, else the part of the kernel symbol after the tag, else all of it
    // The name of its BPF program: that of the main function in BTF, else the kernel's (at most 15 bytes). Empty if the
    // code belongs to no program.
    std::string_view program;
    std::string prototype;  // from BTF, else empty

    // Returns "program/name"; for a program's main function, and for code without a program, the name alone.
    std::string full() const {
        const std::string own(name);
        return program.empty() || program == name ? own : std::string(program) + "/" + own;
    }
};

// Target is the function at an address that code jumps to or calls.
struct Target {
    std::string name;          // "function", or "program/function" for a subprogram
    std::uint64_t offset = 0;  // bytes from the start of the function
    CodeIndex code = 0;        // for Timeline::code()
};

// BpfPrograms answers for one timeline, which must outlive it. Const use from many threads is safe. It prepares the
// type information and arrays of a program on first use. So all functions of a program together cost O(n log n) in the
// size of its info, in whatever order and however often that repeats addresses.
class PERFDATA_EXPORT BpfPrograms {
  public:
    // Prepares nothing: the first question about a program does.
    explicit BpfPrograms(const Timeline& timeline);
    // Answers with what a profile file (Recording::stored()) says, which must outlive it: names, no code and no types.
    BpfPrograms(const Timeline& timeline, const stored::Model& stored);

    ~BpfPrograms();
    BpfPrograms(BpfPrograms&&) noexcept;
    BpfPrograms& operator=(BpfPrograms&&) noexcept;

    const Timeline& timeline() const { return *timeline_; }  // as passed to the constructor

    // Returns the name of code of the timeline, whatever its kind.
    FunctionName name(CodeIndex code) const;
    // Returns the name without its prototype, which may be long.
    FunctionName plain_name(CodeIndex code) const;
    // Returns FunctionName::program for the functions of a load.
    std::string_view program_name(const BpfLoad& load) const;

    // Returns the first part of the filter that leaves out code of the timeline, at an offset from its start. A BPF
    // program's functions have two names, the kernel's and that in BTF, and their object is called by the kernel's name
    // or [bpf:ID]. Out-of-line code is known by its kernel symbol.
    CodePart left_out(CodeIndex code, std::uint64_t offset, const CodeFilter& filter) const;

    // Returns the native code: code.range.size bytes, or fewer if the recording has fewer. Lives as long as the
    // timeline. Errors say why the recording has none: missing, malformed.
    Result<Bytes> image(CodeIndex code) const;

    // Returns the lines by offset; empty if the recording has none. Errors: missing (withheld from the recorder),
    // malformed.
    Result<std::vector<LineStart>> lines(CodeIndex code) const;

    // Returns true if an error of lines() is a loss. Unlike elsewhere, unknown types in BTF are one: they hide those
    // behind them.
    static bool is_loss(const Error& error) { return error.code != ErrorCode::missing; }

    // Returns the function at the address; nothing if the timeline has no code there.
    std::optional<Target> target(Address address, Time time) const;

    // Returns the type information of a program; null if the recording has none or it is unusable: then problem() of
    // the load says why.
    const Btf* btf(const BpfLoad& load) const;
    // Returns what is wrong with the program's BTF.
    std::optional<Error> problem(const BpfLoad& load) const;

  private:
    struct Cache;
    struct Program;

    const Result<Btf>* cached(const BpfLoad& load) const;
    const Program& program(const BpfProgramInfo& info) const;

    const Timeline* timeline_;
    const stored::Model* stored_ = nullptr;
    std::unique_ptr<Cache> cache_;
};

}  // namespace perfdata
