// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/elf_file.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

#include "perfdata/core/cursor.hpp"

#include "elf_constants.hpp"
#include "elf_notes.hpp"
#include "recording/look_out.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t note_section = 7;
constexpr std::uint32_t load_segment = 1, note_segment = 4;
constexpr std::uint64_t largest_notes = 1 << 20;
// Bytes of notes that are searched for a build-id, per file.
constexpr std::uint64_t most_notes = 4 * largest_notes;
constexpr std::uint32_t nothing_there = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t no_room = std::numeric_limits<std::uint64_t>::max();

// Reads an address or offset, of the size in the file's class.
std::uint64_t word(Cursor& in, bool wide) {
    return wide ? in.u64() : in.u32();
}

ElfFile::Section read_section(Cursor& in, bool wide, std::uint32_t& name) {
    ElfFile::Section section;
    name = in.u32();
    section.type = in.u32();
    section.flags = word(in, wide);
    section.address = word(in, wide);
    section.offset = word(in, wide);
    section.size = word(in, wide);
    section.link = in.u32();
    section.info = in.u32();
    in.skip(wide ? 8 : 4);  // sh_addralign
    section.entry_size = word(in, wide);
    return section;
}

// Returns how many of the segment's bytes a file of that size has.
std::uint64_t bytes_in(const ElfFile::Segment& segment, std::uint64_t size) {
    return segment.offset > size ? 0 : std::min(segment.file_size, size - segment.offset);
}

}  // namespace

Result<ElfFile> ElfFile::open(std::shared_ptr<const Source> source, const Limits& limits, const Watch& watch) {
    ElfFile file;
    file.source_ = std::move(source);
    file.section_limit_ = limits.section_bytes;
    try {
        LookOut look(watch, file.source_->size());
        if (auto read = file.read_headers(look); !read) return fail(std::move(read.error()));
        file.lay_out_sections(look);
        file.read_build_id(look);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, "ELF", "asked to stop");
    }
    return file;
}

Result<std::string> ElfFile::bytes(std::uint64_t offset, std::uint64_t size, std::string_view what,
                                   const Watch& watch) const {
    if (offset > source_->size() || size > source_->size() - offset) {
        return fail(ErrorCode::truncated, offset, "ELF", std::string(what) + " goes beyond the end of the file");
    }
    if (size > section_limit_) {
        return fail(ErrorCode::limit, offset, "ELF",
                    std::string(what) + " has " + std::to_string(size) + " bytes; at most " +
                        std::to_string(section_limit_) + " are read");
    }
    auto content = read_part(*source_, offset, static_cast<std::size_t>(size), watch);
    if (content && content->size() != size) {
        return fail(ErrorCode::truncated, offset, "ELF", std::string(what) + " is cut off");
    }
    return content;
}

Result<void> ElfFile::read_headers(LookOut& look) {
    constexpr std::size_t narrow_header = 52, wide_header = 64;
    const auto start = bytes(0, std::min<std::uint64_t>(source_->size(), wide_header), "the header");
    if (!start) return fail(start.error());
    if (start->size() < narrow_header || !start->starts_with("\x7f"
                                                             "ELF")) {
        return fail(ErrorCode::malformed, 0, "ELF", "not an ELF file");
    }
    const auto elf_class = (*start)[4], data = (*start)[5];
    if (elf_class < 1 || elf_class > 2 || data < 1 || data > 2) {
        return fail(ErrorCode::malformed, 4, "ELF", "unknown class or byte order");
    }
    wide_ = elf_class == 2;
    order_ = AnyOrder(data == 1 ? std::endian::little : std::endian::big);

    Cursor in(as_bytes(*start), order_, {.where = "ELF header"});
    in.skip(16);
    type_ = static_cast<Type>(in.u16());
    machine_ = in.u16();
    in.skip(4);       // e_version
    word(in, wide_);  // e_entry
    const auto segments_at = word(in, wide_);
    const auto sections_at = word(in, wide_);
    in.skip(6);  // e_flags, e_ehsize
    const auto segment_size = in.u16();
    std::uint64_t segment_count = in.u16();
    const auto section_size = in.u16();
    std::uint64_t section_count = in.u16();
    std::uint32_t names = in.u16();
    if (!in.ok()) return in.failure("the header");

    // Section 0 has the counts that do not fit into the header.
    constexpr std::uint16_t elsewhere = 0xffff;
    const std::uint16_t least_section = wide_ ? 64 : 40;
    if (sections_at != 0 && section_size >= least_section) {
        const auto first = bytes(sections_at, least_section, "the section table");
        if (!first) return fail(first.error());
        Cursor zero(as_bytes(*first), order_, {.where = "ELF section 0", .offset = sections_at});
        std::uint32_t name = 0;
        const auto section = read_section(zero, wide_, name);
        if (section_count == 0) section_count = section.size;
        if (names == elsewhere) names = section.link;
        if (segment_count == elsewhere) segment_count = section.info;
        if (auto read = read_sections(sections_at, section_count, section_size, names, look); !read) return read;
    }
    return read_segments(segments_at, segment_count, segment_size, look);
}

