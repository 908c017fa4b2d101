// SPDX-License-Identifier: MIT
// Sections of call frame information: entries, encodings, damage.
#include "symbols/unwind/cfi_section.hpp"

#include <vector>

#include "catch.hpp"
#include "support/random.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using I = Instructions;

// offset_of(section, vaddr) returns where the entry of an address lies; all ones if there is none.
std::size_t offset_of(const CfiSection& section, std::uint64_t vaddr) {
    const auto found = section.find(vaddr);
    return found && *found ? (*found)->offset : SIZE_MAX;
}

CfiBuilder::Options debug_frame() {
    CfiBuilder::Options options;
    options.debug_frame = true;
    return options;
}

std::string problem(const CfiSection& section) {
    const auto damage = section.damage();
    return damage ? damage->detail : "none";
}

}  // namespace

TEST_CASE("Addresses of functions are read in each encoding", "[symbols][unwind]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool wide = GENERATE(true, false);
    for (const unsigned format : {0u, 1u, 2u, 3u, 4u, 9u, 0xau, 0xbu, 0xcu, 8u}) {
        for (const unsigned base : {0u, 0x10u, 0x20u, 0x30u}) {
            CAPTURE(format, base, wide, order);
            CfiBuilder::Options options;
            options.order = order;
            options.wide_addresses = wide;
            options.address = 0x2000;
            options.data_address = 0x6000;
            options.text_address = 0x800;
            CfiCase one(options, target_of(ArchFamily::x86, wide ? 8 : 4));
            CfiBuilder::Common common;
            common.encoding = format | base;
            if (!wide) {
                common.return_register = 8;
                common.instructions = I().def_cfa(4, 4).offset(8, 1);
                common.data_alignment = -4;
            }
            // Unsigned numbers cannot be negative unless they wrap.
            const bool before = base == 0x20 || format >= 8 || (format == 0 || format == 4 || format == 3);
            const std::uint64_t begin = before && (format != 3 || !wide) ? 0x1234 : 0x7234;
            if (format == 1 && base != 0 && base != 0x20) {
                one.builder.fde(one.builder.cie(common), 0x7234, 0x100);
                CHECK(one.row(0x7234) != "none");
                continue;
            }
            one.builder.fde(one.builder.cie(common), begin, 0x100);
            CHECK(one.row(begin - 1) == "none");
            CHECK(one.row(begin) == (wide ? "7+8 16:[-8]" : "4+4 8:[-4]"));
            CHECK(one.row(begin + 0xff) != "none");
            CHECK(one.row(begin + 0x100) == "none");
        }
    }
}

TEST_CASE("Sizes of functions have no sign", "[symbols][unwind]") {
    CfiCase small, large;
    CfiBuilder::Common common;
    common.encoding = 0x0a;
    small.builder.fde(small.builder.cie(common), 0x1000, 0xff00);
    CHECK(small.row(0x1000 + 0xfeff) == "7+8 16:[-8]");
    common.encoding = 0x0b;
    large.builder.fde(large.builder.cie(common), 0x1000, 0xf0000000);
    CHECK(large.row(0xf0000fff) == "7+8 16:[-8]");
}

TEST_CASE("Encodings that cannot be followed are refused", "[symbols][unwind]") {
    const auto message = [](unsigned encoding) {
        CfiCase one;
        CfiBuilder::Common common;
        common.encoding = encoding;
        one.builder.fde(one.builder.cie(common), 0x1000, 64);
        CHECK(one.row(0x1000) == "none");
        return problem(*one.section);
    };
    CHECK(message(0x9b) == "a CIE has indirect addresses");
    CHECK(message(0x05) == "an address has the unknown encoding 5");
    CHECK(message(0x60) == "an address has the unknown encoding 96");
}

