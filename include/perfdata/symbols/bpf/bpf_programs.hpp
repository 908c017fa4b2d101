// SPDX-License-Identifier: MIT
// Names, bytes and source lines of BPF programs, from what the recording holds of them.
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
#include "perfdata/symbols/source_line.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// FunctionName is what a piece of code is called. Any number of functions may share a long name: these are views, which
// live as long as the BpfPrograms that they are from.
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

// Target is what lies at an address that code jumps to or calls.
struct Target {
    std::string name;          // "function", or "program/function" for another BPF program's
    std::uint64_t offset = 0;  // from the start of what is named
    CodeIndex code = 0;
};

// BpfPrograms answers for one timeline, which must outlive it. Const use from many threads is safe. It prepares a
// program's type information and arrays when they are first asked for, so that all functions of a program together cost
// n log n of its info, in whatever order and how often it tells addresses.
class BpfPrograms {
  public:
    explicit BpfPrograms(const Timeline& timeline);
    ~BpfPrograms();
    BpfPrograms(BpfPrograms&&) noexcept;
    BpfPrograms& operator=(BpfPrograms&&) noexcept;

    const Timeline& timeline() const { return *timeline_; }

    FunctionName name(CodeIndex code) const;
    // program_name(load) is FunctionName::program of its functions.
    std::string_view program_name(const BpfLoad& load) const;

    // image(code) is the native code, as long as code.range.size or shorter where the recording has less. It lives as
    // long as the timeline. Errors say why the recording holds none: missing, malformed.
    Result<Bytes> image(CodeIndex code) const;

    // lines(code) is by offset; empty if the recording has no lines. Errors: malformed.
    Result<std::vector<LineStart>> lines(CodeIndex code) const;

    // Returns true if an error of lines() is a loss. Unlike elsewhere types of BTF that are not known are one: they
    // hide those behind them.
    static bool is_loss(const Error& error) { return error.code != ErrorCode::missing; }

    // target(address, time) is empty if no code of the timeline lies there.
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
    std::unique_ptr<Cache> cache_;
};

}  // namespace perfdata
