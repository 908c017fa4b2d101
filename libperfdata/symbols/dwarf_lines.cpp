// SPDX-License-Identifier: MIT
#include "dwarf_lines.hpp"

#include <algorithm>
#include <deque>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <map>
#include <mutex>
#include <queue>
#include <set>

#include "debug_image.hpp"
#include "dwarf_unit.hpp"

namespace perfdata {
namespace {

// Ranges that are read of one file: of functions, inlined calls, units.
constexpr std::uint64_t most_ranges = std::uint64_t{1} << 26;

template <auto end>
struct Ends {
    template <class T>
    void operator()(T* handle) const {
        end(handle);
    }
};
using ElfHandle = std::unique_ptr<Elf, Ends<elf_end>>;
using DwarfHandle = std::unique_ptr<Dwarf, Ends<dwarf_end>>;
using DwflHandle = std::unique_ptr<Dwfl, Ends<dwfl_end>>;

// No file is looked for: not here, not in the network.
int find_nothing(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
    return -1;
}
// libdw's own handler ends the process. GNU's attribute is a part of the type that libdw asks for; [[noreturn]] is not.
__attribute__((__noreturn__)) void without_memory() {
    throw std::bad_alloc();
}

constexpr Dwfl_Callbacks callbacks{nullptr, find_nothing, dwfl_offline_section_address, nullptr};

// Opened is a file as libdw knows it.
struct Opened {
    DebugImage image;
    ElfHandle elf;
    DwarfHandle dwarf;
};

Result<Opened> open_plain(const ElfFile& file, const Limits& limits) {
    auto image = DebugImage::read(file, limits);
    if (!image) return fail(image.error());
    Opened opened{std::move(*image), nullptr, nullptr};
    const auto bytes = opened.image.bytes();
    opened.elf.reset(elf_memory(bytes.data(), bytes.size()));
    if (!opened.elf) {
        return fail(ErrorCode::malformed, Error::no_offset, "ELF", elf_errmsg(-1));
    }
    opened.dwarf.reset(dwarf_begin_elf(opened.elf.get(), DWARF_C_READ, nullptr));
    if (!opened.dwarf) return dwarf_failure("debug information");
    dwarf_new_oom_handler(opened.dwarf.get(), without_memory);
    return opened;
}

// Addresses is how addresses of the code translate to those of its debug information: in relocatable files every
// section is put somewhere.
struct SectionPlace {
    DwarfRange in_file;
    std::uint64_t address = 0;
};

}  // namespace

struct DwarfLines::State {
    std::mutex mutex;
    // Destroyed in reverse order: libdw's handles before what they read.
    std::optional<Opened> alternate, plain;
    std::optional<DebugImage> image;
    DwflHandle dwfl;
    Dwarf* dwarf = nullptr;
    bool relocatable = false;
    std::vector<SectionPlace> sections;

    DwarfTexts texts;
    std::uint64_t budget = most_ranges;
    std::deque<DwarfUnit> units;
    struct Piece {
        DwarfRange range;
        std::size_t unit = 0;
    };
    std::vector<Piece> pieces;  // by address and apart from each other, once all units are read
    std::optional<DwarfLineTables> tables;
    std::optional<Error> damage;  // what ended the reading of the units