TEST_CASE("Augmentations are read as far as they are known", "[symbols][unwind]") {
    const auto row = [](const std::string& augmentation, unsigned version = 1, unsigned personality = 0x9b) {
        CfiCase one;
        CfiBuilder::Common common;
        common.augmentation = augmentation;
        common.version = version;
        common.personality = personality;
        if (augmentation.find('R') == std::string::npos) common.encoding = 0;
        one.builder.fde(one.builder.cie(common), 0x1000, 64, I().offset(3, 2));
        const auto text = one.row(0x1000);
        return text == "none" ? problem(*one.section) : text;
    };
    const std::string good = "7+8 3:[-16] 16:[-8]";
    CHECK(row("zR") == good);
    CHECK(row("") == good);
    CHECK(row("z") == good);
    CHECK(row("zPLR") == good);
    CHECK(row("zPLR", 1, 0) == good);
    CHECK(row("zRS", 3) == good);
    CHECK(row("zPRS", 4) == good);
    CHECK(row("zRB", 3) == good);
    CHECK(row("zRG", 3) == good);
    CHECK(row("eh") == good);
    CHECK(row("zRX") == good);
    CHECK(row("zXR") == "a CIE has the unknown augmentation \"XR\"");
    CHECK(row("armcc+") == "a CIE has the unknown augmentation \"armcc+\"");
    CHECK(row("zRRRRRRRRRRRRRRRR") == "a CIE has a very long augmentation");
    CHECK(row("zR", 2) == "a CIE has version 2");
    CHECK(row("zR", 5) == "a CIE has version 5");
}

TEST_CASE(".debug_frame is read in all its forms", "[symbols][unwind]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const bool dwarf64 : {false, true}) {
        for (const unsigned version : {1u, 3u, 4u}) {
            for (const bool wide : {true, false}) {
                CAPTURE(order, dwarf64, version, wide);
                auto options = debug_frame();
                options.order = order;
                options.dwarf64 = dwarf64;
                options.wide_addresses = wide;
                CfiCase one(options, target_of(ArchFamily::x86, wide ? 8 : 4));
                CfiBuilder::Common common;
                common.version = version;
                common.augmentation = "";
                common.address_bytes = wide ? 8 : 4;
                if (!wide) {
                    common.return_register = 8;
                    common.instructions = I().def_cfa(4, 4).offset(8, 1);
                }
                one.builder.fde(one.builder.cie(common), 0x2000, 16);
                const auto cie = one.builder.cie(common);
                one.builder.fde(cie, 0x1000, 16, I().offset(3, 2));
                CHECK(one.row(0x1000) == (wide ? "7+8 3:[-16] 16:[-8]" : "4+4 3:[-16] 8:[-8]"));
                CHECK(one.row(0x200f) == (wide ? "7+8 16:[-8]" : "4+4 8:[-8]"));
                CHECK(one.row(0x2010) == "none");
                CHECK(problem(*one.section) == "none");
                CHECK(one.section->row_at(0x1000, one.spill).value().value().has(UnwindRow::in_debug_frame));
            }
        }
    }
    CfiCase odd(debug_frame());
    odd.builder.fde(odd.builder.cie({.version = 4, .augmentation = "", .address_bytes = 2}), 0x1000, 16);
    CHECK(odd.row(0x1000) == "none");
    CHECK(problem(*odd.section) == "a CIE has addresses of 2 bytes");
}

TEST_CASE(".eh_frame of 64-bit DWARF is read", "[symbols][unwind]") {
    CfiBuilder::Options options;
    options.dwarf64 = true;
    CfiCase one(options);
    one.builder.fde(one.builder.cie(), 0x1000, 16, I().offset(3, 2));
    CHECK(one.row(0x1000) == "7+8 3:[-16] 16:[-8]");
}

TEST_CASE("A terminator ends nothing, and functions that were removed are not there", "[symbols][unwind]") {
    CfiCase one;
    auto cie = one.builder.cie();
    one.builder.fde(cie, 0x1000, 16);
    one.builder.terminator();
    one.builder.fde(cie, 0x2000, 16, I().offset(3, 2));
    one.builder.terminator();
    CHECK(one.row(0x2000) == "7+8 3:[-16] 16:[-8]");
    CHECK(problem(*one.section) == "none");

    CfiCase removed(debug_frame());
    cie = removed.builder.cie({.version = 3, .augmentation = ""});
    removed.builder.fde(cie, 0, 0x2000);
    removed.builder.fde(cie, 0x1000, 16, I().offset(3, 2));
    CHECK(removed.row(0x1800) == "7+8 16:[-8]");
    removed.section.reset();
    removed.input.first_code = 0x1000;
    CHECK(removed.row(0x1800) == "none");
    CHECK(removed.row(0x1000) == "7+8 3:[-16] 16:[-8]");
}

