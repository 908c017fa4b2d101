// SPDX-License-Identifier: MIT
// Entries of BPF_PROG_INFO: fields, framing, sizes. Arrays are tested in another file.
#include "perfdata/wire/feature/bpf_prog_info.hpp"

#include "perfdata/wire/feature/bpf_prog_reader.hpp"

#include "catch.hpp"
#include "support/program_info.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

BpfProgramReader reader(const Blob& blob, std::endian order) {
    return BpfProgramReader({blob, AnyOrder(order), {.where = "feature BPF_PROG_INFO", .offset = 5000}});
}

ProgramInfo full_program(std::endian order) {
    ProgramInfo info(order, 0x01020304);
    info.u32(info_field::type, 26).bytes(info_field::tag, blob_of("\x01\x02\x03\x04\x05\x06\x07\x08"));
    info.u32(info_field::jited_prog_len, 308).u32(info_field::xlated_prog_len, 496);
    info.u64(info_field::load_time, 0x1112131415161718).u32(info_field::created_by_uid, 1000);
    info.bytes(info_field::name, blob_of("on_sys_enter")).u32(info_field::btf_id, 106);
    info.u64(info_field::run_time_ns, 0x2122232425262728).u64(info_field::run_cnt, 0x3132333435363738);
    info.u64(info_field::recursion_misses, 0x4142434445464748).u32(info_field::verified_insns, 0x51525354);
    info.u32(info_field::attach_btf_obj_id, 0x61626364).u32(info_field::attach_btf_id, 0x71727374);
    return info;
}

}  // namespace

TEST_CASE("A program info gives its fields in either byte order; tag and name are never swapped", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = prog_info_feature(order, {full_program(order).encode()});
    auto in = reader(blob, order);
    const auto next = in.next();
    REQUIRE(next);
    REQUIRE(*next);
    const auto& got = **next;
    CHECK(got.offset == 5004);
    CHECK(got.type == 26);
    CHECK(got.id == ProgramId{0x01020304});
    CHECK(as_text(got.tag) == "\x01\x02\x03\x04\x05\x06\x07\x08");
    CHECK(got.jited_size == 308);
    CHECK(got.xlated_size == 496);
    CHECK(got.load_time == 0x1112131415161718);
    CHECK(got.created_by_uid == 1000);
    CHECK(got.name == "on_sys_enter");
    CHECK(got.btf_id == 106);
    CHECK(got.run_time_ns == 0x2122232425262728);
    CHECK(got.run_count == 0x3132333435363738);
    CHECK(got.recursion_misses == 0x4142434445464748);
    CHECK(got.verified_instructions == 0x51525354);
    CHECK(got.attach_btf_object_id == 0x61626364);
    CHECK(got.attach_btf_id == 0x71727374);
    CHECK(got.order.endian() == order);
    const auto end = in.next();
    REQUIRE(end);
    CHECK_FALSE(*end);
}

TEST_CASE("A program name of 16 bytes without NUL ends with its field", "[wire][prog_info]") {
    ProgramInfo info(std::endian::little, 1);
    info.bytes(info_field::name, blob_of("sixteen_letters!")).u32(80, 0x41414141);
    const auto blob = prog_info_feature(std::endian::little, {info.encode()});
    const auto got = reader(blob, std::endian::little).next();
    REQUIRE(got);
    CHECK((*got)->name == "sixteen_letters!");
}

TEST_CASE("An older kernel's shorter info leaves the fields it lacks zero", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // Sizes of struct bpf_prog_info over time, and one that ends inside the name.
    const std::uint32_t info_len = GENERATE(40u, 72u, 80u, 104u, 128u, 192u, 208u, 216u);
    CAPTURE(info_len);
    const auto program = full_program(order).encode(info_len);
    const auto blob = prog_info_feature(order, {program, ProgramInfo(order, 9).encode()});
    auto in = reader(blob, order);
    const auto next = in.next();
    REQUIRE(next);
    const auto& got = **next;
    CHECK(got.id == ProgramId{0x01020304});
    CHECK(got.jited_size == 308);
    CHECK(got.load_time == (info_len > 40 ? 0x1112131415161718 : 0));
    CHECK(got.created_by_uid == (info_len > 48 ? 1000u : 0u));
    CHECK(got.name == (info_len >= 80 ? "on_sys_enter" : ""));
    CHECK(got.btf_id == (info_len > 128 ? 106u : 0u));
    CHECK(got.run_time_ns == (info_len > 192 ? 0x2122232425262728 : 0));
    CHECK(got.run_count == (info_len > 200 ? 0x3132333435363738 : 0));
    CHECK(got.recursion_misses == (info_len > 208 ? 0x4142434445464748 : 0));
    CHECK(got.verified_instructions == 0);
    // The next entry begins at this one's real end.
    const auto second = in.next();
    REQUIRE(second);
    CHECK((*second)->id == ProgramId{9});
}

