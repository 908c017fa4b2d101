// SPDX-License-Identifier: MIT
#include "dwarf_unit.hpp"

#include <algorithm>
#include <cstring>
#include <dwarf.h>
#include <tuple>
#include <utility>

#include "perfdata/symbols/elf/demangle/demangle.hpp"

#include "symbols/kernel/laid_apart.hpp"

namespace perfdata {
namespace {

constexpr std::string_view place = "DWARF";
constexpr unsigned gnu_discriminator = 0x2136;  // DW_AT_GNU_discriminator, which <dwarf.h> lacks

// Functions are walked twice: for themselves, and for the calls inlined into them.
std::uint64_t entries_for(const DwarfUnitLayout& unit) {
    constexpr std::uint64_t walks = 2, least = 64;
    return walks * (unit.end - unit.first) + least;
}

std::unexpected<Error> unreadable(const char* what) {
    return fail(ErrorCode::malformed, Error::no_offset, std::string(place), std::string(what) + " cannot be read");
}

std::uint32_t number_of(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute value;
    Dwarf_Word number = 0;
    if (dwarf_attr(&die, attribute, &value) == nullptr || dwarf_formudata(&value, &number) != 0) return 0;
    return number > UINT32_MAX ? 0 : static_cast<std::uint32_t>(number);
}

bool is_split(Dwarf_Die& die) {
    const bool named = dwarf_hasattr(&die, DW_AT_dwo_name) != 0 || dwarf_hasattr(&die, DW_AT_GNU_dwo_name) != 0;
    return named && dwarf_haschildren(&die) == 0;
}

}  // namespace

DwarfUnit::DwarfUnit(Dwarf_Die die, const DwarfUnitLayout& layout, std::vector<DwarfRange> ranges,
                     const DwarfSections& sections, DwarfEntries& entries, DwarfLineTables& tables, DwarfTexts& texts)
    : die_(die),
      layout_(&layout),
      entries_left_(entries_for(layout)),
      ranges_(std::move(ranges)),
      sections_(&sections),
      entries_(&entries),
      tables_(&tables),
      texts_(&texts),
      split_(is_split(die_)) {}

// Returns the directory of compilation, as libdw uses it for names in the line table.
std::string_view DwarfUnit::directory() {
    if (!directory_) {
        Dwarf_Attribute value;
        const char* text = dwarf_attr(&die_, DW_AT_comp_dir, &value) != nullptr ? dwarf_formstring(&value) : nullptr;
        directory_ = sections_->text(text).value_or(std::string_view{});
        // Any number of units may share one text, and finding its end takes time.
        if (!texts_->has_room(directory_->size())) directory_ = std::string_view{};
    }
    return *directory_;
}

Result<void> DwarfUnit::read_table(std::uint64_t offset) {
    // libdw does not check for the end of its section.
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
    if (!lines_read_) lines_read_ = find_table();
    return *lines_read_;
}

Result<void> DwarfUnit::find_table() {
    if (texts_->full()) return fail(texts_->why());
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
    return {};
}

std::string_view DwarfUnit::absolute(const char* file) {
    if (file == nullptr || texts_->full()) return {};
    const auto [known, added] = absolute_.try_emplace(file);
    if (added) {
        const std::string_view name = file;
        if (name.empty() || name.ends_with('/')) {  // as libdw joins a directory and no name
            texts_->note_nameless_file();
            return {};
        }
        const bool joined = !name.starts_with('/') && !directory().empty();
        if (!texts_->has_room(name.size() + (joined ? directory().size() : 0))) return {};
        auto path = joined ? std::string(directory()) + "/" : std::string();
        path += name;
        known->second = texts_->keep(std::move(path));
    }
    return known->second;
}

SourceLine DwarfUnit::source_of(Dwarf_Line* line) {
    int number = 0, column = 0;
    SourceLine source;
    source.file = absolute(dwarf_linesrc(line, nullptr, nullptr));
    if (dwarf_lineno(line, &number) == 0 && number > 0) source.line = static_cast<std::uint32_t>(number);
    if (dwarf_linecol(line, &column) == 0 && column > 0) source.column = static_cast<std::uint32_t>(column);
    return source;
}

Result<std::vector<DwarfSegment>> DwarfUnit::segments(DwarfRange within) {
    if (auto read = read_lines(); !read) return fail(read.error());
    const auto address = [&](std::size_t index) {
        Dwarf_Addr value = 0;
        dwarf_lineaddr(dwarf_onesrcline(lines_, index), &value);
        return value;
    };
    // Rows are sorted by address. The last row at an address counts. Begin with the row that covers the beginning of
    // the range.
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
        unsigned discriminator = 0;
        if (last || dwarf_linediscriminator(line, &discriminator) != 0) discriminator = 0;
        found.push_back({{std::max(begin, within.begin), std::min(end, within.end)},
                         last ? SourceLine{} : source_of(line),
                         discriminator});
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
        if (address > *begin && sections_->has_code(*begin)) found.push_back({*begin, address});
        begin.reset();
    }
    return found;
}