TEST_CASE("Of functions that overlap the one that begins last counts", "[symbols][unwind]") {
    CfiCase one;
    const auto cie = one.builder.cie();
    const auto outer = one.builder.fde(cie, 0x1000, 0x1000);
    const auto inner = one.builder.fde(cie, 0x1400, 0x100);
    const auto innermost = one.builder.fde(cie, 0x1440, 0x10);
    const auto across = one.builder.fde(cie, 0x14f0, 0x20);
    const auto empty = one.builder.fde(cie, 0x1410, 0);
    const auto twice = one.builder.fde(cie, 0x1440, 0x20);
    const auto& section = one.open();
    CHECK(offset_of(section, 0x0fff) == SIZE_MAX);
    CHECK(offset_of(section, 0x1000) == outer);
    CHECK(offset_of(section, 0x13ff) == outer);
    CHECK(offset_of(section, 0x1400) == inner);
    CHECK(offset_of(section, 0x1410) == inner);
    CHECK(offset_of(section, 0x1440) == innermost);
    CHECK(offset_of(section, 0x144f) == innermost);
    CHECK(offset_of(section, 0x1450) == twice);
    CHECK(offset_of(section, 0x1460) == inner);
    CHECK(offset_of(section, 0x14ef) == inner);
    CHECK(offset_of(section, 0x14f0) == across);
    CHECK(offset_of(section, 0x150f) == across);
    CHECK(offset_of(section, 0x1510) == outer);
    CHECK(offset_of(section, 0x1fff) == outer);
    CHECK(offset_of(section, 0x2000) == SIZE_MAX);
    (void)empty;
}

TEST_CASE("Overlapping functions are laid out as a plain search finds them", "[symbols][unwind]") {
    Random random(GENERATE(1u, 2u, 3u, 4u, 5u));
    struct Function {
        std::uint64_t begin, end;
        std::size_t offset;
    };
    std::vector<Function> functions;
    CfiCase one;
    const auto cie = one.builder.cie();
    for (int count = 0; count < 60; ++count) {
        const auto begin = 0x1000 + random.below(300), size = random.below(80);
        functions.push_back({begin, begin + size, one.builder.fde(cie, begin, size)});
    }
    const auto& section = one.open();
    for (std::uint64_t vaddr = 0xff0; vaddr < 0x1000 + 400; ++vaddr) {
        const Function* best = nullptr;
        for (const auto& function : functions) {
            if (vaddr < function.begin || vaddr >= function.end) continue;
            if (best == nullptr || function.begin > best->begin) best = &function;
        }
        CAPTURE(vaddr);
        REQUIRE(offset_of(section, vaddr) == (best == nullptr ? SIZE_MAX : best->offset));
    }
}

TEST_CASE("Aligned addresses lie behind padding", "[symbols][unwind]") {
    for (const std::uint64_t shift : {0u, 4u}) {
        CfiBuilder::Options options;
        options.address = 0x10000 + shift;
        CfiCase one(options);
        CfiBuilder::Common common;
        common.encoding = 0x50;
        const auto cie = one.builder.cie(common);
        const auto place = options.address + one.builder.section().size() + 8;
        Writer fde(std::endian::little);
        fde.u32(static_cast<std::uint32_t>(one.builder.section().size() + 4 - cie));
        fde.zeros(place % 8).u64(0x1000).u64(0x40).u8(0);
        one.builder.bytes(
            Writer(std::endian::little).u32(static_cast<std::uint32_t>(fde.size())).bytes(fde.blob()).take());
        CHECK(one.row(0x103f) == "7+8 16:[-8]");
        CHECK(one.row(0x1040) == "none");
    }
}

TEST_CASE("Damaged entries are told with their place", "[symbols][unwind]") {
    CfiCase one;
    const auto cie = one.builder.cie();
    one.builder.fde(cie, 0x1000, 0x20);
    const auto second = one.builder.fde(cie, 0x2000, 0x20);
    one.builder.fde(cie, 0x3000, 0x20);
    one.input.file_offset = 0x5000;
    const auto damaged = [&](std::size_t at, std::uint32_t value) {
        one.open();
        const auto bytes = Writer(std::endian::little).u32(value).take();
        std::copy(bytes.begin(), bytes.end(), one.content.begin() + static_cast<std::ptrdiff_t>(at));
        CHECK(one.row(0x1000) == "7+8 16:[-8]");
        CHECK(one.row(0x2000) == "none");
        return one.section->damage().value();
    };
    auto error = damaged(second, 0x1000);
    CHECK(error.code == ErrorCode::truncated);
    CHECK(error.where == ".eh_frame");
    CHECK(error.offset == 0x5000 + second + 4);
    CHECK(one.row(0x3000) == "none");  // nobody knows where it begins
    error = damaged(second, 0xfffffff0);
    CHECK(error.code == ErrorCode::malformed);
    CHECK(error.detail == "an entry has a length that is reserved");
    error = damaged(second + 4, 0x7fffffff);
    CHECK(error.detail == "the CIE of an FDE lies outside of the section");
    error = damaged(second + 4, 4);
    CHECK(error.code == ErrorCode::malformed);
    error = damaged(second + 4, static_cast<std::uint32_t>(second + 4 - cie - 4));
    CHECK(error.code == ErrorCode::malformed);
    error = damaged(second + 4, static_cast<std::uint32_t>(second + 4 - (second - 20)));
    CHECK(error.detail == "what an FDE refers to is no CIE");
    CHECK(error.offset > 0x5000);
    // One entry is lost, not those behind it.
    CHECK(one.row(0x3000) == "7+8 16:[-8]");
}

