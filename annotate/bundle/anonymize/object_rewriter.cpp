// SPDX-License-Identifier: MIT
// ELF files without anything but their code and its symbols.
#include <algorithm>
#include <array>
#include <map>

#include "perfdata/symbols/elf/elf_file.hpp"

#include "bundle/anonymize/file_rewriters.hpp"
#include "bundle/anonymize/masked_source.hpp"
#include "bundle/anonymize/words.hpp"
#include "recording/look_out.hpp"

namespace perfdata {
namespace {

constexpr std::string_view object_place = "ELF";

// Types of sections: SHT_* of the System V ABI.
constexpr std::uint32_t program_bits = 1, symbol_table = 2, string_table = 3, added_relocations = 4, dynamic_table = 6,
                        note_table = 7, bits_elsewhere = 8, relocations = 9, dynamic_symbols = 11, symbol_sections = 18;
constexpr std::uint64_t allocated_flag = 2, packed_flag = 0x800;

// Names of sections that say nothing of the program.
constexpr std::string_view section_names =
    " .text .init .fini .plt .plt.got .plt.sec .iplt .opd .symtab .strtab .shstrtab .dynsym .dynstr .dynamic .rela.plt"
    " .rel.plt .rela.dyn .rel.dyn .rela.text .rel.text .symtab_shndx .note.gnu.build-id .rodata .data .bss .tdata .tbss"
    " .got .got.plt .eh_frame .eh_frame_hdr .gcc_except_table .init_array .fini_array .data.rel.ro .interp .comment"
    " .gnu.hash .hash .gnu.version .gnu.version_r .gnu.version_d .gnu_debuglink .gnu_debugdata .note.ABI-tag .init.text"
    " .exit.text .text.unlikely .text.hot .text.startup .noinstr.text .entry.text .kprobes.text .spinlock.text"
    " .irqentry.text .softirqentry.text .sched.text .cpuidle.text .head.text .altinstr_replacement .rela.init.text"
    " .rela.exit.text .rela.text.unlikely .rela.noinstr.text .debug_info .debug_abbrev .debug_line .debug_str"
    " .debug_line_str .debug_ranges .debug_rnglists .debug_loc .debug_loclists .debug_aranges .debug_frame .BTF ";

class ObjectMask {
  public:
    ObjectMask(const ElfFile& file, std::string path, const Limits& limits, Tally& tally, LookOut& look)
        : file_(file),
          path_(std::move(path)),
          left_(limits.section_bytes),
          tables_left_(file.source().size()),
          tally_(tally),
          look_(look) {}

    // May throw Stopped.
    Result<void> make(MaskedSource& masked) {
        if (auto read = read_tables(masked); !read) return read;
        const auto& sections = file_.sections();
        for (std::size_t index = 0; index < sections.size(); ++index) {
            look_();
            const auto kept = keep(index, masked);
            if (!kept) return fail(kept.error());
            const auto& section = sections[index];
            if (*kept || section.type == bits_elsewhere || section.type == 0) continue;
            if (section.size != 0) tally_.add(Told::object_sections);
            const auto at = index * entry_;
            set(table_, at + 4, 4, bits_elsewhere);
            set(table_, at + 8, file_.wide() ? 8 : 4, section.flags & ~packed_flag);
        }
        if (has_functions_) tally_.add(Told::kept_objects);
        for (auto& [index, names] : names_) masked.replace(sections[index].offset, std::move(names));
        masked.replace(table_at_, std::move(table_));
        return {};
    }

  private:
    using Buffer = std::vector<std::byte>;

    std::uint64_t word_bytes() const { return file_.wide() ? 8 : 4; }
    std::uint64_t get(const Buffer& bytes, std::size_t at, std::size_t size) const {
        if (at + size > bytes.size()) return 0;
        const auto* from = bytes.data() + at;
        if (size == 2) return file_.order().load<std::uint16_t>(from);
        return size == 4 ? file_.order().load<std::uint32_t>(from) : file_.order().load<std::uint64_t>(from);
    }
    void set(Buffer& bytes, std::size_t at, std::size_t size, std::uint64_t value) const {
        for (std::size_t index = 0; index < size; ++index) {
            const auto shift = 8 * (file_.order().endian() == std::endian::little ? index : size - 1 - index);
            bytes[at + index] = static_cast<std::byte>(value >> shift & 0xff);
        }
    }
    Result<Buffer> read(std::uint64_t offset, std::uint64_t size) {
        if (size > file_.source().size())
            return refuse(ErrorCode::truncated, "a table goes beyond the end of the file");
        Buffer bytes(static_cast<std::size_t>(size));
        const auto got = file_.source().read_at(offset, bytes);
        if (!got) return fail(got.error());
        if (*got != bytes.size()) return refuse(ErrorCode::truncated, "a table goes beyond the end of the file");
        return bytes;
    }
    std::unexpected<Error> refuse(ErrorCode code, std::string_view why) const {
        return fail(code, Error::no_offset, path_, std::string(object_place) + ": " + std::string(why));
    }

