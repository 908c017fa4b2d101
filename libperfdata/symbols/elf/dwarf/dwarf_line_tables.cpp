// SPDX-License-Identifier: MIT
#include "dwarf_line_tables.hpp"

#include <algorithm>
#include <array>
#include <dwarf.h>
#include <string>
#include <vector>

#include "perfdata/core/cursor.hpp"

#include "dwarf_number.hpp"

namespace perfdata {
namespace {

constexpr std::string_view where = "section .debug_line";
constexpr std::uint64_t largest_table = std::uint64_t{1} << 24;  // bytes of one unit's
// libdw takes 106 bytes for a row while it reads a table, and keeps 40; a row may have one byte.
constexpr std::uint64_t most_rows = std::uint64_t{6} << 20;  // of one table
constexpr std::uint64_t some_rows = std::uint64_t{1} << 16, rows_a_byte = 4;
constexpr std::uint64_t some_names = std::uint64_t{1} << 20, names_a_byte = 64;

// NameCounter reads a line table as libdw does, and counts its rows and the bytes of names that libdw makes.
class NameCounter {
  public:
    // most: largest number of bytes, rows: of rows. Beyond them count() fails. begin: offset in the section of the
    // bytes that count() reads.
    NameCounter(DwarfSections& sections, std::uint64_t begin, std::uint8_t address_size, std::uint64_t most,
                std::uint64_t rows)
        : sections_(sections), begin_(begin), address_size_(address_size), left_(most), rows_left_(rows) {}

    Result<void> count(Cursor& in, bool wide, std::string_view directory) {
        wide_ = wide;
        const auto version = in.u16();
        if (version < 2 || version > 5) return in.contradiction("a version that is not known");
        if (version == 5) in.skip(2);  // sizes of addresses and segments
        const auto length = wide_ ? in.u64() : in.u32();
        const auto header = in.position();
        in.skip(version >= 4 ? 5 : 4);  // how instructions are counted; is_stmt, base and range of lines
        first_special_ = in.u8();
        if (first_special_ == 0) return in.contradiction("no number of instructions");  // libdw would read backwards
        operands_.fill(0);
        for (std::size_t code = 1; code < first_special_; ++code) operands_[code] = in.u8();
        if (!in.ok()) return in.failure("a header");
        const auto read = version == 5 ? lists(in) : old_lists(in, directory);
        if (!read) return read;
        // NVIDIA's tables have four bytes more.
        const auto end = header + length;
        if (in.position() != end && in.position() + 4 != end) return in.contradiction("a header of another length");
        in.skip(end - in.position());
        return program(in);
    }

    std::uint64_t left() const { return left_; }
    std::uint64_t rows_left() const { return rows_left_; }

  private:
    Result<void> take(std::uint64_t bytes) {
        if (bytes > left_) return dwarf_limit("names of directories and files in line tables take too much memory");
        left_ -= bytes;
        return {};
    }

    Result<void> add_row() {
        if (rows_left_ == 0) return dwarf_limit("line tables have too many rows");
        --rows_left_;
        return {};
    }

    Result<void> add_directory(std::string_view name) {
        directories_.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(name.size(), UINT32_MAX)));
        return take(name.size());
    }
    Result<void> add_file(const Cursor& in, std::string_view name, std::uint64_t directory) {
        if (directory >= directories_.size()) return in.contradiction("a directory that is not there");
        const bool joined = !name.starts_with('/');
        return take(name.size() + (joined ? directories_[static_cast<std::size_t>(directory)] : 0));
    }

    // Reads the lists of DWARF 2 to 4. Each ends with an empty name.
    Result<void> old_lists(Cursor& in, std::string_view directory) {
        if (auto added = add_directory(directory); !added) return added;
        for (auto name = in.terminated_string(); !name.empty(); name = in.terminated_string()) {
            if (auto added = add_directory(name); !added) return added;
        }
        for (auto name = in.terminated_string(); !name.empty(); name = in.terminated_string()) {
            const auto number = dwarf_number(in);
            dwarf_number(in);  // time
            dwarf_number(in);  // size
            if (!in.ok()) break;
            if (auto added = add_file(in, name, number); !added) return added;
        }
        if (!in.ok()) return in.failure("a list of files");
        return {};
    }

    struct Entry {
        std::string_view name;
        std::uint64_t directory = 0;
    };
    struct Part {
        std::uint16_t content = 0, form = 0;
    };

