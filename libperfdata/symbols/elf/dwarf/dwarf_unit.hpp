// SPDX-License-Identifier: MIT
// Reads one compilation unit: its line table, its functions and the calls inlined into them. Needs libdw.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/compiled_line.hpp"
#include "perfdata/symbols/source_line.hpp"

#include "dwarf_entries.hpp"
#include "dwarf_line_tables.hpp"
#include "dwarf_ranges.hpp"
#include "dwarf_sections.hpp"
#include "symbols/inlined_function.hpp"

namespace perfdata {

// DwarfTexts keeps each text once: equal texts share their bytes, which live as long as this. `room` bounds the bytes
// of all texts that were to be kept: in a hostile file texts may overlap and be long.
class DwarfTexts {
  public:
    // `demangle`: see DwarfFiles.
    DwarfTexts(std::uint64_t room, bool demangle) : room_(room), demangles_(demangle) {}

    bool demangles() const { return demangles_; }

    // Returns false if there is no room, now or at an earlier call: nothing more may be kept.
    bool has_room(std::uint64_t size) {
        if (size > room_) full_ = true;
        if (!full_) room_ -= size;
        return !full_;
    }
    // Keeps nothing more, because a text cannot be read.
    void refuse(Error why) {
        full_ = true;
        if (!why_) why_ = std::move(why);
    }
    // Returns why nothing more is kept. Call it only if full().
    Error why() const {
        return why_.value_or(
            Error{ErrorCode::limit, Error::no_offset, "DWARF", "names of files and functions take too much memory"});
    }
    // Keeps a text. Call has_room() first.
    std::string_view keep(std::string text) { return *texts_.insert(std::move(text)).first; }
    bool full() const { return full_; }
    // Remembers that lines are lost because their file has no name.
    void note_nameless_file() { nameless_file_ = true; }
    bool has_nameless_file() const { return nameless_file_; }

  private:
    std::set<std::string, std::less<>> texts_;
    std::uint64_t room_;
    bool demangles_;
    bool full_ = false, nameless_file_ = false;
    std::optional<Error> why_;
};

// DwarfSegment is a range of code of one line.
struct DwarfSegment {
    DwarfRange range;
    SourceLine source;  // line 0 and no file: unknown
    std::uint32_t discriminator = 0;
};

// DwarfDeclared is a range of code of one function.
struct DwarfDeclared {
    DwarfRange range;
    CompiledFunction function;
};

// DwarfInlined is one inlined call.
struct DwarfInlined {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    InlinedCall call;             // without its file until DwarfInlining::has_files
    std::uint64_t function = 0;   // see DwarfEntries::number_of(); equal for all calls of one function
    std::uint32_t file = none;    // of the call, in the unit's table of files
    std::uint32_t caller = none;  // the inlined call that contains it
    std::uint32_t depth = 0;
    std::uint32_t declared = 0;       // line of the function's declaration
    std::uint32_t discriminator = 0;  // of the call
};

// DwarfInlining is all inlined calls of a function, outer ones first.
struct DwarfInlining {
    struct Place {
        DwarfRange range;
        std::uint32_t call = 0;  // index in `calls` of the innermost call
        bool cut = false;        // calls inlined into it here are left out, because they are nested too deep
    };
    static constexpr std::uint32_t deepest = 128;  // nesting of calls

    std::vector<DwarfInlined> calls;
    std::vector<Place> places;  // sorted by address, without overlaps
    bool has_files = false;
};

// DwarfCall is a range of code of one inlined call.
struct DwarfCall {
    DwarfRange range;
    const DwarfInlining* function = nullptr;
    std::uint32_t call = 0;  // index in function->calls
    bool cut = false;        // see DwarfInlining::Place
};

class DwarfUnit {
  public:
    // All references must outlive it.
    DwarfUnit(Dwarf_Die die, const DwarfUnitLayout& layout, std::vector<DwarfRange> ranges,
              const DwarfSections& sections, DwarfEntries& entries, DwarfLineTables& tables, DwarfTexts& texts);

