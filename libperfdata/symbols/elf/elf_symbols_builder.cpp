// SPDX-License-Identifier: MIT
#include "elf_symbols_builder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "perfdata/symbols/elf/demangle/demangle.hpp"

#include "elf_constants.hpp"
#include "mini_debug_info.hpp"

namespace perfdata {
namespace {

enum : unsigned { type_none = 0, type_function = 2, type_ifunc = 10 };
enum : unsigned { weak_binding = 2 };
enum : std::uint16_t { first_reserved = 0xff00, extended_section = 0xffff };
constexpr std::uint32_t section_numbers = 18;  // SHT_SYMTAB_SHNDX: a u32 a symbol

// Until link_enclosing(), Entry::enclosing holds the symbol's binding and its number in the file.
constexpr unsigned number_bits = 30;
constexpr std::uint32_t number_mask = (std::uint32_t{1} << number_bits) - 1;

// Returns true for "$a", "$d", "$t", "$x", also with ".anything" behind: they mark code and data in text.
bool is_mapping_symbol(std::string_view name) {
    return name.size() >= 2 && name[0] == '$' && std::string_view("adtx").find(name[1]) != std::string_view::npos &&
           (name.size() == 2 || name[2] == '.');
}

bool has_mapping_symbols(std::uint16_t machine) {
    return machine == em_arm || machine == em_aarch64 || machine == em_riscv;
}

}  // namespace

// Descriptors is the section .opd of 64-bit PowerPC. Function symbols point to descriptors in it. The first word of a
// descriptor is the address of the code.
struct ElfSymbolsBuilder::Descriptors {
    std::uint64_t address = 0;
    std::string bytes;
    AnyOrder order;