TEST_CASE("Functions beyond the address space, and too many, are refused", "[symbols][unwind]") {
    CfiCase one;
    CfiBuilder::Common common;
    common.encoding = 4;
    const auto cie = one.builder.cie(common);
    one.builder.fde(cie, UINT64_MAX - 0xf, 0x20);
    CHECK(one.row(UINT64_MAX) == "none");
    CHECK(problem(*one.section) == "the code of an FDE goes beyond the address space");
    CfiCase many;
    many.limits.cfi_entries = 3;
    const auto shared = many.builder.cie();
    many.builder.fde(shared, 0x1000, 0x20);
    many.builder.fde(shared, 0x2000, 0x20);
    many.builder.fde(shared, 0x3000, 0x20);
    CHECK(many.row(0x2000) == "7+8 16:[-8]");
    CHECK(many.row(0x3000) == "none");
    CHECK(many.section->damage().value().code == ErrorCode::limit);
    CHECK(problem(*many.section) == "there are more than 3 entries");
}

TEST_CASE("All functions and all rows can be visited", "[symbols][unwind]") {
    CfiCase one;
    const auto cie = one.builder.cie();
    one.builder.fde(cie, 0x2000, 0x20, I().advance(4).offset(3, 2).advance(4).advance(0).def_cfa_offset(16));
    one.builder.fde(cie, 0x1000, 0x20);
    const auto& section = one.open();
    std::vector<std::uint64_t> begins;
    std::vector<std::string> rows;
    const auto visited = section.functions([&](const CfiFunction& function) {
        begins.push_back(function.begin);
        const auto all = section.rows(function, one.spill, [&](const UnwindRow& row) {
            rows.push_back(std::to_string(row.begin) + "+" + std::to_string(row.size) + " " + words(row, one.spill));
            return true;
        });
        CHECK(all);
        return true;
    });
    CHECK(visited);
    CHECK(begins == std::vector<std::uint64_t>{0x2000, 0x1000});
    CHECK(rows == std::vector<std::string>{"8192+4 7+8 16:[-8]", "8196+4 7+8 3:[-16] 16:[-8]",
                                           "8200+24 7+16 3:[-16] 16:[-8]", "4096+32 7+8 16:[-8]"});
    int count = 0;
    CHECK(section.functions([&](const CfiFunction&) { return ++count < 1; }));
    CHECK(count == 1);
}

TEST_CASE("Any damage of a section ends in a row, none, or an error", "[symbols][unwind]") {
    Random random(GENERATE(1u, 2u, 3u));
    CfiCase original;
    CfiBuilder::Common common;
    common.augmentation = "zPLR";
    const auto cie = original.builder.cie(common);
    for (std::uint64_t number = 0; number < 8; ++number) {
        I code;
        code.advance(1).offset(3, 2).op(0x0a).advance(2).def_cfa_offset(16).op(0x0b).op(0x0f).block(I().op(0x77).op(8));
        original.builder.fde(cie, 0x1000 + 0x40 * number, 0x40, code);
    }
    const auto table = original.builder.table();
    std::size_t rows = 0, errors = 0;
    for (int round = 0; round < 2000; ++round) {
        auto damaged_table = table;
        original.open(&damaged_table);
        for (auto count = 1 + random.below(4); count != 0; --count) {
            auto& blob = random.below(4) == 0 ? damaged_table : original.content;
            blob[random.below(blob.size())] = static_cast<std::byte>(random.below(256));
        }
        for (std::uint64_t vaddr = 0xff0; vaddr < 0x1220; vaddr += 7) {
            const auto row = original.section->row_at(vaddr, original.spill);
            if (!row) {
                CHECK_FALSE(row.error().message().empty());
                ++errors;
            } else if (*row) {
                REQUIRE((*row)->contains(vaddr));
                ++rows;
            }
        }
    }
    CHECK(rows > 1000);
    CHECK(errors > 100);
}
