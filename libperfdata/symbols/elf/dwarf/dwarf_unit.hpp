// SPDX-License-Identifier: MIT
// One compilation unit: its line table, its functions, and what was inlined into them. Needs libdw.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/source_line.hpp"

#include "dwarf_entries.hpp"
#include "dwarf_line_tables.hpp"
#include "dwarf_ranges.hpp"
#include "dwarf_sections.hpp"

namespace perfdata {

// DwarfTexts keeps each text once, for as long as it lives itself: equal ones are the same bytes. There is room for so
// many bytes, of all that it was asked to keep: the texts of a file can be made of each other, and be long.
class DwarfTexts {
  public:
    // `demangle`: see DwarfFiles.
    DwarfTexts(std::uint64_t room, bool demangle) : room_(room), demangles_(demangle) {}

    bool demangles() const { return demangles_; }

    // has_room(size): if not, now or earlier, nothing more is kept.
    bool has_room(std::uint64_t size) {
        if (size > room_) full_ = true;
        if (!full_) room_ -= size;
        return !full_;
    }
    // refuse(why) is for a text that cannot be read.
    void refuse(Error why) {
        full_ = true;
        if (!why_) why_ = std::move(why);
    }
    // why() is valid if full().
    Error why() const {
        return why_.value_or(
            Error{ErrorCode::limit, Error::no_offset, "DWARF", "names of files and functions take too much memory"});
    }
    // keep(text) is after has_room().
    std::string_view keep(std::string text) { return *texts_.insert(std::move(text)).first; }
    bool full() const { return full_; }
    // Lines of a file without a name are lost.
    void note_nameless_file() { nameless_file_ = true; }
    bool has_nameless_file() const { return nameless_file_; }

  private:
    std::set<std::string, std::less<>> texts_;
    std::uint64_t room_;
    bool demangles_;
    bool full_ = false, nameless_file_ = false;
    std::optional<Error> why_;
};

// DwarfSegment is a stretch of code that belongs to one line.
struct DwarfSegment {
    DwarfRange range;
    SourceLine source;  // line 0, no file: nothing is known
};

// DwarfInlined is one call that was replaced by what it calls.
struct DwarfInlined {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    InlinedCall call;
    std::uint32_t caller = none;  // the inlined call that it is in
    std::uint32_t depth = 0;
};

// DwarfInlining is all inlined calls of a function, each behind the one that it is in.
struct DwarfInlining {
    struct Place {
        DwarfRange range;
        std::uint32_t call = 0;  // in `calls`: the innermost there
    };

    std::vector<DwarfInlined> calls;
    std::vector<Place> places;  // by address and apart from each other
};

// DwarfCall is a stretch of code that belongs to one inlined call.
struct DwarfCall {
    DwarfRange range;
    const DwarfInlining* function = nullptr;
    std::uint32_t call = 0;  // in function->calls
};

class DwarfUnit {
  public:
    // All references must outlive it.
    DwarfUnit(Dwarf_Die die, const DwarfUnitLayout& layout, std::vector<DwarfRange> ranges,
              const DwarfSections& sections, DwarfEntries& entries, DwarfLineTables& tables, DwarfTexts& texts);

    const std::vector<DwarfRange>& ranges() const { return ranges_; }

    // segments(within) is by address, without gaps between the first and the last, and as far as the unit goes.
    Result<std::vector<DwarfSegment>> segments(DwarfRange within);

    // table_ranges() is what the line table covers, for units that do not say it themselves. Empty if another unit has
    // the same table.
    Result<std::vector<DwarfRange>> table_ranges();
    void set_ranges(std::vector<DwarfRange> ranges) { ranges_ = std::move(ranges); }

    // inlined(within, budget, calls) adds the innermost inlined calls there, by address and apart from each
    // other.
    Result<void> inlined(DwarfRange within, std::uint64_t& budget, std::vector<DwarfCall>& calls);

  private:
    struct Function {
        DwarfRange range;
        std::size_t die = 0;  // in function_dies_
    };

    // die_of(entry, die) is false where libdw does not see that entry.
    bool die_of(const DwarfEntry& entry, Dwarf_Die& die) const;
    Result<void> read_lines();
    Result<void> read_functions(std::uint64_t& budget);
    Result<DwarfInlining> read_inlining(Dwarf_Die function, std::uint64_t& budget);
    Result<void> read_table(std::uint64_t offset);
    std::string_view directory();
    SourceLine source_of(Dwarf_Line* line);
    std::string_view absolute(const char* file);
    std::string_view function_name(Dwarf_Die& die);
    std::string_view name_of(const Dwarf_Die& die);
    InlinedCall call_of(Dwarf_Die& die);

    Dwarf_Die die_;
    const DwarfUnitLayout* layout_;
    std::uint64_t entries_left_;  // to visit, in all walks
    std::vector<DwarfRange> ranges_;
    const DwarfSections* sections_;
    DwarfEntries* entries_;
    DwarfLineTables* tables_;
    DwarfTexts* texts_;
    std::optional<std::string_view> directory_;
    bool lines_read_ = false, functions_read_ = false;
    std::optional<std::uint64_t> table_;  // its offset, once lines are read
    Dwarf_Lines* lines_ = nullptr;
    std::size_t line_count_ = 0;
    Dwarf_Files* files_ = nullptr;
    std::size_t file_count_ = 0;
    std::vector<Dwarf_Die> function_dies_;
    std::vector<Function> functions_;                         // by address and apart from each other
    std::map<std::size_t, DwarfInlining> inlining_;           // by function_dies_
    std::map<const char*, std::string_view> absolute_;        // by the text of libdw
    std::map<const void*, std::string_view> function_names_;  // by the entry of the function
    // By the text of libdw, and whether that is DW_AT_name.
    std::map<std::pair<const char*, bool>, std::string_view> names_;
};

}  // namespace perfdata
