// SPDX-License-Identifier: MIT
// Instructions of call frame information: what row each of them makes.
#include "symbols/unwind/cfi_program.hpp"

#include "catch.hpp"
#include "unit/symbols/cfi_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using I = Instructions;

// x86_64(instructions) returns the row behind them. The CIE says "7+8 16:[-8]"; factors are of -8.
std::string x86_64(const I& instructions) {
    return CfiCase().row_of(instructions);
}

}  // namespace

TEST_CASE("Each instruction of call frame information makes its row", "[symbols][unwind]") {
    CHECK(x86_64({}) == "7+8 16:[-8]");
    CHECK(x86_64(I().op(0)) == "7+8 16:[-8]");
    CHECK(x86_64(I().op(0x0c).uleb(6).uleb(200)) == "6+200 16:[-8]");            // def_cfa
    CHECK(x86_64(I().op(0x0d).uleb(6)) == "6+8 16:[-8]");                        // def_cfa_register
    CHECK(x86_64(I().op(0x0e).uleb(300)) == "7+300 16:[-8]");                    // def_cfa_offset
    CHECK(x86_64(I().op(0x12).uleb(6).sleb(-4)) == "6+32 16:[-8]");              // def_cfa_sf
    CHECK(x86_64(I().op(0x13).sleb(2)) == "7-16 16:[-8]");                       // def_cfa_offset_sf
    CHECK(x86_64(I().op(0x80 | 3).uleb(2)) == "7+8 3:[-16] 16:[-8]");            // offset
    CHECK(x86_64(I().op(0x05).uleb(12).uleb(300)) == "7+8 12:[-2400] 16:[-8]");  // offset_extended
    CHECK(x86_64(I().op(0x11).uleb(12).sleb(-3)) == "7+8 12:[+24] 16:[-8]");     // offset_extended_sf
    CHECK(x86_64(I().op(0x2f).uleb(12).uleb(3)) == "7+8 12:[+24] 16:[-8]");      // negative_offset_extended
    CHECK(x86_64(I().op(0x14).uleb(7).uleb(2)) == "7+8 7:-16 16:[-8]");          // val_offset
    CHECK(x86_64(I().op(0x15).uleb(7).sleb(-2)) == "7+8 7:+16 16:[-8]");         // val_offset_sf
    CHECK(x86_64(I().op(0x07).uleb(3)) == "7+8 3:undefined 16:[-8]");            // undefined
    CHECK(x86_64(I().op(0x08).uleb(3)) == "7+8 3:same 16:[-8]");                 // same_value
    CHECK(x86_64(I().op(0x09).uleb(16).uleb(2)) == "7+8 16:slot 2");             // register
    CHECK(x86_64(I().op(0x2e).uleb(128)) == "7+8 16:[-8]");                      // GNU_args_size
    // Registers without slots have no rules; what is kept in one is lost.
    CHECK(x86_64(I().op(0x05).uleb(17).uleb(2)) == "7+8 16:[-8]");
    CHECK(x86_64(I().op(0x09).uleb(3).uleb(17)) == "7+8 3:undefined 16:[-8]");
}

