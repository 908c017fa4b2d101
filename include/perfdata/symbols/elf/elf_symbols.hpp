// SPDX-License-Identifier: MIT
// The functions of an ELF file by address.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

class LookOut;

// ElfSymbols is a flat table of functions, sorted by address. It keeps one of several symbols at one address: the one
// that perf shows. Const use from many threads is safe.
class PERFDATA_EXPORT ElfSymbols {
  public:
    // Longer names are cut. A hostile file may point many symbols into one long text.
    static constexpr std::size_t most_name = 65535;

    // Symbol is one function; its name lives as long as the table.
    struct Symbol {
        std::string_view name;    // as in the file, not demangled; "name@plt" for PLT entries
        std::uint64_t value = 0;  // virtual address
        std::uint64_t size = 0;   // a symbol without size extends to the next one
    };
    // Found is the function at an address.
    struct Found {
        std::size_t index = 0;     // of symbol()
        Symbol symbol;             // the function
        std::uint64_t offset = 0;  // from symbol.value
    };

    // Reads .symtab, else .dynsym and mini debug info (.gnu_debugdata), and names PLT entries. `debug`: the separate
    // debug file, or null. Progress is told nothing but that it goes on. Errors: missing (no functions in either), or
    // the damage if it left no functions; cancelled.
    static Result<ElfSymbols> load(const ElfFile& file, const ElfFile* debug = nullptr, const Limits& limits = {},
                                   const Watch& watch = {});

    // Returns why functions may be missing: a table could not be read.
    const std::optional<Error>& damage() const { return damage_; }

    // Returns the innermost function that covers the address.
    std::optional<Found> find(std::uint64_t vaddr) const;

    // Returns Found::offset alone.
    std::optional<std::uint64_t> distance(std::uint64_t vaddr) const;

    std::size_t size() const { return entries_.size(); }  // number of functions
    // Returns about how many bytes of memory the table takes.
    std::uint64_t memory() const {
        return names_.capacity() + entries_.capacity() * sizeof(Entry) + further_.capacity() * sizeof(std::uint32_t);
    }
    // Returns the symbol by its index in the order of addresses; index < size().
    Symbol symbol(std::size_t index) const;

  private:
    friend class ElfSymbolsBuilder;

    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Entry {
        std::uint64_t value = 0, size = 0;
        std::uint32_t name = 0;          // position in names_, where each name ends in NUL
        std::uint32_t enclosing = none;  // index of the entry that encloses this one
    };

    const Entry* covering(std::uint64_t vaddr) const;

    std::optional<Error> damage_;
    std::string names_;
    std::vector<Entry> entries_;
    // For each entry, an enclosing one further out: a search reaches any in O(log n) steps, however deep a hostile file
    // nests symbols. Empty if few enclose each other.
    std::vector<std::uint32_t> further_;
};

// Returns the value of a symbol of .symtab, of any type.
PERFDATA_EXPORT std::optional<std::uint64_t> address_of_symbol(const ElfFile& file, std::string_view name);
// The library's own: it may throw Stopped.
PERFDATA_EXPORT std::optional<std::uint64_t> address_of_symbol(const ElfFile& file, std::string_view name,
                                                               LookOut& look);

}  // namespace perfdata
