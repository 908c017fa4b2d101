// SPDX-License-Identifier: MIT
#include "elf_relocations.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/core/cursor.hpp"

#include "elf_constants.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t rela_section = 4, rel_section = 9;
constexpr std::size_t longest_symbol = 512;  // KSYM_NAME_LEN: of a longer one the beginning
constexpr std::ptrdiff_t most_nested = 16;
constexpr int most_tables = 16;  // of one section with code; compilers make one
constexpr unsigned section_symbol = 3, function_symbol = 2;

Bytes as_bytes(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

// Whether a field holds a distance, and from where: System V ABI supplements of the machines.
RelocationBase base_of(std::uint16_t machine, std::uint64_t type) {
    if (machine == em_x86_64 && (type == 2 || type == 4)) return RelocationBase::next_instruction;  // PC32, PLT32
    if (machine == em_386 && (type == 2 || type == 4)) return RelocationBase::next_instruction;
    if (machine == em_s390 && (type == 19 || type == 20)) return RelocationBase::instruction;  // PC32DBL, PLT32DBL
    return RelocationBase::none;
}

// The table of symbols that relocations refer to.
class SymbolTable {
  public:
    static std::optional<SymbolTable> read(const ElfFile& file, std::uint32_t section) {
        if (section >= file.sections().size()) return {};
        const auto& table = file.sections()[section];
        if (table.link >= file.sections().size()) return {};
        auto entries = file.content(table);
        auto strings = file.content(file.sections()[table.link]);
        if (!entries || !strings) return {};
        return SymbolTable(file, std::move(*entries), std::move(*strings));
    }

    // name(index, addend) is the symbol's name. Of a section it is the function at the addend, which then is from the
    // beginning of that function.
    std::string name(std::uint64_t index, std::int64_t distance, std::int64_t& addend) const {
        const auto symbol = at(index);
        if (!symbol) return {};
        if (symbol->type != section_symbol) return std::string(text(symbol->name));
        if (symbol->section >= file_->sections().size()) return {};
        // Modulo 2^64, as a loader adds.
        const auto wanted = static_cast<std::uint64_t>(addend) + static_cast<std::uint64_t>(distance) + symbol->value;
        if (const auto* function = function_at(symbol->section, wanted)) {
            addend = static_cast<std::int64_t>(wanted - function->value - static_cast<std::uint64_t>(distance));
            return std::string(text(function->name));
        }
        return std::string(file_->sections()[symbol->section].name);
    }

  private:
    struct Symbol {
        std::uint32_t name = 0;
        unsigned type = 0;
        std::uint16_t section = 0;
        std::uint64_t value = 0, size = 0;
    };

    SymbolTable(const ElfFile& file, std::string entries, std::string strings)
        : file_(&file), entries_(std::move(entries)), strings_(std::move(strings)) {
        for (std::uint64_t index = 0; index < count(); ++index) {
            if (const auto symbol = at(index); symbol->type == function_symbol) functions_.push_back(*symbol);
        }
        std::ranges::stable_sort(functions_, {}, place);
    }

    static std::pair<std::uint16_t, std::uint64_t> place(const Symbol& symbol) {
        return {symbol.section, symbol.value};
    }

    // The nearest that begins there or below and is long enough; a few may lie inside others.
    const Symbol* function_at(std::uint16_t section, std::uint64_t value) const {
        const auto behind = std::ranges::upper_bound(functions_, std::pair(section, value), {}, place);
        const auto first = behind - std::min<std::ptrdiff_t>(most_nested, behind - functions_.begin());
        for (auto at = behind; at != first;) {
            --at;
            if (at->section == section && value - at->value < std::max<std::uint64_t>(at->size, 1)) return &*at;
        }
        return nullptr;
    }

    std::size_t entry_bytes() const { return file_->wide() ? 24 : 16; }
    std::uint64_t count() const { return entries_.size() / entry_bytes(); }

    std::optional<Symbol> at(std::uint64_t index) const {
        if (index >= count()) return {};
        const auto entry = as_bytes(entries_).subspan(static_cast<std::size_t>(index) * entry_bytes(), entry_bytes());
        Cursor in(entry, file_->order(), {.where = "ELF symbols"});
        Symbol symbol;
        symbol.name = in.u32();
        if (!file_->wide()) {
            symbol.value = in.u32();
            symbol.size = in.u32();
        }
        symbol.type = in.u8() & 0xfu;
        in.skip(1);
        symbol.section = in.u16();
        if (file_->wide()) {
            symbol.value = in.u64();
            symbol.size = in.u64();
        }
        return symbol;
    }

    std::string_view text(std::uint32_t offset) const {
        if (offset >= strings_.size()) return {};
        const auto rest = std::string_view(strings_).substr(offset, longest_symbol);
        return rest.substr(0, rest.find('\0'));
    }

    const ElfFile* file_;
    std::string entries_, strings_;
    std::vector<Symbol> functions_;  // by section and place
};

// Fields are as wide as the instruction's operand; where in it they are matters, not how wide they are.
class Relocations {
  public:
    Relocations(const ElfFile& file, std::uint64_t begin, std::uint64_t size)
        : file_(file), begin_(begin), size_(size) {}

    void read(const ElfFile::Section& section) {
        const bool with_addend = section.type == rela_section;
        const auto table = file_.content(section);
        const auto symbols = SymbolTable::read(file_, section.link);
        if (!table || !symbols) return;
        const std::size_t word = file_.wide() ? 8 : 4;
        const auto entry_bytes = word * (with_addend ? 3 : 2);
        for (std::size_t at = 0; at + entry_bytes <= table->size(); at += entry_bytes) {
            Cursor in(as_bytes(*table).subspan(at, entry_bytes), file_.order(), {.where = "ELF relocations"});
            const auto number = [&] { return file_.wide() ? in.u64() : std::uint64_t{in.u32()}; };
            const auto offset = number();
            const auto info = number();
            if (offset < begin_ || offset - begin_ >= size_) continue;
            if (found_.size() == size_) return;  // more fields than bytes
            std::int64_t addend = 0;
            if (with_addend) {
                addend = file_.wide() ? static_cast<std::int64_t>(in.u64()) : static_cast<std::int32_t>(in.u32());
            }
            const auto symbol = info >> (file_.wide() ? 32 : 8);
            const auto base = base_of(file_.machine(), info & (file_.wide() ? 0xffffffffu : 0xffu));
            // What the usual operand at the end of an instruction adds to the addend.
            const std::int64_t distance = base == RelocationBase::next_instruction ? 4
                                          : base == RelocationBase::instruction    ? -2
                                                                                   : 0;
            auto name = symbols->name(symbol, distance, addend);
            if (!name.empty()) found_.push_back({offset - begin_, std::move(name), addend, base});
        }
    }

    std::vector<CodeRelocation> finish() && {
        std::ranges::stable_sort(found_, {}, &CodeRelocation::offset);
        return std::move(found_);
    }

  private:
    const ElfFile& file_;
    std::uint64_t begin_, size_;  // in the section
    std::vector<CodeRelocation> found_;
};

}  // namespace

std::vector<CodeRelocation> code_relocations(const ElfFile& file, std::uint64_t vaddr, std::uint64_t size) {
    if (file.type() != ElfFile::Type::relocatable) return {};
    // Addresses are places in the file.
    const auto& sections = file.sections();
    const auto code = std::ranges::find_if(sections, [&](const ElfFile::Section& section) {
        return section.executable() && vaddr >= section.offset && vaddr - section.offset < section.size;
    });
    if (code == sections.end()) return {};
    Relocations relocations(file, vaddr - code->offset, size);
    int tables = 0;
    for (const auto& section : sections) {
        const bool table = section.type == rela_section || section.type == rel_section;
        if (!table || section.info != static_cast<std::uint64_t>(code - sections.begin())) continue;
        relocations.read(section);
        if (++tables == most_tables) break;
    }
    return std::move(relocations).finish();
}

}  // namespace perfdata
