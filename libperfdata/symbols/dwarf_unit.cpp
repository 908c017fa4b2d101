// SPDX-License-Identifier: MIT
#include "dwarf_unit.hpp"

#include <algorithm>
#include <cstring>
#include <dwarf.h>
#include <utility>

#include "perfdata/symbols/demangle.hpp"

#include "laid_apart.hpp"

namespace perfdata {
namespace {

constexpr std::string_view place = "DWARF";
constexpr std::size_t deepest_block = 256;  // nesting of blocks, classes, namespaces
constexpr std::uint32_t most_inlined = 64;  // nesting of calls

std::uint32_t number_of(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute value;
    Dwarf_Word number = 0;
    if (dwarf_attr(&die, attribute, &value) == nullptr || dwarf_formudata(&value, &number) != 0) return 0;
    return number > UINT32_MAX ? 0 : static_cast<std::uint32_t>(number);
}

// Walker visits the entries of a tree without recursion, each before those in it. Damaged links between them can make
// entries appear over and over: `left` is how many may be visited still, of all walks through a unit.
class Walker {
  public:
    Walker(const Dwarf_Die& root, std::uint64_t& left) : left_(left) { path_.push_back(root); }

    enum class Next : std::uint8_t { entry, end, damaged, too_many };

    // next(inside) goes to the first entry inside the current one if `inside`, else past it.
    Next next(bool inside) {
        if (left_ == 0) return Next::too_many;
        --left_;
        if (inside && path_.size() < deepest_block && dwarf_haschildren(&path_.back()) == 1) {
            Dwarf_Die child;
            const int got = dwarf_child(&path_.back(), &child);
            if (got < 0) return Next::damaged;
            if (got == 0) {
                path_.push_back(child);
                return Next::entry;
            }
        }
        while (path_.size() > 1) {
            const int got = dwarf_siblingof(&path_.back(), &path_.back());
            if (got < 0) return Next::damaged;
            if (got == 0) return Next::entry;
            path_.pop_back();
        }
        return Next::end;
    }

    Dwarf_Die& current() { return path_.back(); }
    std::size_t depth() const { return path_.size(); }

