// SPDX-License-Identifier: MIT
#include "debug_image.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform.hpp"
#include "symbols/elf/elf_constants.hpp"
#include "symbols/elf/elf_packed.hpp"

namespace perfdata {
namespace {

enum SectionType : std::uint32_t {
    content_section = 1,
    symbol_section = 2,
    string_section = 3,
    symbol_index_section = 18  // section numbers that do not fit into symbols
};
constexpr std::uint64_t in_memory = 2, executable = 4, in_group = 0x200;  // flags

constexpr std::string_view lines = ".debug_line";
constexpr std::array<std::string_view, 9> wanted{".debug_info",     ".debug_abbrev", lines,
                                                 ".debug_line_str", ".debug_str",    ".debug_ranges",
                                                 ".debug_rnglists", ".debug_addr",   ".debug_str_offsets"};

// Returns the usual name of a section; old tools write ".zdebug_line" for a compressed one. Empty: the section is not
// needed.
std::string_view wanted_name(std::string_view name) {
    for (const auto one : wanted) {
        if (name == one || (name.starts_with(".z") && name.substr(2) == one.substr(1))) return one;
    }
    return {};
}

// Header is a section of the image.
struct Header {
    std::string_view name{};
    const ElfFile::Section* from = nullptr;  // has its bytes; null: zeros, or none
    PackedSection packed{};
    std::uint32_t type = 0, link = 0, info = 0;
    std::uint64_t flags = 0, size = 0, entry_size = 0;
    std::uint64_t offset = 0;  // offset in the image
};

// Returns how many bytes the compressed sections of a file of `size` bytes may unpack to. Debug information packs to a
// third, abbreviations and names to a tenth. What packs to a hundredth is there to fill memory.
std::uint64_t most_unpacked(std::uint64_t size) {
    constexpr std::uint64_t times = 16, some = std::uint64_t{1} << 20;
    return some + std::min(size, std::uint64_t{1} << 40) * times;
}

// Choice selects the sections of a file for the image.
class Choice {
  public:
    Choice(const ElfFile& file, const Limits& limits) : file_(file), limits_(limits) {}

    Result<std::vector<Header>> choose() {
        const auto& sections = file_.sections();
        headers_.resize(relocatable() ? std::max<std::size_t>(1, sections.size()) : 1);
        if (auto taken = take_contents(); !taken) return fail(taken.error());
        if (relocatable()) {
            if (auto taken = take_places(); !taken) return fail(taken.error());
            if (auto taken = take_relocations(); !taken) return fail(taken.error());
            if (auto taken = take_symbols(); !taken) return fail(taken.error());
        }
        return std::move(headers_);
    }

  private:
    bool relocatable() const { return file_.type() == ElfFile::Type::relocatable; }

    // As libdw: the first of a name that has bytes and belongs to no group.
    Result<void> take_contents() {
        std::array<bool, wanted.size()> found{};
        for (const auto& section : file_.sections()) {
            if (section.type == no_bits || section.size == 0 || (section.flags & in_group) != 0) continue;
            const auto name = wanted_name(section.name);
            if (name.empty()) continue;
            const auto number = static_cast<std::size_t>(std::ranges::find(wanted, name) - wanted.begin());
            if (std::exchange(found[number], true)) continue;
            if (auto taken = take(section, {.name = name, .type = content_section}); !taken) return taken;
        }
        return {};
    }

    // libdw chooses addresses for sections that are in memory at run time.
    Result<void> take_places() {
        constexpr std::uint64_t most = std::uint64_t{1} << 62;
        std::uint64_t sum = 0;
        for (const auto& section : file_.sections()) {
            auto& header = header_of(section);
            if ((section.flags & in_memory) == 0 || header.type != 0) continue;
            header.type = no_bits;
            header.flags = section.flags & (in_memory | executable);
            header.size = section.size;
            sum += std::min(section.size, most);
            if (sum >= most) {
                return fail(ErrorCode::malformed, section.offset, "ELF", "sections have more bytes than addresses");
            }
        }
        return {};
    }

