// SPDX-License-Identifier: MIT
#include "dwarf_sections.hpp"

#include <algorithm>
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

DwarfSections::DwarfSections(File file, File alternate, std::uint64_t first_code)
    : dwarf_(file.dwarf),
      image_(file.image),
      alternate_image_(alternate.image),
      lines_(section(file.dwarf, ".debug_line")),
      abbreviations_(section(file.dwarf, ".debug_abbrev")),
      strings_(section(file.dwarf, ".debug_str")),
      line_strings_(section(file.dwarf, ".debug_line_str")),
      entries_(section(file.dwarf, ".debug_info")),
      types_(section(file.dwarf, ".debug_types")),
      ranges_(section(file.dwarf, ".debug_ranges")),
      range_lists_(section(file.dwarf, ".debug_rnglists")),
      first_code_(first_code) {
    texts_ = {strings_, line_strings_, entries_};
    entry_bytes_ = entries_.size() + types_.size() + abbreviations_.size();
    if (alternate.dwarf != nullptr) {
        for (const auto* name : {".debug_str", ".debug_line_str", ".debug_info"}) {
            texts_.push_back(section(alternate.dwarf, name));
        }
    }
    const char* start = elf_getident(dwarf_getelf(dwarf_), nullptr);
    if (start != nullptr) order_ = AnyOrder(start[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little);
}

void DwarfSections::load(Bytes part) const {
    image_->load(part);
    if (alternate_image_ != nullptr) alternate_image_->load(part);
}

std::optional<Error> DwarfSections::failure() const {
    if (image_->failure() || alternate_image_ == nullptr) return image_->failure();
    return alternate_image_->failure();
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

void DwarfSections::hide_split(std::uint64_t at) {
    constexpr std::array number{std::byte{0xb1}, std::byte{0x42}};  // DW_AT_GNU_dwo_id
    constexpr std::array unknown{std::byte{0xff}, std::byte{0x7f}};
    if (at > abbreviations_.size() || abbreviations_.size() - at < number.size()) return;
    const auto name = abbreviations_.subspan(static_cast<std::size_t>(at), number.size());
    if (std::ranges::equal(name, number)) std::ranges::copy(unknown, name.begin());
}

std::uint64_t DwarfSections::most_units() const {
    constexpr std::uint64_t some = std::uint64_t{1} << 16, most = std::uint64_t{1} << 20, bytes_of_one = 64;
    return std::min(most, some + image_->entry_bytes() / bytes_of_one);
}

std::uint64_t DwarfSections::size() const {
    return lines_.size() + strings_.size() + line_strings_.size() + entries_.size();
}

std::optional<std::string_view> DwarfSections::text(const char* found) const {
    if (found == nullptr) return {};
    for (const auto bytes : texts_) {
        const auto all = as_text(bytes);
        if (std::less{}(found, all.data()) || !std::less{}(found, all.data() + all.size())) continue;
        return text_in(all.substr(static_cast<std::size_t>(found - all.data())), UINT64_MAX);
    }
    return {};
}

std::optional<std::string_view> DwarfSections::text_in(std::string_view rest, std::uint64_t most) const {
    constexpr std::size_t step = 4096;
    const auto all = rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), most)));
    for (std::size_t begin = 0; begin < all.size(); begin += step) {
        const auto part = all.substr(begin, step);
        load(std::as_bytes(std::span(part)));
        if (const auto end = part.find('\0'); end != std::string_view::npos) return all.substr(0, begin + end);
    }
    return {};
}

}  // namespace perfdata