  private:
    std::vector<Dwarf_Die> path_;
    std::uint64_t& left_;
};

}  // namespace

std::unexpected<Error> dwarf_failure(const std::string& what) {
    const char* text = dwarf_errmsg(-1);
    return fail(ErrorCode::malformed, Error::no_offset, std::string(place),
                what + ": " + (text != nullptr ? text : "damaged"));
}

Result<std::vector<DwarfRange>> dwarf_ranges_of(Dwarf_Die& die, std::uint64_t& budget) {
    std::vector<DwarfRange> ranges;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    std::ptrdiff_t at = 0;
    while ((at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0) {
        if (budget == 0) return dwarf_limit("too many address ranges");
        --budget;
        if (begin < end) ranges.push_back({begin, end});
    }
    if (at < 0) return dwarf_failure("address ranges");
    return ranges;
}

// directory() is where the unit was compiled, as libdw takes it for names of its line table.
std::string_view DwarfUnit::directory() {
    if (!directory_) {
        Dwarf_Attribute value;
        const char* text = dwarf_attr(&die_, DW_AT_comp_dir, &value) != nullptr ? dwarf_formstring(&value) : nullptr;
        directory_ = sections_->text(text).value_or(std::string_view{});
    }
    return *directory_;
}

Result<void> DwarfUnit::read_table(std::uint64_t offset) {
    // libdw does not look for the end of its section.
    Dwarf_Attribute value;
    if (dwarf_attr(&die_, DW_AT_comp_dir, &value) != nullptr) {
        const char* text = dwarf_formstring(&value);
        if (text != nullptr && !sections_->text(text)) {
            return fail(ErrorCode::malformed, Error::no_offset, std::string(place), "a directory without an end");
        }
    }
    Dwarf_Die unit;
    std::uint8_t address_size = 0;
    if (dwarf_diecu(&die_, &unit, &address_size, nullptr) == nullptr) return dwarf_failure("a unit");
    if (auto right = tables_->check(offset, directory(), address_size); !right) return right;
    if (dwarf_getsrclines(&die_, &lines_, &line_count_) != 0) return dwarf_failure("a line table");
    if (dwarf_getsrcfiles(&die_, &files_, &file_count_) != 0) return dwarf_failure("a table of files");
    return {};
}

Result<void> DwarfUnit::read_lines() {
    if (lines_read_) return {};
    Dwarf_Attribute value;
    Dwarf_Word offset = 0;
    if (dwarf_attr(&die_, DW_AT_stmt_list, &value) != nullptr) {
        if (dwarf_formudata(&value, &offset) != 0) return dwarf_failure("a line table");
        if (auto read = read_table(offset); !read) {
            lines_ = nullptr;
            line_count_ = 0;
            tables_->refuse(offset, read.error());
            return read;
        }
        table_ = offset;
    }
    lines_read_ = true;
    return {};
}

std::string_view DwarfUnit::absolute(const char* file, DwarfTexts& texts) {
    if (file == nullptr) return {};
    const auto [known, added] = absolute_.try_emplace(file);
    if (added) {
        const std::string_view name = file;
        const bool joined = !name.starts_with('/') && !directory().empty();
        if (!texts.has_room(name.size() + (joined ? directory().size() : 0))) return {};
        auto path = joined ? std::string(directory()) + "/" : std::string();
        path += name;
        known->second = texts.keep(std::move(path));
    }
    return known->second;
}

SourceLine DwarfUnit::source_of(Dwarf_Line* line, DwarfTexts& texts) {
    int number = 0, column = 0;
    SourceLine source;
    source.file = absolute(dwarf_linesrc(line, nullptr, nullptr), texts);
    if (dwarf_lineno(line, &number) == 0 && number > 0) source.line = static_cast<std::uint32_t>(number);
    if (dwarf_linecol(line, &column) == 0 && column > 0) source.column = static_cast<std::uint32_t>(column);
    return source;
}

Result<std::vector<DwarfSegment>> DwarfUnit::segments(DwarfRange within, DwarfTexts& texts) {
    if (auto read = read_lines(); !read) return fail(read.error());
    const auto address = [&](std::size_t index) {
        Dwarf_Addr value = 0;
        dwarf_lineaddr(dwarf_onesrcline(lines_, index), &value);
        return value;
    };
    // The rows are by address; of those at one address the last counts. The first one wanted is the one that covers the
    // beginning.
    std::size_t first = 0, count = line_count_;
    while (count > 0) {
        const auto half = count / 2;
        if (address(first + half) <= within.begin) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    if (first > 0) --first;
    std::vector<DwarfSegment> found;
    for (auto row = first; row < line_count_; ++row) {
        const auto begin = address(row);
        if (begin >= within.end) break;
        const auto end = row + 1 < line_count_ ? address(row + 1) : begin;
        if (end <= begin || end <= within.begin) continue;
        auto* line = dwarf_onesrcline(lines_, row);
        bool last = false;
        dwarf_lineendsequence(line, &last);
        found.push_back(
            {{std::max(begin, within.begin), std::min(end, within.end)}, last ? SourceLine{} : source_of(line, texts)});
    }
    return found;
}

Result<std::vector<DwarfRange>> DwarfUnit::table_ranges() {
    if (auto read = read_lines(); !read) return fail(read.error());
    std::vector<DwarfRange> found;
    if (!table_ || !tables_->claim(*table_)) return found;
    std::optional<Dwarf_Addr> begin;
    for (std::size_t row = 0; row < line_count_; ++row) {
        auto* line = dwarf_onesrcline(lines_, row);
        Dwarf_Addr address = 0;
        bool last = false;
        dwarf_lineaddr(line, &address);
        dwarf_lineendsequence(line, &last);
        if (!begin) begin = address;
        if (!last) continue;
        if (address > *begin) found.push_back({*begin, address});
        begin.reset();
    }
    return found;
}

// Where functions lie over each other the code belongs to the one that begins last, of several to the first in the
// file: what linkers leave of functions that they took out begins at 0 and may reach far.
Result<void> DwarfUnit::read_functions(std::uint64_t& budget) {
    if (functions_read_) return {};
    if (auto right = abbreviations_->check(die_); !right) return right;
    function_dies_.clear();
    std::vector<Function> functions;
    Walker walker(die_, entries_left_);
    bool inside = true;
    while (true) {
        const auto next = walker.next(inside);
        if (next == Walker::Next::damaged) return dwarf_failure("the tree of functions");
        if (next == Walker::Next::too_many) return dwarf_limit("a unit has too many entries");
        if (next == Walker::Next::end) break;
        auto& die = walker.current();
        // What an inlined instance has in it cannot be a function with code of its own.
        inside = dwarf_tag(&die) != DW_TAG_inlined_subroutine;
        if (dwarf_tag(&die) != DW_TAG_subprogram) continue;
        const auto ranges = dwarf_ranges_of(die, budget);
        if (!ranges) return fail(ranges.error());
        for (const auto& range : *ranges) functions.push_back({range, function_dies_.size()});
        if (!ranges->empty()) function_dies_.push_back(die);
    }
    functions_ = laid_apart(
        std::move(functions),
        [](const Function& one, const Function& other) {
            return std::pair(one.range.begin, other.die) > std::pair(other.range.begin, one.die);
        },
        [](const Function& one, const Function& other) { return one.die == other.die; });
    functions_read_ = true;
    return {};
}

Result<void> DwarfUnit::inlined(DwarfRange within, DwarfTexts& texts, std::uint64_t& budget,
                                std::vector<DwarfCall>& calls) {
    if (auto read = read_functions(budget); !read) return fail(read.error());
    if (auto read = read_lines(); !read) return fail(read.error());
    Result<void> done;
    each_piece(functions_, within.begin, within.end, [&](const Function& function, DwarfRange part) {
        auto known = inlining_.find(function.die);
        if (known == inlining_.end()) {
            auto inlining = read_inlining(function_dies_[function.die], texts, budget);
            if (!inlining) {
                done = fail(inlining.error());
                return false;
            }
            known = inlining_.emplace(function.die, std::move(*inlining)).first;
        }
        const auto& found = known->second;
        each_piece(found.places, part.begin, part.end, [&](const DwarfInlining::Place& place, DwarfRange range) {
            calls.push_back({range, &found, place.call});
            return true;
        });
        return true;
    });
    return done;
}

// function_name(die) is the name of the function that an inlined call is an instance of. Many calls share one, whose
// entry may be long: it is looked through once.
std::string_view DwarfUnit::function_name(Dwarf_Die& die, DwarfTexts& texts) {
    Dwarf_Attribute value;
    Dwarf_Die origin;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &value) == nullptr || dwarf_formref_die(&value, &origin) == nullptr) {
        return name_of(die, texts);
    }
    const auto [known, added] = function_names_.try_emplace(origin.addr);
    if (added) known->second = name_of(origin, texts);
    return known->second;
}

// As dwarf_attr_integrate() does, the name may be that of the entry which another one is an instance of, or completes.
// These may be in other units.
std::string_view DwarfUnit::name_of(const Dwarf_Die& die, DwarfTexts& texts) {
    constexpr std::size_t most = 16;
    std::array<Dwarf_Die, most> entries{die};
    std::size_t count = 0;
    Dwarf_Attribute value;
    for (bool more = true; more && count < most;) {
        auto& entry = entries[count++];
        if (!abbreviations_->check(entry)) {
            texts.refuse();
            return {};
        }
        if (count == most) break;
        more = (dwarf_attr(&entry, DW_AT_abstract_origin, &value) != nullptr ||
                dwarf_attr(&entry, DW_AT_specification, &value) != nullptr) &&
               dwarf_formref_die(&value, &entries[count]) != nullptr;
    }
    for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
        const auto has = [&](Dwarf_Die& entry) { return dwarf_attr(&entry, attribute, &value) != nullptr; };
        const auto end = entries.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::find_if(entries.begin(), end, has) == end) continue;
        const char* found = dwarf_formstring(&value);
        if (found == nullptr) continue;
        const bool plain = attribute == DW_AT_name;
        const auto [known, added] = names_.try_emplace({found, plain});
        if (added) {
            const auto text = sections_->text(found).value_or(std::string_view{});
            if (!texts.has_room(text.size())) return {};
            auto name = plain ? std::string(text) : demangle(text).value_or(std::string(text));
            if (texts.has_room(name.size())) known->second = texts.keep(std::move(name));
        }
        return known->second;
    }
    return {};
}

