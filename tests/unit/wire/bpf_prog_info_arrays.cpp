// SPDX-License-Identifier: MIT
// The arrays of a program info: presence, place, and damage.
#include "perfdata/wire/feature/bpf_prog_info.hpp"
#include "perfdata/wire/feature/bpf_prog_reader.hpp"

#include "catch.hpp"
#include "support/program_info.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Decoded owns the bytes that its program views.
struct DecodedProgram {
    Blob blob;
    BpfProgramInfo program;

    BpfArrayState state(BpfArray which) const { return program.array(which).state; }
};

// Adds `shift` bytes of padding at the front: features may be unaligned.
DecodedProgram decode(const ProgramInfo& info, std::endian order, std::size_t shift = 0,
                      std::uint32_t info_len = ProgramInfo::known_info_len) {
    DecodedProgram decoded;
    decoded.blob = joined({Blob(shift), prog_info_feature(order, {info.encode(info_len)})});
    BpfProgramReader reader({Bytes(decoded.blob).subspan(shift), AnyOrder(order), {.where = "test", .offset = 0}});
    auto next = reader.next();
    REQUIRE(next);
    REQUIRE(*next);
    decoded.program = **next;
    return decoded;
}

// whole_program(order) has all nine arrays, for two functions.
ProgramInfo whole_program(std::endian order) {
    ProgramInfo info(order, 62);
    info.array(BpfArray::jited_insns, 11, blob_of("main+sub..."));
    info.array(BpfArray::xlated_insns, 16, blob_of("0123456789abcdef"));
    info.array(BpfArray::map_ids, 3, array_u32(order, {11, 12, 0x01020304}));
    info.array(BpfArray::jited_ksyms, 2, array_u64(order, {0xffffffffc011f650, 0xffffffffc011f714}));
    info.array(BpfArray::jited_func_lens, 2, array_u32(order, {4, 7}));
    info.array(BpfArray::func_info, 2, array_u32(order, {0, 31, 17, 42}));
    info.array(BpfArray::line_info, 2,
               array_u32(order, {0, 100, 200, 77 << 10 | 5, 17, 101, 201, 1023}));  // the last: line 0, column 1023
    info.array(BpfArray::jited_line_info, 2, array_u64(order, {0xffffffffc011f650, 0xffffffffc011f714}));
    info.array(BpfArray::prog_tags, 2, blob_of("tag-1___tag-2___"));
    return info;
}

constexpr BpfArray all_arrays[] = {
    BpfArray::jited_insns, BpfArray::xlated_insns,    BpfArray::map_ids,
    BpfArray::jited_ksyms, BpfArray::jited_func_lens, BpfArray::func_info,
    BpfArray::line_info,   BpfArray::jited_line_info, BpfArray::prog_tags,
};
constexpr BpfArray hidden_arrays[] = {BpfArray::jited_insns, BpfArray::jited_ksyms, BpfArray::jited_func_lens,
                                      BpfArray::jited_line_info};
constexpr std::uint64_t zero_minus_buffer = 0 - std::uint64_t{0x000055d012345678};

}  // namespace

