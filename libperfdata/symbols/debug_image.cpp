// SPDX-License-Identifier: MIT
#include "debug_image.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <sys/mman.h>

#include "perfdata/core/cursor.hpp"

#include "elf_constants.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t symbols_section = 2, relocations_with_addend = 4, relocations = 9;
constexpr std::uint64_t small = 65536;

// is_debug(name): ".debug_line", or ".zdebug_line" as old tools call it when it is compressed.
bool is_debug(std::string_view name, std::string_view wanted) {
    for (const std::string_view start : {".debug_", ".zdebug_"}) {
        if (name.starts_with(start) && name.substr(start.size()) == wanted) return true;
    }
    return false;
}

constexpr std::array<std::string_view, 10> lines_are_in{"info",   "abbrev",   "line", "line_str",    "str",
                                                        "ranges", "rnglists", "addr", "str_offsets", "aranges"};

// names_of_symbols(file): for each section whether it has the names of a table of symbols.
std::vector<bool> names_of_symbols(const ElfFile& file) {
    std::vector<bool> linked(file.sections().size());
    for (const auto& section : file.sections()) {
        if (section.type == symbols_section && section.link < linked.size()) linked[section.link] = true;
    }
    return linked;
}

// needed(file, section, linked): what lines are read from, and in a relocatable file what is needed to relocate that.
bool needed(const ElfFile& file, const ElfFile::Section& section, const std::vector<bool>& linked) {
    const auto about_lines = [](std::string_view name) {
        return std::ranges::any_of(lines_are_in, [&](std::string_view wanted) { return is_debug(name, wanted); });
    };
    if (about_lines(section.name)) return true;
    if (file.type() != ElfFile::Type::relocatable) return false;
    const auto& sections = file.sections();
    if (section.type == relocations || section.type == relocations_with_addend) {
        return section.info < sections.size() && about_lines(sections[section.info].name);
    }
    if (section.type == symbols_section) return true;
    return linked[static_cast<std::size_t>(&section - sections.data())];
}

struct Part {
    std::uint64_t begin = 0, end = 0;
};

class Copier {
  public:
    Copier(const Source& source, std::span<char> out) : source_(source), out_(out) {}

    Result<void> copy(Part part) const {
        const auto begin = std::min<std::uint64_t>(part.begin, out_.size());
        const auto end = std::min<std::uint64_t>(part.end, out_.size());
        if (begin >= end) return {};
        const auto place = out_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        const auto got = source_.read_at(begin, std::as_writable_bytes(place));
        if (!got) return fail(got.error());
        return {};
    }

  private:
    const Source& source_;
    std::span<char> out_;
};

// most_unpacked(size): bytes that the compressed sections of a file of `size` bytes may unpack to.
std::uint64_t most_unpacked(std::uint64_t size) {
    constexpr std::uint64_t times = 32, some = std::uint64_t{16} << 20;
    return some + std::min(size, std::uint64_t{1} << 40) * times;
}

// unpacked_size(file, section) is what a compressed section says that it unpacks to.
Result<std::uint64_t> unpacked_size(const ElfFile& file, const ElfFile::Section& section) {
    std::array<std::byte, 24> head{};
    const auto got = file.source().read_at(section.offset, head);
    if (!got) return fail(got.error());
    if ((section.flags & compressed_flag) != 0) {
        Cursor in(Bytes(head).first(*got), file.order(), {.where = "compressed section"});
        in.skip(file.wide() ? 8 : 4);  // ch_type, ch_reserved
        return file.wide() ? in.u64() : in.u32();
    }
    if (section.name.starts_with(".zdebug_")) {  // "ZLIB", then the size in big-endian order
        Cursor in(Bytes(head).first(*got), AnyOrder(std::endian::big), {.where = "compressed section"});
        in.skip(4);
        return in.u64();
    }
    return section.size;
}

}  // namespace

void DebugImage::Unmap::operator()(char* pages) const {
    ::munmap(pages, size);
}

bool has_lines(const ElfFile& file) {
    // Asked for each name of a file.
    constexpr std::array<std::string_view, 2> names{".debug_line", ".zdebug_line"};
    return std::ranges::any_of(names, [&](std::string_view name) {
        const auto* section = file.section(name);
        return section != nullptr && section->type != no_bits && section->size != 0;
    });
}

Result<DebugImage> DebugImage::read(const ElfFile& file, const Limits& limits) {
    const auto size = file.source().size();
    std::vector<Part> wanted, unwanted, links;
    const auto linked = names_of_symbols(file);
    std::uint64_t sum = 0;
    for (const auto& section : file.sections()) {
        if (section.type == no_bits || section.offset > size || section.size > size - section.offset) continue;
        const Part part{section.offset, section.offset + section.size};
        if (!needed(file, section, linked)) {
            // libdw is not to look for another file by itself.
            const bool link = section.name == ".gnu_debugaltlink";
            if (section.size > small || link) unwanted.push_back(part);
            if (link) links.push_back(part);
            continue;
        }
        wanted.push_back(part);
        const auto unpacked = unpacked_size(file, section);
        if (!unpacked) return fail(unpacked.error());
        if (std::max(*unpacked, section.size) > limits.section_bytes) {
            return fail(ErrorCode::limit, section.offset, "ELF",
                        "section " + std::string(section.name) + " has " + std::to_string(*unpacked) +
                            " bytes; at most " + std::to_string(limits.section_bytes) + " are read");
        }
        if (*unpacked == section.size) continue;
        // Debug information packs to a fifth or so; what packs to a hundredth is there to fill the memory.
        sum += *unpacked;
        if (const auto most = most_unpacked(size); sum > most) {
            return fail(ErrorCode::limit, section.offset, "ELF",
                        "compressed sections unpack to more than " + std::to_string(most) + " bytes in a file of " +
                            std::to_string(size));
        }
    }
    auto* pages = size > SIZE_MAX ? MAP_FAILED
                                  : ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        return fail(ErrorCode::limit, Error::no_offset, "ELF",
                    "no room for a file of " + std::to_string(size) + " bytes");
    }
    DebugImage image({static_cast<char*>(pages), Unmap{static_cast<std::size_t>(size)}});

    // Everything between the unwanted sections; then the wanted ones, should a damaged table let them overlap.
    std::ranges::sort(unwanted, {}, &Part::begin);
    std::vector<Part> parts;
    std::uint64_t at = 0, between = 0;
    unwanted.push_back({size, size});
    for (const auto& part : unwanted) {
        if (part.begin > at) parts.push_back({at, part.begin});
        between += part.begin > at ? part.begin - at : 0;
        at = std::max(at, part.end);
    }
    // A file may have holes of any size, which cost no room on a disk.
    if (between > limits.section_bytes) {
        return fail(ErrorCode::limit, Error::no_offset, "ELF",
                    std::to_string(between) + " bytes outside of large sections; at most " +
                        std::to_string(limits.section_bytes) + " are read");
    }
    parts.insert(parts.end(), wanted.begin(), wanted.end());
    const Copier copier(file.source(), image.bytes());
    for (const auto& part : parts) {
        if (auto copied = copier.copy(part); !copied) return fail(copied.error());
    }
    // A damaged table may let a link overlap what is wanted.
    for (const auto& part : links) {
        std::ranges::fill(image.bytes().subspan(static_cast<std::size_t>(part.begin),
                                                static_cast<std::size_t>(part.end - part.begin)),
                          '\0');
    }
    return image;
}

}  // namespace perfdata