    // The header, the program headers and the table of sections.
    Result<void> read_tables(MaskedSource& masked) {
        const bool wide = file_.wide();
        auto header = read(0, wide ? 64 : 52);
        if (!header) return fail(std::move(header.error()));
        const std::size_t word = wide ? 8 : 4;
        const auto segments_at = get(*header, 24 + word, word);
        table_at_ = get(*header, 24 + 2 * word, word);
        const std::size_t counts = 24 + 3 * word + 4;
        const auto segment_bytes = get(*header, counts + 2, 2), segment_count = get(*header, counts + 4, 2);
        entry_ = static_cast<std::size_t>(get(*header, counts + 6, 2));
        auto names = get(*header, counts + 10, 2);
        const std::size_t known_segment = wide ? 56 : 32, known_section = wide ? 64 : 40;
        if (file_.sections().empty()) {
            return refuse(ErrorCode::unsupported, "no section headers: its code cannot be told from its data");
        }
        if (entry_ != known_section || (segment_count != 0 && segment_bytes != known_segment)) {
            return refuse(ErrorCode::unsupported, "headers of unknown sizes");
        }
        auto table = read(table_at_, file_.sections().size() * entry_);
        if (!table) return fail(std::move(table.error()));
        table_ = std::move(*table);
        constexpr std::uint64_t elsewhere = 0xffff;
        if (names == elsewhere) names = file_.sections()[0].link;
        for (std::size_t at = 9; at < 16; ++at) (*header)[at] = std::byte{0};
        masked.replace(0, std::move(*header));
        if (segment_count == elsewhere) return refuse(ErrorCode::unsupported, "too many program headers");
        masked.keep(segments_at, segment_count * known_segment);
        return keep_section_names(static_cast<std::size_t>(names));
    }

    Result<void> keep_section_names(std::size_t index) {
        if (index == 0 || index >= file_.sections().size()) return {};
        for (std::size_t section = 0; section < file_.sections().size(); ++section) {
            look_();
            if (!has_word(section_names, file_.sections()[section].name)) continue;
            if (auto kept = keep_name(index, get(table_, section * entry_, 4)); !kept) return kept;
        }
        return {};
    }

    // keep_name(index, at) keeps one text of a table of texts.
    Result<void> keep_name(std::size_t index, std::uint64_t at) {
        const auto& section = file_.sections()[index];
        if (all_.find(index) == all_.end()) {
            // More than the limit: its names are lost.
            if (section.size > left_) return refuse(ErrorCode::limit, "names of too many bytes");
            left_ -= section.size;
            auto content = file_.content(section, look_.watch());
            if (!content) return fail(std::move(content.error()));
            names_[index] = Buffer(content->size());
            all_[index] = std::move(*content);
        }
        const auto& text = all_[index];
        auto& kept = names_[index];
        // A text that was kept, was kept to its end.
        for (; at < text.size() && text[at] != '\0' && kept[at] == std::byte{0}; ++at) {
            kept[at] = static_cast<std::byte>(text[at]);
        }
        return {};
    }

    // Returns false if what is read of tables would be more than the file has: then headers share their bytes.
    bool take_room(const ElfFile::Section& section) {
        if ((section.flags & packed_flag) != 0 || section.size > tables_left_) return false;
        tables_left_ -= section.size;
        return true;
    }

    bool is_code(std::size_t index) const {
        return index < file_.sections().size() && file_.sections()[index].executable();
    }

