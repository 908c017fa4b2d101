// SPDX-License-Identifier: MIT
#include "support/elf.hpp"

#include <utility>

namespace perfdata::test {
namespace {

Writer& word(Writer& out, bool wide, std::uint64_t value) {
    return wide ? out.u64(value) : out.u32(static_cast<std::uint32_t>(value));
}

}  // namespace

Elf::Elf(std::endian order, bool wide) : order_(order), wide_(wide) {
    segments.push_back({0x1000, 0x1000, 0x1000});
    add({.name = ".text", .flags = 6, .address = 0x1000, .content = Blob(64)});
}

std::uint16_t Elf::add(Section section) {
    sections_.push_back(std::move(section));
    return static_cast<std::uint16_t>(sections_.size());
}

std::uint16_t Elf::symbols(const std::vector<Symbol>& list, const std::string& table) {
    Writer names(order_), entries(order_);
    names.u8(0);
    entries.zeros(wide_ ? 24 : 16);
    for (const auto& symbol : list) {
        const auto info = static_cast<std::uint8_t>(symbol.binding << 4 | symbol.type);
        entries.u32(static_cast<std::uint32_t>(names.size()));
        if (!wide_) {
            entries.u32(static_cast<std::uint32_t>(symbol.value)).u32(static_cast<std::uint32_t>(symbol.size));
        }
        entries.u8(info).u8(symbol.visibility).u16(symbol.section);
        if (wide_) entries.u64(symbol.value).u64(symbol.size);
        names.text(symbol.name).u8(0);
    }
    const auto strings = add({.name = table == ".symtab" ? ".strtab" : ".dynstr", .type = 3, .content = names.take()});
    return add({.name = table,
                .type = table == ".symtab" ? 2u : 11u,
                .content = entries.take(),
                .link = strings,
                .entry_size = wide_ ? 24u : 16u});
}

std::uint16_t Elf::build_id(Bytes id) {
    Writer note(order_);
    note.u32(4).u32(static_cast<std::uint32_t>(id.size())).u32(3).text("GNU").u8(0).bytes(id).align(4);
    return add({.name = ".note.gnu.build-id", .type = 7, .flags = 2, .content = note.take()});
}

std::uint16_t Elf::debug_link(std::string_view name) {
    Writer link(order_);
    link.padded_text(name, 4).u32(0x12345678);
    return add({.name = ".gnu_debuglink", .content = link.take()});
}

Blob Elf::blob() const {
    auto all = sections_;
    Writer names(order_);
    names.u8(0);
    std::vector<std::size_t> name_offsets;
    all.push_back({.name = ".shstrtab", .type = 3});
    for (const auto& section : all) {
        name_offsets.push_back(names.size());
        names.text(section.name).u8(0);
    }
    all.back().content = names.take();

    const std::size_t header_size = wide_ ? 64 : 52, segment_size = wide_ ? 56 : 32, section_size = wide_ ? 64 : 40;
    auto at = header_size + segments.size() * segment_size;
    std::vector<std::size_t> offsets;
    for (const auto& section : all) {
        offsets.push_back(at);
        at += section.content.size();
    }

    Writer out(order_);
    out.text("\x7f").text("ELF").u8(wide_ ? 2 : 1).u8(order_ == std::endian::little ? 1 : 2).u8(1).zeros(9);
    out.u16(type).u16(machine).u32(1);
    word(out, wide_, 0);
    word(out, wide_, segments.empty() ? 0 : header_size);
    word(out, wide_, at);
    out.u32(0).u16(static_cast<std::uint16_t>(header_size)).u16(static_cast<std::uint16_t>(segment_size));
    out.u16(static_cast<std::uint16_t>(segments.size())).u16(static_cast<std::uint16_t>(section_size));
    out.u16(static_cast<std::uint16_t>(all.size() + 1)).u16(static_cast<std::uint16_t>(all.size()));
    for (const auto& segment : segments) {
        out.u32(segment.type);
        if (wide_) out.u32(segment.flags);
        for (const auto value : {segment.offset, segment.vaddr, segment.vaddr, segment.file_size, segment.file_size}) {
            word(out, wide_, value);
        }
        if (!wide_) out.u32(segment.flags);
        word(out, wide_, 0x1000);
    }
    for (const auto& section : all) out.bytes(section.content);
    out.zeros(section_size);
    for (std::size_t index = 0; index < all.size(); ++index) {
        const auto& section = all[index];
        const auto bytes = section.bytes_of == 0 ? index : section.bytes_of - 1u;
        const auto& content = all[bytes].content;
        out.u32(static_cast<std::uint32_t>(name_offsets[index])).u32(section.type);
        word(out, wide_, section.flags);
        word(out, wide_, section.address);
        word(out, wide_, offsets[bytes]);
        word(out, wide_, content.empty() ? section.only_size : content.size());
        out.u32(section.link).u32(section.info);
        word(out, wide_, 1);
        word(out, wide_, section.entry_size);
    }
    return out.take();
}

}  // namespace perfdata::test