TEST_CASE("Expressions of call frame information are kept by their place", "[symbols][unwind]") {
    const auto block = I().block(I().op(0x77).sleb(8));
    CfiCase of_cfa;
    const auto cie = of_cfa.builder.cie();
    const auto fde = of_cfa.builder.fde(cie, 0x1000, 64, I().op(0x0f).op(2).op(0x77).op(8));
    // Length, CIE pointer, begin, size, no data: 17 bytes; then the opcode.
    const auto at = std::to_string(fde + 18);
    CHECK(of_cfa.row(0x1000) == "block " + at + " 16:[-8]");
    CHECK(std::to_integer<int>(of_cfa.content[fde + 18]) == 2);

    CfiCase of_register;
    of_register.builder.fde(of_register.builder.cie(), 0x1000, 64, I().op(0x10).uleb(3).op(2).op(0x77).op(8));
    CHECK(of_register.row(0x1000) == "7+8 3:[block " + std::to_string(fde + 19) + "] 16:[-8]");
    CfiCase of_value;
    of_value.builder.fde(of_value.builder.cie(), 0x1000, 64, I().op(0x16).uleb(3).op(2).op(0x77).op(8));
    CHECK(of_value.row(0x1000) == "7+8 3:block " + std::to_string(fde + 19) + " 16:[-8]");
    // A register ends an expression; an offset does not.
    CHECK(x86_64(I().op(0x0f).op(1).op(0x30).op(0x0d).uleb(6)) == "6+8 16:[-8]");
    CHECK(x86_64(I().op(0x0f).op(1).op(0x30).op(0x0e).uleb(80)).starts_with("block "));
}

TEST_CASE("Each way to advance begins a row", "[symbols][unwind]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CfiBuilder::Options options;
    options.order = order;
    CfiCase one(options);
    auto common = CfiBuilder::Common();
    common.code_alignment = 4;
    const auto cie = one.builder.cie(common);
    I code(order);
    code.advance(1).def_cfa_offset(1).op(2).op(2).def_cfa_offset(2).op(3).u16(0x100).def_cfa_offset(3);
    code.op(4).u32(0x1000).def_cfa_offset(4).op(0x1d).u64(0x2000).def_cfa_offset(5);
    one.builder.fde(cie, 0x400000, 0x40000, code);
    CHECK(one.row(0x400000) == "7+8 16:[-8]");
    CHECK(one.row(0x400003) == "7+8 16:[-8]");
    CHECK(one.row(0x400004) == "7+1 16:[-8]");
    CHECK(one.row(0x40000b) == "7+1 16:[-8]");
    CHECK(one.row(0x40000c) == "7+2 16:[-8]");
    CHECK(one.row(0x40040c) == "7+3 16:[-8]");
    CHECK(one.row(0x40440b) == "7+3 16:[-8]");
    CHECK(one.row(0x40440c) == "7+4 16:[-8]");
    CHECK(one.row(0x40c40c) == "7+5 16:[-8]");
    CHECK(one.row(0x43ffff) == "7+5 16:[-8]");
    CHECK(one.row(0x440000) == "none");
    const auto row = one.section->row_at(0x404500, one.spill).value().value();
    CHECK(row.begin == 0x40440c);
    CHECK(row.end() == 0x40c40c);
}

TEST_CASE("A place can be set in each encoding", "[symbols][unwind]") {
    // The address of set_loc is relative to itself, as the FDE's begin is.
    CfiCase relative;
    const auto cie = relative.builder.cie();
    const auto place = relative.builder.options().address + relative.builder.section().size() + 8 + 8 + 1 + 1;
    relative.builder.fde(cie, 0x1000, 64, I().op(1).u32(static_cast<std::uint32_t>(0x1020 - place)).def_cfa_offset(9));
    CHECK(relative.row(0x101f) == "7+8 16:[-8]");
    CHECK(relative.row(0x1020) == "7+9 16:[-8]");

    CfiBuilder::Options options;
    options.debug_frame = true;
    CfiCase absolute(options);
    absolute.builder.fde(absolute.builder.cie({.version = 3, .augmentation = ""}), 0x1000, 64,
                         I().op(1).u64(0x1030).def_cfa_offset(9));
    CHECK(absolute.row(0x102f) == "7+8 16:[-8]");
    CHECK(absolute.row(0x1030) == "7+9 16:[-8]");
    CfiCase back(options);
    back.builder.fde(back.builder.cie({.version = 3, .augmentation = ""}), 0x1000, 64, I().op(1).u64(0xfff));
    CHECK(back.row(0x1000) == "a function goes back to an earlier place");
}

