// SPDX-License-Identifier: MIT
#include "dwarf_unit.hpp"

#include <algorithm>
#include <dwarf.h>
#include <gelf.h>
#include <utility>

#include "perfdata/core/cursor.hpp"
#include "perfdata/symbols/demangle.hpp"

namespace perfdata {
namespace {

constexpr std::string_view place = "DWARF";
constexpr std::uint64_t largest_table = std::uint64_t{1} << 24;  // bytes of one unit's; libdw makes 40 of each
constexpr std::size_t deepest_block = 256;                       // nesting of blocks, classes, namespaces
constexpr std::size_t most_at_once = 4096;                       // functions of a unit at one place
constexpr std::uint32_t most_inlined = 64;                       // nesting of calls

std::unexpected<Error> too_much(const std::string& what) {
    return fail(ErrorCode::limit, Error::no_offset, std::string(place), what);
}

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

// section(dwarf, name) is its content, unpacked: libdw unpacks when it opens a file.
Bytes section(Dwarf* dwarf, std::string_view name, std::string_view packed_name) {
    Elf* elf = dwarf_getelf(dwarf);
    std::size_t names = 0;
    if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return {};
    for (Elf_Scn* one = elf_nextscn(elf, nullptr); one != nullptr; one = elf_nextscn(elf, one)) {
        GElf_Shdr header;
        if (gelf_getshdr(one, &header) == nullptr) continue;
        const char* text = elf_strptr(elf, names, header.sh_name);
        if (text == nullptr || (text != name && text != packed_name)) continue;
        const auto* data = elf_getdata(one, nullptr);
        if (data == nullptr || data->d_buf == nullptr) return {};
        return {static_cast<const std::byte*>(data->d_buf), data->d_size};
    }
    return {};
}

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
        if (budget == 0) return too_much("too many address ranges");
        --budget;
        if (begin < end) ranges.push_back({begin, end});
    }
    if (at < 0) return dwarf_failure("address ranges");
    return ranges;
}