bool DwarfUnit::die_of(const DwarfEntry& entry, Dwarf_Die& die) const {
    return dwarf_offdie(sections_->dwarf(), entry.offset, &die) != nullptr;
}

Result<void> DwarfUnit::read_functions(std::uint64_t& budget) {
    if (!functions_read_) functions_read_ = find_functions(budget);
    return *functions_read_;
}

// Where functions overlap, the code belongs to the one that begins last; among equals to the first in the file.
// Functions that a linker removed begin at 0 and may extend far.
Result<void> DwarfUnit::find_functions(std::uint64_t& budget) {
    if (const auto right = entries_->unit_of(die_); !right) return fail(right.error());
    std::vector<Function> functions;
    struct Open {
        std::size_t depth;  // in the walk
        Function function;
    };
    std::vector<Open> open;  // the functions around the current entry
    DwarfWalk walk(*layout_, DwarfEntries::offset_of(die_, *layout_), entries_left_);
    bool inside = true;
    while (true) {
        const auto next = walk.next(inside);
        if (next == DwarfWalk::Next::damaged) return unreadable("the tree of functions");
        if (next == DwarfWalk::Next::too_many) return dwarf_limit("a unit has too many entries");
        if (next == DwarfWalk::Next::end) break;
        while (!open.empty() && walk.depth() <= open.back().depth) open.pop_back();
        const auto tag = walk.current().tag;
        // An inlined instance contains no function with code of its own.
        inside = tag != DW_TAG_inlined_subroutine;
        // A function of DWARF 2 has one range, not that of its unlikely parts. Calls inlined there have theirs.
        const bool apart = !inside && layout_->version < 3 && !open.empty();
        if ((tag != DW_TAG_subprogram && !apart) || !walk.current().placed) continue;
        Dwarf_Die die;
        if (!die_of(walk.current(), die)) return dwarf_failure("a function");
        const auto ranges = dwarf_ranges_of(die, *layout_, *sections_, budget);
        if (!ranges) return fail(ranges.error());
        if (apart) {
            const auto& around = open.back().function;
            for (const auto& range : *ranges) {
                if (!range.overlaps(around.range)) functions.push_back({range, around.die});
            }
            continue;
        }
        for (const auto& range : *ranges) functions.push_back({range, function_dies_.size()});
        if (ranges->empty()) continue;
        open.push_back({walk.depth(), functions.back()});
        function_dies_.push_back(die);
    }
    functions_ = laid_apart(
        std::move(functions),
        [](const Function& one, const Function& other) {
            return std::pair(one.range.begin, other.die) > std::pair(other.range.begin, one.die);
        },
        [](const Function& one, const Function& other) { return one.die == other.die; });
    return {};
}

