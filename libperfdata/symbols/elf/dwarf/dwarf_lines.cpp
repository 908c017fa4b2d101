// SPDX-License-Identifier: MIT
#include "dwarf_lines.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <functional>
#include <gelf.h>
#include <map>
#include <mutex>
#include <new>

#include "debug_image.hpp"
#include "dwarf_alternate.hpp"
#include "dwarf_headroom.hpp"
#include "dwarf_merger.hpp"
#include "dwarf_opened.hpp"
#include "dwarf_unit.hpp"
#include "symbols/kernel/laid_apart.hpp"
#include "symbols/stack_room.hpp"

namespace perfdata {
namespace {

// Limit of ranges read per file, for units, functions and inlined calls: a constant plus so many for each byte of
// entries and lists. Any number of entries may share one list.
constexpr std::uint64_t some_ranges = std::uint64_t{1} << 16, ranges_a_byte = 2;

using DwflHandle = std::unique_ptr<Dwfl, DwarfEnds<dwfl_end>>;

// Search for no files, neither on this machine nor in the network.
int find_nothing(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
    return -1;
}

constexpr std::size_t enough_stack = std::size_t{512} << 10;

// Calls libdw with enough stack: it keeps large arrays and rows of line tables there, up to 160 KiB. The program's
// threads may have less.
template <class T>
Result<T> with_stack(const std::function<Result<T>()>& call) {
    constexpr std::size_t own = std::size_t{1} << 20;
    if (has_stack(enough_stack)) return call();
    std::optional<Result<T>> result;
    if (!on_own_stack(own, [&] { result = call(); })) {
        return fail(ErrorCode::limit, Error::no_offset, "DWARF", "the system gives no stack to read it on");
    }
    return std::move(*result);
}

constexpr Dwfl_Callbacks callbacks{nullptr, find_nothing, dwfl_offline_section_address, nullptr};

// Returns the lowest address with code of a linked file. In a relocatable file each section begins at 0.
std::uint64_t first_code_of(const ElfFile& file) {
    if (file.type() == ElfFile::Type::relocatable) return 0;
    std::optional<std::uint64_t> first;
    for (const auto& section : file.sections()) {
        if (section.executable() && section.size != 0) first = std::min(first.value_or(UINT64_MAX), section.address);
    }
    return first.value_or(0);
}

// Returns how many relocations were not applied: libdwfl removes those that it applied. Relocations of other sections
// may refer to things without address before run time, such as thread-local variables.
std::uint64_t left_of_relocations(Elf* elf) {
    std::uint64_t left = 0;
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return 0;
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header, target;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
        if (header.sh_type != SHT_REL && header.sh_type != SHT_RELA) continue;
        auto* of = elf_getscn(elf, header.sh_info);
        if (of == nullptr || gelf_getshdr(of, &target) == nullptr) continue;
        const char* text = elf_strptr(elf, names, target.sh_name);
        const std::string_view name = text == nullptr ? "" : text;
        const bool places =
            name == ".debug_line" || name == ".debug_ranges" || name == ".debug_rnglists" || name == ".debug_addr";
        if (places) left += header.sh_size / header.sh_entsize;
    }
    return left;
}

// SectionPlace translates addresses of code to those in its debug information: libdw gives each section of a
// relocatable file an address.
struct SectionPlace {
    DwarfRange range;            // in the file
    std::uint64_t distance = 0;  // from there to the address, modulo 2^64
    std::size_t number = 0;
};

}  // namespace

struct DwarfLines::State {
    OwnedMutex mutex;
    // Destroyed in reverse order: libdw's handles before what they read.
    std::shared_ptr<DwarfAlternate> alternate;  // null: none
    std::optional<DwarfOpened> nothing, plain;
    std::optional<DebugImage> image;
    DwflHandle dwfl;
    Dwarf* dwarf = nullptr;
    bool relocatable = false, demangle = true;
    std::vector<SectionPlace> sections;  // sorted by file offset, without overlaps