    Result<void> open_relocatable(const DwarfFiles& files, const Limits& limits);
    Result<void> read_units();
    std::uint64_t info_bytes() const;
    void add_unit(Dwarf_Die die, std::uint64_t size);
    void lay_out_pieces();
    std::optional<std::uint64_t> address_of(std::uint64_t vaddr) const;
    Result<std::vector<LineStart>> lines(std::uint64_t begin, std::uint64_t size);
    Result<void> collect(DwarfRange within, std::vector<DwarfSegment>& segments,
                         std::vector<const DwarfInlining*>& inlining);
};

DwarfLines::DwarfLines(std::unique_ptr<State> state) : state_(std::move(state)) {}
DwarfLines::DwarfLines(DwarfLines&&) noexcept = default;
DwarfLines& DwarfLines::operator=(DwarfLines&&) noexcept = default;
DwarfLines::~DwarfLines() = default;

bool DwarfLines::available() {
    return true;
}

Result<DwarfLines> DwarfLines::open(const DwarfFiles& files, const Limits& limits) {
    elf_version(EV_CURRENT);
    // libdw 0.188 writes through null where a relocatable file has no sections at all.
    if (!has_lines(*files.debug)) return fail(ErrorCode::missing, Error::no_offset, "DWARF", "there are no lines");
    auto state = std::make_unique<State>();
    if (files.debug->type() == ElfFile::Type::relocatable) {
        if (auto opened = state->open_relocatable(files, limits); !opened) return fail(opened.error());
    } else {
        auto opened = open_plain(*files.debug, limits);
        if (!opened) return fail(opened.error());
        state->plain = std::move(*opened);
        state->dwarf = state->plain->dwarf.get();
    }
    if (files.alternate) {
        // Without it names and inlined calls are missing, lines are not.
        if (auto alternate = open_plain(*files.alternate, limits)) {
            state->alternate = std::move(*alternate);
            dwarf_setalt(state->dwarf, state->alternate->dwarf.get());
        }
    }
    if (auto read = state->read_units(); !read) return fail(read.error());
    return DwarfLines(std::move(state));
}

Result<void> DwarfLines::State::open_relocatable(const DwarfFiles& files, const Limits& limits) {
    auto copy = DebugImage::read(*files.debug, limits);
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
    dwarf_new_oom_handler(dwarf, without_memory);

    // A separate debug file has the same sections at other offsets.
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return failed("names of sections");
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_EXECINSTR) == 0) continue;
        const char* name = elf_strptr(elf, names, header.sh_name);
        const auto* in_file = name != nullptr ? files.file->section(name) : nullptr;
        if (in_file == nullptr || in_file->size > UINT64_MAX - in_file->offset) continue;
        sections.push_back({{in_file->offset, in_file->offset + in_file->size}, header.sh_addr + elf_bias - bias});
    }
    return {};
}

// address_of(vaddr) is an address of the code as the debug information gives it.
std::optional<std::uint64_t> DwarfLines::State::address_of(std::uint64_t vaddr) const {
    if (!relocatable) return vaddr;
    for (const auto& [in_file, address] : sections) {
        if (vaddr >= in_file.begin && vaddr < in_file.end) return vaddr - in_file.begin + address;
    }
    return {};
}

// info_bytes() is more than any offset of an entry: the size of the file, unpacked.
std::uint64_t DwarfLines::State::info_bytes() const {
    std::size_t size = 0;
    for (Elf_Scn* one = elf_nextscn(dwarf_getelf(dwarf), nullptr); one != nullptr;
         one = elf_nextscn(dwarf_getelf(dwarf), one)) {
        const auto* data = elf_getdata(one, nullptr);
        if (data != nullptr && data->d_buf != nullptr) size += data->d_size;
    }
    return size;
}

Result<void> DwarfLines::State::read_units() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    std::uint8_t type = 0;
    int got = 0;
    tables.emplace(dwarf);
    std::optional<Dwarf_Die> waiting;  // until it is known where the next unit begins
    const auto add_waiting = [&](std::uint64_t end) {
        if (!waiting) return;
        const std::uint64_t begin = dwarf_dieoffset(&*waiting);
        if (end < begin) end = std::max(begin, info_bytes());  // it is the last of its section
        // Functions are walked through once for themselves, and once for what was inlined into them.
        constexpr std::uint64_t walks = 2, least = 64;
        add_unit(*waiting, walks * (end - begin) + least);
        waiting.reset();
    };
    while (!damage && (got = dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &die, nullptr)) == 0) {
        add_waiting(dwarf_dieoffset(&die));
        if (type == DW_UT_type || type == DW_UT_split_type || dwarf_tag(&die) == DW_TAG_partial_unit) continue;
        waiting = die;
    }
    if (!damage) add_waiting(info_bytes());
    if (got < 0) damage = dwarf_failure("units").error();
    if (pieces.empty() && damage) return fail(*damage);
    lay_out_pieces();
    return {};
}