    const std::vector<DwarfRange>& ranges() const { return ranges_; }
    // Returns true if its functions are in another file (.dwo). A unit may name such a file and have functions and
    // inlined calls itself, for those who lack it.
    bool split() const { return split_; }

    // Returns the segments of a range, sorted by address and without gaps, as far as the unit covers it.
    Result<std::vector<DwarfSegment>> segments(DwarfRange within);

    // Returns the addresses that the line table covers, for units that do not record all of theirs. Empty if another
    // unit uses the same table.
    Result<std::vector<DwarfRange>> table_ranges();
    void add_ranges(const std::vector<DwarfRange>& more) { ranges_.insert(ranges_.end(), more.begin(), more.end()); }

    // Adds the innermost inlined calls of a range, sorted by address and without overlaps.
    Result<void> inlined(DwarfRange within, std::uint64_t& budget, std::vector<DwarfCall>& calls);
    // Adds the functions of a range with their declarations, sorted by address and without overlaps.
    Result<void> declared(DwarfRange within, std::uint64_t& budget, std::vector<DwarfDeclared>& functions);
    // Adds the functions inlined at an address, innermost first. Reads no line table. Returns true if more are inlined
    // there, nested too deep.
    Result<bool> inlined_at(std::uint64_t address, std::uint64_t& budget, std::vector<InlinedFunction>& functions);

  private:
    struct Function {
        DwarfRange range;
        std::size_t die = 0;  // index in function_dies_
    };

    // Returns false if libdw does not see the entry.
    bool die_of(const DwarfEntry& entry, Dwarf_Die& die) const;
    // What these could not read, they do not read again.
    Result<void> read_lines();
    Result<void> read_functions(std::uint64_t& budget);
    Result<void> find_table();
    Result<void> find_functions(std::uint64_t& budget);
    // Returns the inlined calls of a function, by index in function_dies_. It lives as long as this.
    Result<DwarfInlining*> inlining_of(std::size_t die, std::uint64_t& budget);
    Result<DwarfInlining> read_inlining(Dwarf_Die function, std::uint64_t& budget);
    void name_files(DwarfInlining& inlining);
    Result<void> read_table(std::uint64_t offset);
    std::string_view directory();
    SourceLine source_of(Dwarf_Line* line);
    std::string_view absolute(const char* file);
    // Named is what the entries of a function say of it.
    struct Named {
        std::uint64_t entry = 0;  // see InlinedFunction::entry
        CompiledFunction function;
    };
    Named function_of(Dwarf_Die& die);
    CompiledFunction declared(const Dwarf_Die& die);
    std::string_view name_of(std::span<Dwarf_Die> entries);
    DwarfInlined call_of(Dwarf_Die& die);

    Dwarf_Die die_;
    const DwarfUnitLayout* layout_;
    std::uint64_t entries_left_;  // that all walks may still visit
    std::vector<DwarfRange> ranges_;
    const DwarfSections* sections_;
    DwarfEntries* entries_;
    DwarfLineTables* tables_;
    DwarfTexts* texts_;
    std::optional<std::string_view> directory_;
    std::optional<Result<void>> lines_read_, functions_read_;  // nothing: not yet
    bool split_;
    std::optional<std::uint64_t> table_;  // offset of the line table, once it was read
    Dwarf_Lines* lines_ = nullptr;
    std::size_t line_count_ = 0;
    Dwarf_Files* files_ = nullptr;
    std::size_t file_count_ = 0;
    std::vector<Dwarf_Die> function_dies_;
    std::vector<Function> functions_;                                 // sorted by address, without overlaps
    std::map<std::size_t, Result<DwarfInlining>> inlining_;           // by index in function_dies_
    std::map<const char*, std::string_view> absolute_;                // by libdw's text
    std::map<std::uint64_t, CompiledFunction> functions_of_entries_;  // by InlinedFunction::entry
    // By libdw's text, and true for DW_AT_name.
    std::map<std::pair<const char*, bool>, std::string_view> names_;
};

}  // namespace perfdata
