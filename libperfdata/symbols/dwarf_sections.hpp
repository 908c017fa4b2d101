// SPDX-License-Identifier: MIT
// The sections that libdw reads texts and line tables from. Needs libdw.
#pragma once

#include <array>
#include <elfutils/libdw.h>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// DwarfSections are those of one file, and the texts of the file that dwz moved some of them to.
class DwarfSections {
  public:
    // The files stay what they are, and outlive this. alternate: null if there is none.
    DwarfSections(Dwarf* dwarf, Dwarf* alternate);

    Bytes lines() const { return lines_; }
    Bytes strings() const { return strings_; }
    Bytes line_strings() const { return line_strings_; }
    AnyOrder order() const { return order_; }
    // size() is that of all of them, in bytes.
    std::uint64_t size() const;

    // text(found) is a text that libdw found in one of them, up to its NUL. Nothing: it lies elsewhere, or no NUL ends
    // it before its section ends. libdw does not look for one.
    std::optional<std::string_view> text(const char* found) const;

  private:
    Bytes lines_, strings_, line_strings_;
    std::vector<Bytes> texts_;
    AnyOrder order_{std::endian::native};
};

}  // namespace perfdata
