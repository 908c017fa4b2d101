// SPDX-License-Identifier: MIT
// The native code of BPF programs, in the form of `bpftool prog dump jited [linum]`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/limits.hpp"

#include "format/json_writer.hpp"
#include "tool/bpf/bpf_listed.hpp"

namespace perfdata::tool {

// BpfCode writes functions until it has written as many instructions as a run may list: 4 *
// Limits::listed_instructions. What is beyond is named, and counted.
class BpfCode {
  public:
    // `linum` adds file, line and column to the source lines of text. The programs must outlive it. Code of an
    // architecture that cannot be disassembled is code that the recording lacks: it says why.
    BpfCode(const BpfPrograms& programs, std::string_view arch, bool linum, const Limits& limits);

    // write(listed, sink) writes all functions of the programs. One program has the form of bpftool and nothing else;
    // with several there is a line in front of each. Without exactly one, what filters leave out comes first.
    void write(const Listed& listed, const Sink& sink);
    // write(code, json) writes the member "instructions", null where the recording has no code.
    void write(CodeIndex code, JsonWriter& json);

    // left_out() returns how many functions are missing or cut for the limit.
    std::size_t left_out() const { return left_out_; }

  private:
    struct Decoded;
    Decoded decode(CodeIndex code);
    std::string text(CodeIndex code);
    std::string source_text(const SourceLine& line) const;

    const BpfPrograms& programs_;
    Result<Disassembler> disassembler_;
    bool linum_;
    std::size_t most_;  // instructions of a function
    std::size_t left_;  // instructions of all functions to come
    std::size_t left_out_ = 0;
};

// bpftool_prototype(prototype) returns the C declaration as bpftool spaces it: "int f(struct s * p)", without `static`.
std::string bpftool_prototype(std::string_view prototype);

}  // namespace perfdata::tool
