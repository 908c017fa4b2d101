// SPDX-License-Identifier: MIT
// The unwind information of one ELF file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"

#include "symbols/once.hpp"
#include "symbols/unwind/arm_exidx.hpp"
#include "symbols/unwind/cfi_section.hpp"
#include "symbols/unwind/frame_step.hpp"

namespace perfdata {

// FileCfi reads, in this order, .eh_frame of the file, .debug_frame of the file or of its separate debug file, both of
// the file's mini debug information, and .ARM.exidx. It holds copies of these sections. Mini debug information is
// unpacked when code is asked for that the sections before it do not describe. Const use from many threads is safe.
class FileCfi {
  public:
    // `debug` may be null. Sections that cannot be read are left out: damage() says why.
    FileCfi(const ElfFile& file, const ElfFile* debug, const Limits& limits);
    // Reads an .eh_frame section, with its table if there is one, of code without a file.
    FileCfi(const UnwindTarget& target, CfiInput input, std::string bytes, const Limits& limits);
    FileCfi(const FileCfi&) = delete;
    FileCfi& operator=(const FileCfi&) = delete;

    // Returns the architecture of the code; nothing if it cannot be unwound.
    const std::optional<UnwindTarget>& target() const { return target_; }
    // Returns false if there is no unwind information at all.
    bool has_any() const { return eh_frame_ || debug_frame_ || exidx_ || mini_; }
    // Returns the row for a virtual address; nothing if there is none. Errors: damaged information, or a limit; also of
    // sections that would have to be read to know that there is no row.
    Result<std::optional<UnwindRow>> row_at(std::uint64_t vaddr, RuleSpill& spill) const;
    // Returns what a row of row_at() refers to.
    RowSource source(const UnwindRow& row, const RuleSpill& spill, std::uint64_t bias) const;
    const std::optional<Error>& damage() const { return damage_; }
    // Returns how many bytes of memory the sections take.
    std::uint64_t memory() const {
        return eh_frame_bytes_.bytes.capacity() + header_bytes_.bytes.capacity() + debug_frame_bytes_.bytes.capacity() +
               exidx_bytes_.bytes.capacity() + extab_bytes_.bytes.capacity() + (mini_ ? mini_->memory() : 0);
    }

  private:
    struct Part {
        std::string bytes;
        std::uint64_t vaddr = 0;
    };
    // Mini is the file's mini debug information: packed, and what it has.
    struct Mini {
        Mini(std::string packed_bytes, const Limits& given) : packed(std::move(packed_bytes)), limits(given) {}

        std::uint64_t memory() const { return packed.capacity() + (once.done() && cfi ? cfi->memory() : 0); }

        const std::string packed;
        const Limits limits;
        Once once;
        // Valid after once:
        std::unique_ptr<const FileCfi> cfi;  // null: there is no unwind information
        std::optional<Error> damage;
    };
    // Returns null if there is none. Unpacks it at the first call.
    const FileCfi* mini() const;

    // Returns nothing if there is no such section.
    static Result<std::optional<Part>> read(const ElfFile& file, std::string_view name, const Limits& limits);
    // Keeps the error of a section that is there, but cannot be read.
    std::optional<Part> needed(const ElfFile& file, std::string_view name, const Limits& limits);
    void open_eh_frame(const ElfFile& file, const Limits& limits);
    void open_debug_frame(const ElfFile& file, const Limits& limits);
    void open_exidx(const ElfFile& file, const Limits& limits);
    void keep(Error error);

    std::optional<UnwindTarget> target_;
    AnyOrder order_;
    Part eh_frame_bytes_, header_bytes_, debug_frame_bytes_, exidx_bytes_, extab_bytes_;
    std::optional<CfiSection> eh_frame_, debug_frame_;
    std::optional<ArmExidx> exidx_;
    std::unique_ptr<Mini> mini_;   // null: there is no such section
    std::optional<Error> damage_;  // the first
};

}  // namespace perfdata