    std::uint64_t code(std::uint64_t value) const {
        const auto inside = value - address;
        if (bytes.size() < 8 || inside > bytes.size() - 8) return value;
        return order.load<std::uint64_t>(as_bytes(bytes).data() + inside);
    }
};

std::optional<std::string> ElfSymbolsBuilder::content(const ElfFile& file, const ElfFile::Section& section) {
    auto bytes = file.content(section, watch_);
    if (bytes) return std::move(*bytes);
    if (bytes.error().code == ErrorCode::cancelled) throw Stopped();
    if (!damage_ && bytes.error().code != ErrorCode::missing) damage_ = std::move(bytes.error());
    return {};
}

ElfSymbolFields ElfSymbolFields::read(Cursor& in, bool wide) {
    ElfSymbolFields symbol;
    symbol.name = in.u32();
    if (!wide) {
        symbol.value = in.u32();
        symbol.size = in.u32();
    }
    symbol.info = in.u8();
    symbol.other = in.u8();
    const auto section = in.u16();
    symbol.extended = section == extended_section;
    symbol.section = section >= first_reserved ? 0 : section;
    if (wide) {
        symbol.value = in.u64();
        symbol.size = in.u64();
    }
    return symbol;
}

// Returns the function's address; nothing if the symbol is no function. The rules are perf's.
std::optional<std::uint64_t> ElfSymbolsBuilder::address(const ElfFile& file, const ElfSymbolFields& symbol,
                                                        std::string_view name, const Descriptors& descriptors) const {
    const unsigned type = symbol.info & 0xf, visibility = symbol.other & 3;
    const bool label = type == type_none && visibility != 1 && visibility != 2;  // neither INTERNAL nor HIDDEN
    if (type != type_function && type != type_ifunc && !label) return {};
    if (symbol.section == 0 && !symbol.extended) return {};
    if (has_mapping_symbols(file.machine()) && is_mapping_symbol(name)) return {};

    const ElfFile::Section* section = nullptr;
    if (symbol.section != 0 && symbol.section < file.sections().size()) section = &file.sections()[symbol.section];
    if (section == nullptr && !symbol.extended) return {};
    if (label && (section == nullptr || section->name.find("text") == std::string_view::npos)) return {};

    auto value = symbol.value;
    if (file.machine() == em_arm && type == type_function) value &= ~std::uint64_t{1};  // Thumb code
    if (section != nullptr && section->name == ".opd") value = descriptors.code(value);
    if (file.type() == ElfFile::Type::relocatable) {
        if (section == nullptr) return {};
        value += section->offset;
    }
    return value;
}

void ElfSymbolsBuilder::add(std::uint64_t value, std::uint64_t size, std::uint64_t name, unsigned binding) {
    if (entries_.size() > number_mask || name > std::numeric_limits<std::uint32_t>::max()) return;
    const auto number = static_cast<std::uint32_t>(entries_.size());
    size = std::min(size, std::numeric_limits<std::uint64_t>::max() - value);
    entries_.push_back({value, size, static_cast<std::uint32_t>(name), (binding & 3) << number_bits | number});
}

void ElfSymbolsBuilder::add_table(const ElfFile& file, std::string_view section_name) {
    const auto* section = file.section(section_name);
    if (section == nullptr || section->link >= file.sections().size()) return;
    const auto table = content(file, *section);
    auto read = content(file, file.sections()[section->link]);
    if (!table || !read) return;

    Descriptors descriptors;
    if (const auto* opd = file.section(".opd"); opd != nullptr && file.machine() == em_ppc64 && file.wide()) {
        if (auto bytes = content(file, *opd)) descriptors = {opd->address, std::move(*bytes), file.order()};
    }
    // If a file has more sections than fit into a symbol's field, another table has their numbers.
    std::optional<std::string> numbers;
    for (const auto& other : file.sections()) {
        const bool of_these = other.type == section_numbers && other.link < file.sections().size() &&
                              &file.sections()[other.link] == section;
        if (of_these && !numbers) numbers = content(file, other);
    }
    const auto base = names_.size();
    const auto text_size = read->size();
    if (names_.empty()) {
        names_ = std::move(*read);  // may be hundreds of MB
    } else {
        names_.append(*read);
    }
    names_.push_back('\0');
    const auto strings = std::string_view(names_).substr(base, text_size);
    const auto stride = ElfSymbolFields::bytes(file.wide());
    entries_.reserve(entries_.size() + table->size() / stride);
    Cursor in(as_bytes(*table), file.order(), {.where = "ELF symbol table", .offset = section->offset});
    Cursor more(numbers ? as_bytes(*numbers) : Bytes(), file.order(), {.where = "ELF section numbers"});
    while (in.remaining() >= stride) {
        look_();
        auto symbol = ElfSymbolFields::read(in, file.wide());
        const auto number = more.u32();  // 0 behind its end
        if (symbol.extended) symbol.section = number;
        if (symbol.name == 0 || symbol.name >= strings.size() || strings[symbol.name] == '\0') continue;
        const auto start = strings.substr(symbol.name, 4);
        if (const auto value = address(file, symbol, start.substr(0, start.find('\0')), descriptors)) {
            add(*value, symbol.size, base + symbol.name, symbol.info >> 4);
        }
    }
}

void ElfSymbolsBuilder::add_mini_debug_info(const ElfFile& file) {
    const auto* section = file.section(mini_debug_section);
    if (section == nullptr) return;
    const auto packed = content(file, *section);
    if (!packed) return;
    auto mini = MiniDebugInfo::unpack(*packed, limits_, look_);
    if (mini.file) add_table(*mini.file, ".symtab");
    if (mini.damage && !damage_) damage_ = std::move(mini.damage);
}

namespace {

// Returns true for names that are equal when demangled, "...C1E..." and "...C2E..." of constructors and destructors.
// This saves demangling the most frequent duplicates.
bool same_when_shown(std::string_view one, std::string_view other) {
    if (one.size() != other.size()) return false;
    const auto [at, there] = std::ranges::mismatch(one, other);
    if (at == one.end()) return true;
    const auto place = static_cast<std::size_t>(at - one.begin());
    const bool kind = place != 0 && (one[place - 1] == 'C' || one[place - 1] == 'D');
    return kind && one.starts_with("_Z") && one.substr(place + 1) == other.substr(place + 1);
}

}  // namespace

// Demangles each name once, as that may take a thousand times as long as reading a symbol. In a hostile file names may
// be parts of each other: the names demangled here have at most twice the bytes of all names, others stay mangled.
ElfSymbolsBuilder::Shape ElfSymbolsBuilder::shape(const Entry& entry) {
    const auto text = name(entry);
    const auto of = [](std::string_view shown) {
        return Shape{std::min(shown.find_first_not_of('_'), shown.size()), shown.size()};
    };
    if (!is_mangled(text)) return of(text);
    if (const auto known = shapes_.find(entry.name); known != shapes_.end()) return known->second;
    if (demangled_ + text.size() > 2 * names_.size()) return of(text);
    demangled_ += text.size();
    for (std::size_t at = 0; at < text.size(); at += 2) look_();  // it takes microseconds
    const auto readable = demangle(text);
    return shapes_.emplace(entry.name, of(readable ? *readable : text)).first->second;
}

// Returns true if the earlier of two symbols at one address is shown. perf's order of preference: with a size, not
// weak, global, fewer leading underscores, longer name, earlier.
bool ElfSymbolsBuilder::better(const Entry& earlier, const Entry& later) {
    if ((earlier.size != 0) != (later.size != 0)) return earlier.size != 0;
    const auto weak = [](const Entry& entry) { return entry.enclosing >> number_bits == weak_binding; };
    if (weak(earlier) != weak(later)) return weak(later);
    const auto local = [](const Entry& entry) { return entry.enclosing >> number_bits == local_binding; };
    if (local(earlier) != local(later)) return local(later);
    if (same_when_shown(name(earlier), name(later))) return true;
    const auto first = shape(earlier), second = shape(later);
    if (first.underscores != second.underscores) return first.underscores < second.underscores;
    return first.size >= second.size;
}

// Entries come in the order of their numbers, so a stable sort by value suffices. Radix sort takes a third of the time
// that std::sort took, which was 8 % of opening the symbols of a storm of processes.
void ElfSymbolsBuilder::sort() {
    constexpr unsigned bits = 11;
    constexpr std::size_t few = 256, buckets = std::size_t{1} << bits;
    if (entries_.size() < few) {
        std::ranges::stable_sort(entries_, {}, look_.by(&Entry::value));
        return;
    }
    std::uint64_t differing = 0;
    for (const auto& entry : entries_) differing |= entry.value ^ entries_.front().value;
    std::vector<Entry> sorted(entries_.size());
    for (unsigned shift = 0; shift < 64 && differing >> shift != 0; shift += bits) {
        const auto digit = [&](const Entry& entry) {
            return static_cast<std::size_t>(entry.value >> shift) & (buckets - 1);
        };
        if ((differing >> shift & (buckets - 1)) == 0) continue;
        std::array<std::uint32_t, buckets> place{};
        for (const auto& entry : entries_) ++place[digit(entry)];
        std::uint32_t before = 0;
        for (auto& count : place) before += std::exchange(count, before);
        for (const auto& entry : entries_) {
            look_();
            sorted[place[digit(entry)]++] = entry;
        }
        entries_.swap(sorted);
    }
}

// Extends symbols without a size to the next symbol, and the last one to the end of its page, as perf does. Of several
// at one address only the last in the table is extended: it then has a size, and the others have none.
void ElfSymbolsBuilder::close_gaps() {
    constexpr std::uint64_t page = 4096;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
        look_();
        auto& entry = entries_[index];
        if (entry.size != 0) continue;
        const bool last = index + 1 == entries_.size();
        entry.size = last ? std::min((page - entry.value % page) % page + page, ~entry.value)
                          : entries_[index + 1].value - entry.value;
    }
}

