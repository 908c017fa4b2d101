// SPDX-License-Identifier: MIT
#include "elf_relocations.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "perfdata/core/cursor.hpp"

#include "elf_constants.hpp"

namespace perfdata {
namespace {

constexpr std::uint16_t first_reserved_section = 0xff00;  // SHN_LORESERVE
constexpr std::size_t longest_symbol = 512;               // KSYM_NAME_LEN; longer names end there
constexpr std::ptrdiff_t most_nested = 16;                // functions that are tried for an address
constexpr std::ptrdiff_t most_tables = 16;  // of relocations, for one section of code; compilers write one
constexpr unsigned section_symbol = 3, function_symbol = 2;  // STT_SECTION, STT_FUNC

Bytes as_bytes(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

// Returns where a field's distance counts from, or none if the field holds no distance. The types are those of the
// machines' supplements to the System V ABI.
RelocationBase base_of(std::uint16_t machine, std::uint64_t type) {
    if (machine == em_x86_64 && (type == 2 || type == 4)) return RelocationBase::next_instruction;  // PC32, PLT32
    if (machine == em_386 && (type == 2 || type == 4)) return RelocationBase::next_instruction;
    if (machine == em_s390 && (type == 19 || type == 20)) return RelocationBase::instruction;  // PC32DBL, PLT32DBL
    return RelocationBase::none;
}

// SymbolTable is the table of symbols that relocations refer to.
class SymbolTable {
  public:
    SymbolTable(const ElfFile& file, std::string entries, std::string strings)
        : file_(&file), entries_(std::move(entries)), strings_(std::move(strings)) {
        for (std::uint64_t index = 0; index < count(); ++index) {
            if (const auto symbol = at(index); symbol->type == function_symbol) functions_.push_back(*symbol);
        }
        std::ranges::stable_sort(functions_, {}, place);
    }

    // Returns a symbol's name; empty if the symbol is not there. For the symbol of a section, returns the function at
    // the addend and makes `addend` count from the beginning of that function. The addend is short by `distance`: see
    // find().
    std::string name(std::uint64_t index, std::int64_t distance, std::int64_t& addend) const {
        const auto symbol = at(index);
        if (!symbol) return {};
        if (symbol->type != section_symbol) return std::string(text(symbol->name));
        if (symbol->section >= file_->sections().size()) return {};
        // The sum wraps around at 2^64, as in a loader.
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

    static std::pair<std::uint16_t, std::uint64_t> place(const Symbol& symbol) {
        return {symbol.section, symbol.value};
    }

    // Returns the nearest function that begins at or below `value` and covers it, or null. A few functions may lie
    // inside others.
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
        if (symbol.section >= first_reserved_section) symbol.section = 0;  // no number of a section
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

// Field is one entry of a table of relocations. It does not keep how wide the field is: that follows from the operand
// of the instruction.
struct Field {
    std::uint64_t offset = 0;  // in its section
    std::int64_t addend = 0;
    std::uint32_t symbol = 0, type = 0;
    std::uint32_t symbols = 0;  // number of the section with the table of symbols
};

}  // namespace

struct CodeRelocations::Tables {
    explicit Tables(const ElfFile& of) : file(of) {
        auto left = of.source().size();
        for (const auto& section : of.sections()) {
            const auto size = section.type == no_bits ? 0 : section.size;
            readable.push_back(size <= left);
            if (size <= left) left -= size;
        }
        for (std::uint32_t index = 0; index < of.sections().size(); ++index) {
            const auto& section = of.sections()[index];
            if (section.type == rela_section || section.type == rel_section) by_code.push_back(index);
        }
        std::ranges::stable_sort(by_code, {}, [&](std::uint32_t index) { return of.sections()[index].info; });
    }

    const ElfFile& file;
    std::mutex mutex;
    // By section. In an intact file sections share no bytes, so together they are no longer than the file. Sections
    // beyond that sum are not read: a hostile file could make each section of code read the same large table.
    std::vector<bool> readable;
    std::vector<std::uint32_t> by_code;  // numbers of tables, by the section that they relocate
    std::map<std::uint32_t, std::optional<SymbolTable>> symbols;  // by section; nothing: damaged
    std::map<std::uint32_t, std::vector<Field>> fields;  // by section of code; sorted by offset, then as in the file

    std::optional<std::string> content(std::uint32_t section) const {
        if (section >= file.sections().size() || !readable[section]) return {};
        auto content = file.content(file.sections()[section]);
        if (!content) return {};
        return std::move(*content);
    }

    bool read_symbols(std::uint32_t section) {
        if (const auto known = symbols.find(section); known != symbols.end()) return known->second.has_value();
        std::optional<SymbolTable> table;
        if (auto entries = content(section)) {
            auto strings = content(file.sections()[section].link);
            if (strings) table.emplace(file, std::move(*entries), std::move(*strings));
        }
        return symbols.emplace(section, std::move(table)).first->second.has_value();
    }

    void read_fields(const ElfFile::Section& section, std::uint32_t number, std::vector<Field>& found) {
        const auto table = content(number);
        if (!table || !read_symbols(section.link)) return;
        const bool with_addend = section.type == rela_section;
        const std::size_t word = file.wide() ? 8 : 4;
        const auto entry_bytes = word * (with_addend ? 3 : 2);
        found.reserve(found.size() + table->size() / entry_bytes);
        for (std::size_t at = 0; at + entry_bytes <= table->size(); at += entry_bytes) {
            Cursor in(as_bytes(*table).subspan(at, entry_bytes), file.order(), {.where = "ELF relocations"});
            const auto number_at = [&] { return file.wide() ? in.u64() : std::uint64_t{in.u32()}; };
            Field field;
            field.offset = number_at();
            const auto info = number_at();
            if (with_addend) {
                field.addend = file.wide() ? static_cast<std::int64_t>(in.u64()) : static_cast<std::int32_t>(in.u32());
            }
            field.symbol = static_cast<std::uint32_t>(info >> (file.wide() ? 32 : 8));
            field.type = static_cast<std::uint32_t>(info & (file.wide() ? 0xffffffffu : 0xffu));
            field.symbols = section.link;
            found.push_back(field);
        }
    }

    // Returns all fields of a section of code, and reads them on first use. They stay where they are: a map moves
    // nothing.
    const std::vector<Field>& of_code(std::uint32_t number) {
        const std::scoped_lock lock(mutex);
        if (const auto known = fields.find(number); known != fields.end()) return known->second;
        std::vector<Field> found;
        const auto tables =
            std::ranges::equal_range(by_code, number, {}, [&](std::uint32_t at) { return file.sections()[at].info; });
        for (const auto index : tables | std::views::take(most_tables)) {
            read_fields(file.sections()[index], index, found);
        }
        std::ranges::stable_sort(found, {}, &Field::offset);
        return fields.emplace(number, std::move(found)).first->second;
    }

    // Returns the symbols that a field refers to. read_fields() has read them, and they stay where they are.
    const SymbolTable& symbols_of(const Field& field) {
        const std::scoped_lock lock(mutex);
        return *symbols.find(field.symbols)->second;
    }
};

CodeRelocations::CodeRelocations(std::shared_ptr<const ElfFile> file)
    : file_(std::move(file)), tables_(std::make_unique<Tables>(*file_)) {}
CodeRelocations::~CodeRelocations() = default;

std::vector<CodeRelocation> CodeRelocations::find(std::uint64_t vaddr, std::uint64_t size) const {
    std::vector<CodeRelocation> found;
    if (file_->type() != ElfFile::Type::relocatable) return found;
    // Addresses in a relocatable file are file offsets.
    const auto* code = file_->code_section(vaddr);
    if (code == nullptr) return found;
    const auto& fields = tables_->of_code(static_cast<std::uint32_t>(code - file_->sections().data()));
    const auto begin = vaddr - code->offset;
    auto field = std::ranges::lower_bound(fields, begin, {}, &Field::offset);
    // Any number of fields may have one offset: at most as many are returned as there are bytes.
    for (; field != fields.end() && field->offset - begin < size && found.size() < size; ++field) {
        const auto base = base_of(file_->machine(), field->type);
        // The addend counts from the field; the target counts from the instruction. On x86 the usual operand ends 4
        // bytes further, with its instruction; on s390 it begins 2 bytes into it.
        const std::int64_t distance = base == RelocationBase::next_instruction ? 4
                                      : base == RelocationBase::instruction    ? -2
                                                                               : 0;
        auto addend = field->addend;
        auto name = tables_->symbols_of(*field).name(field->symbol, distance, addend);
        if (!name.empty()) found.push_back({field->offset - begin, std::move(name), addend, base});
    }
    return found;
}

}  // namespace perfdata
