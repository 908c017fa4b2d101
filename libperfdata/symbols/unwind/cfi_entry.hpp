// SPDX-License-Identifier: MIT
// The entries of call frame information: common information entries (CIE) and frame description entries (FDE).
// DWARF 5, section 6.4.1; Linux Standard Base, chapter "Exception Frames".
#pragma once

#include <cstdint>
#include <optional>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/endian.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/types.hpp"

#include "symbols/unwind/unwind_target.hpp"

namespace perfdata {

// CfiInput is the bytes of a section and where they are. Everything must outlive those who are given it.
struct CfiInput {
    enum class Format : std::uint8_t { eh_frame, debug_frame };

    Format format = Format::eh_frame;
    AnyOrder order;
    Bytes section;
    std::uint64_t address = 0;      // virtual address of the section
    std::uint64_t file_offset = 0;  // of the section, for errors
    Bytes table{};                  // .eh_frame_hdr; empty if there is none
    std::uint64_t table_address = 0;
    std::uint64_t text_address = 0;  // what DW_EH_PE_textrel is relative to: .text
    std::uint64_t data_address = 0;  // what DW_EH_PE_datarel is relative to in .eh_frame: .got
    std::uint64_t first_code = 0;    // functions that begin below it were removed by the linker
};

// CfiCommon is a CIE: what several functions share.
struct CfiCommon {
    std::uint64_t code_alignment = 1;
    std::int64_t data_alignment = 1;
    std::uint64_t return_register = 0;  // DWARF register number
    std::uint8_t address_bytes = 8;
    std::uint8_t segment_bytes = 0;
    std::uint8_t encoding = 0;   // DW_EH_PE_* of addresses in the FDEs
    bool has_data_size = false;  // 'z'
    bool signal_frame = false;   // 'S'
    Bytes instructions{};
    std::uint32_t instructions_at = 0;  // offset in the section
};

// CfiFunction is an FDE: a range of code and the instructions that make its rows.
struct CfiFunction {
    std::uint64_t begin = 0, end = 0;  // virtual addresses
    std::uint32_t offset = 0;          // of the entry in the section
    CfiCommon common{};
    Bytes instructions{};
    std::uint32_t instructions_at = 0;  // offset in the section
};

// CfiEntries reads entries at given offsets.
class CfiEntries {
  public:
    CfiEntries(const CfiInput& input, const UnwindTarget& target) : input_(input), target_(target) {}

    // Entry is the frame of any entry: what is needed to go on to the next.
    struct Entry {
        enum class Kind : std::uint8_t { terminator, common, function };
        Kind kind = Kind::terminator;
        std::uint32_t next = 0;       // offset of the next entry
        std::uint32_t body = 0;       // offset behind the id
        std::uint64_t common_at = 0;  // of a function: offset of its CIE, not checked
        bool wide = false;            // 64-bit DWARF
    };
    // Errors: truncated, malformed.
    Result<Entry> entry(std::uint64_t offset) const;
    // Errors: truncated, malformed, unsupported (an unknown version or augmentation, an indirect address).
    Result<CfiCommon> common(std::uint64_t offset) const;
    // Reads the FDE whose entry() is given.
    Result<CfiFunction> function(std::uint32_t offset, const Entry& entry, const CfiCommon& common) const;
    // Reads the FDE at an offset, and its CIE.
    Result<CfiFunction> function(std::uint64_t offset) const;
    // Reads an address as the FDEs of a CIE have it; `at` is the offset of its first byte in the section, `function`
    // what DW_EH_PE_funcrel is relative to.
    Result<std::uint64_t> address(Cursor& in, std::uint64_t at, const CfiCommon& common, std::uint64_t function) const;
    // Returns a cursor over the bytes [begin, end) of the section, cut at its end.
    Cursor cursor(std::uint64_t begin, std::uint64_t end) const;

    const CfiInput& input() const { return input_; }
    const UnwindTarget& target() const { return target_; }

  private:
    CfiInput input_;
    UnwindTarget target_;
};

}  // namespace perfdata