TEST_CASE("A newer kernel's longer info is skipped beyond the known part", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t info_len = GENERATE(233u, 240u, 400u);
    auto first = full_program(order);
    first.array(BpfArray::jited_insns, 5, blob_of("code!"));
    const auto blob = prog_info_feature(order, {first.encode(info_len), ProgramInfo(order, 9).encode(info_len)});
    auto in = reader(blob, order);
    const auto next = in.next();
    REQUIRE(next);
    CHECK((*next)->attach_btf_id == 0x71727374);
    CHECK(as_text((*next)->jited_insns()) == "code!");
    const auto second = in.next();
    REQUIRE(second);
    REQUIRE(*second);
    CHECK((*second)->id == ProgramId{9});
    CHECK((*second)->offset == 5004 + 16 + info_len + 8);
}

TEST_CASE("A count larger than the section can hold is refused", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t count = GENERATE(20u, 131073u, 0xffffffffu);
    const auto whole = prog_info_feature(order, {full_program(order).encode()});
    const auto blob = patched(whole, order, 0, count);
    const auto got = reader(blob, order).next();
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::truncated);
    CHECK(got.error().where == "feature BPF_PROG_INFO");
    CHECK(got.error().detail.find(std::to_string(count) + " programs") != std::string::npos);
}

TEST_CASE("An entry that goes beyond the section ends the reading, those before it are kept", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto first = full_program(order).encode();
    const auto whole = prog_info_feature(order, {first, ProgramInfo(order, 9).encode()});
    const auto second_at = 4 + first.size();
    const auto field = GENERATE(std::size_t{0}, std::size_t{4});  // info_len, data_len
    const auto blob = patched(whole, order, second_at + field, std::uint32_t{0xfffffff0});
    auto in = reader(blob, order);
    const auto good = in.next();
    REQUIRE(good);
    CHECK((*good)->id == ProgramId{0x01020304});
    const auto bad = in.next();
    REQUIRE_FALSE(bad);
    CHECK(bad.error().code == ErrorCode::truncated);
    CHECK_FALSE(in.next());
}

TEST_CASE("A section cut at any byte never gives a whole program", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto program = full_program(order);
    program.array(BpfArray::jited_insns, 8, blob_of("12345678"));
    const auto whole = prog_info_feature(order, {program.encode()});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        const Blob cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK_FALSE(reader(cut, order).next());
    }
}

TEST_CASE("A feature of no programs, as in pipe mode, ends at once", "[wire][prog_info]") {
    const auto blob = prog_info_feature(std::endian::little, {});
    const auto got = reader(blob, std::endian::little).next();
    REQUIRE(got);
    CHECK_FALSE(*got);
}

TEST_CASE("Program types and arrays have the kernel's numbers and names", "[wire][prog_info]") {
    CHECK(bpf_program_type_name(0) == "unspec");
    CHECK(bpf_program_type_name(2) == "kprobe");
    CHECK(bpf_program_type_name(5) == "tracepoint");
    CHECK(bpf_program_type_name(6) == "xdp");
    CHECK(bpf_program_type_name(17) == "raw_tracepoint");
    CHECK(bpf_program_type_name(26) == "tracing");
    CHECK(bpf_program_type_name(27) == "struct_ops");
    CHECK(bpf_program_type_name(31) == "syscall");
    CHECK(bpf_program_type_name(32) == "netfilter");
    CHECK(bpf_program_type_name(33).empty());
    CHECK(bpf_program_type_name(0xffffffff).empty());
    CHECK(to_string(BpfArray::jited_insns) == "jited_prog_insns");
    CHECK(to_string(BpfArray::jited_ksyms) == "jited_ksyms");
    CHECK(to_string(BpfArray::prog_tags) == "prog_tags");
}

TEST_CASE("Programs behind those that are counted are told", "[wire][prog_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto whole = prog_info_feature(order, {ProgramInfo(order, 9).encode(), ProgramInfo(order, 10).encode()});
    const auto blob = patched(whole, order, 0, std::uint32_t{1});
    auto in = reader(blob, order);
    REQUIRE(in.next());
    const auto end = in.next();
    REQUIRE_FALSE(end);
    CHECK(end.error().code == ErrorCode::malformed);
    CHECK(end.error().where == "feature BPF_PROG_INFO");
}
