// SPDX-License-Identifier: MIT
// A source of code: it answers four questions about its frames. A new source is one folder and one line in
// code_sources.cpp.
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

namespace perfdata {

// CodeSource is asked about its own frames only: CodeSources::of() chooses it. Const use from many threads is safe.
class CodeSource {
  public:
    virtual ~CodeSource() = default;
    CodeSource(const CodeSource&) = delete;
    CodeSource& operator=(const CodeSource&) = delete;

    virtual FrameName name(const Frame& frame) const = 0;
    // Returns the function that the frame is in; the frame itself with size 0 where it has no name.
    virtual FunctionExtent extent(const Frame& frame) const = 0;
    // Returns the code as it was in that version. `size` is version.size within the limits; it is 0 where the size is
    // not known. Errors: missing (with what would supply it), malformed, io, limit.
    virtual Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const = 0;
    // Returns the lines of the first `size` bytes by offset from the start of the function; none if nothing is known
    // of them. Errors: malformed, unsupported, io, limit.
    virtual Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const = 0;

    // Returns extent(frame).begin; a source that finds it faster overrides this.
    virtual Frame function(const Frame& frame) const { return extent(frame).begin; }
    // Says why a frame has no symbol, and what would supply it.
    virtual Unnamed why_unnamed(const Frame& frame) const {
        const auto miss = name(frame).miss;
        return {explain(miss), remedy(miss)};
    }
    // Returns false where no table of names would help.
    virtual bool wants_a_name(const Frame&) const { return true; }
    // Says where the bytes of a function are kept. Sources whose code has one address for everybody share an origin.
    virtual CodePlace place(const CodeVersion& version) const {
        return {{CodeOrigin::Kind::kernel, 0}, version.address.value_or(Address{}).value};
    }
    // Says what lines of the function are read from.
    virtual LinesOrigin lines_origin(const Frame&) const { return {}; }
    // Returns how many bytes lines() reads for this function alone; 0 where functions share what is read.
    virtual std::uint64_t lines_size(const Frame&) const { return 0; }
    // Says what `lines`, which lines() gave, lack.
    virtual std::optional<Error> lines_problem(const Frame&, std::span<const LineStart>) const { return {}; }
    virtual bool is_line_loss(const Error& error) const { return perfdata::is_line_loss(error.code); }

  protected:
    CodeSource() = default;

    // Fails for code of which nobody knows where it begins and ends.
    Result<CodeImage> no_extent(const CodeVersion& version) const {
        const auto name = name_of(version);
        return fail(ErrorCode::missing, Error::no_offset, name.empty() ? "code without a name" : name,
                    "it is not known where the function begins and ends");
    }
    // Returns the symbol; the object where there is none.
    std::string name_of(const CodeVersion& version) const {
        const auto known = name(version.function);
        return std::string(known.symbol.empty() ? known.object : known.symbol);
    }
};

}  // namespace perfdata