TEST_CASE("States are remembered with all they have", "[symbols][unwind]") {
    const auto saved = I().offset(3, 2).def_cfa_offset(16);
    CHECK(x86_64(I(saved).op(0x0a).def_cfa(6, 32).offset(12, 3).op(0x0b)) == "7+16 3:[-16] 16:[-8]");
    // Nested.
    CHECK(x86_64(I(saved).op(0x0a).offset(12, 3).op(0x0a).offset(13, 4).op(0x0b).op(0x0b)) == "7+16 3:[-16] 16:[-8]");
    CHECK(x86_64(I(saved).op(0x0a).offset(12, 3).op(0x0a).offset(13, 4).op(0x0b)) == "7+16 3:[-16] 12:[-24] 16:[-8]");
    CHECK(x86_64(I().op(0x0b)) == "no state has been remembered");
    I many;
    for (int depth = 0; depth < 64; ++depth) many.op(0x0a);
    CHECK(x86_64(many) == "7+8 16:[-8]");
    CHECK(x86_64(many.op(0x0a)) == "too many states are remembered");
}

TEST_CASE("Registers are restored to what the CIE says of them", "[symbols][unwind]") {
    CHECK(x86_64(I().offset(3, 2).op(0xc0 | 3)) == "7+8 16:[-8]");
    CHECK(x86_64(I().offset(16, 5).op(0xc0 | 16)) == "7+8 16:[-8]");
    CHECK(x86_64(I().offset(16, 5).op(0x06).uleb(16)) == "7+8 16:[-8]");  // restore_extended
    CHECK(x86_64(I().op(0x06).uleb(500)) == "7+8 16:[-8]");
}

TEST_CASE("Arm64 says where return addresses are signed", "[symbols][unwind]") {
    const auto arm64 = target_of(ArchFamily::arm64);
    CfiBuilder::Common common;
    common.augmentation = "zRB";
    common.return_register = 30;
    common.instructions = I().def_cfa(31, 0);
    CfiCase one({}, arm64);
    one.builder.fde(one.builder.cie(common), 0x1000, 64,
                    I().advance(4).op(0x2d).advance(4).op(0x0a).op(0x2d).advance(4).op(0x0b).advance(4).op(0x2c));
    one.open();
    const auto is_signed = [&](std::uint64_t vaddr) {
        return one.section->row_at(vaddr, one.spill).value().value().has(UnwindRow::return_signed);
    };
    CHECK_FALSE(is_signed(0x1000));
    CHECK(is_signed(0x1004));
    CHECK_FALSE(is_signed(0x1008));
    CHECK(is_signed(0x100c));
    CHECK_FALSE(is_signed(0x1010));
    // The same code has another meaning elsewhere.
    CHECK(x86_64(I().op(0x2d)) == "unknown instruction 45");
    CHECK(x86_64(I().op(0x2c)) == "unknown instruction 44");
}

TEST_CASE("Instructions that make no sense are said to be so", "[symbols][unwind]") {
    CHECK(x86_64(I().op(0x1c)) == "unknown instruction 28");
    CHECK(x86_64(I().op(0x3f)) == "unknown instruction 63");
    CfiBuilder::Common common;
    common.instructions = I().def_cfa(7, 8).offset(16, 1).advance(1);
    CHECK(CfiCase().row_of({}, common) == "a CIE goes on to another place");
    common.instructions = I().offset(16, 1);
    CHECK(CfiCase().row_of({}, common) == "there is no rule for the CFA");
    // RISC-V's assemblers leave the offset out.
    common.instructions = I().op(0x0d).uleb(7).offset(16, 1);
    CHECK(CfiCase().row_of({}, common) == "7+0 16:[-8]");
    CHECK(x86_64(I().def_cfa(17, 8)) == "the CFA depends on register 17");
    CHECK(x86_64(I().def_cfa_offset(std::uint64_t{1} << 31)) == "the CFA is more than 2 GiB away");
    CHECK(x86_64(I().def_cfa_offset((std::uint64_t{1} << 31) - 1)) == "7+2147483647 16:[-8]");
    CHECK(x86_64(I().offset(3, std::uint64_t{1} << 29)) == "a rule of register 3 goes beyond 2 GiB");
    CHECK(x86_64(I().offset(3, UINT64_MAX / 4)) == "a rule of register 3 goes beyond 2 GiB");
    CHECK(x86_64(I().op(0x12).uleb(6).sleb(INT64_MIN)) == "the CFA is more than 2 GiB away");
    common = {};
    common.return_register = 40;
    CHECK(CfiCase().row_of({}, common) == "the return address is in register 40");
    // Numbers end: eleven bytes hold more than 64 bits.
    I padded;
    padded.op(0x0e);
    for (int at = 0; at < 10; ++at) padded.op(0x80);
    CHECK(x86_64(I(padded).op(0)).starts_with("an instruction goes beyond the end"));
    I cut;
    cut.op(0).op(0).op(0x0f).uleb(90).op(0x30);
    CHECK(x86_64(cut).starts_with("an instruction goes beyond the end"));
}

