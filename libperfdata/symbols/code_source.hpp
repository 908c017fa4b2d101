// SPDX-License-Identifier: MIT
// The interface of all sources of code. A new source is one folder and one line in code_sources.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/symbols/code_image.hpp"
#include "perfdata/symbols/code_place.hpp"
#include "perfdata/symbols/frame_name.hpp"
#include "perfdata/symbols/source_line.hpp"
#include "perfdata/timeline/code_versions.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "inlined_function.hpp"
#include "recording/look_out.hpp"
#include "unwind/unwind_place.hpp"

namespace perfdata {

// CodeSource answers only for its own frames: CodeSources::of() chooses it. Const use from many threads is safe.
class CodeSource {
  public:
    virtual ~CodeSource() = default;
    CodeSource(const CodeSource&) = delete;
    CodeSource& operator=(const CodeSource&) = delete;

    // Reads the file behind a frame: see FunctionIndex::load(). Throws Stopped.
    virtual void load(const Frame&, CodeDetail, LookOut&) const {}

    virtual FrameName name(const Frame& frame) const = 0;
    // Returns the function at the frame; the frame itself with size 0 if it has no name.
    virtual FunctionExtent extent(const Frame& frame) const = 0;
    // Returns the code as it was in that version. `size` is version.size within the limits, 0 if it is unknown. Errors:
    // missing (with what would supply it), malformed, io, limit.
    virtual Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const = 0;
    // Returns the lines of the first `size` bytes by offset from the start of the function; empty if nothing is known.
    // SourceLine::text is empty, unless it was recorded. Errors: malformed, unsupported, io, limit.
    virtual Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const = 0;

    // Returns extent(frame).begin. A source with a faster way overrides it.
    virtual Frame function(const Frame& frame) const { return extent(frame).begin; }
    // Returns why a frame has no symbol, and what would supply it.
    virtual Unnamed why_unnamed(const Frame& frame) const {
        const auto miss = name(frame).miss;
        return {explain(miss), remedy(miss)};
    }
    // Returns false if no table of names would help.
    virtual bool wants_a_name(const Frame&) const { return true; }
    // Returns where the bytes of a function come from. Sources whose code has one address for all processes share an
    // origin.
    virtual CodePlace place(const CodeVersion& version) const {
        return {{CodeOrigin::Kind::kernel, 0}, version.address.value_or(Address{}).value};
    }
    // Returns what the lines of the function are read from.
    virtual LinesOrigin lines_origin(const Frame&) const { return {}; }
    // Returns how many bytes lines() reads for this function alone; 0 if functions share them.
    virtual std::uint64_t lines_size(const Frame&) const { return 0; }
    // Returns what reading the lines shares with other functions, in this source or others; null: nothing. Throws
    // Stopped.
    virtual const void* lines_shared(const Frame&, LookOut&) const { return nullptr; }
    // Returns the file that was compiled from the lines that lines() returned; empty if it may be of any age.
    virtual std::string built(const Frame&) const { return {}; }
    // Returns what is missing from lines that lines() returned.
    virtual std::optional<Error> lines_problem(const Frame&, std::span<const LineStart>) const { return {}; }
    // Returns what the compiler inlined at a frame.
    virtual InlinedFunctions inlined(const Frame&) const { return {}; }
    virtual bool is_line_loss(const Error& error) const { return perfdata::is_line_loss(error.code); }
    // Returns where unwind information of user code is. Without any, frame pointers may lead on.
    virtual UnwindPlace unwind_place(const Frame&) const { return {}; }

  protected:
    CodeSource() = default;

    // Fails because it is unknown where the function begins and ends.
    Result<CodeImage> no_extent(const CodeVersion& version) const {
        const auto name = name_of(version);
        return fail(ErrorCode::missing, Error::no_offset, name.empty() ? "code without a name" : name,
                    "it is not known where the function begins and ends");
    }
    // Returns the symbol; the object if there is none.
    std::string name_of(const CodeVersion& version) const {
        const auto known = name(version.function);
        return std::string(known.symbol.empty() ? known.object : known.symbol);
    }
};

}  // namespace perfdata
