// SPDX-License-Identifier: MIT
// Code that existed for a while, and the BPF programs that it belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/types.hpp"
#include "perfdata/wire/feature/bpf_prog_info.hpp"

namespace perfdata {

// CodeIndex is the place of a Code in Timeline::code().
using CodeIndex = std::uint32_t;

enum class CodeKind : std::uint8_t {
    bpf_program,  // a function of a BPF program
    bpf_image,    // a BPF trampoline or dispatcher: claims a page, its code is not recorded
    out_of_line,  // kprobe slots, ftrace trampolines
};

// code_name_bytes is what the names of so much code (see Limits::code_versions) may take.
constexpr std::uint64_t code_name_bytes(std::size_t versions) {
    return std::uint64_t{256} * versions;
}

// Code is one version of code: what lay at a range of addresses during one stretch of time. The same function loaded
// again, and another function at the same address, are other Codes.
struct Code {
    CodeKind kind = CodeKind::bpf_program;
    AddressRange range;
    Time from;                     // zero: since before the recording began
    Time until = Time::forever();  // forever: until after it ended
    std::string_view symbol;       // the kernel's name for it, from KSYMBOL; lives as long as the timeline
    // Valid for kind bpf_program: the load it belongs to (index in Timeline::loads()) and which of its functions it is;
    // empty if no BPF_EVENT and no program info claims it.
    std::optional<std::uint32_t> load;
    std::uint32_t subprogram = 0;
};

// BpfLoad is one BPF program from its load to its unload.
struct BpfLoad {
    ProgramId id;
    BpfTag tag{};
    const BpfProgramInfo* info = nullptr;  // null: the recorder could not query the program. Lives with the timeline.
    Time loaded_at;                        // zero: before the recording began
    Time unloaded_at = Time::forever();    // forever: still there when it ended
    // The code of each function, in order; fewer than the program has if records were lost.
    std::vector<CodeIndex> functions;
    // symbol_name is the name in the symbol of its first function, as of BpfSymbol; empty: not known.
    std::string_view symbol_name = {};

    // function_count() is how many functions the program has, as far as is known.
    std::size_t function_count() const {
        return info != nullptr && !info->jited_ksyms().empty() ? info->jited_ksyms().size() : functions.size();
    }
};

// BpfSymbol is a KSYMBOL name of a BPF function taken apart: "bpf_prog_<tag>_<name>", where "_<name>" may be missing.
struct BpfSymbol {
    std::string_view tag;   // 16 hex digits
    std::string_view name;  // may be empty
};
std::optional<BpfSymbol> parse_bpf_symbol(std::string_view symbol);

// is_bpf_image(symbol): trampolines, dispatchers and struct_ops trampolines have names of their own.
bool is_bpf_image(std::string_view symbol);

// hex(tag) is the tag as people write it: 16 hex digits.
std::string hex(const BpfTag& tag);

}  // namespace perfdata