void ElfSymbolsBuilder::choose_among_duplicates() {
    std::size_t kept = 0;
    for (const auto& entry : entries_) {
        look_();
        if (kept != 0 && entries_[kept - 1].value == entry.value) {
            if (!better(entries_[kept - 1], entry)) entries_[kept - 1] = entry;
        } else {
            entries_[kept++] = entry;
        }
    }
    entries_.resize(kept);
}

void ElfSymbolsBuilder::link_enclosing() {
    const auto end = [](const Entry& entry) { return entry.value + entry.size; };
    for (std::size_t index = 0; index < entries_.size(); ++index) {
        look_();
        auto& entry = entries_[index];
        entry.enclosing = index == 0 ? ElfSymbols::none : static_cast<std::uint32_t>(index - 1);
        while (entry.enclosing != ElfSymbols::none && end(entries_[entry.enclosing]) <= end(entry)) {
            entry.enclosing = entries_[entry.enclosing].enclosing;
        }
    }
}

// Chooses an enclosing entry for each entry, as a skew-binary list does: if the last two jumps are equally long, the
// target of the second one, else the next enclosing entry.
std::vector<std::uint32_t> ElfSymbolsBuilder::further() {
    constexpr std::uint32_t few = 16;
    constexpr auto none = ElfSymbols::none;
    std::vector<std::uint32_t> depth(entries_.size()), further(entries_.size(), none);
    std::uint32_t deepest = 0;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
        look_();
        const auto enclosing = entries_[index].enclosing;
        if (enclosing == none) continue;
        depth[index] = depth[enclosing] + 1;
        deepest = std::max(deepest, depth[index]);
        const auto once = further[enclosing], twice = once == none ? none : further[once];
        const bool equal = twice != none && depth[enclosing] - depth[once] == depth[once] - depth[twice];
        further[index] = equal ? twice : enclosing;
    }
    if (deepest <= few) further.clear();
    return further;
}

std::string_view ElfSymbolsBuilder::name(const Entry& entry) const {
    const auto* name = names_.data() + entry.name;
    return {name, ::strnlen(name, compared_name)};
}

Result<ElfSymbols> ElfSymbolsBuilder::take() && {
    if (entries_.empty()) {
        if (damage_) return fail(std::move(*damage_));
        return fail(ErrorCode::missing, Error::no_offset, "ELF", "no function symbols");
    }
    sort();
    close_gaps();
    choose_among_duplicates();
    link_enclosing();
    ElfSymbols symbols;
    symbols.further_ = further();
    symbols.damage_ = std::move(damage_);
    symbols.names_ = std::move(names_);
    symbols.entries_ = std::move(entries_);
    symbols.entries_.shrink_to_fit();
    return symbols;
}

}  // namespace perfdata