TEST_CASE("All nine arrays are found, at any alignment", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::size_t shift = GENERATE(0u, 1u, 3u, 4u, 5u, 7u);
    const auto got = decode(whole_program(order), order, shift);
    for (const auto which : all_arrays) {
        CAPTURE(to_string(which));
        CHECK(got.state(which) == BpfArrayState::present);
    }
    const auto& program = got.program;
    CHECK(as_text(program.jited_insns()) == "main+sub...");
    CHECK(as_text(program.array(BpfArray::xlated_insns).bytes) == "0123456789abcdef");
    CHECK(program.map_count == 3);
    REQUIRE(program.map_ids().size() == 3);
    CHECK(program.map_ids()[0] == 11);
    CHECK(program.map_ids()[2] == 0x01020304);
    REQUIRE(program.jited_ksyms().size() == 2);
    CHECK(program.jited_ksyms()[0] == 0xffffffffc011f650);
    CHECK(program.jited_ksyms()[1] == 0xffffffffc011f714);
    REQUIRE(program.jited_func_lens().size() == 2);
    CHECK(program.jited_func_lens()[0] == 4);
    CHECK(program.jited_func_lens()[1] == 7);
    REQUIRE(program.functions() == 2);
    CHECK(program.function_info(0).instruction == 0);
    CHECK(program.function_info(0).type_id == 31);
    CHECK(program.function_info(1).instruction == 17);
    CHECK(program.function_info(1).type_id == 42);
    REQUIRE(program.lines() == 2);
    CHECK(program.line_info(0).instruction == 0);
    CHECK(program.line_info(0).file_name == 100);
    CHECK(program.line_info(0).text == 200);
    CHECK(program.line_info(0).line == 77);
    CHECK(program.line_info(0).column == 5);
    CHECK(program.line_info(1).instruction == 17);
    CHECK(program.line_info(1).file_name == 101);
    CHECK(program.line_info(1).text == 201);
    CHECK(program.line_info(1).line == 0);
    CHECK(program.line_info(1).column == 1023);
    REQUIRE(program.jited_line_info().size() == 2);
    CHECK(program.jited_line_info()[1] == 0xffffffffc011f714);
    REQUIRE(program.tags() == 2);
    CHECK(as_text(program.function_tag(0)) == "tag-1___");
    CHECK(as_text(program.function_tag(1)) == "tag-2___");
}

TEST_CASE("An array whose bit is clear is absent, whatever its count and offset say", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto cleared : all_arrays) {
        CAPTURE(to_string(cleared));
        const auto got = decode(whole_program(order).clear_bit(cleared), order);
        for (const auto which : all_arrays) {
            CHECK(got.state(which) == (which == cleared ? BpfArrayState::absent : BpfArrayState::present));
        }
        CHECK(got.program.array(cleared).bytes.empty());
    }
}

TEST_CASE("Views of arrays that are not there are empty", "[wire][prog_info]") {
    auto info = whole_program(std::endian::little);
    for (const auto which : all_arrays) info.clear_bit(which);
    const auto got = decode(info, std::endian::little);
    CHECK(got.program.jited_insns().empty());
    CHECK(got.program.jited_ksyms().empty());
    CHECK(got.program.jited_func_lens().empty());
    CHECK(got.program.map_ids().empty());
    CHECK(got.program.jited_line_info().empty());
    CHECK(got.program.tags() == 0);
    CHECK(got.program.functions() == 0);
    CHECK(got.program.lines() == 0);
}

TEST_CASE("An array of count 0 is absent, wherever its offset points", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint64_t offset = GENERATE(std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0});
    auto info = whole_program(order);
    info.place(BpfArray::map_ids, offset, 0);
    const auto got = decode(info, order);
    CHECK(got.state(BpfArray::map_ids) == BpfArrayState::absent);
    CHECK(got.program.map_ids().empty());
}

TEST_CASE("An array outside its program's data is damaged, and the others stay", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto data_len = std::uint64_t{16 + 16 + 16 + 16 + 8 + 16 + 32 + 16 + 16};
    struct Damage {
        const char* name;
        std::uint64_t offset;
        std::uint32_t count;
    };
    const auto damage = GENERATE_COPY(Damage{"one byte short", data_len - 15, 2}, Damage{"at the end", data_len, 1},
                                      Damage{"behind the end", data_len + 1, 1},
                                      Damage{"count times stride beyond 2^32", 0, 0xffffffff},
                                      Damage{"offset plus size wraps around", 0 - std::uint64_t{8}, 1});
    CAPTURE(damage.name);
    for (const auto damaged : {BpfArray::func_info, BpfArray::prog_tags, BpfArray::jited_ksyms}) {
        CAPTURE(to_string(damaged));
        auto info = whole_program(order);
        info.place(damaged, damage.offset, damage.count);
        const auto got = decode(info, order);
        CHECK(got.state(damaged) == BpfArrayState::damaged);
        CHECK(got.program.array(damaged).bytes.empty());
        CHECK(got.program.array(damaged).offset == damage.offset);
        CHECK(got.program.array(damaged).count == damage.count);
        for (const auto which : all_arrays) {
            if (which != damaged) CHECK(got.state(which) == BpfArrayState::present);
        }
    }
}

