// SPDX-License-Identifier: MIT
#include "debug_image.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform.hpp"
#include "core/platform_heap.hpp"
#include "symbols/elf/elf_constants.hpp"

namespace perfdata {
namespace {

// Kind is what the header of a file says about it.
struct Kind {
    ElfFile::Type type = ElfFile::Type::executable;
    std::uint16_t machine = em_x86_64;
    bool wide = true;
    AnyOrder order{};

    std::uint64_t header_bytes() const { return wide ? 64 : 52; }
    std::uint64_t section_bytes() const { return wide ? 64 : 40; }
};

// Fields writes the numbers of headers, one after the other.
class Fields {
  public:
    Fields(std::span<char> out, const Kind& kind) : out_(out), kind_(kind) {}

    template <std::unsigned_integral T>
    Fields& put(T value) {
        if (kind_.order.endian() != std::endian::native) value = byteswap(value);
        std::memcpy(out_.first(sizeof value).data(), &value, sizeof value);
        out_ = out_.subspan(sizeof value);
        return *this;
    }
    Fields& half(std::uint64_t value) { return put(static_cast<std::uint16_t>(value)); }
    Fields& word(std::uint64_t value) { return put(static_cast<std::uint32_t>(value)); }
    // An address, an offset, or a size.
    Fields& place(std::uint64_t value) { return kind_.wide ? put(value) : word(value); }

  private:
    std::span<char> out_;
    const Kind& kind_;
};

// Layout places all parts of the image: header, section headers, names, content.
class Layout {
  public:
    Layout(const Kind& kind, std::vector<ImageSection> sections) : kind_(kind), sections_(std::move(sections)) {
        names_ = std::string(1, '\0');
        sections_.push_back({.name = ".shstrtab", .type = string_section});
        for (auto& header : sections_) {
            name_at_.push_back(header.name.empty() ? 0 : names_.size());
            if (!header.name.empty()) names_.append(header.name).append(1, '\0');
        }
        sections_.back().size = names_.size();
        // Align it: libelf then reads it in place.
        constexpr std::uint64_t alignment = 16;
        const auto aligned = [](std::uint64_t at) { return (at + alignment - 1) / alignment * alignment; };
        size_ = aligned(kind.header_bytes()) + sections_.size() * kind.section_bytes();
        for (auto& header : sections_) {
            header.offset = aligned(size_);
            if (header.type != no_bits) size_ = header.offset + header.size;
        }
    }

    std::uint64_t size() const { return size_; }
    const std::vector<ImageSection>& sections() const { return sections_; }

    void write_headers(std::span<char> image) const {
        constexpr std::uint64_t elsewhere = 0xffff, most = 0xff00;  // from this on, section 0 has the numbers
        const auto count = sections_.size(), names = count - 1;
        const auto table = (kind_.header_bytes() + 15) / 16 * 16;
        std::memcpy(image.data(),
                    "\x7f"
                    "ELF",
                    4);
        image[4] = kind_.wide ? 2 : 1;
        image[5] = kind_.order.endian() == std::endian::little ? 1 : 2;
        image[6] = 1;
        Fields start(image.subspan(16), kind_);
        start.half(static_cast<std::uint16_t>(kind_.type)).half(kind_.machine).word(1);
        start.place(0).place(0).place(table).word(0);  // entry, segments, sections, flags
        start.half(kind_.header_bytes()).half(0).half(0).half(kind_.section_bytes());
        start.half(count < most ? count : 0).half(names < most ? names : elsewhere);
        Fields out(image.subspan(static_cast<std::size_t>(table)), kind_);
        for (std::size_t number = 0; number < count; ++number) {
            auto header = sections_[number];
            if (number == 0) {
                header = {.link = names < most ? 0 : static_cast<std::uint32_t>(names),
                          .size = count < most ? 0 : count};
            }
            out.word(name_at_[number]).word(header.type).place(header.flags).place(0);
            out.place(header.offset).place(header.size).word(header.link).word(header.info);
            out.place(1).place(header.entry_size);  // alignment
        }
        std::ranges::copy(names_, image.subspan(static_cast<std::size_t>(sections_.back().offset)).begin());
    }