DwarfLineTables::DwarfLineTables(Dwarf* dwarf) : bytes_(section(dwarf, ".debug_line", ".zdebug_line")) {
    const char* start = elf_getident(dwarf_getelf(dwarf), nullptr);
    if (start != nullptr) order_ = AnyOrder(start[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little);
}

// A table is believed to be as long as its unit_length, but libdw makes rows of it before anybody can see how many.
Result<void> DwarfLineTables::check(std::uint64_t offset) {
    if (offset >= bytes_.size()) return {};  // libdw says what is wrong
    const auto [table, added] = tables_.try_emplace(offset, false);
    if (table->second) return {};
    if (!added) return too_much("a line table is too long, or lies over others");
    Cursor in(bytes_.subspan(static_cast<std::size_t>(offset)), order_, {.where = "section .debug_line"});
    constexpr std::uint32_t wide = 0xffffffff;
    std::uint64_t size = in.u32();
    if (size == wide) size = in.u64();
    size = std::min<std::uint64_t>(size, bytes_.size() - offset);
    if (size > largest_table) {
        return too_much("a line table has more than " + std::to_string(largest_table) + " bytes");
    }
    sum_ += size;
    if (sum_ > bytes_.size()) return too_much("line tables lie over each other");
    table->second = true;
    return {};
}

Result<void> DwarfUnit::check_table() {
    Dwarf_Attribute value;
    Dwarf_Word offset = 0;
    if (dwarf_attr(&die_, DW_AT_stmt_list, &value) == nullptr || dwarf_formudata(&value, &offset) != 0) return {};
    return tables_->check(offset);
}

Result<void> DwarfUnit::read_lines() {
    if (lines_read_) return {};
    if (dwarf_hasattr(&die_, DW_AT_stmt_list) != 0) {
        if (auto right = check_table(); !right) return right;
        if (dwarf_getsrclines(&die_, &lines_, &line_count_) != 0) return dwarf_failure("a line table");
        if (dwarf_getsrcfiles(&die_, &files_, &file_count_) != 0) return dwarf_failure("a table of files");
    }
    lines_read_ = true;
    return {};
}

std::string_view DwarfUnit::absolute(const char* file, DwarfTexts& texts) {
    if (file == nullptr) return {};
    const auto [known, added] = absolute_.try_emplace(file);
    if (added) {
        std::string path = file;
        Dwarf_Attribute value;
        if (!path.starts_with('/') && dwarf_attr_integrate(&die_, DW_AT_comp_dir, &value) != nullptr) {
            const char* directory = dwarf_formstring(&value);
            if (directory != nullptr && *directory != '\0') path = std::string(directory) + "/" + path;
        }
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

Result<void> DwarfUnit::read_functions(std::uint64_t& budget) {
    if (functions_read_) return {};
    function_dies_.clear();
    functions_.clear();
    Walker walker(die_, entries_left_);
    bool inside = true;
    while (true) {
        const auto next = walker.next(inside);
        if (next == Walker::Next::damaged) return dwarf_failure("the tree of functions");
        if (next == Walker::Next::too_many) return too_much("a unit has too many entries");
        if (next == Walker::Next::end) break;
        auto& die = walker.current();
        // What an inlined instance has in it cannot be a function with code of its own.
        inside = dwarf_tag(&die) != DW_TAG_inlined_subroutine;
        if (dwarf_tag(&die) != DW_TAG_subprogram) continue;
        const auto ranges = dwarf_ranges_of(die, budget);
        if (!ranges) return fail(ranges.error());
        for (const auto& range : *ranges) functions_.add({range, function_dies_.size()});
        if (!ranges->empty()) function_dies_.push_back(die);
    }
    functions_.build();
    functions_read_ = true;
    return {};
}

Result<std::vector<const DwarfInlining*>> DwarfUnit::inlining(DwarfRange within, DwarfTexts& texts,
                                                              std::uint64_t& budget) {
    if (auto read = read_functions(budget); !read) return fail(read.error());
    if (auto read = read_lines(); !read) return fail(read.error());
    std::vector<std::size_t> there;
    functions_.each_overlapping(within.begin, within.end, [&](const Function& function) {
        there.push_back(function.die);
        return there.size() <= most_at_once;
    });
    if (there.size() > most_at_once) return too_much("too many functions of a unit lie over each other");
    std::ranges::sort(there);
    const auto repeated = std::ranges::unique(there);
    there.erase(repeated.begin(), repeated.end());
    std::vector<const DwarfInlining*> found;
    for (const auto die : there) {
        auto known = inlining_.find(die);
        if (known == inlining_.end()) {
            auto inlining = read_inlining(function_dies_[die], texts, budget);
            if (!inlining) return fail(inlining.error());
            known = inlining_.emplace(die, std::move(*inlining)).first;
        }
        found.push_back(&known->second);
    }
    return found;
}

// function_name(die) is the name of the function that an inlined call is an instance of. Many calls share one name: it
// is read once.
std::string_view DwarfUnit::function_name(Dwarf_Die& die, DwarfTexts& texts) {
    Dwarf_Attribute value;
    for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
        if (dwarf_attr_integrate(&die, attribute, &value) == nullptr) continue;
        const char* text = dwarf_formstring(&value);
        if (text == nullptr) continue;
        const bool plain = attribute == DW_AT_name;
        const auto [known, added] = function_names_.try_emplace({text, plain});
        if (added) known->second = texts.keep(plain ? std::string(text) : demangle(text).value_or(text));
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
        if (next == Walker::Next::too_many) return too_much("a function has too many entries");
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
        for (const auto& range : *ranges) inlining.places.add({range, call});
        open.push_back({walker.depth(), call});
    }
    inlining.places.build();
    return inlining;
}

}  // namespace perfdata