    // Reads the lists of DWARF 5. Each begins with the format of its entries.
    Result<void> lists(Cursor& in) {
        for (const bool files : {false, true}) {
            std::vector<Part> parts(in.u8());
            // libdw keeps 16 bits of each, and the last of several names.
            std::size_t name = parts.size();
            for (std::size_t number = 0; number < parts.size(); ++number) {
                parts[number].content = static_cast<std::uint16_t>(dwarf_number(in));
                parts[number].form = static_cast<std::uint16_t>(dwarf_number(in));
                if (parts[number].content == DW_LNCT_path) name = number;
            }
            const auto count = dwarf_number(in);
            if (!in.ok()) return in.failure("a list of files");
            if (count == 0) continue;
            if (name == parts.size()) return in.contradiction("files without names");
            if (!in.fits(count, parts.size())) return in.failure("a list of files");
            for (std::uint64_t number = 0; number < count; ++number) {
                const auto one = entry(in, parts, name);
                if (!one) return fail(one.error());
                const auto added = files ? add_file(in, one->name, one->directory) : add_directory(one->name);
                if (!added) return added;
            }
        }
        return {};
    }

    Result<Entry> entry(Cursor& in, const std::vector<Part>& parts, std::size_t name) {
        Entry entry;
        for (std::size_t number = 0; number < parts.size(); ++number) {
            const auto [content, form] = parts[number];
            if (number == name) {
                const auto text = text_of(in, form);
                if (!text) return fail(text.error());
                entry.name = *text;
            } else if (content == DW_LNCT_directory_index) {
                const auto index = number_of(in, form);
                if (!index) return fail(index.error());
                entry.directory = *index;
            } else if (auto skipped = skip(in, form); !skipped) {
                return fail(skipped.error());
            }
        }
        if (!in.ok()) return in.failure("a list of files");
        return entry;
    }

    Result<std::string_view> text_of(Cursor& in, std::uint16_t form) {
        if (form == DW_FORM_string) return in.terminated_string();
        if (form != DW_FORM_line_strp && form != DW_FORM_strp)
            return in.contradiction("a name of a kind that is not known");
        const auto offset = wide_ ? in.u64() : in.u32();
        const auto all = form == DW_FORM_strp ? sections_.strings() : sections_.line_strings();
        if (!in.ok() || offset >= all.size()) return in.contradiction("a name that is not there");
        // libdw reads each one again: stop when there is no room.
        const auto rest = as_text(all.subspan(static_cast<std::size_t>(offset)));
        if (const auto text = sections_.text_in(rest, left_ + 1)) return *text;
        if (rest.size() > left_) return fail(take(left_ + 1).error());
        return in.contradiction("a name without an end");
    }

    static Result<std::uint64_t> number_of(Cursor& in, std::uint16_t form) {
        switch (form) {
            case DW_FORM_data1: return in.u8();
            case DW_FORM_data2: return in.u16();
            case DW_FORM_data4: return in.u32();
            case DW_FORM_data8: return in.u64();
            case DW_FORM_udata: return dwarf_number(in);
            default: return in.contradiction("a number of a kind that is not known");
        }
    }

    Result<void> skip(Cursor& in, std::uint16_t form) const {
        switch (form) {
            case DW_FORM_flag_present: break;
            case DW_FORM_data1:
            case DW_FORM_flag: in.skip(1); break;
            case DW_FORM_data2: in.skip(2); break;
            case DW_FORM_data4: in.skip(4); break;
            case DW_FORM_data8: in.skip(8); break;
            case DW_FORM_data16: in.skip(16); break;  // MD5
            case DW_FORM_sdata:
            case DW_FORM_udata: dwarf_number(in); break;
            case DW_FORM_line_strp:
            case DW_FORM_strp:
            case DW_FORM_strp_sup:
            case DW_FORM_sec_offset: in.skip(wide_ ? 8 : 4); break;
            case DW_FORM_string: in.terminated_string(); break;
            case DW_FORM_block1: in.skip(in.u8()); break;
            case DW_FORM_block2: in.skip(in.u16()); break;
            case DW_FORM_block4: in.skip(in.u32()); break;
            case DW_FORM_block: in.skip(dwarf_number(in)); break;
            default: return in.contradiction("an entry of a kind that is not known");
        }
        return {};
    }

    // Runs the program, which may define more files.
    Result<void> program(Cursor& in) {
        sequence_begins_ = true;
        while (in.remaining() != 0) {
            const auto code = in.u8();
            if (code >= first_special_ || code == DW_LNS_copy) {
                if (auto added = add_row(); !added) return added;
                sequence_begins_ = false;
                continue;
            }
            if (code == 0) {
                if (auto read = extended(in); !read) return read;
            } else if (code == DW_LNS_fixed_advance_pc) {
                in.skip(2);
            } else if (code > DW_LNS_set_isa) {
                for (auto left = operands_[code]; left != 0; --left) dwarf_number(in);
            } else if (takes_number(code)) {
                dwarf_number(in);
            }
        }
        if (!in.ok()) return in.failure("a line program");
        return {};
    }