  private:
    const Kind& kind_;
    std::vector<ImageSection> sections_;
    std::vector<std::uint64_t> name_at_;
    std::string names_;
    std::uint64_t size_ = 0;
};

Result<void> read_exactly(const ElfFile& file, const ElfFile::Section& section, std::uint64_t from, std::span<char> out,
                          const LookOut& look) {
    constexpr std::size_t bytes_a_look = std::size_t{8} << 20;
    for (std::size_t at = 0; at < out.size();) {
        const auto part = out.subspan(at, std::min(bytes_a_look, out.size() - at));
        platform::fill_pages(part.data(), part.size());
        const auto got = file.source().read_at(section.offset + from + at, std::as_writable_bytes(part));
        if (!got) return fail(got.error());
        if (*got != part.size()) {
            return fail(ErrorCode::truncated, section.offset, "ELF",
                        "section " + std::string(section.name) + " is cut off");
        }
        at += part.size();
        if (at != out.size()) look.look();
    }
    return {};
}

Result<void> unpack_section(const ElfFile& file, const ImageSection& section, std::span<char> out,
                            const LookOut& look) {
    const auto& packed = section.packed;
    const auto size = static_cast<std::size_t>(section.from->size - packed.head);
    const auto held = std::make_unique_for_overwrite<char[]>(size);
    const std::span bytes(held.get(), size);
    if (auto read = read_exactly(file, *section.from, packed.head, bytes, look); !read) return read;
    auto unpacked = unpack(std::as_bytes(bytes), packed.packing, out, look);
    if (!unpacked) unpacked.error().offset = section.from->offset;
    return unpacked;
}

}  // namespace

void DebugImage::Unmap::operator()(char* pages) const {
    platform::unmap(pages, size);
}

Result<DebugImage> DebugImage::of_size(std::uint64_t size) {
    auto* pages = platform::map_zeros(size);
    if (pages == nullptr) {
        return fail(ErrorCode::limit, Error::no_offset, "ELF",
                    "no room for debug information of " + std::to_string(size) + " bytes");
    }
    return DebugImage({pages, Unmap{static_cast<std::size_t>(size)}});
}

Result<DebugImage> DebugImage::read(std::shared_ptr<const ElfFile> file, const Limits& limits, const LookOut& look) {
    auto chosen = choose_sections(*file, limits);
    if (!chosen) return fail(chosen.error());
    const Kind kind{file->type(), file->machine(), file->wide(), file->order()};
    const Layout layout(kind, std::move(*chosen));
    if (!kind.wide && layout.size() > UINT32_MAX) {
        return fail(ErrorCode::limit, Error::no_offset, "ELF", "debug information has more than 4 GiB");
    }
    auto image = of_size(layout.size());
    if (!image) return image;
    layout.write_headers(image->bytes());
    // libdw writes what it relocates.
    const bool whole = file->type() == ElfFile::Type::relocatable;
    image->file_ = std::move(file);
    for (const auto& section : layout.sections()) {
        if (section.from == nullptr) continue;
        if (section.has_lines()) image->line_bytes_ = section.from->size;
        if (section.has_entries()) image->entry_bytes_ = section.from->size;
        const auto blocks = section.packed.packing != Packing::none ? 1 : (section.size + block - 1) / block;
        auto& unread =
            image->unread_.emplace_back(Unread{section, std::vector<bool>(static_cast<std::size_t>(blocks))});
        if (!section.size) continue;
        if (whole || !section.read_in_parts()) image->load(unread, 0, section.size, look);
        // libdw looks for the end of the last text when it opens the file.
        if (section.has_texts()) image->load(unread, section.size - 1, section.size, look);
        if (image->failure_) return fail(*image->failure_);
    }
    return image;
}

// Blocks that cannot be read stay zero. They are not read again, so that what was read once does not change.
void DebugImage::load(Unread& from, std::uint64_t begin, std::uint64_t end, const LookOut& look) {
    const auto& section = from.section;
    const auto all = bytes().subspan(static_cast<std::size_t>(section.offset), static_cast<std::size_t>(section.size));
    const auto note = [&](const Result<void>& read) {
        if (!read && !failure_) failure_ = read.error();
    };
    if (section.packed.packing != Packing::none) {
        if (!from.loaded[0]) {
            // All of it is written: take a page fault for each 2 MiB, not for each 4 KiB.
            const auto image = reinterpret_cast<std::uintptr_t>(bytes().data());
            const auto at = reinterpret_cast<std::uintptr_t>(all.data());
            platform::ask_huge_pages(std::max(image, at / platform::huge_page * platform::huge_page), at + all.size());
            note(unpack_section(*file_, section, all, look));
            loaded_bytes_ += section.size;
        }
        from.loaded[0] = true;
        return;
    }
    const auto last = static_cast<std::size_t>((end - 1) / block);
    for (auto first = static_cast<std::size_t>(begin / block); first <= last; ++first) {
        if (from.loaded[first]) continue;
        auto behind = first;
        while (behind <= last && !from.loaded[behind]) ++behind;
        const auto at = first * block;
        const auto part = all.subspan(at, std::min(behind * block, all.size()) - at);
        note(read_exactly(*file_, *section.from, at, part, look));
        std::fill(from.loaded.begin() + static_cast<std::ptrdiff_t>(first),
                  from.loaded.begin() + static_cast<std::ptrdiff_t>(behind), true);
        loaded_bytes_ += part.size();
        first = behind - 1;
    }
}

void DebugImage::load(Bytes part) {
    const auto all = std::as_bytes(bytes());
    if (part.empty() || std::less{}(part.data(), all.data())) return;
    const auto begin = static_cast<std::uint64_t>(part.data() - all.data()), end = begin + part.size();
    for (auto& one : unread_) {
        const auto from = one.section.offset, to = from + one.section.size;
        if (begin < to && from < end) load(one, std::max(begin, from) - from, std::min(end, to) - from);
    }
}

void DebugImage::unpack(std::string_view section, const LookOut& look) {
    for (auto& one : unread_) {
        const auto& of = one.section;
        if (of.name == section && of.packed.packing != Packing::none && of.size != 0) load(one, 0, of.size, look);
    }
}

Result<DebugImage> DebugImage::nothing() {
    const Kind kind;
    // libdw needs one section to read.
    const Layout layout(kind, {{}, {.name = ".debug_info", .type = content_section, .size = 1}});
    auto image = of_size(layout.size());
    if (image) layout.write_headers(image->bytes());
    return image;
}

bool has_lines(const ElfFile& file) {
    // Called once for each name of a file: avoid a search.
    constexpr std::array<std::string_view, 2> names{".debug_line", ".zdebug_line"};
    return std::ranges::any_of(names, [&](std::string_view name) {
        const auto* section = file.section(name);
        return section != nullptr && section->type != no_bits && section->size != 0;
    });
}

}  // namespace perfdata
