// SPDX-License-Identifier: MIT
// Call frame information made by hand, and its rows in words.
#pragma once

#include <string>

#include "catch.hpp"
#include "support/cfi.hpp"
#include "symbols/unwind/cfi_section.hpp"

namespace perfdata::test {

inline UnwindTarget target_of(ArchFamily family, unsigned address_bytes = 8) {
    return UnwindTarget::of(family, address_bytes).value();
}

// words(row, spill): "7+16 6:[-16] 16:[-8]" is CFA = slot 7 + 16, slot 6 at CFA - 16, slot 16 at CFA - 8.
inline std::string words(const UnwindRow& row, const RuleSpill& spill) {
    const auto sign = [](std::int32_t value) { return (value < 0 ? "" : "+") + std::to_string(value); };
    auto text = row.has(UnwindRow::cfa_expression) ? "block " + std::to_string(row.cfa_block())
                                                   : std::to_string(row.cfa_slot) + sign(row.cfa_value);
    row.for_each_rule(spill, [&](const UnwindRule& rule) {
        text += ' ' + std::to_string(rule.slot) + ':';
        switch (rule.kind) {
            case RuleKind::same: text += "same"; break;
            case RuleKind::undefined: text += "undefined"; break;
            case RuleKind::at_offset: text += '[' + sign(rule.value) + ']'; break;
            case RuleKind::is_offset: text += sign(rule.value); break;
            case RuleKind::in_slot: text += "slot " + std::to_string(rule.value); break;
            case RuleKind::at_expression: text += "[block " + std::to_string(rule.expression()) + ']'; break;
            case RuleKind::is_expression: text += "block " + std::to_string(rule.expression()); break;
        }
        return true;
    });
    return text;
}

// CfiCase is a section and what it is read with.
struct CfiCase {
    explicit CfiCase(CfiBuilder::Options options = {}, UnwindTarget of = target_of(ArchFamily::x86))
        : builder(options), target(of) {}

    // open(table): the table is of .eh_frame_hdr; null: none. The section must not change afterwards.
    CfiSection& open(const Blob* table = nullptr) {
        const auto& options = builder.options();
        input.format = options.debug_frame ? CfiInput::Format::debug_frame : CfiInput::Format::eh_frame;
        input.order = AnyOrder(options.order);
        content = builder.section();
        input.section = content;
        input.address = options.address;
        input.text_address = options.text_address;
        input.data_address = options.data_address;
        input.table_address = options.table_address;
        if (table != nullptr) input.table = *table;
        section.emplace(CfiSection::open(input, target, limits).value());
        return *section;
    }
    // row(vaddr) returns the row in words; "none", or an error's message without its place.
    std::string row(std::uint64_t vaddr) {
        if (!section) open();
        const auto found = section->row_at(vaddr, spill);
        if (!found) return found.error().detail;
        if (!*found) return "none";
        CHECK((*found)->contains(vaddr));
        return words(**found, spill);
    }
    // row_of(instructions) returns the row of a function of 64 bytes, behind all its instructions.
    std::string row_of(const Instructions& instructions, const CfiBuilder::Common& common = {}) {
        builder.fde(builder.cie(common), 0x1000, 64, instructions);
        return row(0x1000 + 63);
    }

    CfiBuilder builder;
    UnwindTarget target;
    CfiInput input;
    Limits limits;
    RuleSpill spill;
    Blob content;
    std::optional<CfiSection> section;
};

}  // namespace perfdata::test
