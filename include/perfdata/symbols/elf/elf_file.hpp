// SPDX-License-Identifier: MIT
// The structure of an ELF file: sections, segments, identity. System V ABI, chapters 4 and 5.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// ElfFile is an ELF file of either class and byte order. Opening reads headers and notes, sections are read when they
// are asked for. The file is not believed: every size is checked against the input and the limits. Const use from many
// threads is safe.
class ElfFile {
  public:
    enum class Type : std::uint16_t { relocatable = 1, executable = 2, shared = 3, core = 4 };

    struct Section {
        std::string_view name;  // lives as long as the file
        std::uint32_t type = 0;
        std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
        std::uint32_t link = 0, info = 0;
        std::uint64_t entry_size = 0;

        bool executable() const { return (flags & 4) != 0; }
    };
    // Segment is a PT_LOAD.
    struct Segment {
        std::uint64_t vaddr = 0, offset = 0, file_size = 0, memory_size = 0;
        bool executable = false;
    };
    // DebugLink names the file that strip put the symbols into.
    struct DebugLink {
        std::string name;
        std::uint32_t crc = 0;
    };

    struct AlternateLink {
        std::string path;  // absolute, or from where the file is
        std::string build_id;
    };

    // open(source) fails (malformed, truncated, limit, io) if the input is no ELF file or its headers are damaged.
    static Result<ElfFile> open(std::shared_ptr<const Source> source, const Limits& limits = {});

    ElfFile(ElfFile&&) noexcept = default;
    ElfFile& operator=(ElfFile&&) noexcept = default;
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    // source() is the whole file, for readers that go their own way.
    const Source& source() const { return *source_; }

    Type type() const { return type_; }
    // machine() is EM_*.
    std::uint16_t machine() const { return machine_; }
    bool wide() const { return wide_; }  // 64 bit
    AnyOrder order() const { return order_; }
    const std::vector<Section>& sections() const { return sections_; }
    const std::vector<Segment>& segments() const { return segments_; }
    // section(name) is the first of that name, null if there is none.
    const Section* section(std::string_view name) const;
    // code_section(offset) is the first with code that has the byte at this place of the file, null if there is none.
    const Section* code_section(std::uint64_t offset) const;

    // build_id() is empty if the file has none.
    Bytes build_id() const { return build_id_; }
    std::optional<DebugLink> debug_link() const;
    // alternate_link() names the file that dwz moved what several files have in common to.
    std::optional<AlternateLink> alternate_link() const;

    // content(section) is its bytes in the file. Errors: truncated, limit, io, missing (it has none: NOBITS),
    // unsupported (they are compressed, as only sections of debug information are).
    Result<std::string> content(const Section& section) const;

    // vaddr(file_offset) is the address that the ELF file gives the byte at that offset. Nothing if no segment holds
    // it. In a relocatable file (a kernel module) addresses are file offsets.
    std::optional<std::uint64_t> vaddr(std::uint64_t file_offset) const;
    // layout_known() is false for a debug file from which the offsets of the executable segments were stripped.
    bool layout_known() const;
    // read(vaddr, out) fills `out` with the file's bytes for that address and says how many there were.
    Result<std::size_t> read(std::uint64_t vaddr, std::span<std::byte> out) const;
    // next_segment(vaddr) is the next address above at which bytes of a segment begin; nothing if there are none.
    std::optional<std::uint64_t> next_segment(std::uint64_t vaddr) const;

  private:
    ElfFile() = default;

    Result<void> read_headers();
    Result<void> read_sections(std::uint64_t offset, std::uint64_t count, std::uint16_t size, std::uint32_t names);
    Result<void> read_segments(std::uint64_t offset, std::uint64_t count, std::uint16_t size);
    void read_build_id();
    // Stretch is addresses or offsets, up to where the next begins, and the index of what counts there: of a segment
    // or of a section.
    struct Stretch {
        std::uint64_t begin = 0;
        std::uint32_t index = 0;  // all ones: none
    };
    struct Part {
        std::uint64_t begin = 0, size = 0;
        std::uint32_t index = 0;
    };
    static std::vector<Stretch> lay_out(const std::vector<Part>& parts);
    static std::optional<std::uint32_t> index_at(const std::vector<Stretch>& stretches, std::uint64_t at);
    const Segment* segment_at(const std::vector<Stretch>& stretches, std::uint64_t at) const;
    void lay_out_sections();
    void lay_out_segments();
    Result<std::string> bytes(std::uint64_t offset, std::uint64_t size, std::string_view what) const;

    std::shared_ptr<const Source> source_;
    std::uint64_t section_limit_ = 0;
    Type type_ = Type::executable;
    std::uint16_t machine_ = 0;
    bool wide_ = true;
    AnyOrder order_;
    std::vector<char> section_names_;
    std::vector<Section> sections_;
    // Searches in them are O(log n), however many a file claims.
    std::vector<std::uint32_t> by_name_;   // the first of each name
    std::vector<Stretch> code_by_offset_;  // of a relocatable file only
    std::vector<Segment> segments_;
    std::vector<Stretch> by_offset_, by_vaddr_;  // of segments_: a search is O(log n), however many a file claims
    std::vector<Segment> note_segments_;
    std::vector<std::byte> build_id_;
};

}  // namespace perfdata