    std::optional<DwarfSections> contents;
    std::optional<DwarfTexts> texts;
    std::uint64_t budget = 0;  // of ranges
    std::deque<DwarfUnit> units;
    struct Piece {
        DwarfRange range;
        std::size_t unit = 0;
    };
    std::vector<Piece> pieces;  // sorted by address, without overlaps, once all units are read
    std::optional<DwarfEntries> entries;
    std::optional<DwarfLineTables> tables;
    std::optional<Error> damage;    // why reading the units ended early
    std::optional<Error> names;     // why some of the inlined calls may have no names
    std::uint64_t unrelocated = 0;  // lines and ranges without known address
    bool split = false;             // the functions of some units are in other files (.dwo)
    bool deep = false;              // lines were asked for of code with inlined calls nested too deep
    // Read without the mutex.
    std::atomic<std::uint64_t> memory = 0;
    std::atomic<bool> intact = true;

    // Notes how a question went.
    template <class T>
    Result<T> noted(Result<T> answer) {
        constexpr std::uint64_t times = 3;  // what libdw and we make of the bytes
        memory = times * own().loaded_bytes();
        if (!answer || damage || texts->full() || texts->has_nameless_file() || deep) intact = false;
        return answer;
    }

    // These may throw Stopped.
    Result<void> open_relocatable(const DwarfFiles& files, const Limits& limits, LookOut& look);
    Result<void> read_units(std::uint64_t first_code, LookOut& look);
    Result<void> set_alternate(const DwarfFiles& files, const Limits& limits, LookOut& look);
    // Call it with the mutex locked, before libdw follows references.
    std::unique_lock<OwnedMutex> lock_alternate(const LookOut& look = {}) const {
        return alternate ? lock_or_stop(alternate->mutex, look) : std::unique_lock<OwnedMutex>();
    }
    void add_unit(Dwarf_Die die, LookOut& look);
    void lay_out_pieces(LookOut& look);
    DebugImage& own() { return relocatable ? *image : plain->image; }
    std::optional<std::uint64_t> address_of(std::uint64_t vaddr) const;
    Result<std::vector<LineStart>> lines(std::uint64_t begin, std::uint64_t size);
    Result<std::vector<CompiledLine>> compiled(std::uint64_t begin, std::uint64_t size);
    Result<InlinedFunctions> inlined_at(std::uint64_t address);
    Error nameless() const;
    static Error in_other_files();
    static Error too_deep();
    Error not_relocated(std::string_view what) const;
    Result<void> collect(DwarfRange within, std::vector<DwarfSegment>& segments, std::vector<DwarfCall>& calls);
};

DwarfLines::DwarfLines(std::unique_ptr<State> state) : state_(std::move(state)) {}
DwarfLines::DwarfLines(DwarfLines&&) noexcept = default;
DwarfLines& DwarfLines::operator=(DwarfLines&&) noexcept = default;
DwarfLines::~DwarfLines() = default;

bool DwarfLines::available() {
    return true;
}

Result<DwarfLines> DwarfLines::open(const DwarfFiles& files, const Limits& limits) {
    LookOut nobody;
    return open(files, limits, nobody);
}

Result<DwarfLines> DwarfLines::open(const DwarfFiles& files, const Limits& limits, LookOut& look) {
    if (has_stack(enough_stack)) return read(files, limits, look);
    // Progress may end the thread, which could not be unwound from another stack: it is not told there.
    LookOut quiet({look.watch().stop, {}});
    return with_stack<DwarfLines>([&] { return read(files, limits, quiet); });
}