// Where units lie over each other the code belongs to the one that begins first, of several to the first in the file:
// each address is asked of one unit only, whatever the file says. O(n log n) for n ranges.
void DwarfLines::State::lay_out_pieces() {
    std::ranges::stable_sort(pieces, {}, [](const Piece& piece) { return piece.range.begin; });
    std::vector<Piece> apart;
    std::uint64_t at = 0;
    // Those behind have begun later: what they cover beyond the end of one is theirs.
    const auto later = [](const Piece* one, const Piece* other) { return one > other; };
    std::priority_queue<const Piece*, std::vector<const Piece*>, decltype(later)> open(later);
    const auto cover = [&](std::uint64_t end) {
        while (!open.empty() && at < end) {
            const auto& first = *open.top();
            const auto until = std::min(first.range.end, end);
            if (until > at) {
                if (!apart.empty() && apart.back().unit == first.unit && apart.back().range.end == at) {
                    apart.back().range.end = until;
                } else {
                    apart.push_back({{at, until}, first.unit});
                }
                at = until;
            }
            if (first.range.end <= at) open.pop();
        }
        at = std::max(at, end);
    };
    for (const auto& piece : pieces) {
        cover(piece.range.begin);
        open.push(&piece);
    }
    cover(UINT64_MAX);
    pieces = std::move(apart);
}

void DwarfLines::State::add_unit(Dwarf_Die die, std::uint64_t size) {
    auto ranges = dwarf_ranges_of(die, budget);
    if (!ranges) {
        damage = ranges.error();
        return;
    }
    DwarfUnit unit(die, size, std::move(*ranges), *tables);
    if (unit.ranges().empty()) {
        auto covered = unit.table_ranges();
        if (!covered) {
            damage = covered.error();
            return;
        }
        if (covered->empty()) return;
        unit.set_ranges(std::move(*covered));
    }
    for (const auto& range : unit.ranges()) {
        if (range.begin < range.end) pieces.push_back({range, units.size()});
    }
    units.push_back(std::move(unit));
}

// collect(...) is the segments, by address and apart from each other, and the inlined calls of all units there.
Result<void> DwarfLines::State::collect(DwarfRange within, std::vector<DwarfSegment>& segments,
                                        std::vector<const DwarfInlining*>& inlining) {
    std::set<std::size_t> asked;
    auto piece = std::ranges::upper_bound(pieces, within.begin, {}, [](const Piece& one) { return one.range.end; });
    for (; piece != pieces.end() && piece->range.begin < within.end; ++piece) {
        auto& unit = units[piece->unit];
        const DwarfRange part{std::max(within.begin, piece->range.begin), std::min(within.end, piece->range.end)};
        auto found = unit.segments(part, texts);
        if (!found) return fail(found.error());
        segments.insert(segments.end(), found->begin(), found->end());
        if (!asked.insert(piece->unit).second) continue;
        const auto calls = unit.inlining(within, texts, budget);
        if (!calls) return fail(calls.error());
        inlining.insert(inlining.end(), calls->begin(), calls->end());
    }
    return {};
}

namespace {

// Merger goes through the code from border to border: of lines, and of inlined calls.
class Merger {
  public:
    Merger(DwarfRange within, const std::vector<DwarfSegment>& segments,
           const std::vector<const DwarfInlining*>& inlining)
        : within_(within), segments_(segments) {
        for (const auto* function : inlining) {
            function->places.each_overlapping(within.begin, within.end, [&](const DwarfInlining::Place& place) {
                const DwarfRange part{std::max(within.begin, place.range.begin), std::min(within.end, place.range.end)};
                if (part.begin >= part.end) return true;
                const Active active{function->calls[place.call].depth, place.call, function};
                changes_.push_back({part.begin, true, active});
                changes_.push_back({part.end, false, active});
                return true;
            });
        }
        std::ranges::stable_sort(changes_, {}, &Change::at);
    }

