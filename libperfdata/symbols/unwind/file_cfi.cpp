// SPDX-License-Identifier: MIT
#include "file_cfi.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "recording/look_out.hpp"
#include "symbols/elf/elf_packed.hpp"
#include "symbols/elf/mini_debug_info.hpp"

namespace perfdata {
namespace {

constexpr std::uint32_t no_bits = 8;  // SHT_NOBITS: in a debug file, of sections that the file itself has

Bytes as_bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

std::uint64_t address_of(const ElfFile& file, std::string_view name) {
    const auto* section = file.section(name);
    return section == nullptr ? 0 : section->address;
}

std::optional<UnwindTarget> target_of(const ElfFile& file) {
    const auto* arch = find_arch(file.machine(), file.order().endian());
    if (arch == nullptr) return {};
    return UnwindTarget::of(arch->family, file.wide() ? 8 : 4);
}

// Unpacks a section within the bounds that hold for debug information, too.
Result<std::string> unpacked(const ElfFile& file, const ElfFile::Section& section, const PackedSection& packed,
                             const Limits& limits) {
    const auto most = std::min(limits.section_bytes, most_unpacked(section.size));
    if (packed.size > most || section.size > most || packed.head > section.size) {
        return fail(
            ErrorCode::limit, section.offset, "section " + std::string(section.name),
            "it unpacks to " + std::to_string(packed.size) + " bytes; at most " + std::to_string(most) + " are read");
    }
    std::string bytes(static_cast<std::size_t>(section.size), '\0');
    const auto got = file.source().read_at(section.offset, std::as_writable_bytes(std::span(bytes)));
    if (!got) return fail(got.error());
    if (*got != bytes.size()) {
        return fail(ErrorCode::truncated, section.offset, "section " + std::string(section.name),
                    "it goes beyond the end of the file");
    }
    std::string content(static_cast<std::size_t>(packed.size), '\0');
    auto done =
        unpack(as_bytes_of(bytes).subspan(static_cast<std::size_t>(packed.head)), packed.packing, content, LookOut());
    if (!done) return fail(std::move(done.error()));
    return content;
}

}  // namespace

FileCfi::FileCfi(const ElfFile& file, const ElfFile* debug, const Limits& limits)
    : target_(target_of(file)), order_(file.order()) {
    // Relocatable files have no addresses yet: their unwind information refers to none.
    if (!target_ || file.type() == ElfFile::Type::relocatable) return;
    open_eh_frame(file, limits);
    open_debug_frame(file, limits);
    if (!debug_frame_ && debug != nullptr && target_of(*debug) == target_) open_debug_frame(*debug, limits);
    if (target_->family() == ArchFamily::arm) open_exidx(file, limits);
    if (auto packed = needed(file, mini_debug_section, limits)) {
        mini_ = std::make_unique<Mini>(std::move(packed->bytes), limits);
    }
}

FileCfi::FileCfi(const UnwindTarget& target, CfiInput input, std::string bytes, const Limits& limits)
    : target_(target), order_(input.order) {
    eh_frame_bytes_ = {std::move(bytes), input.address};
    input.section = as_bytes_of(eh_frame_bytes_.bytes);
    auto section = CfiSection::open(input, target, limits);
    if (section) {
        eh_frame_.emplace(std::move(*section));
    } else {
        keep(std::move(section.error()));
    }
}

const FileCfi* FileCfi::mini() const {
    if (!mini_) return nullptr;
    mini_->once([&] {
        LookOut look;
        auto info = MiniDebugInfo::unpack(mini_->packed, mini_->limits, look);
        mini_->damage = std::move(info.damage);
        if (!info.file || target_of(*info.file) != target_) return;
        auto cfi = std::make_unique<FileCfi>(*info.file, nullptr, mini_->limits);
        cfi->mini_ = {};  // one in another would go on for ever
        if (cfi->damage_ && !mini_->damage) mini_->damage = cfi->damage_;
        if (cfi->has_any()) mini_->cfi = std::move(cfi);
    });
    return mini_->cfi.get();
}

void FileCfi::keep(Error error) {
    if (!damage_) damage_ = std::move(error);
}

Result<std::optional<FileCfi::Part>> FileCfi::read(const ElfFile& file, std::string_view name, const Limits& limits) {
    const auto* section = file.section(name);
    if (section == nullptr || section->type == no_bits || section->size == 0) return std::optional<Part>();
    const auto packed = packed_section(file, *section);
    auto bytes = !packed                            ? Result<std::string>(fail(packed.error()))
                 : packed->packing == Packing::none ? file.content(*section)
                                                    : unpacked(file, *section, *packed, limits);
    if (!bytes) return fail(std::move(bytes.error()));
    return Part{std::move(*bytes), section->address};
}

std::optional<FileCfi::Part> FileCfi::needed(const ElfFile& file, std::string_view name, const Limits& limits) {
    auto part = read(file, name, limits);
    if (part) return std::move(*part);
    keep(std::move(part.error()));
    return {};
}

void FileCfi::open_eh_frame(const ElfFile& file, const Limits& limits) {
    auto bytes = needed(file, ".eh_frame", limits);
    if (!bytes) return;
    eh_frame_bytes_ = std::move(*bytes);
    // Without its table all entries are read.
    if (auto header = read(file, ".eh_frame_hdr", limits); header && *header) header_bytes_ = std::move(**header);
    CfiInput input;
    input.format = CfiInput::Format::eh_frame;
    input.order = order_;
    input.section = as_bytes_of(eh_frame_bytes_.bytes);
    input.address = eh_frame_bytes_.vaddr;
    input.file_offset = file.section(".eh_frame")->offset;
    input.table = as_bytes_of(header_bytes_.bytes);
    input.table_address = header_bytes_.vaddr;
    input.text_address = address_of(file, ".text");
    input.data_address = address_of(file, ".got");
    auto section = CfiSection::open(input, *target_, limits);
    if (!section) return keep(std::move(section.error()));
    eh_frame_.emplace(std::move(*section));
}

void FileCfi::open_debug_frame(const ElfFile& file, const Limits& limits) {
    for (const std::string_view name : {".debug_frame", ".zdebug_frame"}) {
        auto bytes = needed(file, name, limits);
        if (!bytes) continue;
        debug_frame_bytes_ = std::move(*bytes);
        CfiInput input;
        input.format = CfiInput::Format::debug_frame;
        input.order = order_;
        input.section = as_bytes_of(debug_frame_bytes_.bytes);
        input.file_offset = file.section(name)->offset;
        // What the linker took out has functions at 0 and 1.
        input.first_code = 2;
        auto section = CfiSection::open(input, *target_, limits);
        if (!section) return keep(std::move(section.error()));
        debug_frame_.emplace(std::move(*section));
        return;
    }
}

void FileCfi::open_exidx(const ElfFile& file, const Limits& limits) {
    auto index = needed(file, ".ARM.exidx", limits);
    if (!index) return;
    exidx_bytes_ = std::move(*index);
    if (auto table = needed(file, ".ARM.extab", limits)) extab_bytes_ = std::move(*table);
    ArmTables tables;
    tables.order = order_;
    tables.index = as_bytes_of(exidx_bytes_.bytes);
    tables.index_address = exidx_bytes_.vaddr;
    tables.index_file_offset = file.section(".ARM.exidx")->offset;
    if (!extab_bytes_.bytes.empty()) {
        tables.table = as_bytes_of(extab_bytes_.bytes);
        tables.table_address = extab_bytes_.vaddr;
        tables.table_file_offset = file.section(".ARM.extab")->offset;
    }
    if (const auto* text = file.section(".text")) tables.code_end = text->address + text->size;
    auto opened = ArmExidx::open(tables);
    if (!opened) return keep(std::move(opened.error()));
    exidx_.emplace(std::move(*opened));
}

Result<std::optional<UnwindRow>> FileCfi::row_at(std::uint64_t vaddr, RuleSpill& spill) const {
    Result<std::optional<UnwindRow>> row = std::nullopt;
    if (eh_frame_) row = eh_frame_->row_at(vaddr, spill);
    // What is damaged in the one may be intact in the other. A row counts only where the sections before it have none:
    // cut it there, so that it does not depend on what was asked before.
    std::uint64_t begin = 0, end = UINT64_MAX;
    const auto leave_to = [&](const std::optional<CfiSection>& before) {
        if (!before) return;
        const auto [first, last] = row ? before->extent(vaddr) : std::pair(vaddr, vaddr + 1);
        begin = std::max(begin, first);
        end = std::min(end, last);
    };
    const auto take = [&](Result<std::optional<UnwindRow>> other) {
        if (other && *other) (*other)->clip(begin, end);
        if (other ? other->has_value() : row.has_value()) row = std::move(other);
    };
    if (debug_frame_ && !(row && *row)) {
        leave_to(eh_frame_);
        take(debug_frame_->row_at(vaddr, spill));
    }
    if ((mini_ || exidx_) && !(row && *row)) {
        if (!debug_frame_) leave_to(eh_frame_);
        leave_to(debug_frame_);
        if (const auto* packed = mini()) {
            auto found = packed->row_at(vaddr, spill);
            if (found && *found) (*found)->in_mini = 1;
            take(std::move(found));
            if (exidx_ && !(row && *row)) {
                leave_to(packed->eh_frame_);
                leave_to(packed->debug_frame_);
            }
        }
    }
    if (exidx_ && !(row && *row)) take(exidx_->row_at(vaddr, spill));
    if (!row || *row) return row;
    // What cannot be read may have described the code.
    if (damage_) return fail(*damage_);
    if (mini_ && mini_->damage) return fail(*mini_->damage);
    for (const auto* section : {&eh_frame_, &debug_frame_}) {
        if (!*section) continue;
        if (auto loss = (*section)->loss(vaddr)) return fail(std::move(*loss));
    }
    return row;
}

RowSource FileCfi::source(const UnwindRow& row, const RuleSpill& spill, std::uint64_t bias) const {
    if (row.in_mini != 0 && mini_ && mini_->once.done() && mini_->cfi) {
        auto own = row;
        own.in_mini = 0;
        return mini_->cfi->source(own, spill, bias);
    }
    return {&spill, as_bytes_of(eh_frame_bytes_.bytes), as_bytes_of(debug_frame_bytes_.bytes), bias, order_};
}

}  // namespace perfdata