Result<void> ElfFile::read_sections(std::uint64_t offset, std::uint64_t count, std::uint16_t size, std::uint32_t names,
                                    LookOut& look) {
    if (count > source_->size() / size) {
        return fail(ErrorCode::truncated, offset, "ELF", "the section table goes beyond the end of the file");
    }
    const auto table = bytes(offset, count * size, "the section table");
    if (!table) return fail(table.error());
    std::vector<std::uint32_t> name_offsets;
    sections_.reserve(static_cast<std::size_t>(count));
    name_offsets.reserve(static_cast<std::size_t>(count));
    for (std::size_t index = 0; index < count; ++index) {
        look();
        Cursor in(as_bytes(*table).subspan(index * size, size), order_, {.where = "ELF section table"});
        sections_.push_back(read_section(in, wide_, name_offsets.emplace_back()));
    }
    if (names >= sections_.size()) return {};  // sections without names
    const auto text = content(sections_[names]);
    if (!text) return {};
    section_names_.assign(text->begin(), text->end());
    const std::string_view all(section_names_.data(), section_names_.size());
    for (std::size_t index = 0; index < sections_.size(); ++index) {
        look();
        if (name_offsets[index] >= all.size()) continue;
        const auto rest = all.substr(name_offsets[index]);
        sections_[index].name = rest.substr(0, rest.substr(0, 256).find('\0'));
    }
    return {};
}

Result<void> ElfFile::read_segments(std::uint64_t offset, std::uint64_t count, std::uint16_t size, LookOut& look) {
    const std::uint16_t least = wide_ ? 56 : 32;
    if (count == 0) return {};
    if (size < least || count > source_->size() / size) {
        return fail(ErrorCode::malformed, offset, "ELF", "the segment table is damaged");
    }
    const auto table = bytes(offset, count * size, "the segment table");
    if (!table) return fail(table.error());
    for (std::size_t index = 0; index < count; ++index) {
        look();
        Cursor in(as_bytes(*table).subspan(index * size, size), order_, {.where = "ELF segment table"});
        Segment segment;
        const auto type = in.u32();
        std::uint32_t flags = wide_ ? in.u32() : 0;
        segment.offset = word(in, wide_);
        segment.vaddr = word(in, wide_);
        word(in, wide_);  // p_paddr
        segment.file_size = word(in, wide_);
        segment.memory_size = word(in, wide_);
        if (!wide_) flags = in.u32();
        segment.executable = (flags & 1) != 0;
        if (type == load_segment) segments_.push_back(segment);
        if (type == note_segment) note_segments_.push_back(segment);
    }
    lay_out_segments(look);
    return {};
}