Result<DwarfLines> DwarfLines::read(const DwarfFiles& files, const Limits& limits, LookOut& look) {
    static const auto version = elf_version(EV_CURRENT);  // once: it writes a global number
    (void)version;
    // libdw 0.188 writes through null where a relocatable file has no sections at all.
    if (!has_lines(*files.debug)) return fail(ErrorCode::missing, Error::no_offset, "DWARF", "there are no lines");
    auto state = std::make_unique<State>();
    state->demangle = files.demangle;
    if (files.debug->type() == ElfFile::Type::relocatable) {
        if (auto opened = state->open_relocatable(files, limits, look); !opened) return fail(opened.error());
    } else {
        auto opened = DwarfOpened::open(DebugImage::read(files.debug, limits, look));
        if (!opened) return fail(opened.error());
        state->plain = std::move(*opened);
        state->dwarf = state->plain->dwarf.get();
    }
    if (auto set = state->set_alternate(files, limits, look); !set) return fail(set.error());
    const auto lock = state->lock_alternate(look);
    const auto first_code = first_code_of(*files.debug);
    if (auto read = state->noted(state->read_units(first_code, look)); !read) return fail(read.error());
    return DwarfLines(std::move(state));
}

// Without an alternate, libdw searches for one by itself, unchecked. Always set one.
Result<void> DwarfLines::State::set_alternate(const DwarfFiles& files, const Limits& limits, LookOut& look) {
    auto empty = DwarfOpened::open(DebugImage::nothing());
    if (!empty) return fail(empty.error());
    nothing = std::move(*empty);
    dwarf_setalt(dwarf, nothing->dwarf.get());
    const auto link = files.debug->alternate_link();
    const auto without = [&](ErrorCode code, const std::string& why) {
        names = Error{code, Error::no_offset, "DWARF",
                      "names of inlined calls are missing: dwz moved them to " + (link ? link->path : "another file") +
                          ", which " + why};
    };
    if (!files.alternate) {
        if (link) without(ErrorCode::missing, "was not found; give its directory with --debug-dir");
        return {};
    }
    // dwz writes it in the byte order of the file. libdw would read its units in its own order, and we in the file's.
    const bool alike = files.alternate->order().endian() == files.debug->order().endian() &&
                       files.alternate->wide() == files.debug->wide();
    if (!alike) {
        without(ErrorCode::mismatch, "is of another byte order or word size");
        return {};
    }
    // Without it, names and inlined calls are missing, but not lines.
    DwarfAlternates own;
    auto opened = (files.alternates != nullptr ? files.alternates : &own)->open(files.alternate, limits, look);
    if (!opened) {
        without(opened.error().code, "cannot be read: " + opened.error().message());
        return {};
    }
    alternate = std::move(*opened);
    if (const auto& why = alternate->entries.unreadable()) without(why->code, "is damaged: " + why->detail);
    dwarf_setalt(dwarf, alternate->dwarf());
    return {};
}

Result<void> DwarfLines::State::open_relocatable(const DwarfFiles& files, const Limits& limits, LookOut& look) {
    auto copy = DebugImage::read(files.debug, limits, look);
    if (!copy) return fail(copy.error());
    image = std::move(*copy);
    relocatable = true;
    const auto failed = [](const char* what) {
        const char* text = dwfl_errmsg(-1);
        return fail(ErrorCode::malformed, Error::no_offset, "DWARF",
                    std::string(what) + ": " + (text != nullptr ? text : "damaged"));
    };
    dwfl.reset(dwfl_begin(&callbacks));
    if (!dwfl) return failed("libdw");
    auto* module =
        dwfl_report_offline_memory(dwfl.get(), "object", "object", image->bytes().data(), image->bytes().size());
    if (module == nullptr) return failed("a relocatable file");
    if (dwfl_report_end(dwfl.get(), nullptr, nullptr) != 0) return failed("a relocatable file");
    GElf_Addr elf_bias = 0;
    Dwarf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module, &elf_bias);
    if (elf == nullptr) return failed("a relocatable file");
    dwarf = dwfl_module_getdwarf(module, &bias);
    if (dwarf == nullptr) return failed("debug information");
    dwarf_throws(dwarf);
    unrelocated = left_of_relocations(dwarf_getelf(dwarf));

    // A separate debug file has the same sections at other offsets.
    std::map<std::string_view, const ElfFile::Section*> in_code;  // the first section of each name
    for (const auto& section : files.file->sections()) in_code.emplace(section.name, &section);
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_EXECINSTR) == 0) continue;
        const auto number = elf_ndxscn(section);  // the same as in the file
        if (number >= files.debug->sections().size()) continue;
        const auto found = in_code.find(files.debug->sections()[number].name);
        if (found == in_code.end()) continue;
        const auto* in_file = found->second;
        if (in_file->size > UINT64_MAX - in_file->offset) continue;
        sections.push_back({{in_file->offset, in_file->offset + in_file->size},
                            header.sh_addr + elf_bias - bias - in_file->offset,
                            sections.size()});
    }
    sections = laid_apart(
        std::move(sections),
        [](const SectionPlace& one, const SectionPlace& other) { return one.number < other.number; },
        [](const SectionPlace& one, const SectionPlace& other) { return one.number == other.number; });
    return {};
}

