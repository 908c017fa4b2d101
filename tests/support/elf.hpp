// SPDX-License-Identifier: MIT
// Writes ELF files of either class and byte order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

// Elf is the parts of a file. Sections are numbered from 1 in the order of adding; 1 is ".text".
class Elf {
  public:
    static constexpr std::uint16_t text = 1;
    static constexpr std::uint8_t function = 2, object = 1, label = 0, ifunc = 10;  // st_info: type
    static constexpr std::uint8_t local = 0, global = 1, weak = 2;                  // and binding

    struct Symbol {
        std::string name;
        std::uint64_t value = 0, size = 0;
        std::uint8_t type = function, binding = global, visibility = 0;
        std::uint16_t section = text;
    };
    struct Section {
        std::string name;
        std::uint32_t type = 1;  // PROGBITS
        std::uint64_t flags = 0, address = 0;
        Blob content{};
        std::uint32_t link = 0;
        std::uint64_t entry_size = 0;
        std::uint64_t only_size = 0;  // for NOBITS
        std::uint32_t info = 0;
        std::uint16_t bytes_of = 0;  // section that shares its bytes
    };
    struct Segment {
        std::uint64_t offset = 0, vaddr = 0, file_size = 0;
        std::uint32_t flags = 5, type = 1;
    };

    explicit Elf(std::endian order = std::endian::little, bool wide = true);

    std::uint16_t type = 3, machine = 62;  // ET_DYN, EM_X86_64
    std::vector<Segment> segments;

    // Each returns the number of the (last) section that it adds.
    std::uint16_t add(Section section);
    std::uint16_t symbols(const std::vector<Symbol>& list, const std::string& table = ".symtab");
    std::uint16_t build_id(Bytes id);
    std::uint16_t debug_link(std::string_view name);
    // replace(name, content) changes an existing section.
    void replace(std::string_view name, Blob content) {
        std::ranges::find(sections_, name, &Section::name)->content = std::move(content);
    }
    Section& section(std::uint16_t number) { return sections_.at(number - 1u); }

    Blob blob() const;

  private:
    std::endian order_;
    bool wide_;
    std::vector<Section> sections_;
};

}  // namespace perfdata::test
