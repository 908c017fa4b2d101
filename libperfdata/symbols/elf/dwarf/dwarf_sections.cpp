// SPDX-License-Identifier: MIT
#include "dwarf_sections.hpp"

#include <functional>
#include <gelf.h>
#include <string>

#include "perfdata/core/cursor.hpp"

namespace perfdata {
namespace {

// Returns the content of a section, which libdw unpacked when it opened the file. If there are several it is the one
// that libdw uses: the first that has bytes and belongs to no group.
std::span<std::byte> section(Dwarf* dwarf, std::string_view name) {
    Elf* elf = dwarf_getelf(dwarf);
    std::size_t names = 0;
    if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return {};
    const auto packed_name = ".z" + std::string(name.substr(1));
    for (Elf_Scn* one = elf_nextscn(elf, nullptr); one != nullptr; one = elf_nextscn(elf, one)) {
        GElf_Shdr header;
        if (gelf_getshdr(one, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
        if ((header.sh_flags & (SHF_GROUP | SHF_COMPRESSED)) != 0) continue;  // still compressed: damaged
        const char* text = elf_strptr(elf, names, header.sh_name);
        if (text == nullptr || (text != name && text != packed_name)) continue;
        const auto* data = elf_getdata(one, nullptr);
        if (data == nullptr || data->d_buf == nullptr || data->d_size == 0) continue;
        return {static_cast<std::byte*>(data->d_buf), data->d_size};
    }
    return {};
}

}  // namespace

DwarfSections::DwarfSections(Dwarf* dwarf, Dwarf* alternate, std::uint64_t first_code)
    : dwarf_(dwarf),
      lines_(section(dwarf, ".debug_line")),
      strings_(section(dwarf, ".debug_str")),
      line_strings_(section(dwarf, ".debug_line_str")),
      entries_(section(dwarf, ".debug_info")),
      types_(section(dwarf, ".debug_types")),
      abbreviations_(section(dwarf, ".debug_abbrev")),
      ranges_(section(dwarf, ".debug_ranges")),
      range_lists_(section(dwarf, ".debug_rnglists")),
      first_code_(first_code) {
    texts_ = {strings_, line_strings_, entries_};
    entry_bytes_ = entries_.size() + types_.size() + abbreviations_.size();
    if (alternate != nullptr) {
        for (const auto* name : {".debug_str", ".debug_line_str", ".debug_info"}) {
            texts_.push_back(section(alternate, name));
        }
    }
    const char* start = elf_getident(dwarf_getelf(dwarf), nullptr);
    if (start != nullptr) order_ = AnyOrder(start[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little);
}

bool DwarfSections::has_code(std::uint64_t address) const {
    constexpr std::uint64_t taken_out = UINT64_MAX - 1;  // or one more
    return address >= first_code_ && address < taken_out;
}

void DwarfSections::hide_address(std::uint64_t at, std::uint8_t size) {
    if (at > lines_.size() || size > lines_.size() - at) return;
    // Halfway between the addresses of processes and of kernels. With 32-bit addresses, which libdw extends to 64 bits,
    // beyond both.
    constexpr std::uint64_t nowhere = std::uint64_t{1} << 63, nowhere_32 = UINT32_MAX;
    for (std::uint8_t byte = 0; byte < size; ++byte) {
        const auto shift = 8 * (order_.endian() == std::endian::little ? byte : size - 1 - byte);
        lines_[static_cast<std::size_t>(at + byte)] =
            static_cast<std::byte>((size == 4 ? nowhere_32 : nowhere) >> shift);
    }
}

std::uint64_t DwarfSections::size() const {
    return lines_.size() + strings_.size() + line_strings_.size() + entries_.size();
}

std::optional<std::string_view> DwarfSections::text(const char* found) const {
    if (found == nullptr) return {};
    for (const auto bytes : texts_) {
        const auto all = as_text(bytes);
        if (std::less{}(found, all.data()) || !std::less{}(found, all.data() + all.size())) continue;
        const auto rest = all.substr(static_cast<std::size_t>(found - all.data()));
        const auto end = rest.find('\0');
        if (end == std::string_view::npos) return {};
        return rest.substr(0, end);
    }
    return {};
}

}  // namespace perfdata
