// SPDX-License-Identifier: MIT
// Source lines of code, and the calls that a compiler inlined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"

namespace perfdata {

// SourceLine is a place in a source file. Texts live as long as the Symbolizer (or BpfPrograms) that they are from.
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
    explicit InlinedCalls(std::vector<InlinedCall> calls);

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

// Returns true if an error in reading lines means that something which is there is damaged, or beyond a limit. What the
// recording lacks is no loss, nor is debug information that this library was built without.
constexpr bool is_line_loss(ErrorCode code) {
    return code != ErrorCode::missing && code != ErrorCode::unsupported;
}

}  // namespace perfdata
