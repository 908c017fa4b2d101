// SPDX-License-Identifier: MIT
// Kernel function names from a copy of /proc/kallsyms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

class LookOut;

// Kallsyms holds the functions of the kernel and its modules. Its names have no times. So it leaves out BPF code and
// other code made at run time, which the recording knows better.
class PERFDATA_EXPORT Kallsyms {
  public:
    // Symbol is one function.
    struct Symbol {
        std::string_view name;    // lives as long as the table
        std::string_view module;  // empty for the kernel itself
        Address address;          // on the recording machine
        std::uint64_t size = 0;   // bytes up to the next function; for the last of the kernel or of a module see find()
    };

    // Reads a file, compressed or not. Errors: io, limit, malformed (no symbols in it), missing (all addresses are
    // zero: it was copied without permission to see them), cancelled. Progress is told of unpacking and reading, then
    // that it goes on.
    static Result<Kallsyms> open(const std::string& path, const Limits& limits = {}, const Watch& watch = {});
    // Reads a file that is open; `path` is for errors.
    static Result<Kallsyms> open(const Source& source, const std::string& path, const Limits& limits = {},
                                 const Watch& watch = {});
    // Parses a text; `where` is for errors. Errors: those of open() but io and limit.
    static Result<Kallsyms> parse(std::string text, const std::string& where = "kallsyms", const Watch& watch = {});

    // Returns the function at or before the address; nothing below the first one. The last function of the kernel or of
    // a module reaches 64 KiB at most.
    std::optional<Symbol> find(Address address) const;
    // Returns the functions with any of these names. Takes time linear in the table.
    std::vector<Symbol> named(std::span<const std::string> names) const;
    // Returns the address of a symbol of the kernel itself, whatever its type. Searches the whole text.
    std::optional<Address> address_of(std::string_view name) const;
    // Returns the address of the lowest function of each module. The names live as long as the table.
    std::map<std::string_view, Address> module_begins() const;
    std::size_t size() const { return entries_.size(); }
    // Returns how many bytes of memory it takes, about.
    std::uint64_t memory() const { return text_.capacity() + entries_.capacity() * sizeof(Entry); }
    // damage() says that lines were left out because they are none of such a file.
    const std::optional<Error>& damage() const { return damage_; }

  private:
    // Positions in text_, which stay valid when the table moves.
    struct Entry {
        std::uint64_t address;
        std::uint32_t name, name_size, module, module_size;
    };

    static Result<Kallsyms> read(std::string text, const std::string& where, LookOut& look);
    void sort(LookOut& look);
    void drop_aliases(LookOut& look);
    Symbol symbol(const Entry& entry) const;

    std::string text_;
    std::vector<Entry> entries_;  // functions by address: O(log n) per search
    std::optional<Error> damage_;
};

}  // namespace perfdata