    std::vector<LineStart> merge() {
        std::set<std::uint64_t> borders;
        for (const auto& change : changes_) borders.insert(change.at);
        for (const auto& segment : segments_) borders.insert({segment.range.begin, segment.range.end});
        borders.erase(borders.lower_bound(within_.end), borders.end());
        for (const auto border : borders) step(border);
        return std::move(out_);
    }

  private:
    struct Active {
        std::uint32_t depth = 0, call = 0;
        const DwarfInlining* function = nullptr;

        auto operator<=>(const Active&) const = default;
    };
    struct Change {
        std::uint64_t at = 0;
        bool begins = false;
        Active active;
    };

    void step(std::uint64_t border) {
        for (; change_ < changes_.size() && changes_[change_].at <= border; ++change_) {
            const auto& change = changes_[change_];
            if (change.begins) {
                active_.insert(change.active);
            } else if (const auto found = active_.find(change.active); found != active_.end()) {
                active_.erase(found);
            }
        }
        while (segment_ < segments_.size() && segments_[segment_].range.end <= border) ++segment_;
        LineStart start;
        start.offset = border - within_.begin;
        const bool known = segment_ < segments_.size() && segments_[segment_].range.begin <= border;
        if (known) start.source = segments_[segment_].source;
        // Without a line, inlined calls say nothing.
        if (known && !start.source.file.empty() && !active_.empty()) start.inlined = chain(*active_.rbegin());
        if (out_.empty() ? start.source.file.empty() : same(out_.back(), start)) return;
        out_.push_back(std::move(start));
    }

    InlinedCalls chain(const Active& innermost) {
        auto& known = chains_[innermost];
        if (known.empty()) {
            std::vector<InlinedCall> calls;
            const auto& all = innermost.function->calls;
            for (auto call = innermost.call; call != DwarfInlined::none; call = all[call].caller) {
                calls.push_back(all[call].call);
            }
            known = InlinedCalls(std::move(calls));
        }
        return known;
    }

    static bool same(const SourceLine& one, const SourceLine& other) {
        return one.line == other.line && one.column == other.column && one.file == other.file;
    }
    static bool same(const LineStart& one, const LineStart& other) {
        return same(one.source, other.source) &&
               (one.inlined.data() == other.inlined.data() ||
                std::ranges::equal(one.inlined, other.inlined, [](const InlinedCall& a, const InlinedCall& b) {
                    return a.function == b.function && same(a.call, b.call);
                }));
    }

    DwarfRange within_;
    const std::vector<DwarfSegment>& segments_;
    std::vector<Change> changes_;  // by address
    std::size_t change_ = 0, segment_ = 0;
    std::multiset<Active> active_;           // the inlined calls that the border is in, innermost last
    std::map<Active, InlinedCalls> chains_;  // those that lines are in: each is made once, however many there are
    std::vector<LineStart> out_;
};

}  // namespace

Result<std::vector<LineStart>> DwarfLines::State::lines(std::uint64_t begin, std::uint64_t size) {
    const DwarfRange within{begin, begin + std::min(size, UINT64_MAX - begin)};
    std::vector<DwarfSegment> segments;
    std::vector<const DwarfInlining*> inlining;
    if (auto collected = collect(within, segments, inlining); !collected) return fail(collected.error());
    if (segments.empty() && damage) return fail(*damage);
    return Merger(within, segments, inlining).merge();
}

Result<std::vector<LineStart>> DwarfLines::lines(std::uint64_t vaddr, std::uint64_t size) const {
    const std::scoped_lock lock(state_->mutex);
    const auto begin = state_->address_of(vaddr);
    if (!begin) return std::vector<LineStart>{};
    return state_->lines(*begin, size);
}

}  // namespace perfdata