// Returns the address in the debug information for a virtual address.
std::optional<std::uint64_t> DwarfLines::State::address_of(std::uint64_t vaddr) const {
    if (!relocatable) return vaddr;
    std::optional<std::uint64_t> found;
    each_piece(sections, vaddr, vaddr + 1, [&](const SectionPlace& place, DwarfRange) {
        found = vaddr + place.distance;
        return false;
    });
    return found;
}

Result<void> DwarfLines::State::read_units(std::uint64_t first_code, LookOut& look) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    std::uint8_t type = 0;
    int got = 0;
    own().unpack(".debug_info", look);  // all of its units are looked at
    const auto other = alternate ? alternate->file() : DwarfSections::File{};
    contents.emplace(DwarfSections::File{dwarf, &own()}, other, first_code);
    tables.emplace(*contents, own().line_bytes());
    budget = some_ranges + ranges_a_byte * contents->range_bytes();
    entries.emplace(*contents, alternate ? &alternate->entries : nullptr);
    if (auto right = entries->check_units(look); !right) return right;
    if (auto failed = contents->failure()) return fail(std::move(*failed));
    // Names of functions and files. Compilers write most of them once. Those of an alternate may be long, and any
    // number of files may refer to it.
    constexpr std::uint64_t some_texts = std::uint64_t{1} << 20, some_of_alternate = std::uint64_t{1} << 16, times = 16;
    texts.emplace((alternate ? some_of_alternate : some_texts) + times * contents->size(), demangle);
    while (!damage) {
        look();
        dwarf_headroom(entries->abbreviations().memory());
        got = dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &die, nullptr);
        if (got != 0) break;
        if (type == DW_UT_type || type == DW_UT_split_type || dwarf_tag(&die) == DW_TAG_partial_unit) continue;
        add_unit(die, look);
    }
    if (got < 0) damage = dwarf_failure("units").error();
    if (!damage) damage = entries->unreadable();
    if (auto failed = contents->failure()) return fail(std::move(*failed));
    if (pieces.empty() && damage) return fail(*damage);
    lay_out_pieces(look);
    return {};
}

// Where units overlap, the code belongs to the one that begins first; among equals to the first in the file. So each
// address is looked up in one unit only.
void DwarfLines::State::lay_out_pieces(LookOut& look) {
    pieces = laid_apart(
        std::move(pieces),
        [](const Piece& one, const Piece& other) {
            return std::pair(one.range.begin, one.unit) < std::pair(other.range.begin, other.unit);
        },
        [](const Piece& one, const Piece& other) { return one.unit == other.unit; }, look);
}

