// SPDX-License-Identifier: MIT
// Kernel function names from a copy of /proc/kallsyms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// Kallsyms is the functions of the kernel and its modules. Names in it have no time: what the file says of BPF
// code and other code made at run time is left out, the recording knows better.
class Kallsyms {
  public:
    struct Symbol {
        std::string_view name;    // lives as long as the table
        std::string_view module;  // empty for the kernel itself
        Address address;
        std::uint64_t size = 0;  // up to the next function; of the last one of the kernel or of a module see find()
    };

    // open(path) reads a file, compressed or not. Errors: io, limit, malformed (no symbols in it), missing (all
    // addresses are zero: it was copied without the right to see them).
    static Result<Kallsyms> open(const std::string& path, const Limits& limits = {});
    static Result<Kallsyms> open(const Source& source, const std::string& path, const Limits& limits = {});
    static Result<Kallsyms> parse(std::string text, const std::string& where = "kallsyms");

    // find(address) is the function at or before the address, nothing below the first one. The last function of the
    // kernel or of a module is not taken to reach further than 64 KiB.
    std::optional<Symbol> find(Address address) const;
    // address_of(name) is where a symbol of the kernel itself is, whatever its type.
    std::optional<Address> address_of(std::string_view name) const;
    // module_begins() is where the lowest function of each module is. The names live as long as the table.
    std::map<std::string_view, Address> module_begins() const;
    std::size_t size() const { return entries_.size(); }

  private:
    // Places in text_, which moves with the table.
    struct Entry {
        std::uint64_t address;
        std::uint32_t name, name_size, module, module_size;
    };

    void sort();
    void drop_aliases();
    Symbol symbol(const Entry& entry) const;

    std::string text_;
    std::vector<Entry> entries_;  // functions, by address: log n for each search
};

}  // namespace perfdata
