// SPDX-License-Identifier: MIT
// The functions of an ELF file by address.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

// ElfSymbols is one flat table over the string sections that the names are in. Of several symbols at one address it
// keeps the one that perf would show. Const use from many threads is safe.
class ElfSymbols {
  public:
    // Longer names end there: many symbols can have the end of one text for their names.
    static constexpr std::size_t most_name = 65535;

    struct Symbol {
        std::string_view name;    // as in the file, not demangled; "name@plt" for entries of the PLT
        std::uint64_t value = 0;  // address in the ELF file's own terms
        std::uint64_t size = 0;   // a symbol without a size reaches to the next one
    };
    struct Found {
        std::size_t index = 0;  // of symbol()
        Symbol symbol;
        std::uint64_t offset = 0;  // from symbol.value
    };

    // load(file, debug) reads .symtab, else .dynsym and mini debug info, and names the PLT. `debug` is the file that
    // the symbols were moved to, or null. Errors: missing (neither has functions), and damage that left none.
    static Result<ElfSymbols> load(const ElfFile& file, const ElfFile* debug = nullptr, const Limits& limits = {});

    // damage() is why there may be more functions than these: one of the tables could not be read.
    const std::optional<Error>& damage() const { return damage_; }

    // find(vaddr) is the innermost function that covers the address.
    std::optional<Found> find(std::uint64_t vaddr) const;

    // distance(vaddr) is Found::offset alone.
    std::optional<std::uint64_t> distance(std::uint64_t vaddr) const;

    std::size_t size() const { return entries_.size(); }
    // symbol(index) is by address; index < size().
    Symbol symbol(std::size_t index) const;

  private:
    friend class ElfSymbolsBuilder;

    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Entry {
        std::uint64_t value = 0, size = 0;
        std::uint32_t name = 0;          // place in names_, which has a NUL behind each
        std::uint32_t enclosing = none;  // the entry that goes on behind the end of this one
    };

    const Entry* covering(std::uint64_t vaddr) const;

    std::optional<Error> damage_;
    std::string names_;
    std::vector<Entry> entries_;
    // Of each entry one that encloses it, further out, so that any is reached in O(log n) steps; empty where few
    // enclose each other.
    std::vector<std::uint32_t> further_;
};

// address_of_symbol(file, name) is the value of a symbol of .symtab, whatever its type.
std::optional<std::uint64_t> address_of_symbol(const ElfFile& file, std::string_view name);

}  // namespace perfdata