void DwarfLines::State::add_unit(Dwarf_Die die, LookOut& look) {
    const auto* layout = entries->layout_of(die);
    if (layout == nullptr) {
        damage = Error{ErrorCode::malformed, Error::no_offset, "DWARF", "a unit cannot be read"};
        return;
    }
    auto ranges = dwarf_ranges_of(die, *layout, *contents, budget, &look);
    if (!ranges) {
        damage = ranges.error();
        return;
    }
    DwarfUnit unit(die, *layout, std::move(*ranges), *contents, *entries, *tables, *texts);
    split = split || unit.split();
    if (unit.ranges().empty()) {
        auto covered = unit.table_ranges();
        if (!covered) {
            damage = covered.error();
            return;
        }
        if (covered->empty()) return;
        unit.add_ranges(*covered);
    } else if (layout->version < 3 && dwarf_hasattr(&die, DW_AT_ranges) == 0) {
        // DWARF 2 has no lists of ranges. Compilers that keep to it give the unit the range of its largest section
        // only. If the table is damaged, whoever asks for lines is told.
        if (const auto covered = unit.table_ranges()) unit.add_ranges(*covered);
    }
    for (const auto& range : unit.ranges()) pieces.push_back({range, units.size()});
    units.push_back(std::move(unit));
}

// Returns segments and inlined calls, both sorted by address and without overlaps.
Result<void> DwarfLines::State::collect(DwarfRange within, std::vector<DwarfSegment>& segments,
                                        std::vector<DwarfCall>& calls) {
    Result<void> done;
    each_piece(pieces, within.begin, within.end, [&](const Piece& piece, DwarfRange part) {
        auto& unit = units[piece.unit];
        const auto found = unit.segments(part);
        if (!found) {
            done = fail(found.error());
            return false;
        }
        segments.insert(segments.end(), found->begin(), found->end());
        done = unit.inlined(part, budget, calls);
        return done.has_value();
    });
    deep = deep || std::ranges::any_of(calls, &DwarfCall::cut);
    if (auto failed = contents->failure()) return fail(std::move(*failed));
    if (done && texts->full()) return fail(texts->why());
    return done;
}

Result<std::vector<LineStart>> DwarfLines::State::lines(std::uint64_t begin, std::uint64_t size) {
    const DwarfRange within{begin, begin + std::min(size, UINT64_MAX - begin)};
    std::vector<DwarfSegment> segments;
    std::vector<DwarfCall> calls;
    if (auto collected = collect(within, segments, calls); !collected) return fail(collected.error());
    if (segments.empty() && damage) return fail(*damage);
    return merged_lines(within, segments, calls);
}

Result<std::vector<LineStart>> DwarfLines::lines(std::uint64_t vaddr, std::uint64_t size) const {
    const std::scoped_lock lock(state_->mutex);
    const auto alternate = state_->lock_alternate();
    const auto begin = state_->address_of(vaddr);
    if (!begin) return std::vector<LineStart>{};
    return state_->noted(with_stack<std::vector<LineStart>>([&] { return state_->lines(*begin, size); }));
}

Result<std::vector<CompiledLine>> DwarfLines::State::compiled(std::uint64_t begin, std::uint64_t size) {
    const DwarfRange within{begin, begin + std::min(size, UINT64_MAX - begin)};
    std::vector<DwarfSegment> segments;
    std::vector<DwarfCall> calls;
    if (auto collected = collect(within, segments, calls); !collected) return fail(collected.error());
    if (segments.empty() && damage) return fail(*damage);
    std::vector<DwarfDeclared> functions;
    Result<void> done;
    each_piece(pieces, within.begin, within.end, [&](const Piece& piece, DwarfRange part) {
        done = units[piece.unit].declared(part, budget, functions);
        return done.has_value();
    });
    if (auto failed = contents->failure()) return fail(std::move(*failed));
    if (done && texts->full()) return fail(texts->why());
    if (!done) return fail(done.error());
    return compiled_lines(within, segments, calls, functions);
}

Result<std::vector<CompiledLine>> DwarfLines::compiled(std::uint64_t vaddr, std::uint64_t size) const {
    const std::scoped_lock lock(state_->mutex);
    const auto alternate = state_->lock_alternate();
    const auto begin = state_->address_of(vaddr);
    if (!begin) return std::vector<CompiledLine>{};
    return state_->noted(with_stack<std::vector<CompiledLine>>([&] { return state_->compiled(*begin, size); }));
}