    Result<void> take_relocations() {
        std::vector<bool> relocated(headers_.size());
        for (const auto& section : file_.sections()) {
            const bool with_addend = section.type == rela_section;
            if ((section.type != rel_section && !with_addend) || section.size == 0) continue;
            if (section.info >= headers_.size() || headers_[section.info].name.empty()) continue;
            if (relocated[section.info]) {
                return fail(
                    ErrorCode::limit, section.offset, "ELF",
                    "section " + std::string(headers_[section.info].name) + " is relocated by more than one section");
            }
            relocated[section.info] = true;
            const std::uint64_t word = file_.wide() ? 8 : 4;
            const Header header{.type = section.type,
                                .link = section.link,
                                .info = section.info,
                                .entry_size = word * (with_addend ? 3 : 2)};
            if (auto taken = take(section, header); !taken) return taken;
        }
        return {};
    }

    Result<void> take_symbols() {
        const auto& sections = file_.sections();
        const auto symbols = std::ranges::find(sections, std::uint32_t{symbol_section}, &ElfFile::Section::type);
        if (symbols == sections.end()) return {};
        const auto number = static_cast<std::uint32_t>(symbols - sections.begin());
        const Header header{.type = symbol_section,
                            .link = symbols->link,
                            .info = symbols->info,
                            .entry_size = std::uint64_t{file_.wide() ? 24u : 16u}};
        if (auto taken = take(*symbols, header); !taken) return taken;
        if (symbols->link < sections.size()) {
            if (auto taken = take(sections[symbols->link], {.type = string_section}); !taken) return taken;
        }
        const auto indices = std::ranges::find_if(sections, [&](const ElfFile::Section& section) {
            return section.type == symbol_index_section && section.link == number;
        });
        if (indices == sections.end()) return {};
        return take(*indices, {.type = symbol_index_section, .link = number, .entry_size = 4});
    }

    Header& header_of(const ElfFile::Section& section) {
        if (!relocatable()) return headers_.emplace_back();
        return headers_[static_cast<std::size_t>(&section - file_.sections().data())];
    }

    Result<void> take(const ElfFile::Section& section, const Header& as) {
        auto& header = header_of(section);
        if (header.type != 0 || section.type == no_bits) return {};  // libdw reports what is missing
        const auto name = "section " + std::string(section.name);
        const auto size = file_.source().size();
        if (section.offset > size || section.size > size - section.offset) {
            return fail(ErrorCode::truncated, section.offset, "ELF", name + " goes beyond the end of the file");
        }
        in_file_ += section.size;
        if (in_file_ > size) {
            return fail(ErrorCode::limit, section.offset, "ELF", "sections of debug information lie over each other");
        }
        const auto packed = packed_section(file_, section);
        if (!packed) return fail(packed.error());
        if (std::max(packed->size, section.size) > limits_.section_bytes) {
            return fail(ErrorCode::limit, section.offset, "ELF",
                        name + " has " + std::to_string(packed->size) + " bytes; at most " +
                            std::to_string(limits_.section_bytes) + " are read");
        }
        if (packed->packing != Packing::none) {
            if (as.type != content_section) {
                return fail(ErrorCode::unsupported, section.offset, "ELF", name + " is compressed");
            }
            unpacked_ += packed->size;
            if (const auto most = most_unpacked(size); unpacked_ > most) {
                return fail(ErrorCode::limit, section.offset, "ELF",
                            "compressed sections unpack to more than " + std::to_string(most) + " bytes in a file of " +
                                std::to_string(size));
            }
        }
        header = as;
        header.from = &section;
        header.packed = *packed;
        header.size = packed->size;
        return {};
    }