TEST_CASE("An array that ends exactly at the end of the data is present", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto info = whole_program(order);
    info.place(BpfArray::func_info, 16 + 16 + 16 + 16 + 8 + 16 + 32 + 16, 2);
    CHECK(decode(info, order).state(BpfArray::func_info) == BpfArrayState::present);
}

TEST_CASE("Arrays that the kernel hid are withheld, not damaged, and the others stay", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto info = whole_program(order);
    for (const auto which : hidden_arrays) info.place(which, zero_minus_buffer, 2);
    const auto got = decode(info, order);
    for (const auto which : hidden_arrays) {
        CAPTURE(to_string(which));
        CHECK(got.state(which) == BpfArrayState::withheld);
        CHECK(got.program.array(which).bytes.empty());
        CHECK(got.program.array(which).count == 2);
    }
    CHECK(got.state(BpfArray::func_info) == BpfArrayState::present);
    CHECK(got.state(BpfArray::line_info) == BpfArrayState::present);
    CHECK(got.state(BpfArray::prog_tags) == BpfArrayState::present);
    CHECK(got.program.functions() == 2);
    CHECK(as_text(got.program.function_tag(1)) == "tag-2___");
}

TEST_CASE("Withheld arrays need not all have been asked for", "[wire][prog_info]") {
    // A program without line info: its jited_line_info is empty.
    auto info = whole_program(std::endian::little);
    for (const auto which : hidden_arrays) info.place(which, zero_minus_buffer, 2);
    info.place(BpfArray::jited_line_info, zero_minus_buffer, 0);
    const auto got = decode(info, std::endian::little);
    CHECK(got.state(BpfArray::jited_insns) == BpfArrayState::withheld);
    CHECK(got.state(BpfArray::jited_ksyms) == BpfArrayState::withheld);
    CHECK(got.state(BpfArray::jited_func_lens) == BpfArrayState::withheld);
    CHECK(got.state(BpfArray::jited_line_info) == BpfArrayState::absent);
}

TEST_CASE("One huge offset beside readable arrays is damage", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto huge : hidden_arrays) {
        CAPTURE(to_string(huge));
        auto info = whole_program(order);
        info.place(huge, zero_minus_buffer, 2);
        const auto got = decode(info, order);
        CHECK(got.state(huge) == BpfArrayState::damaged);
        for (const auto which : all_arrays) {
            if (which != huge) CHECK(got.state(which) == BpfArrayState::present);
        }
    }
}

TEST_CASE("A huge offset of an array that the kernel never hides is damage", "[wire][prog_info]") {
    auto info = whole_program(std::endian::little);
    for (const auto which : hidden_arrays) info.place(which, zero_minus_buffer, 2);
    info.place(BpfArray::prog_tags, zero_minus_buffer, 2);
    const auto got = decode(info, std::endian::little);
    CHECK(got.state(BpfArray::prog_tags) == BpfArrayState::damaged);
    CHECK(got.state(BpfArray::jited_insns) == BpfArrayState::withheld);
}

TEST_CASE("Four damaged arrays of which one has a small offset are damage, not withheld", "[wire][prog_info]") {
    auto info = whole_program(std::endian::little);
    for (const auto which : hidden_arrays) info.place(which, zero_minus_buffer, 2);
    info.place(BpfArray::jited_ksyms, 100000, 2);
    const auto got = decode(info, std::endian::little);
    for (const auto which : hidden_arrays) CHECK(got.state(which) == BpfArrayState::damaged);
}

