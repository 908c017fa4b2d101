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

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/symbols/symbols.hpp"

#include "interval_index.hpp"

namespace perfdata {

struct DwarfRange {
    std::uint64_t begin = 0, end = 0;

    bool overlaps(const DwarfRange& other) const { return begin < other.end && other.begin < end; }
};

// DwarfTexts keeps each text once, for as long as it lives itself.
class DwarfTexts {
  public:
    std::string_view keep(std::string text) { return *texts_.insert(std::move(text)).first; }

  private:
    std::set<std::string, std::less<>> texts_;
};

// dwarf_failure(what) is libdw's last error in words. It is `malformed`: the files are in memory.
std::unexpected<Error> dwarf_failure(const std::string& what);

// dwarf_ranges_of(die, budget) is the addresses of a unit, a function or an inlined call. Each one costs the budget,
// which bounds what a damaged file can make of a few lists. Errors: malformed, limit.
Result<std::vector<DwarfRange>> dwarf_ranges_of(Dwarf_Die& die, std::uint64_t& budget);

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
        std::uint32_t call = 0;  // in `calls`
    };

    std::vector<DwarfInlined> calls;
    IntervalIndex<Place> places;
};

// DwarfLineTables is the section .debug_line. Tables that begin at different places share no bytes: those of all units
// together are no longer than the section, or reading them takes as long as somebody likes.
class DwarfLineTables {
  public:
    explicit DwarfLineTables(Dwarf* dwarf);

    // check(offset) is before libdw makes rows of the table there. Errors: limit.
    Result<void> check(std::uint64_t offset);

  private:
    Bytes bytes_;
    AnyOrder order_{std::endian::native};
    std::map<std::uint64_t, bool> tables_;  // by offset: whether it may be read
    std::uint64_t sum_ = 0;                 // of their sizes
};

class DwarfUnit {
  public:
    // size: bytes of the unit, which has no more entries than that. `tables` must outlive it.
    DwarfUnit(Dwarf_Die die, std::uint64_t size, std::vector<DwarfRange> ranges, DwarfLineTables& tables)
        : die_(die), entries_left_(size), ranges_(std::move(ranges)), tables_(&tables) {}

    const std::vector<DwarfRange>& ranges() const { return ranges_; }

    // segments(within, texts) is by address, without gaps between the first and the last, and as far as the unit goes.
    Result<std::vector<DwarfSegment>> segments(DwarfRange within, DwarfTexts& texts);

    // table_ranges() is what the line table covers, for units that do not say it themselves.
    Result<std::vector<DwarfRange>> table_ranges();
    void set_ranges(std::vector<DwarfRange> ranges) { ranges_ = std::move(ranges); }

    // inlining(within, texts, budget) is that of the functions there.
    Result<std::vector<const DwarfInlining*>> inlining(DwarfRange within, DwarfTexts& texts, std::uint64_t& budget);

  private:
    struct Function {
        DwarfRange range;
        std::size_t die = 0;  // in function_dies_
    };

    Result<void> read_lines();
    Result<void> read_functions(std::uint64_t& budget);
    Result<DwarfInlining> read_inlining(Dwarf_Die function, DwarfTexts& texts, std::uint64_t& budget);
    Result<void> check_table();
    SourceLine source_of(Dwarf_Line* line, DwarfTexts& texts);
    std::string_view absolute(const char* file, DwarfTexts& texts);
    std::string_view function_name(Dwarf_Die& die, DwarfTexts& texts);
    InlinedCall call_of(Dwarf_Die& die, DwarfTexts& texts);

    Dwarf_Die die_;
    std::uint64_t entries_left_;  // to visit, in all walks
    std::vector<DwarfRange> ranges_;
    DwarfLineTables* tables_;
    bool lines_read_ = false, functions_read_ = false;
    Dwarf_Lines* lines_ = nullptr;
    std::size_t line_count_ = 0;
    Dwarf_Files* files_ = nullptr;
    std::size_t file_count_ = 0;
    std::vector<Dwarf_Die> function_dies_;
    IntervalIndex<Function> functions_;
    std::map<std::size_t, DwarfInlining> inlining_;     // by function_dies_
    std::map<const char*, std::string_view> absolute_;  // by the text of libdw
    // By the text of libdw, and whether that is DW_AT_name.
    std::map<std::pair<const char*, bool>, std::string_view> function_names_;
};

}  // namespace perfdata
