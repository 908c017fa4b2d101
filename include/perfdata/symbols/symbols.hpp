// SPDX-License-Identifier: MIT
// Names, bytes and source lines of code at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/bpf/btf.hpp"
#include "perfdata/symbols/kernel/kallsyms.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// FunctionName is what a piece of code is called. Any number of functions may share a long name: these are views, which
// live as long as the Symbols that they are from.
struct FunctionName {
    std::string_view name;  // the best name: BTF's, else the part of the kernel symbol behind the tag, else all of it
    std::string_view program;  // of the BPF program it belongs to: BTF name of its main function, else the kernel's
                               // name for the program (at most 15 bytes); empty if there is no program
    std::string prototype;     // from BTF, else empty

    // full() is "program/name"; of a program's main function, and of code without a program, the name alone.
    std::string full() const {
        const std::string own(name);
        return program.empty() || program == name ? own : std::string(program) + "/" + own;
    }
};

// SourceLine is a place in a source file. Texts live as long as the timeline.
struct SourceLine {
    std::string_view file;
    std::uint32_t line = 0;  // 0: code without source
    std::uint32_t column = 0;
    std::string_view text;  // the line itself, as the compiler kept it
};

// InlinedCall is a function that the compiler wrote into the place of a call to it.
struct InlinedCall {
    std::string_view function;  // as in source, demangled; empty: not known
    SourceLine call;            // where it was called
};

// InlinedCalls is a chain of them, innermost first. Lines share it: it can be long, and copies are cheap.
class InlinedCalls {
  public:
    InlinedCalls() = default;
    explicit InlinedCalls(std::vector<InlinedCall> calls)
        : calls_(calls.empty() ? nullptr : std::make_shared<const std::vector<InlinedCall>>(std::move(calls))) {}

    bool empty() const { return calls_ == nullptr; }
    std::size_t size() const { return empty() ? 0 : calls_->size(); }
    const InlinedCall* data() const { return empty() ? nullptr : calls_->data(); }
    const InlinedCall* begin() const { return data(); }
    const InlinedCall* end() const { return data() + size(); }

  private:
    std::shared_ptr<const std::vector<InlinedCall>> calls_;  // null: none
};

// LineStart says that from this offset on the code belongs to a line, until the next one.
struct LineStart {
    std::uint64_t offset = 0;       // of native code, from the start of the function
    std::uint32_t instruction = 0;  // BPF instruction of the program that the native code at `offset` comes from
    SourceLine source;
    InlinedCalls inlined = {};  // empty: the line is the function's own
};

// Target is what lies at an address that code jumps to or calls.
struct Target {
    std::string name;               // "function", or "program/function" for another BPF program's
    std::uint64_t offset = 0;       // from the start of what is named
    std::optional<CodeIndex> code;  // if it is code of the timeline
};

// Symbols answers for one timeline, which must outlive it. Const use from many threads is safe. What it knows of a
// program's type information and of its arrays is prepared when it is first asked for, so that all functions of a
// program together cost n log n of its info, in whatever order and how often it tells addresses.
class Symbols {
  public:
    explicit Symbols(const Timeline& timeline, std::optional<Kallsyms> kallsyms = {});
    ~Symbols();
    Symbols(Symbols&&) noexcept;
    Symbols& operator=(Symbols&&) noexcept;

    const Timeline& timeline() const { return *timeline_; }

    FunctionName name(CodeIndex code) const;
    // program_name(load) is FunctionName::program of its functions.
    std::string_view program_name(const BpfLoad& load) const;

    // image(code) is the native code, as long as code.range.size or shorter where the recording has less. It lives as
    // long as the timeline. Errors say why the recording holds none: missing, malformed.
    Result<Bytes> image(CodeIndex code) const;

    // lines(code) is by offset; empty if the recording has no lines. Errors: malformed.
    Result<std::vector<LineStart>> lines(CodeIndex code) const;

    // target(address, time) is empty if nothing known lies there.
    std::optional<Target> target(Address address, Time time) const;

    // btf(load) is the type information of a program, null if the recording has none or it is unusable: then problem()
    // of the load says so.
    const Btf* btf(const BpfLoad& load) const;
    // problem(load) is what is wrong with the program's BTF.
    std::optional<Error> problem(const BpfLoad& load) const;

  private:
    struct Cache;
    struct Program;

    const Result<Btf>* cached(const BpfLoad& load) const;
    const Program& program(const BpfProgramInfo& info) const;

    const Timeline* timeline_;
    std::optional<Kallsyms> kallsyms_;
    std::unique_ptr<Cache> cache_;
};

// check_kallsyms(kallsyms, kernel) compares where both say the kernel's reference symbol was: they differ if the file
// is from another boot or another kernel. The error (mismatch) says so.
Result<void> check_kallsyms(const Kallsyms& kallsyms, const std::optional<KernelMapping>& kernel);

}  // namespace perfdata
