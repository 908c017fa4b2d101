// SPDX-License-Identifier: MIT
// What counting needs to know of functions. Whoever has names implements it, so counting needs no names.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/timeline/code_class.hpp"
#include "perfdata/timeline/code_filter.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

class JitCodes;
class StackUnwinder;

// FunctionExtent is where a function begins, and how long it is.
struct FunctionExtent {
    Frame begin;             // as from FunctionIndex::function()
    std::uint64_t size = 0;  // bytes, up to the next symbol where the table of names has no sizes; 0: not known
    // address is where `begin` lay, for what lies at one address for everybody (see CodeVersion::address).
    std::optional<Address> address;
};

// Unnamed is why code has no name, in words for users; they live for ever.
struct Unnamed {
    std::string_view reason;  // what is missing: a clause
    std::string_view remedy;  // what would supply the name; empty: nothing

    auto operator<=>(const Unnamed&) const = default;
};

// NamelessCode is code that has no name for want of names.
struct NamelessCode {
    Unnamed why;                          // the same for all code of the object
    std::string_view object;              // as FrameName::object; lives as long as the FunctionIndex
    CodeClass kind = CodeClass::unknown;  // of the object
};

// ShownName is how users see a function. Views live as long as the FunctionIndex.
struct ShownName {
    std::string_view symbol;  // as FrameName::symbol; empty: it has none
    std::string_view object;  // as FrameName::object
    std::string in_source;    // of code of the timeline: what listings show instead of the symbol; else empty

    // Returns what listings call the function; lives as long as this.
    std::string_view name() const { return in_source.empty() ? symbol : std::string_view(in_source); }
};

// CodeDetail is what will be asked of code.
enum class CodeDetail : std::uint8_t {
    names,    // its function, whether that has a name, how long it is
    inlined,  // also what was inlined
    lines,    // also lines of source
    bytes     // the code itself
};

// CodePlaces is where functions of some names may lie; it may be more, never less. Code of the timeline, of jitdumps
// and in memory without a file is not in it: there they may lie as well.
struct PERFDATA_EXPORT CodePlaces {
    std::vector<AddressRange> kernel;  // host kernel addresses; a few ranges, else all_kernel
    bool all_kernel = false;           // anywhere in the kernel
    std::vector<bool> objects;         // by ObjectIndex: in this mapped file

    // has_kernel(address) returns true if one may lie at a kernel address.
    bool has_kernel(Address address) const {
        if (all_kernel) return true;
        for (const auto& range : kernel) {
            if (range.contains(address)) return true;
        }
        return false;
    }
    // Returns true if no file and no kernel address is in it.
    bool nowhere() const;
};

// FunctionIndex knows the functions of one timeline. Const use from many threads is safe.
class PERFDATA_EXPORT FunctionIndex {
  public:
    virtual ~FunctionIndex() = default;

    virtual const Timeline& timeline() const = 0;  // must outlive the index
    // Returns the code of jitdumps; empty() if there is none.
    virtual const JitCodes& jit() const = 0;

    // Reads the file behind a frame as far as the other members need it for that. Else they read it when they are
    // asked, and nobody can stop them. Returns false if `watch` stopped it: what was half read is read anew when it is
    // needed.
    virtual bool load(const Frame& frame, CodeDetail detail, const Watch& watch) const;

    // Returns the first byte of the function that the frame is in; the frame itself where it has no name.
    virtual Frame function(const Frame& frame) const = 0;
    // Returns all of that function. Where the frame has no name, size is 0.
    virtual FunctionExtent extent(const Frame& frame) const = 0;
    // Returns true if the function has a name.
    virtual bool named(const Frame& frame) const = 0;
    // Says what a frame without a name lacks; nothing where no table of names would help: its Miss says why.
    virtual std::optional<NamelessCode> nameless(const Frame& frame) const = 0;
    // Returns the first part of the filter that leaves out the code at a frame.
    virtual CodePart left_out(const Frame& frame, const CodeFilter& filter) const = 0;
    // Returns what unwinds copies of user stacks, for one thread; null if nothing does. The index must outlive it. If
    // the recording does not name its architecture, that takes a pass over it: once `stop` says so, the result is of no
    // use, nor are its stacks, for which it reads files.
    virtual Shared<StackUnwinder> unwinder(const StopToken& stop = {}) const;
    // Adds the functions that the compiler inlined at a frame, as frames of FrameKind::inlined, outermost first. The
    // function that contains them is not among them. With `returns`, the frame is the return address of a call, and
    // what is inlined at the call counts: behind it other code may begin.
    virtual void add_inlined(const Frame& frame, bool returns, std::vector<Frame>& calls) const = 0;
    // Returns where functions of these names may lie; nothing if that takes naming all code. Searches the tables of
    // names that are loaded, and takes time linear in them.
    virtual std::optional<CodePlaces> places_of(std::span<const std::string> names) const;
    // Returns how users see the function that the frame is in: functions with equal counts are in the order of these
    // names. Empty for an index that does not know them: then only places make the order.
    virtual ShownName shown_name(const Frame& frame) const;

  protected:
    FunctionIndex() = default;
    FunctionIndex(const FunctionIndex&) = default;
    FunctionIndex(FunctionIndex&&) = default;
    FunctionIndex& operator=(const FunctionIndex&) = default;
    FunctionIndex& operator=(FunctionIndex&&) = default;
};

}  // namespace perfdata
