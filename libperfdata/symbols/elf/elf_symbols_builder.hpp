// SPDX-License-Identifier: MIT
// Collects the symbols of ELF files and decides which of them name an address.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"

#include "recording/look_out.hpp"

namespace perfdata {

// ElfSymbolFields is an entry of a symbol table.
struct ElfSymbolFields {
    std::uint32_t name = 0;
    std::uint8_t info = 0, other = 0;
    std::uint32_t section = 0;  // 0: none, or a special one (SHN_ABS, SHN_COMMON)
    bool extended = false;      // its number is in a section of type SYMTAB_SHNDX
    std::uint64_t value = 0, size = 0;

    static ElfSymbolFields read(Cursor& in, bool wide);
    static constexpr std::size_t bytes(bool wide) { return wide ? 24 : 16; }
};

class ElfSymbolsBuilder {
  public:
    // `watch` must outlive it. Each member may throw Stopped.
    ElfSymbolsBuilder(const Limits& limits, const Watch& watch) : limits_(limits), watch_(watch), look_(watch) {}

    bool empty() const { return entries_.empty(); }

    // Each adds the symbols that can be read, and keeps the first damage.
    void add_table(const ElfFile& file, std::string_view section);
    void add_mini_debug_info(const ElfFile& file);
    void add_plt(const ElfFile& file);

    Result<ElfSymbols> take() &&;

  private:
    using Entry = ElfSymbols::Entry;
    struct Descriptors;
    class Plt;

    static constexpr unsigned local_binding = 0;
    static constexpr std::size_t compared_name = 4096;  // bytes of names that are compared

    std::optional<std::uint64_t> address(const ElfFile& file, const ElfSymbolFields& symbol, std::string_view name,
                                         const Descriptors& descriptors) const;
    std::optional<std::string> content(const ElfFile& file, const ElfFile::Section& section);
    std::vector<std::pair<std::uint64_t, std::string>> names_of(std::vector<std::uint64_t> values);
    void add(std::uint64_t value, std::uint64_t size, std::uint64_t name, unsigned binding);
    std::string_view name(const Entry& entry) const;
    // Shape is what the choice among names at one address depends on: of the name as shown.
    struct Shape {
        std::size_t underscores = 0, size = 0;  // leading underscores, and bytes in total
    };
    Shape shape(const Entry& entry);
    bool better(const Entry& earlier, const Entry& later);
    void sort();
    void close_gaps();
    void choose_among_duplicates();
    void link_enclosing();
    std::vector<std::uint32_t> further();

    Limits limits_;
    const Watch& watch_;
    LookOut look_;
    std::string names_;
    std::vector<Entry> entries_;             // `enclosing` is binding and number until link_enclosing()
    std::map<std::uint32_t, Shape> shapes_;  // of mangled names, by position in names_
    std::uint64_t demangled_ = 0;            // bytes of mangled names demangled for shapes_
    std::optional<Error> damage_;
};

}  // namespace perfdata
