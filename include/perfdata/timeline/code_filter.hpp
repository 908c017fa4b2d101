// SPDX-License-Identifier: MIT
// Which code counts, by what it is called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/timeline/code_class.hpp"

namespace perfdata {

// CodePart names a part of a CodeFilter.
enum class CodePart : std::uint8_t { none, kind, object, symbol };

// CodeFilter takes code that every part takes. An empty part takes all.
struct PERFDATA_EXPORT CodeFilter {
    std::vector<CodeClass> kinds;      // kernel takes modules as well
    std::vector<std::string> objects;  // a path, its last part, or the name that perf shows: "libc.so.6", "[nf_nat]"
    std::vector<std::string> symbols;  // as shown: code without a symbol is "0x0000000000001139", its Frame::offset

    bool empty() const { return kinds.empty() && objects.empty() && symbols.empty(); }  // takes all code
    bool operator==(const CodeFilter&) const = default;

    bool takes_kind(CodeClass kind) const;                             // `kinds` is empty, or takes it
    bool takes_object(std::string_view object, CodeClass kind) const;  // as FrameName::object

    // takes_symbol(symbol, offset): FrameName::symbol and Frame::offset, which stands for a missing symbol.
    bool takes_symbol(std::string_view symbol, std::uint64_t offset) const;
    // Returns the first part that leaves this code out. `object` and `symbol` are as in FrameName.
    CodePart leaves_out(CodeClass kind, std::string_view object, std::string_view symbol, std::uint64_t offset) const;
};

// Returns perf's short name of an object: "libc.so.6", "[nf_nat]", "[JIT] tid 42", "[unknown]". Follows
// dso__set_basename in tools/perf/util/dso.c.
PERFDATA_EXPORT std::string object_label(std::string_view object, CodeClass kind);
// Returns how code without a symbol is shown: sixteen hexadecimal digits behind 0x.
PERFDATA_EXPORT std::string symbol_label(std::string_view symbol, std::uint64_t offset);

}  // namespace perfdata
