// SPDX-License-Identifier: MIT
// Source lines of code, and calls that the compiler inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"

namespace perfdata {

// SourceLine is a place in a source file. Views live as long as the Symbolizer (or BpfPrograms) that returned them.
struct SourceLine {
    std::string_view file;     // as the compiler wrote it; empty: unknown
    std::uint32_t line = 0;    // 0: code without source
    std::uint32_t column = 0;  // from 1; 0: unknown
    std::string_view text;     // the line itself; empty: unknown
};

// TextMiss is why the text of a source file is not shown.
enum class TextMiss : std::uint8_t {
    none,      // it is, or it was never looked for, or it is beyond a limit, which is told apart
    newer,     // the file of this machine is newer than the program: it is not what was compiled
    not_here,  // there is no file of that name, or none that can be read
};

// InlinedCall is a function that the compiler inlined.
struct InlinedCall {
    std::string_view function;  // as in the source, demangled; empty: unknown
    SourceLine call;            // the call site
};

// InlinedCalls is a chain of inlined calls, innermost first. A chain may be long: lines share it, and copies are cheap.
class PERFDATA_EXPORT InlinedCalls {
  public:
    InlinedCalls() = default;
    // Takes the calls, innermost first.
    explicit InlinedCalls(std::vector<InlinedCall> calls);

    bool empty() const { return calls_ == nullptr; }                                // the code is the function's own
    std::size_t size() const { return empty() ? 0 : calls_->size(); }               // number of calls
    const InlinedCall* data() const { return empty() ? nullptr : calls_->data(); }  // null if there are none
    const InlinedCall* begin() const { return data(); }         // innermost first; live as long as any copy
    const InlinedCall* end() const { return data() + size(); }  // behind the outermost call

  private:
    Shared<const std::vector<InlinedCall>> calls_;  // null: none
};

// LineStart assigns the code from this offset up to the next LineStart to a source line.
struct LineStart {
    std::uint64_t offset = 0;       // bytes of native code from the start of the function
    std::uint32_t instruction = 0;  // BPF instruction that the native code at `offset` was compiled from
    SourceLine source;              // of the innermost inlined function, if there is one
    InlinedCalls inlined = {};      // empty: the line is the function's own
};

// Returns true if an error of reading lines means damaged data, or a limit. Data missing from the recording is no loss,
// nor is debug information that this library was built without.
constexpr bool is_line_loss(ErrorCode code) {
    return code != ErrorCode::missing && code != ErrorCode::unsupported;
}

}  // namespace perfdata
