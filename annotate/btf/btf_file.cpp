// SPDX-License-Identifier: MIT
#include "btf_file.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "perfdata/recording/source.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

namespace perfdata {

Result<std::string> read_btf(const std::string& path, const Limits& limits, const Watch& watch) {
    auto source = open_source(path, limits);
    if (!source) return fail(std::move(source.error()));
    constexpr std::array<char, 4> elf = {0x7f, 'E', 'L', 'F'};
    std::array<std::byte, elf.size()> start{};
    const auto read = (*source)->read_at(0, start);
    if (!read) return fail(read.error());
    if (*read != elf.size() || std::memcmp(start.data(), elf.data(), elf.size()) != 0) {
        return read_whole(**source, limits.section_bytes, watch);
    }
    const auto file = ElfFile::open(std::move(*source), limits, watch);
    if (!file) return fail(file.error());
    const auto* section = file->section(".BTF");
    if (section == nullptr) {
        return fail(ErrorCode::missing, Error::no_offset, path, "this ELF file has no section .BTF");
    }
    return file->content(*section, watch);
}

}  // namespace perfdata