    const ElfFile& file_;
    const Limits& limits_;
    std::vector<Header> headers_;
    std::uint64_t in_file_ = 0, unpacked_ = 0;  // bytes of the chosen sections
};

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
    Layout(const Kind& kind, std::vector<Header> headers) : kind_(kind), headers_(std::move(headers)) {
        names_ = std::string(1, '\0');
        headers_.push_back({.name = ".shstrtab", .type = string_section});
        for (auto& header : headers_) {
            name_at_.push_back(header.name.empty() ? 0 : names_.size());
            if (!header.name.empty()) names_.append(header.name).append(1, '\0');
        }
        headers_.back().size = names_.size();
        // Align it: libelf then reads it in place.
        constexpr std::uint64_t alignment = 16;
        const auto aligned = [](std::uint64_t at) { return (at + alignment - 1) / alignment * alignment; };
        size_ = aligned(kind.header_bytes()) + headers_.size() * kind.section_bytes();
        for (auto& header : headers_) {
            header.offset = aligned(size_);
            if (header.type != no_bits) size_ = header.offset + header.size;
        }
    }

    std::uint64_t size() const { return size_; }
    const std::vector<Header>& headers() const { return headers_; }

    void write_headers(std::span<char> image) const {
        constexpr std::uint64_t elsewhere = 0xffff, most = 0xff00;  // from this on, section 0 has the numbers
        const auto count = headers_.size(), names = count - 1;
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
            auto header = headers_[number];
            if (number == 0) {
                header = {.link = names < most ? 0 : static_cast<std::uint32_t>(names),
                          .size = count < most ? 0 : count};
            }
            out.word(name_at_[number]).word(header.type).place(header.flags).place(0);
            out.place(header.offset).place(header.size).word(header.link).word(header.info);
            out.place(1).place(header.entry_size);  // alignment
        }
        std::ranges::copy(names_, image.subspan(static_cast<std::size_t>(headers_.back().offset)).begin());
    }

  private:
    const Kind& kind_;
    std::vector<Header> headers_;
    std::vector<std::uint64_t> name_at_;
    std::string names_;
    std::uint64_t size_ = 0;
};

Result<void> read_exactly(const ElfFile& file, const ElfFile::Section& section, std::uint64_t from,
                          std::span<char> out) {
    const auto got = file.source().read_at(section.offset + from, std::as_writable_bytes(out));
    if (!got) return fail(got.error());
    if (*got == out.size()) return {};
    return fail(ErrorCode::truncated, section.offset, "ELF", "section " + std::string(section.name) + " is cut off");
}

Result<void> fill(const ElfFile& file, const Header& header, std::span<char> out) {
    const auto& packed = header.packed;
    if (packed.packing == Packing::none) return read_exactly(file, *header.from, 0, out);
    std::string bytes(static_cast<std::size_t>(header.from->size - packed.head), '\0');
    if (auto read = read_exactly(file, *header.from, packed.head, bytes); !read) return read;
    auto unpacked = unpack(std::as_bytes(std::span(bytes)), packed.packing, out);
    if (!unpacked) unpacked.error().offset = header.from->offset;
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

Result<DebugImage> DebugImage::read(const ElfFile& file, const Limits& limits) {
    auto chosen = Choice(file, limits).choose();
    if (!chosen) return fail(chosen.error());
    const Kind kind{file.type(), file.machine(), file.wide(), file.order()};
    const Layout layout(kind, std::move(*chosen));
    if (!kind.wide && layout.size() > UINT32_MAX) {
        return fail(ErrorCode::limit, Error::no_offset, "ELF", "debug information has more than 4 GiB");
    }
    auto image = of_size(layout.size());
    if (!image) return image;
    layout.write_headers(image->bytes());
    for (const auto& header : layout.headers()) {
        if (header.from == nullptr) continue;
        const auto place =
            image->bytes().subspan(static_cast<std::size_t>(header.offset), static_cast<std::size_t>(header.size));
        if (auto filled = fill(file, header, place); !filled) return fail(filled.error());
        if (header.name == lines) image->line_bytes_ = header.from->size;
    }
    return image;
}

Result<DebugImage> DebugImage::nothing() {
    const Kind kind;
    // libdw needs one section to read.
    const Layout layout(kind, {{}, {.name = wanted[0], .type = content_section, .size = 1}});
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
