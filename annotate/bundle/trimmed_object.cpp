// SPDX-License-Identifier: MIT
#include "trimmed_object.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "elf/elf_bytes.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t section_without_bytes = 8;  // SHT_NOBITS
constexpr std::uint64_t in_memory_flag = 2;         // SHF_ALLOC: of code and data
constexpr std::uint64_t compressed_flag = 0x800;    // SHF_COMPRESSED

// Sections that neither lines nor inlined calls need. Each stands for its packed and its relocated form, too.
constexpr std::array<std::string_view, 10> of_variables{"loc",      "loclists", "macro",        "macinfo",
                                                        "pubnames", "pubtypes", "gnu_pubnames", "gnu_pubtypes",
                                                        "names",    "gdb_index"};

// Returns the name of debug information without its beginning, ".debug_", ".zdebug_", ".rela.debug_"; empty for other
// sections.
std::string_view debug_part(std::string_view name) {
    for (const std::string_view before : {".rela", ".rel"}) {
        if (name.starts_with(before) && name.substr(before.size()).starts_with('.')) {
            name.remove_prefix(before.size());
            break;
        }
    }
    if (name == ".gdb_index") return name.substr(1);
    for (const std::string_view before : {".debug_", ".zdebug_"}) {
        if (name.starts_with(before)) return name.substr(before.size());
    }
    return {};
}

// Patched is a file with some bytes replaced.
class PatchedSource final : public Source {
  public:
    struct Patch {
        std::uint64_t offset = 0, size = 0;
        std::string bytes{};  // empty: zeros
    };

    // The patches ascend and do not overlap.
    PatchedSource(std::shared_ptr<const Source> beneath, std::vector<Patch> patches)
        : beneath_(std::move(beneath)), patches_(std::move(patches)) {}

    std::uint64_t size() const override { return beneath_->size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        auto got = beneath_->read_at(offset, out);
        if (!got) return got;
        const auto end = offset + *got;
        auto patch =
            std::ranges::upper_bound(patches_, offset, {}, [](const Patch& one) { return one.offset + one.size; });
        for (; patch != patches_.end() && patch->offset < end; ++patch) {
            const auto first = std::max(offset, patch->offset), last = std::min(end, patch->offset + patch->size);
            for (auto at = first; at < last; ++at) {
                const auto byte =
                    patch->bytes.empty()
                        ? std::byte{}
                        : static_cast<std::byte>(patch->bytes[static_cast<std::size_t>(at - patch->offset)]);
                out[static_cast<std::size_t>(at - offset)] = byte;
            }
        }
        return got;
    }
    std::optional<Error> damage() const override { return beneath_->damage(); }

  private:
    std::shared_ptr<const Source> beneath_;
    std::vector<Patch> patches_;
};

// Numbers in the header of a file of its class and byte order.
class HeaderReader {
  public:
    HeaderReader(const Source& source, const ElfFile& file) : source_(source), file_(file) {}

    Result<std::uint64_t> number(std::uint64_t at, unsigned size) const {
        std::array<std::byte, 8> bytes{};
        const auto got = source_.read_at(at, std::span(bytes).first(size));
        if (!got) return fail(got.error());
        std::uint64_t value = 0;
        const bool little = file_.order().endian() == std::endian::little;
        for (unsigned place = 0; place < size; ++place) {
            value = value << 8 | std::to_integer<std::uint64_t>(bytes[little ? size - 1 - place : place]);
        }
        return value;
    }
    Result<std::uint64_t> word(std::uint64_t at) const { return number(at, file_.wide() ? 8 : 4); }

  private:
    const Source& source_;
    const ElfFile& file_;
};

}  // namespace

bool is_left_out(std::string_view section, DebugDetail detail) {
    if (detail == DebugDetail::full) return false;
    const auto part = debug_part(section);
    if (part.empty() || part == "frame") return false;
    return detail == DebugDetail::none || std::ranges::find(of_variables, part) != of_variables.end();
}

Result<TrimmedObject> trimmed_object(std::shared_ptr<const Source> content, const ElfFile& file, DebugDetail detail) {
    std::vector<std::size_t> wanted;
    const auto& sections = file.sections();
    for (std::size_t number = 0; number < sections.size(); ++number) {
        const auto& section = sections[number];
        if (section.type == section_without_bytes || section.size == 0) continue;
        if ((section.flags & in_memory_flag) == 0 && is_left_out(section.name, detail)) wanted.push_back(number);
    }
    if (wanted.empty()) return TrimmedObject{std::move(content), 0};
    const HeaderReader header(*content, file);
    const auto table = header.word(file.wide() ? 40 : 32);
    const auto entry = header.number(file.wide() ? 58 : 46, 2);
    if (!table || !entry) return fail(table ? entry.error() : table.error());
    const auto file_size = content->size();
    std::vector<PatchedSource::Patch> zeros, heads;
    TrimmedObject trimmed;
    for (const auto number : wanted) {
        const auto& section = sections[number];
        if (section.offset >= file_size) continue;
        zeros.push_back({section.offset, std::min(section.size, file_size - section.offset)});
        ElfBytes type(file.order().endian(), file.wide());
        type.u32(section_without_bytes);
        type.word(section.flags & ~compressed_flag);
        heads.push_back({*table + number * *entry + 4, type.size(), type.bytes()});
    }
    // Sections of hostile files lie over each other, and over the headers: what others still need is not zeroed.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> kept{{0, file.wide() ? 64 : 52},
                                                              {*table, *table + sections.size() * *entry}};
    for (std::size_t number = 0; number < sections.size(); ++number) {
        const auto& section = sections[number];
        if (section.type == section_without_bytes || std::ranges::binary_search(wanted, number)) continue;
        if (section.size != 0) kept.emplace_back(section.offset, section.offset + section.size);
    }
    for (const auto& segment : file.segments()) kept.emplace_back(segment.offset, segment.offset + segment.file_size);
    std::ranges::sort(kept);
    std::ranges::sort(zeros, {}, &PatchedSource::Patch::offset);
    std::vector<PatchedSource::Patch> patches;
    std::uint64_t done = 0;  // end of what was looked at
    auto next = kept.begin();
    std::uint64_t kept_until = 0;
    for (const auto& zero : zeros) {
        auto at = std::max(zero.offset, done);
        const auto end = zero.offset + zero.size;
        while (at < end) {
            while (next != kept.end() && next->first <= at) kept_until = std::max(kept_until, (next++)->second);
            if (kept_until > at) {
                at = std::min(kept_until, end);
                continue;
            }
            const auto until = std::min(end, next == kept.end() ? end : next->first);
            patches.push_back({at, until - at});
            trimmed.left_out += until - at;
            at = until;
        }
        done = std::max(done, end);
    }
    std::ranges::move(heads, std::back_inserter(patches));
    std::ranges::sort(patches, {}, &PatchedSource::Patch::offset);
    trimmed.content = std::make_shared<const PatchedSource>(std::move(content), std::move(patches));
    return trimmed;
}

}  // namespace perfdata
