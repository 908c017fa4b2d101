// SPDX-License-Identifier: MIT
#include "support/attr.hpp"

#include <map>

#include "perfdata/wire/attr_words.hpp"

#include "catch.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// full_attr() has a different value in every field.
Attr full_attr() {
    Attr attr;
    attr.type = 0x01020304;
    attr.size = 144;
    attr.config = 0x1011121314151617;
    attr.sample_period = 0x2021222324252627;
    attr.sample_type = 0x3031323334353637;
    attr.read_format = 0x4041424344454647;
    attr.flags = 0x5051525354555657;
    attr.wakeup_events = 0x60616263;
    attr.bp_type = 0x64656667;
    attr.config1 = 0x7071727374757677;
    attr.config2 = 0x8081828384858687;
    attr.branch_sample_type = 0x9091929394959697;
    attr.sample_regs_user = 0xa0a1a2a3a4a5a6a7;
    attr.sample_stack_user = 0xb0b1b2b3;
    attr.clockid = -7;
    attr.sample_regs_intr = 0xc0c1c2c3c4c5c6c7;
    attr.aux_watermark = 0xd0d1d2d3;
    attr.sample_max_stack = 0xd4d5;
    attr.aux_sample_size = 0xe0e1e2e3;
    attr.aux_action = 0xe4e5e6e7;
    attr.sig_data = 0xf0f1f2f3f4f5f6f7;
    attr.config3 = 0x0a0b0c0d0e0f0a0b;
    attr.config4 = 0x1a1b1c1d1e1f1a1b;
    return attr;
}

Attr decoded(const Attr& attr, std::size_t size, std::endian order) {
    Writer out(order);
    write_attr(out, attr, size);
    return Attr::decode(out.blob(), AnyOrder(order));
}

// A field at `offset` is known to a writer of `size` bytes, else zero.
template <class T>
T known(T value, std::size_t offset, std::size_t size) {
    return offset < size ? value : T{};
}

}  // namespace

TEST_CASE("Every attr size of the ABI gives the fields it has, the others are zero", "[wire][attr]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::size_t size = GENERATE(64u, 72u, 80u, 96u, 104u, 112u, 120u, 128u, 136u, 144u);
    CAPTURE(size);
    const auto want = full_attr();
    const auto got = decoded(want, size, order);
    CHECK(got.type == want.type);
    CHECK(got.size == want.size);
    CHECK(got.config == want.config);
    CHECK(got.sample_period == want.sample_period);
    CHECK(got.sample_type == want.sample_type);
    CHECK(got.read_format == want.read_format);
    CHECK(got.flags == want.flags);
    CHECK(got.wakeup_events == want.wakeup_events);
    CHECK(got.bp_type == want.bp_type);
    CHECK(got.config1 == want.config1);
    CHECK(got.config2 == known(want.config2, 64, size));
    CHECK(got.branch_sample_type == known(want.branch_sample_type, 72, size));
    CHECK(got.sample_regs_user == known(want.sample_regs_user, 80, size));
    CHECK(got.sample_stack_user == known(want.sample_stack_user, 88, size));
    CHECK(got.clockid == known(want.clockid, 92, size));
    CHECK(got.sample_regs_intr == known(want.sample_regs_intr, 96, size));
    CHECK(got.aux_watermark == known(want.aux_watermark, 104, size));
    CHECK(got.sample_max_stack == known(want.sample_max_stack, 108, size));
    CHECK(got.aux_sample_size == known(want.aux_sample_size, 112, size));
    CHECK(got.aux_action == known(want.aux_action, 116, size));
    CHECK(got.sig_data == known(want.sig_data, 120, size));
    CHECK(got.config3 == known(want.config3, 128, size));
    CHECK(got.config4 == known(want.config4, 136, size));
}

TEST_CASE("An attr larger than known gives its known prefix", "[wire][attr]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto got = decoded(full_attr(), 152, order);
    CHECK(got.config3 == full_attr().config3);
    CHECK(got.config4 == full_attr().config4);
    CHECK(got.sample_max_stack == full_attr().sample_max_stack);
}

TEST_CASE("Each attr flag has the same number whatever the writer's byte order", "[wire][attr]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (unsigned bit = 0; bit < 64; ++bit) {
        CAPTURE(bit);
        Attr attr;
        attr.flags = std::uint64_t{1} << bit;
        const auto got = decoded(attr, 128, order);
        CHECK(got.flags == attr.flags);
        CHECK(got.flag(bit));
    }
}