InlinedCall DwarfUnit::call_of(Dwarf_Die& die, DwarfTexts& texts) {
    InlinedCall call;
    call.function = function_name(die, texts);
    if (const auto file = number_of(die, DW_AT_call_file); file < file_count_ && dwarf_hasattr(&die, DW_AT_call_file)) {
        call.call.file = absolute(dwarf_filesrc(files_, file, nullptr, nullptr), texts);
    }
    call.call.line = number_of(die, DW_AT_call_line);
    call.call.column = number_of(die, DW_AT_call_column);
    return call;
}

Result<DwarfInlining> DwarfUnit::read_inlining(Dwarf_Die function, DwarfTexts& texts, std::uint64_t& budget) {
    DwarfInlining inlining;
    std::vector<DwarfInlining::Place> places;
    struct Open {
        std::size_t depth;  // of the walker
        std::uint32_t call;
    };
    std::vector<Open> open;  // the inlined calls that the walker is in
    Walker walker(function, entries_left_);
    bool inside = true;
    while (true) {
        const auto next = walker.next(inside);
        if (next == Walker::Next::damaged) return dwarf_failure("inlined calls");
        if (next == Walker::Next::too_many) return dwarf_limit("a function has too many entries");
        if (next == Walker::Next::end) break;
        while (!open.empty() && walker.depth() <= open.back().depth) open.pop_back();
        auto& die = walker.current();
        const auto tag = dwarf_tag(&die);
        inside = tag != DW_TAG_subprogram;  // one within the function has code and calls of its own
        if (tag != DW_TAG_inlined_subroutine) continue;
        if (open.size() >= most_inlined) {
            inside = false;
            continue;
        }
        const auto ranges = dwarf_ranges_of(die, budget);
        if (!ranges) return fail(ranges.error());
        const auto call = static_cast<std::uint32_t>(inlining.calls.size());
        inlining.calls.push_back({call_of(die, texts), open.empty() ? DwarfInlined::none : open.back().call,
                                  static_cast<std::uint32_t>(open.size())});
        for (const auto& range : *ranges) places.push_back({range, call});
        open.push_back({walker.depth(), call});
    }
    using Innermost = DwarfInlining::Place;
    inlining.places = laid_apart(
        std::move(places),
        [&](const Innermost& one, const Innermost& other) {
            const auto depth = [&](const Innermost& of) { return std::pair(inlining.calls[of.call].depth, of.call); };
            return depth(one) > depth(other);
        },
        [](const Innermost& one, const Innermost& other) { return one.call == other.call; });
    return inlining;
}

}  // namespace perfdata