TEST_CASE("What is damaged behind a row does not matter to it", "[symbols][unwind]") {
    CfiCase one;
    one.builder.fde(one.builder.cie(), 0x1000, 64, I().advance(8).offset(3, 2).advance(8).op(0x1c));
    CHECK(one.row(0x1008) == "7+8 3:[-16] 16:[-8]");
    CHECK(one.row(0x1010) == "unknown instruction 28");
    // Nor what is said of places behind the function.
    CfiCase beyond;
    beyond.builder.fde(beyond.builder.cie(), 0x1000, 64, I().op(4).u32(UINT32_MAX).op(0x1c));
    CHECK(beyond.row(0x103f) == "7+8 16:[-8]");
    CfiCase wraps;
    CfiBuilder::Common common;
    common.code_alignment = UINT64_MAX;
    wraps.builder.fde(wraps.builder.cie(common), 0x1000, 64, I().advance(3).op(0x1c));
    CHECK(wraps.row(0x103f) == "7+8 16:[-8]");
}

TEST_CASE("Instructions cost, and a limit ends them", "[symbols][unwind]") {
    I many;
    for (int at = 0; at < 60; ++at) many.op(0);
    many.advance(1).def_cfa_offset(24);
    CfiCase one;
    one.limits.cfi_row_instructions = 64;
    one.builder.fde(one.builder.cie(), 0x1000, 64, many);
    // Two of the CIE and padding.
    CHECK(one.row(0x1000).starts_with("the instructions of a function are too many"));
    one.limits.cfi_row_instructions = 65 + 2;
    one.section.reset();
    CHECK(one.row(0x1000) == "7+8 16:[-8]");
    one.limits.cfi_row_instructions = 80;
    one.section.reset();
    CHECK(one.row(0x1001) == "7+24 16:[-8]");
    // Those of a CIE are run for each of its functions.
    CfiBuilder::Common common;
    for (int at = 0; at < 500; ++at) common.instructions.op(0);
    CHECK(CfiCase().row_of({}, common) == "7+8 16:[-8]");
    for (int at = 0; at < 20; ++at) common.instructions.op(0);
    CHECK(CfiCase().row_of({}, common) == "the instructions of a CIE are too many");
}

TEST_CASE("A row says whether it is a signal's or has no caller", "[symbols][unwind]") {
    CfiCase one;
    CfiBuilder::Common common;
    common.augmentation = "zRS";
    one.builder.fde(one.builder.cie(common), 0x1000, 16);
    one.builder.fde(one.builder.cie(), 0x1010, 16, I().op(7).uleb(16));
    common.augmentation = "zR";
    common.instructions = I().op(7).uleb(16);
    one.builder.fde(one.builder.cie(common), 0x1020, 16);
    one.open();
    const auto signal = one.section->row_at(0x1000, one.spill).value().value();
    CHECK(signal.has(UnwindRow::signal_frame));
    CHECK_FALSE(signal.has(UnwindRow::outermost));
    CHECK_FALSE(signal.has(UnwindRow::in_debug_frame));
    const auto last = one.section->row_at(0x1010, one.spill).value().value();
    CHECK(last.has(UnwindRow::outermost));
    CHECK_FALSE(last.has(UnwindRow::signal_frame));
    // Without caller no CFA is needed.
    CHECK(one.section->row_at(0x1020, one.spill).value().value().has(UnwindRow::outermost));
}