    static bool takes_number(std::uint8_t code) {
        return code == DW_LNS_advance_pc || code == DW_LNS_advance_line || code == DW_LNS_set_file ||
               code == DW_LNS_set_column || code == DW_LNS_set_isa;
    }

    void set_address(Cursor& in) {
        if (address_size_ != 4 && address_size_ != 8) return in.skip(address_size_);
        const auto at = begin_ + in.position();
        const auto address = address_size_ == 4 ? in.u32() : in.u64();
        if (in.ok() && sequence_begins_ && !sections_.has_code(address)) sections_.hide_address(at, address_size_);
    }

    Result<void> extended(Cursor& in) {
        constexpr std::uint8_t inlined_call = 0x90, function_name = 0x91;  // of NVIDIA
        const auto size = in.u8();
        const auto begin = in.position();
        const auto code = in.u8();
        switch (code) {
            case DW_LNE_end_sequence: sequence_begins_ = true; return add_row();
            case DW_LNE_set_address: set_address(in); break;
            case DW_LNE_set_discriminator: dwarf_number(in); break;
            case DW_LNE_define_file: {
                const auto name = in.terminated_string();
                const auto directory = dwarf_number(in);
                dwarf_number(in);  // time
                dwarf_number(in);  // size
                if (!in.ok()) return in.failure("a file");
                return add_file(in, name, static_cast<std::uint32_t>(directory));
            }
            case inlined_call: dwarf_number(in); [[fallthrough]];
            case function_name: {
                dwarf_number(in);
                // Other versions of libdw skip these by their size.
                if (in.ok() && in.position() - begin != size) return in.contradiction("an instruction of another size");
                break;
            }
            default: {
                if (size == 0) return in.contradiction("an instruction without a code");
                in.skip(size - 1u);
            }
        }
        return {};
    }

    DwarfSections& sections_;
    std::uint64_t begin_;
    std::uint8_t address_size_;
    std::uint64_t left_, rows_left_;
    bool wide_ = false, sequence_begins_ = true;
    std::uint8_t first_special_ = 0;
    std::array<std::uint8_t, 256> operands_{};
    std::vector<std::uint32_t> directories_;  // bytes of their names
};

}  // namespace

DwarfLineTables::DwarfLineTables(DwarfSections& sections, std::uint64_t bytes_in_file)
    : sections_(&sections), rows_left_(some_rows + rows_a_byte * bytes_in_file) {}

Result<void> DwarfLineTables::check(std::uint64_t offset, std::string_view directory, std::uint8_t address_size) {
    const auto known = tables_.find(offset);
    if (known != tables_.end()) {
        if (known->second) return fail(*known->second);
        return {};
    }
    auto right = look(offset, directory, address_size);
    tables_.emplace(offset, right ? std::nullopt : std::optional(right.error()));
    return right;
}

Result<void> DwarfLineTables::look(std::uint64_t offset, std::string_view directory, std::uint8_t address_size) {
    const auto all = sections_->lines();
    if (offset >= all.size()) {
        return fail(ErrorCode::malformed, Error::no_offset, std::string(where), "a line table is not there");
    }
    constexpr std::size_t longest_head = 12;
    const auto rest = all.subspan(static_cast<std::size_t>(offset));
    sections_->load(rest.first(std::min(rest.size(), longest_head)));
    Cursor head(rest, sections_->order(), {.where = where, .offset = offset});
    std::uint64_t size = head.u32();
    const bool wide = size == UINT32_MAX;
    if (wide) size = head.u64();
    if (!head.ok() || size > head.remaining()) return head.failure("a line table");
    if (size > largest_table) {
        return dwarf_limit("a line table has more than " + std::to_string(largest_table) + " bytes");
    }
    sizes_ += size;
    if (sizes_ > all.size()) return dwarf_limit("line tables lie over each other");
    sections_->load(rest.first(head.position() + static_cast<std::size_t>(size)));
    const auto begin = offset + head.position();
    Cursor in(head.bytes(size), sections_->order(), {.where = where, .offset = begin});
    const auto most = some_names + names_a_byte * sizes_ - names_;
    const auto rows = std::min(most_rows, rows_left_);
    NameCounter counter(*sections_, begin, address_size, most, rows);
    auto counted = counter.count(in, wide, directory);
    // Count this even if libdw fails later: it keeps what it has made.
    names_ += most - counter.left();
    rows_left_ -= rows - counter.rows_left();
    return counted;
}

}  // namespace perfdata
