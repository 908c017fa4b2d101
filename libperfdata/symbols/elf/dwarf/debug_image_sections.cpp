// SPDX-License-Identifier: MIT
#include "debug_image_sections.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "symbols/elf/elf_constants.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t in_memory = 2, executable = 4, in_group = 0x200;  // flags

constexpr std::string_view lines = ".debug_line", entries = ".debug_info", texts = ".debug_str",
                           line_texts = ".debug_line_str";
constexpr std::array<std::string_view, 9> wanted{entries,           ".debug_abbrev", lines,
                                                 line_texts,        texts,           ".debug_ranges",
                                                 ".debug_rnglists", ".debug_addr",   ".debug_str_offsets"};

// Returns the usual name of a section; old tools write ".zdebug_line" for a compressed one. Empty: the section is not
// needed.
std::string_view wanted_name(std::string_view name) {
    for (const auto one : wanted) {
        if (name == one || (name.starts_with(".z") && name.substr(2) == one.substr(1))) return one;
    }
    return {};
}

// Choice selects the sections of a file for the image.
class Choice {
  public:
    Choice(const ElfFile& file, const Limits& limits) : file_(file), limits_(limits) {}

    Result<std::vector<ImageSection>> choose() {
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
        return check_unpacked();
    }

    // Bounds all sections together: one may pack much better than another.
    Result<void> check_unpacked() const {
        const auto most = most_unpacked(packed_);
        if (unpacked_ <= most) return {};
        return fail(ErrorCode::limit, Error::no_offset, "ELF",
                    "compressed sections of " + std::to_string(packed_) + " bytes unpack to " +
                        std::to_string(unpacked_) + "; at most " + std::to_string(most) + " are read");
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
            const ImageSection header{.type = section.type,
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
        const ImageSection header{.type = symbol_section,
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

    ImageSection& header_of(const ElfFile::Section& section) {
        if (!relocatable()) return headers_.emplace_back();
        return headers_[static_cast<std::size_t>(&section - file_.sections().data())];
    }

    Result<void> take(const ElfFile::Section& section, const ImageSection& as) {
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
            packed_ += section.size;
            unpacked_ += packed->size;  // each is at most the limit above
        }
        header = as;
        header.from = &section;
        header.packed = *packed;
        header.size = packed->size;
        return {};
    }

    const ElfFile& file_;
    const Limits& limits_;
    std::vector<ImageSection> headers_;
    std::uint64_t in_file_ = 0;                // bytes of the chosen sections
    std::uint64_t packed_ = 0, unpacked_ = 0;  // bytes of the compressed ones among them
};

}  // namespace

bool ImageSection::read_in_parts() const {
    return has_entries() || has_texts() || has_lines();
}

bool ImageSection::has_texts() const {
    return name == texts || name == line_texts;
}

bool ImageSection::has_lines() const {
    return name == lines;
}

bool ImageSection::has_entries() const {
    return name == entries;
}

Result<std::vector<ImageSection>> choose_sections(const ElfFile& file, const Limits& limits) {
    return Choice(file, limits).choose();
}

}  // namespace perfdata
