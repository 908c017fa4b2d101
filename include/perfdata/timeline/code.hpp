// SPDX-License-Identifier: MIT
// Code that existed for a while, and the BPF programs that own it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/timeline/code_class.hpp"
#include "perfdata/wire/identities.hpp"

namespace perfdata {

struct BpfProgramInfo;

// CodeIndex is the index of a Code in Timeline::code().
using CodeIndex = std::uint32_t;

// CodeKind is what came and went in the kernel, as KSYMBOL and the symbol's name tell.
enum class CodeKind : std::uint8_t {
    bpf_program,  // a function of a BPF program
    bpf_image,    // a BPF trampoline or dispatcher: claims a page; its code is not recorded
    out_of_line,  // kprobe slots, ftrace trampolines
};

// Returns the kind of code that users see.
constexpr CodeClass code_class(CodeKind kind) {
    return kind == CodeKind::out_of_line ? CodeClass::out_of_line : CodeClass::bpf;
}

// code_name_bytes(versions) returns the limit in bytes on the names of that much code (see Limits::code_versions).
constexpr std::uint64_t code_name_bytes(std::size_t versions) {
    return std::uint64_t{256} * versions;
}

// Code is one version of code: the content of an address range during one period. The same function loaded again and
// another function at the same address are other Codes.
struct Code {
    CodeKind kind = CodeKind::bpf_program;  // see CodeKind
    AddressRange range;                     // as registered: an image may use less
    Time from;                              // zero: since before the recording began
    Time until = Time::forever();           // forever: until after the recording ended
    std::string_view symbol;                // the kernel's name for it, from KSYMBOL; lives as long as the timeline
    // Valid for kind bpf_program: the load that owns it (index in Timeline::loads()) and its function number; empty if
    // no BPF_EVENT and no program info claims it.
    std::optional<std::uint32_t> load;
    std::uint32_t subprogram = 0;
};

// Returns the object that perf says the code is in: the symbol of BPF code, "[kernel.kallsyms]" for out-of-line code.
// It lives as long as the timeline.
PERFDATA_EXPORT std::string_view object_of(const Code& code);

// BpfLoad is one BPF program from its load to its unload.
struct PERFDATA_EXPORT BpfLoad {
    ProgramId id;                          // as in BPF_EVENT or the program info
    BpfTag tag{};                          // of the whole program
    const BpfProgramInfo* info = nullptr;  // null: the recorder could not query the program. Lives with the timeline.
    Time loaded_at;                        // zero: before the recording began
    Time unloaded_at = Time::forever();    // forever: still loaded when the recording ended
    // The code of each function, in order; incomplete if records were lost.
    std::vector<CodeIndex> functions;
    // symbol_name is the name in the symbol of its first function, as in BpfSymbol; empty: unknown.
    std::string_view symbol_name = {};
    std::size_t stored_count = 0;  // of a profile, which has only functions with samples: function_count()

    // function_count() returns the number of functions of the program, as far as it is known.
    std::size_t function_count() const;
};

// BpfSymbol is the parsed KSYMBOL name of a BPF function: "bpf_prog_<tag>_<name>", where "_<name>" may be missing.
struct BpfSymbol {
    std::string_view tag;   // 16 hex digits
    std::string_view name;  // may be empty
};
// parse_bpf_symbol(symbol) returns its parts; empty if it is not the name of a BPF function. They are views of
// `symbol`.
PERFDATA_EXPORT std::optional<BpfSymbol> parse_bpf_symbol(std::string_view symbol);

// is_bpf_image(symbol) returns true for the names of trampolines, dispatchers and struct_ops trampolines.
PERFDATA_EXPORT bool is_bpf_image(std::string_view symbol);

// hex(tag) returns the tag in its usual form: 16 hex digits.
PERFDATA_EXPORT std::string hex(const BpfTag& tag);

}  // namespace perfdata