TEST_CASE("A record size larger than known is the stride", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    ProgramInfo info(order, 1);
    info.u32(info_field::func_info_rec_size, 12).u32(info_field::line_info_rec_size, 20);
    info.u32(info_field::jited_line_info_rec_size, 16);
    info.array(BpfArray::func_info, 2, array_u32(order, {0, 31, 0xdead, 17, 42, 0xdead}));
    info.array(BpfArray::line_info, 2, array_u32(order, {0, 1, 2, 3 << 10, 0xdead, 17, 5, 6, 7 << 10 | 9, 0xdead}));
    info.array(BpfArray::jited_line_info, 2, array_u64(order, {0x1000, 0xdead, 0x2000, 0xdead}));
    const auto got = decode(info, order);
    REQUIRE(got.program.functions() == 2);
    CHECK(got.program.function_info(1).instruction == 17);
    CHECK(got.program.function_info(1).type_id == 42);
    REQUIRE(got.program.lines() == 2);
    CHECK(got.program.line_info(1).instruction == 17);
    CHECK(got.program.line_info(1).line == 7);
    CHECK(got.program.line_info(1).column == 9);
    REQUIRE(got.program.jited_line_info().size() == 2);
    CHECK(got.program.jited_line_info()[0] == 0x1000);
    CHECK(got.program.jited_line_info()[1] == 0x2000);
}

TEST_CASE("A record size too small for its element makes the array damaged", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    struct Case {
        BpfArray array;
        std::size_t field;
        std::uint32_t size;
    };
    const auto one = GENERATE(Case{BpfArray::func_info, info_field::func_info_rec_size, 7},
                              Case{BpfArray::func_info, info_field::func_info_rec_size, 0},
                              Case{BpfArray::line_info, info_field::line_info_rec_size, 15},
                              Case{BpfArray::line_info, info_field::line_info_rec_size, 0},
                              Case{BpfArray::jited_line_info, info_field::jited_line_info_rec_size, 7},
                              Case{BpfArray::jited_line_info, info_field::jited_line_info_rec_size, 0});
    CAPTURE(to_string(one.array), one.size);
    auto info = whole_program(order);
    info.u32(one.field, one.size);
    const auto got = decode(info, order);
    CHECK(got.state(one.array) == BpfArrayState::damaged);
    CHECK(got.program.array(one.array).bytes.empty());
    CHECK(got.program.lines() == (one.array == BpfArray::line_info ? 0u : 2u));
    CHECK(got.program.functions() == (one.array == BpfArray::func_info ? 0u : 2u));
    CHECK(got.program.jited_line_info().size() == (one.array == BpfArray::jited_line_info ? 0u : 2u));
}

TEST_CASE("A record size of 2^32 - 1 does not overflow the array's size", "[wire][prog_info]") {
    auto info = whole_program(std::endian::little);
    info.u32(info_field::func_info_rec_size, 0xffffffff).place(BpfArray::func_info, 0, 0xffffffff);
    CHECK(decode(info, std::endian::little).state(BpfArray::func_info) == BpfArrayState::damaged);
}

TEST_CASE("Arrays of an info too short for their fields are absent", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // 128 bytes: the last fields are jited_ksyms and jited_func_lens.
    const auto got = decode(whole_program(order), order, 0, 128);
    CHECK(got.state(BpfArray::jited_ksyms) == BpfArrayState::present);
    CHECK(got.program.jited_func_lens()[1] == 7);
    CHECK(got.state(BpfArray::func_info) == BpfArrayState::absent);
    CHECK(got.state(BpfArray::line_info) == BpfArrayState::absent);
    CHECK(got.state(BpfArray::prog_tags) == BpfArrayState::absent);
}