// Makes stretches of parts. Where parts overlap, the first in the list counts.
std::vector<ElfFile::Stretch> ElfFile::lay_out(const std::vector<Part>& parts, LookOut& look) {
    std::vector<std::uint64_t> turns;
    std::vector<std::uint32_t> by_begin;
    const auto last = [&](std::uint32_t part) {
        return parts[part].begin + std::min(parts[part].size - 1, no_room - parts[part].begin);
    };
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
        if (parts[part].size == 0) continue;
        by_begin.push_back(part);
        turns.push_back(parts[part].begin);
        if (last(part) != no_room) turns.push_back(last(part) + 1);
    }
    std::ranges::sort(by_begin, {}, look.by([&](std::uint32_t part) { return parts[part].begin; }));
    std::ranges::sort(turns, {}, look.by(std::identity()));
    const auto repeated = std::ranges::unique(turns);
    turns.erase(repeated.begin(), repeated.end());

    std::vector<Stretch> stretches;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> there;
    auto next = by_begin.begin();
    for (const auto turn : turns) {
        look();
        for (; next != by_begin.end() && parts[*next].begin == turn; ++next) there.push(*next);
        while (!there.empty() && last(there.top()) < turn) there.pop();
        stretches.push_back({turn, there.empty() ? nothing_there : parts[there.top()].index});
    }
    return stretches;
}

// Cut names at 256 bytes to bound the cost of comparing them.
void ElfFile::lay_out_sections(LookOut& look) {
    by_name_.resize(sections_.size());
    std::iota(by_name_.begin(), by_name_.end(), std::uint32_t{0});
    const auto name = [&](std::uint32_t index) { return sections_[index].name; };
    std::ranges::stable_sort(by_name_, {}, look.by(name));
    const auto repeated = std::ranges::unique(by_name_, {}, name);
    by_name_.erase(repeated.begin(), repeated.end());
    if (type_ != Type::relocatable) return;
    std::vector<Part> code;
    for (std::uint32_t index = 0; index < sections_.size(); ++index) {
        const auto& section = sections_[index];
        if (section.executable()) code.push_back({section.offset, section.size, index});
    }
    code_by_offset_ = lay_out(code, look);
}

// If segments contain the same byte of the file, executable ones come first. What they claim behind the end of the file
// is nowhere.
void ElfFile::lay_out_segments(LookOut& look) {
    std::vector<Part> by_offset, others, by_vaddr;
    for (std::uint32_t index = 0; index < segments_.size(); ++index) {
        const auto& segment = segments_[index];
        (segment.executable ? by_offset : others).push_back({segment.offset, segment.file_size, index});
        by_vaddr.push_back({segment.vaddr, bytes_in(segment, source_->size()), index});
    }
    by_offset.insert(by_offset.end(), others.begin(), others.end());
    by_offset_ = lay_out(by_offset, look);
    by_vaddr_ = lay_out(by_vaddr, look);
}

std::optional<std::uint32_t> ElfFile::index_at(const std::vector<Stretch>& stretches, std::uint64_t at) {
    const auto above = std::ranges::upper_bound(stretches, at, {}, &Stretch::begin);
    if (above == stretches.begin() || std::prev(above)->index == nothing_there) return {};
    return std::prev(above)->index;
}

const ElfFile::Segment* ElfFile::segment_at(const std::vector<Stretch>& stretches, std::uint64_t at) const {
    const auto index = index_at(stretches, at);
    return index ? &segments_[*index] : nullptr;
}

void ElfFile::read_build_id(LookOut& look) {
    // Any number of note headers may lead to the same bytes.
    std::uint64_t left = most_notes;
    const auto search = [&](std::uint64_t offset, std::uint64_t size) {
        look();
        if (!build_id_.empty() || size > largest_notes || size > left) return;
        left -= size;
        if (const auto notes = bytes(offset, size, "a note")) build_id_ = build_id_of_notes(as_bytes(*notes), order_);
    };
    for (const auto& section : sections_) {
        if (section.type == note_section) search(section.offset, section.size);
    }
    for (const auto& segment : note_segments_) search(segment.offset, segment.file_size);
}

const ElfFile::Section* ElfFile::section(std::string_view name) const {
    const auto found =
        std::ranges::lower_bound(by_name_, name, {}, [&](std::uint32_t index) { return sections_[index].name; });
    return found == by_name_.end() || sections_[*found].name != name ? nullptr : &sections_[*found];
}