Result<void> DwarfUnit::inlined(DwarfRange within, std::uint64_t& budget, std::vector<DwarfCall>& calls) {
    if (auto read = read_functions(budget); !read) return fail(read.error());
    if (auto read = read_lines(); !read) return fail(read.error());
    Result<void> done;
    each_piece(functions_, within.begin, within.end, [&](const Function& function, DwarfRange part) {
        const auto inlining = inlining_of(function.die, budget);
        if (!inlining) {
            done = fail(inlining.error());
            return false;
        }
        auto& found = **inlining;
        name_files(found);
        each_piece(found.places, part.begin, part.end, [&](const DwarfInlining::Place& inlined, DwarfRange range) {
            calls.push_back({range, &found, inlined.call, inlined.cut});
            return true;
        });
        return true;
    });
    return done;
}

Result<void> DwarfUnit::declared(DwarfRange within, std::uint64_t& budget, std::vector<DwarfDeclared>& functions) {
    if (auto read = read_functions(budget); !read) return fail(read.error());
    each_piece(functions_, within.begin, within.end, [&](const Function& function, DwarfRange part) {
        functions.push_back({part, function_of(function_dies_[function.die]).function});
        return true;
    });
    return {};
}

Result<bool> DwarfUnit::inlined_at(std::uint64_t address, std::uint64_t& budget,
                                   std::vector<InlinedFunction>& functions) {
    if (auto read = read_functions(budget); !read) return fail(read.error());
    Result<bool> cut = false;
    each_piece(functions_, address, address + 1, [&](const Function& function, DwarfRange) {
        const auto inlining = inlining_of(function.die, budget);
        if (!inlining) {
            cut = fail(inlining.error());
            return false;
        }
        const auto& calls = (*inlining)->calls;
        each_piece((*inlining)->places, address, address + 1, [&](const DwarfInlining::Place& inlined, DwarfRange) {
            for (auto call = inlined.call; call != DwarfInlined::none; call = calls[call].caller) {
                functions.push_back({calls[call].function, calls[call].call.function});
            }
            cut = inlined.cut;
            return false;
        });
        return false;
    });
    return cut;
}

Result<DwarfInlining*> DwarfUnit::inlining_of(std::size_t die, std::uint64_t& budget) {
    auto known = inlining_.find(die);
    if (known == inlining_.end()) {
        known = inlining_.emplace(die, read_inlining(function_dies_[die], budget)).first;
    }
    if (!known->second) return fail(known->second.error());
    return &*known->second;
}

// The table of files is part of the line table, which names alone do not need. Call it after read_lines().
void DwarfUnit::name_files(DwarfInlining& inlining) {
    if (std::exchange(inlining.has_files, true)) return;
    for (auto& one : inlining.calls) {
        if (one.file < file_count_) one.call.call.file = absolute(dwarf_filesrc(files_, one.file, nullptr, nullptr));
    }
}

// Many calls share the entry of one function, which may be long: its name is searched once. A function's own entry is
// asked for by each range of code.
DwarfUnit::Named DwarfUnit::function_of(Dwarf_Die& die) {
    Dwarf_Attribute value;
    auto origin = die;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &value) != nullptr && dwarf_formref_die(&value, &origin) == nullptr) {
        origin = die;
    }
    const auto entry = entries_->number_of(origin);
    const auto [known, added] = functions_of_entries_.try_emplace(entry);
    if (added) known->second = declared(origin);
    return {entry, known->second};
}

// Like dwarf_attr_integrate(), follows the origin and the specification of an entry, which may be in other units.
CompiledFunction DwarfUnit::declared(const Dwarf_Die& die) {
    constexpr std::size_t most = 16;
    if (texts_->full()) return {};
    std::array<Dwarf_Die, most> entries{die};
    std::size_t count = 0;
    Dwarf_Attribute value;
    for (bool more = true; more && count < most;) {
        auto& entry = entries[count++];
        if (auto right = entries_->refer(entry); !right) {
            texts_->refuse(std::move(right.error()));
            return {};
        }
        if (count == most) break;
        more = (dwarf_attr(&entry, DW_AT_abstract_origin, &value) != nullptr ||
                dwarf_attr(&entry, DW_AT_specification, &value) != nullptr) &&
               dwarf_formref_die(&value, &entries[count]) != nullptr;
    }
    const auto chain = std::span(entries).first(count);
    CompiledFunction function;
    function.name = name_of(chain);
    for (auto& entry : chain) {
        if (function.line == 0) function.line = number_of(entry, DW_AT_decl_line);
    }
    return function;
}

