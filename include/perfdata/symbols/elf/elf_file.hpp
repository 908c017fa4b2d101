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
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

class LookOut;

// ElfFile reads ELF files of either class and byte order. Opening reads headers and notes; sections are read on demand.
// Every size is checked against the input and the limits. Const use from many threads is safe.
class PERFDATA_EXPORT ElfFile {
  public:
    // Type is ET_* of ELF; other values are kept as they are.
    enum class Type : std::uint16_t { relocatable = 1, executable = 2, shared = 3, core = 4 };

    // Section is one entry of the table of sections.
    struct Section {
        std::string_view name;   // lives as long as the file
        std::uint32_t type = 0;  // SHT_*

        // SHF_*, virtual address, offset in the file, and bytes.
        std::uint64_t flags = 0, address = 0, offset = 0, size = 0;

        std::uint32_t link = 0, info = 0;  // indices of other sections, as the type defines them
        std::uint64_t entry_size = 0;      // bytes of each element of a table; 0: it is none

        bool executable() const { return (flags & 4) != 0; }  // has SHF_EXECINSTR: holds code
    };
    // Segment is a PT_LOAD.
    struct Segment {
        // As in the program header: p_vaddr, p_offset, p_filesz, p_memsz.
        std::uint64_t vaddr = 0, offset = 0, file_size = 0, memory_size = 0;

        bool executable = false;  // has PF_X
    };
    // DebugLink names the separate debug file, as .gnu_debuglink does.
    struct DebugLink {
        std::string name;       // without a directory
        std::uint32_t crc = 0;  // CRC-32 of the whole debug file
    };

    // AlternateLink is what .gnu_debugaltlink names.
    struct AlternateLink {
        std::string path;      // absolute, or relative to the file's directory
        std::string build_id;  // raw bytes, not digits
    };

    // Opens a file. Errors: malformed (no ELF file, or its headers are damaged), truncated, limit, io; cancelled: a
    // file may claim millions of sections.
    static Result<ElfFile> open(std::shared_ptr<const Source> source, const Limits& limits = {},
                                const Watch& watch = {});

    ElfFile(ElfFile&&) noexcept = default;
    ElfFile& operator=(ElfFile&&) noexcept = default;
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    // Returns the whole file.
    const Source& source() const { return *source_; }

    Type type() const { return type_; }  // of the whole file
    // Returns EM_*.
    std::uint16_t machine() const { return machine_; }
    bool wide() const { return wide_; }        // 64 bit
    AnyOrder order() const { return order_; }  // of all integers in it

    // In file order, the empty first one too; none if the file has no table.
    const std::vector<Section>& sections() const { return sections_; }

    const std::vector<Segment>& segments() const { return segments_; }  // in file order
    // Returns the first section of that name; null if there is none.
    const Section* section(std::string_view name) const;
    // Returns the first executable section that contains this file offset; null if there is none.
    const Section* code_section(std::uint64_t offset) const;

    // Returns the build-id; empty if the file has none.
    Bytes build_id() const { return build_id_; }
    // Returns the separate debug file that .gnu_debuglink names; nothing if it names none.
    std::optional<DebugLink> debug_link() const;
    // Returns the file that dwz moved common debug information to (.gnu_debugaltlink).
    std::optional<AlternateLink> alternate_link() const;

    // Returns the section's bytes. Errors: truncated, limit, io, missing (NOBITS), unsupported (compressed; only debug
    // sections are), cancelled.
    Result<std::string> content(const Section& section, const Watch& watch = {}) const;

    // Returns the virtual address of the byte at a file offset; nothing if no segment contains it. In a relocatable
    // file (a kernel module) addresses are file offsets.
    std::optional<std::uint64_t> vaddr(std::uint64_t file_offset) const;
    // Returns the file offset of the byte at a virtual address; nothing if no segment has one there. Segments may share
    // bytes, so that many addresses have one offset.
    std::optional<std::uint64_t> file_offset(std::uint64_t vaddr) const;
    // Returns how many bytes the segments claim behind the end of the file: more than 0 if it was cut off.
    std::uint64_t missing_bytes() const;
    // Returns false for a debug file whose executable segments lost their file offsets when it was made.
    bool layout_known() const;
    // Reads the file's bytes at a virtual address. Returns how many there were. Errors: io.
    Result<std::size_t> read(std::uint64_t vaddr, std::span<std::byte> out) const;
    // Returns the lowest start of a segment's bytes above the address; nothing if there is none.
    std::optional<std::uint64_t> next_segment(std::uint64_t vaddr) const;

  private:
    ElfFile() = default;

    // These may throw Stopped.
    Result<void> read_headers(LookOut& look);
    Result<void> read_sections(std::uint64_t offset, std::uint64_t count, std::uint16_t size, std::uint32_t names,
                               LookOut& look);
    Result<void> read_segments(std::uint64_t offset, std::uint64_t count, std::uint16_t size, LookOut& look);
    void read_build_id(LookOut& look);
    // Stretch is a range of addresses or offsets, up to the next stretch, and the index of the segment or section that
    // counts there. Segments and sections may overlap; stretches do not.
    struct Stretch {
        std::uint64_t begin = 0;
        std::uint32_t index = 0;  // all ones: none
    };
    struct Part {
        std::uint64_t begin = 0, size = 0;
        std::uint32_t index = 0;
    };
    static std::vector<Stretch> lay_out(const std::vector<Part>& parts, LookOut& look);
    static std::optional<std::uint32_t> index_at(const std::vector<Stretch>& stretches, std::uint64_t at);
    const Segment* segment_at(const std::vector<Stretch>& stretches, std::uint64_t at) const;
    void lay_out_sections(LookOut& look);
    void lay_out_segments(LookOut& look);
    Result<std::string> bytes(std::uint64_t offset, std::uint64_t size, std::string_view what,
                              const Watch& watch = {}) const;

    std::shared_ptr<const Source> source_;
    std::uint64_t section_limit_ = 0;
    Type type_ = Type::executable;
    std::uint16_t machine_ = 0;
    bool wide_ = true;
    AnyOrder order_;
    std::vector<char> section_names_;
    std::vector<Section> sections_;
    // Sorted: a search takes O(log n), however many sections the file claims.
    std::vector<std::uint32_t> by_name_;   // the first section of each name
    std::vector<Stretch> code_by_offset_;  // only in relocatable files
    std::vector<Segment> segments_;
    std::vector<Stretch> by_offset_, by_vaddr_;  // of segments_; sorted
    std::vector<Segment> note_segments_;
    std::vector<std::byte> build_id_;
};

}  // namespace perfdata