const ElfFile::Section* ElfFile::code_section(std::uint64_t offset) const {
    const auto index = index_at(code_by_offset_, offset);
    return index ? &sections_[*index] : nullptr;
}

std::optional<ElfFile::DebugLink> ElfFile::debug_link() const {
    const auto* link = section(".gnu_debuglink");
    if (link == nullptr || link->size > 65536) return {};
    const auto text = content(*link);
    if (!text) return {};
    Cursor in(as_bytes(*text), order_, {.where = "section .gnu_debuglink", .offset = link->offset});
    DebugLink result;
    result.name = in.terminated_string();
    in.skip((4 - in.position() % 4) % 4);
    result.crc = in.u32();
    // A name with a path is not that of this file's debug file.
    if (!in.ok() || result.name.empty() || result.name.find('/') != std::string::npos) return {};
    return result;
}

std::optional<ElfFile::AlternateLink> ElfFile::alternate_link() const {
    const auto* link = section(".gnu_debugaltlink");
    if (link == nullptr || link->size > 65536) return {};
    const auto text = content(*link);
    if (!text) return {};
    const auto end = text->find('\0');
    if (end == 0 || end == std::string::npos || end + 1 == text->size()) return {};
    return AlternateLink{text->substr(0, end), text->substr(end + 1)};
}

Result<std::string> ElfFile::content(const Section& section, const Watch& watch) const {
    if (section.type == no_bits) {
        return fail(ErrorCode::missing, section.offset, "ELF",
                    "section " + std::string(section.name) + " has no bytes");
    }
    if ((section.flags & compressed_flag) != 0) {
        return fail(ErrorCode::unsupported, section.offset, "ELF",
                    "section " + std::string(section.name) + " is compressed");
    }
    return bytes(section.offset, section.size, section.name.empty() ? "a section" : section.name, watch);
}

std::optional<std::uint64_t> ElfFile::vaddr(std::uint64_t file_offset) const {
    if (type_ == Type::relocatable) return file_offset;
    const auto* found = segment_at(by_offset_, file_offset);
    if (found == nullptr) return {};
    return file_offset - found->offset + found->vaddr;
}

std::optional<std::uint64_t> ElfFile::file_offset(std::uint64_t vaddr) const {
    if (type_ == Type::relocatable) return vaddr;
    const auto* found = segment_at(by_vaddr_, vaddr);
    if (found == nullptr) return {};
    return vaddr - found->vaddr + found->offset;
}

std::uint64_t ElfFile::missing_bytes() const {
    std::uint64_t missing = 0;
    for (const auto& segment : segments_) {
        const auto lacking = segment.file_size - bytes_in(segment, source_->size());
        missing = lacking > no_room - missing ? no_room : missing + lacking;
    }
    return missing;
}

bool ElfFile::layout_known() const {
    return type_ == Type::relocatable || std::ranges::any_of(segments_, [](const Segment& segment) {
               return segment.executable && segment.file_size != 0;
           });
}

Result<std::size_t> ElfFile::read(std::uint64_t vaddr, std::span<std::byte> out) const {
    if (type_ == Type::relocatable) return source_->read_at(vaddr, out);
    const auto* segment = segment_at(by_vaddr_, vaddr);
    if (segment == nullptr) return std::size_t{0};
    const auto inside = vaddr - segment->vaddr;
    if (segment->offset > no_room - inside) return std::size_t{0};
    const auto count = std::min<std::uint64_t>(out.size(), segment->file_size - inside);
    return source_->read_at(segment->offset + inside, out.first(static_cast<std::size_t>(count)));
}

std::optional<std::uint64_t> ElfFile::next_segment(std::uint64_t vaddr) const {
    auto next = std::ranges::upper_bound(by_vaddr_, vaddr, {}, &Stretch::begin);
    while (next != by_vaddr_.end() && next->index == nothing_there)
        ++next;  // at most one step: two such stretches never follow each other
    return next == by_vaddr_.end() ? std::nullopt : std::optional(next->begin);
}

}  // namespace perfdata