TEST_CASE("precise_ip keeps its value from a big-endian writer: 1 is not 2", "[wire][attr]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto precise = GENERATE(std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3});
    Attr attr;
    attr.flags = precise << 15 | 1u << 14 | 1u << 17;  // with both neighbours
    const auto got = decoded(attr, 128, order);
    CHECK((got.flags >> 15 & 3) == precise);
    CHECK(got.flag(14));
    CHECK(got.flag(17));
}

TEST_CASE("The big-endian bit-field word is where a C compiler puts it", "[wire][attr]") {
    // disabled is bit 63, sample_id_all (18) bit 45, precise_ip = 2 is 2 << 47.
    Writer out(std::endian::big);
    out.zeros(40).u64(std::uint64_t{1} << 63 | std::uint64_t{1} << 45 | std::uint64_t{2} << 47).zeros(16);
    const auto got = Attr::decode(out.blob(), AnyOrder(std::endian::big));
    CHECK(got.flags == (1u | 1u << 18 | 2u << 15));
    CHECK(got.sample_id_all());
    CHECK_FALSE(got.freq());
}

TEST_CASE("Named flags read their own bits", "[wire][attr]") {
    Attr attr;
    attr.flags = 1u << 10;
    CHECK(attr.freq());
    CHECK_FALSE(attr.sample_id_all());
    attr.flags = 1u << 18;
    CHECK(attr.sample_id_all());
    CHECK_FALSE(attr.use_clockid());
    attr.flags = 1u << 25;
    CHECK(attr.use_clockid());
    CHECK_FALSE(attr.freq());
}

TEST_CASE("has() asks for any of the bits of sample_type", "[wire][attr]") {
    Attr attr;
    attr.sample_type = sample_bit::ip | sample_bit::weight_struct;
    CHECK(attr.has(sample_bit::ip));
    CHECK(attr.has(1u << 24));
    CHECK(attr.has(sample_bit::time | sample_bit::ip));
    CHECK_FALSE(attr.has(sample_bit::time | sample_bit::tid));
}

TEST_CASE("Bits of an attr have the names of the kernel's headers", "[wire][attr]") {
    CHECK(attr_flag_name(0) == "disabled");
    CHECK(attr_flag_name(10) == "freq");
    CHECK(attr_flag_name(18) == "sample_id_all");
    CHECK(attr_flag_name(25) == "use_clockid");
    CHECK(attr_flag_name(34) == "build_id");
    CHECK(attr_flag_name(39) == "defer_output");
    CHECK(attr_flag_name(40).empty());
    CHECK(bit_names(sample_bit::ip | sample_bit::identifier | sample_bit::weight_struct, sample_type_name) ==
          "IP|IDENTIFIER|WEIGHT_STRUCT");
    CHECK(bit_names(0x1c, read_format_name) == "ID|GROUP|LOST");
    CHECK(bit_names(1u << 17 | 1u << 3, branch_sample_type_name) == "ANY|HW_INDEX");
    CHECK(bit_names(std::uint64_t{1} << 63 | 1, sample_type_name, ' ') == "IP bit 63");
    CHECK(bit_names(0, sample_type_name).empty());
    CHECK(attr_type_name(2) == "tracepoint");
    CHECK(attr_type_name(6).empty());
}

TEST_CASE("The fields of an attr are visited by name, the frequency as what it is", "[wire][attr]") {
    Attr attr;
    attr.sample_period = 99;
    attr.config4 = 7;
    std::map<std::string, std::uint64_t> fields;
    const auto visit = [&](std::string_view name, auto value) {
        CHECK(fields.emplace(name, static_cast<std::uint64_t>(value)).second);
    };
    attr_fields(attr, visit);
    CHECK(fields.size() == 23);
    CHECK(fields.at("sample_period") == 99);
    CHECK(fields.at("config4") == 7);
    fields.clear();
    attr.flags = 1u << 10 | 2u << 15;
    attr_fields(attr, visit);
    CHECK(fields.at("sample_freq") == 99);
    CHECK(fields.count("sample_period") == 0);
    CHECK(attr.precise_ip() == 2);
}
