// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/elf_symbols.hpp"

#include <algorithm>
#include <cstring>

#include "elf_symbols_builder.hpp"

namespace perfdata {

Result<ElfSymbols> ElfSymbols::load(const ElfFile& file, const ElfFile* debug, const Limits& limits,
                                    const Watch& watch) {
    try {
        ElfSymbolsBuilder builder(limits, watch);
        if (debug != nullptr) builder.add_table(*debug, ".symtab");
        if (builder.empty()) builder.add_table(file, ".symtab");
        if (builder.empty()) {
            builder.add_table(file, ".dynsym");
            builder.add_mini_debug_info(file);
        }
        builder.add_plt(file);
        return std::move(builder).take();
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, "ELF", "asked to stop");
    }
}

const ElfSymbols::Entry* ElfSymbols::covering(std::uint64_t vaddr) const {
    const auto above = std::ranges::upper_bound(entries_, vaddr, {}, &Entry::value);
    if (above == entries_.begin()) return nullptr;
    // An enclosing entry ends after the enclosed one: if an entry ends before the address, skip all entries on the way
    // to it.
    const auto reaches = [&](std::uint32_t index) { return vaddr - entries_[index].value < entries_[index].size; };
    auto index = static_cast<std::uint32_t>(above - entries_.begin() - 1);
    while (!reaches(index)) {
        const auto further = further_.empty() ? none : further_[index];
        index = further != none && !reaches(further) ? further : entries_[index].enclosing;
        if (index == none) return nullptr;
    }
    return &entries_[index];
}

std::optional<ElfSymbols::Found> ElfSymbols::find(std::uint64_t vaddr) const {
    const auto* entry = covering(vaddr);
    if (entry == nullptr) return {};
    const auto index = static_cast<std::size_t>(entry - entries_.data());
    return Found{index, symbol(index), vaddr - entry->value};
}

std::optional<std::uint64_t> ElfSymbols::distance(std::uint64_t vaddr) const {
    const auto* entry = covering(vaddr);
    if (entry == nullptr) return {};
    return vaddr - entry->value;
}

ElfSymbols::Symbol ElfSymbols::symbol(std::size_t index) const {
    const auto& entry = entries_[index];
    const auto* name = names_.data() + entry.name;
    return {{name, ::strnlen(name, most_name)}, entry.value, entry.size};
}

std::optional<std::uint64_t> address_of_symbol(const ElfFile& file, std::string_view name) {
    LookOut nobody;
    return address_of_symbol(file, name, nobody);
}

std::optional<std::uint64_t> address_of_symbol(const ElfFile& file, std::string_view name, LookOut& look) {
    const auto* section = file.section(".symtab");
    if (section == nullptr || section->link >= file.sections().size()) return {};
    const auto table = file.content(*section, look.watch());
    const auto strings = file.content(file.sections()[section->link], look.watch());
    for (const auto* read : {&table, &strings}) {
        if (!*read && read->error().code == ErrorCode::cancelled) throw Stopped();
    }
    if (!table || !strings) return {};
    const std::string wanted = std::string(name) + '\0';
    Cursor in(as_bytes(*table), file.order(), {.where = "ELF symbol table", .offset = section->offset});
    while (in.remaining() >= ElfSymbolFields::bytes(file.wide())) {
        look();
        const auto symbol = ElfSymbolFields::read(in, file.wide());
        if (symbol.name < strings->size() && strings->compare(symbol.name, wanted.size(), wanted) == 0) {
            return symbol.value;
        }
    }
    return {};
}

}  // namespace perfdata