TEST_CASE("Rows with many or wide rules spill them", "[symbols][unwind]") {
    I many;
    for (unsigned slot = 0; slot < 9; ++slot) many.offset(slot, slot + 2);
    CfiCase ten;
    ten.builder.fde(ten.builder.cie(), 0x1000, 64, many);
    const std::string nine = "7+8 0:[-16] 1:[-24] 2:[-32] 3:[-40] 4:[-48] 5:[-56] 6:[-64] 7:[-72] 8:[-80]";
    CHECK(ten.row(0x1000) == nine + " 16:[-8]");
    CHECK(ten.spill.size() == 0);
    CfiCase eleven;
    eleven.builder.fde(eleven.builder.cie(), 0x1000, 64, I(many).offset(9, 11));
    CHECK(eleven.row(0x1000) == nine + " 9:[-88] 16:[-8]");
    CHECK(eleven.spill.size() == 11);
    CHECK(eleven.section->row_at(0x1000, eleven.spill).value().value().has(UnwindRow::spilled));
    // 23 bits hold 4 MiB.
    CfiCase wide;
    wide.builder.fde(wide.builder.cie(), 0x1000, 64, I().offset(3, 1 << 19));
    CHECK(wide.row(0x1000) == "7+8 3:[-4194304] 16:[-8]");
    CHECK(wide.spill.size() == 0);
    CfiCase wider;
    wider.builder.fde(wider.builder.cie(), 0x1000, 64, I().offset(3, (1 << 19) + 1));
    CHECK(wider.row(0x1000) == "7+8 3:[-4194312] 16:[-8]");
    CHECK(wider.spill.size() == 2);
    // A row and a spill that do not belong together have no rules.
    const RuleSpill other;
    const auto row = wider.section->row_at(0x1000, wider.spill).value().value();
    CHECK(words(row, other) == "7+8");
}

TEST_CASE("Rows of very large functions are cut", "[symbols][unwind]") {
    CfiCase one;
    CfiBuilder::Common common;
    common.encoding = 4;  // 8 bytes
    one.builder.fde(one.builder.cie(common), 0x1000, std::uint64_t{1} << 40);
    CHECK(one.row(0x1000) == "7+8 16:[-8]");
    CHECK(one.row(0x1000 + (std::uint64_t{1} << 33)) == "7+8 16:[-8]");
    CHECK(one.row(0xfff + (std::uint64_t{1} << 40)) == "7+8 16:[-8]");
    CHECK(one.row(0x1000 + (std::uint64_t{1} << 40)) == "none");
}

TEST_CASE("PowerPC's link register has two numbers", "[symbols][unwind]") {
    const auto powerpc = target_of(ArchFamily::powerpc);
    CfiBuilder::Common common;
    common.return_register = 65;
    common.instructions = I().def_cfa(1, 0);
    const auto code = I().op(0x11).uleb(65).sleb(-2).op(0x05).uleb(108).uleb(4);
    // 108 is a vector register here ...
    CHECK(CfiCase({}, powerpc).row_of(code, common) == "1+0 32:[+16]");
    // ... and lr there.
    CfiBuilder::Options options;
    options.debug_frame = true;
    common.version = 3;
    common.augmentation = "";
    common.return_register = 108;
    CHECK(CfiCase(options, powerpc).row_of(code, common) == "1+0 32:[-32]");
}