void DwarfLines::unpack_lines(const LookOut& look) const {
    const auto lock = lock_or_stop(state_->mutex, look);
    state_->own().unpack(".debug_line", look);
}

std::optional<Error> DwarfLines::problem(std::span<const LineStart> lines) const {
    const std::scoped_lock lock(state_->mutex);
    if (state_->unrelocated != 0) return state_->not_relocated("some lines are missing");
    if (state_->texts->has_nameless_file()) {
        return Error{ErrorCode::malformed, Error::no_offset, "DWARF",
                     "names of source files are empty: lines are missing"};
    }
    const auto nameless = [](const LineStart& line) {
        return std::ranges::any_of(line.inlined, [](const InlinedCall& call) { return call.function.empty(); });
    };
    if (std::ranges::any_of(lines, nameless)) return state_->nameless();
    const auto deepest = [](const LineStart& line) { return line.inlined.size() == DwarfInlining::deepest; };
    if (state_->deep && std::ranges::any_of(lines, deepest)) return State::too_deep();
    if (state_->split && !lines.empty()) return State::in_other_files();
    return {};
}

Error DwarfLines::State::nameless() const {
    return names.value_or(Error{ErrorCode::malformed, Error::no_offset, "DWARF", "names of inlined calls are missing"});
}

Error DwarfLines::State::in_other_files() {
    return {ErrorCode::unsupported, Error::no_offset, "DWARF",
            "inlined calls are missing: they are in .dwo files (-gsplit-dwarf), which are not read"};
}

Error DwarfLines::State::too_deep() {
    return {ErrorCode::limit, Error::no_offset, "DWARF",
            "inlined calls are missing: they are nested deeper than " + std::to_string(DwarfInlining::deepest)};
}

Error DwarfLines::State::not_relocated(std::string_view what) const {
    return {ErrorCode::malformed, Error::no_offset, "DWARF",
            std::to_string(unrelocated) + (unrelocated == 1 ? " relocation" : " relocations") +
                " of lines cannot be applied: " + std::string(what)};
}

Result<InlinedFunctions> DwarfLines::State::inlined_at(std::uint64_t address) {
    InlinedFunctions found;
    if (texts->full()) return fail(texts->why());
    const DwarfUnit* unit = nullptr;
    Result<bool> cut = false;
    each_piece(pieces, address, address + 1, [&](const Piece& piece, DwarfRange) {
        unit = &units[piece.unit];
        cut = units[piece.unit].inlined_at(address, budget, found.functions);
        return false;
    });
    if (unit == nullptr && damage) return fail(*damage);
    if (auto failed = contents->failure()) return fail(std::move(*failed));
    if (!cut) return fail(cut.error());
    if (texts->full()) return fail(texts->why());
    if (unrelocated != 0) {
        found.problem = not_relocated("some inlined calls are missing");
    } else if (std::ranges::any_of(found.functions, &std::string_view::empty, &InlinedFunction::name)) {
        found.problem = nameless();
    } else if (*cut) {
        found.problem = too_deep();
    } else if (unit != nullptr && unit->split()) {
        found.problem = in_other_files();
    }
    return found;
}

Result<InlinedFunctions> DwarfLines::inlined_at(std::uint64_t vaddr) const {
    const std::scoped_lock lock(state_->mutex);
    const auto alternate = state_->lock_alternate();
    const auto address = state_->address_of(vaddr);
    if (!address) return InlinedFunctions{};
    return state_->noted(with_stack<InlinedFunctions>([&] { return state_->inlined_at(*address); }));
}

std::uint64_t DwarfLines::memory() const {
    return state_->memory;
}

bool DwarfLines::intact() const {
    return state_->intact;
}

}  // namespace perfdata