std::string_view DwarfUnit::name_of(std::span<Dwarf_Die> entries) {
    Dwarf_Attribute value;
    for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
        const auto has = [&](Dwarf_Die& entry) { return dwarf_attr(&entry, attribute, &value) != nullptr; };
        if (std::ranges::find_if(entries, has) == entries.end()) continue;
        const char* found = dwarf_formstring(&value);
        if (found == nullptr) continue;
        const bool plain = attribute == DW_AT_name || !texts_->demangles();
        const auto [known, added] = names_.try_emplace({found, plain});
        if (added) {
            const auto text = sections_->text(found).value_or(std::string_view{});
            if (!texts_->has_room(text.size())) return {};
            auto name = plain ? std::string(text) : demangle(text).value_or(std::string(text));
            if (texts_->has_room(name.size())) known->second = texts_->keep(std::move(name));
        }
        return known->second;
    }
    return {};
}

DwarfInlined DwarfUnit::call_of(Dwarf_Die& die) {
    DwarfInlined inlined;
    const auto named = function_of(die);
    inlined.function = named.entry;
    inlined.call.function = named.function.name;
    inlined.declared = named.function.line;
    inlined.discriminator = number_of(die, gnu_discriminator);
    if (dwarf_hasattr(&die, DW_AT_call_file)) inlined.file = number_of(die, DW_AT_call_file);
    inlined.call.call.line = number_of(die, DW_AT_call_line);
    inlined.call.call.column = number_of(die, DW_AT_call_column);
    return inlined;
}

Result<DwarfInlining> DwarfUnit::read_inlining(Dwarf_Die function, std::uint64_t& budget) {
    DwarfInlining inlining;
    std::vector<DwarfInlining::Place> places;
    struct Open {
        std::size_t depth;  // in the walk
        std::uint32_t call;
    };
    std::vector<Open> open;  // the inlined calls around the current entry
    DwarfWalk walk(*layout_, DwarfEntries::offset_of(function, *layout_), entries_left_);
    bool inside = true;
    while (true) {
        const auto next = walk.next(inside);
        if (next == DwarfWalk::Next::damaged) return unreadable("inlined calls");
        if (next == DwarfWalk::Next::too_many) return dwarf_limit("a function has too many entries");
        if (next == DwarfWalk::Next::end) break;
        while (!open.empty() && walk.depth() <= open.back().depth) open.pop_back();
        const auto tag = walk.current().tag;
        inside = tag != DW_TAG_subprogram;  // a nested function has its own code and calls
        if (tag != DW_TAG_inlined_subroutine) continue;
        Dwarf_Die die;
        if (!die_of(walk.current(), die)) return dwarf_failure("an inlined call");
        const auto ranges = dwarf_ranges_of(die, *layout_, *sections_, budget);
        if (!ranges) return fail(ranges.error());
        if (open.size() >= DwarfInlining::deepest) {
            for (const auto& range : *ranges) places.push_back({range, open.back().call, true});
            inside = false;
            continue;
        }
        const auto call = static_cast<std::uint32_t>(inlining.calls.size());
        auto& inlined = inlining.calls.emplace_back(call_of(die));
        if (!open.empty()) inlined.caller = open.back().call;
        inlined.depth = static_cast<std::uint32_t>(open.size());
        for (const auto& range : *ranges) places.push_back({range, call, false});
        open.push_back({walk.depth(), call});
    }
    using Innermost = DwarfInlining::Place;
    inlining.places = laid_apart(
        std::move(places),
        [&](const Innermost& one, const Innermost& other) {
            const auto depth = [&](const Innermost& of) {
                return std::tuple(inlining.calls[of.call].depth, of.call, of.cut);
            };
            return depth(one) > depth(other);
        },
        [](const Innermost& one, const Innermost& other) { return one.call == other.call && one.cut == other.cut; });
    return inlining;
}

}  // namespace perfdata