    // keep(index, masked) returns whether anything of the section stays.
    Result<bool> keep(std::size_t index, MaskedSource& masked) {
        const auto& section = file_.sections()[index];
        switch (section.type) {
            case program_bits:
                if (!section.executable() && section.name != ".opd") return false;
                masked.keep(section.offset, section.size);
                return true;
            case symbol_table:
            case dynamic_symbols: return keep_symbols(section, masked);
            case symbol_sections:
            case dynamic_table: masked.keep(section.offset, section.size); return true;
            case added_relocations:
            case relocations:
                if ((section.flags & allocated_flag) == 0 && !is_code(section.info)) return false;
                masked.keep(section.offset, section.size);
                return true;
            case string_table: return true;  // zero, but for what keep_name() keeps
            case note_table: return keep_build_id(section, masked);
            default: return false;
        }
    }

    Result<bool> keep_symbols(const ElfFile::Section& section, MaskedSource& masked) {
        const std::size_t size = file_.wide() ? 24 : 16;
        if (section.entry_size != size || section.link >= file_.sections().size()) return false;
        if (!take_room(section)) return false;
        const auto content = file_.content(section, look_.watch());
        if (!content) return false;
        const Buffer entries(as_bytes(*content).begin(), as_bytes(*content).end());
        constexpr unsigned source_file = 4;                       // STT_FILE
        constexpr unsigned function = 2, indirect_function = 10;  // STT_FUNC, STT_GNU_IFUNC
        for (std::size_t at = 0; at + size <= entries.size(); at += size) {
            look_();
            const auto info = std::to_integer<unsigned>(entries[at + (file_.wide() ? 4 : 12)]);
            const auto type = info & 15;
            if (type == source_file) continue;
            const auto name = get(entries, at, 4);
            if (auto kept = keep_name(section.link, name); !kept) return fail(std::move(kept.error()));
            const auto& names = all_[section.link];
            const bool named = name < names.size() && names[static_cast<std::size_t>(name)] != '\0';
            has_functions_ = has_functions_ || (named && (type == function || type == indirect_function));
        }
        masked.keep(section.offset, section.size);
        return true;
    }

    Result<bool> keep_build_id(const ElfFile::Section& section, MaskedSource& masked) {
        constexpr std::uint64_t largest = 1 << 20;
        constexpr std::uint64_t build_id = 3;  // NT_GNU_BUILD_ID
        if (section.size > largest || !take_room(section)) return false;
        const auto content = read(section.offset, section.size);
        if (!content) return false;
        bool found = false;
        for (std::size_t at = 0; at + 12 <= content->size();) {
            const auto name = get(*content, at, 4), size = get(*content, at + 4, 4), type = get(*content, at + 8, 4);
            // Nothing need be behind the last content, not even its padding.
            const auto text_end = at + 12 + (name + 3) / 4 * 4 + size;
            if (text_end > content->size()) break;
            const auto end = std::min<std::uint64_t>((text_end + 3) / 4 * 4, content->size());
            const auto owner =
                as_text(Bytes(*content).subspan(at + 12, static_cast<std::size_t>(std::min<std::uint64_t>(name, 4))));
            constexpr std::uint64_t longest_id = 64;
            if (type == build_id && owner == std::string_view("GNU\0", 4) && name == 4 && size <= longest_id) {
                masked.keep(section.offset + at, end - at);
                found = true;
            }
            at = static_cast<std::size_t>(end);
        }
        return found;
    }

    const ElfFile& file_;
    std::string path_;
    std::uint64_t left_;         // bytes of tables of names that may still be held
    std::uint64_t tables_left_;  // bytes of symbols and notes that may still be read
    Tally& tally_;
    LookOut& look_;
    Buffer table_;  // of sections
    std::uint64_t table_at_ = 0;
    std::size_t entry_ = 0;
    bool has_functions_ = false;              // names of functions stay
    std::map<std::size_t, std::string> all_;  // tables of names by section: as they are
    std::map<std::size_t, Buffer> names_;     // as they will be
};

}  // namespace

Result<std::shared_ptr<const Source>> anonymous_object(std::shared_ptr<const Source> file, const std::string& path,
                                                       const Limits& limits, Tally& tally, const Watch& watch) {
    auto plain = unpacked(std::move(file), path, limits);
    if (!plain) return fail(std::move(plain.error()));
    const auto elf = ElfFile::open(*plain, limits, watch);
    if (!elf) return fail(elf.error());
    auto masked = std::make_shared<MaskedSource>(*plain);
    try {
        LookOut look(watch, (*plain)->size());
        if (auto made = ObjectMask(*elf, path, limits, tally, look).make(*masked); !made) {
            return fail(std::move(made.error()));
        }
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, path, "asked to stop");
    }
    masked->finish();
    return masked;
}

}  // namespace perfdata
