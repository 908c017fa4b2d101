// SPDX-License-Identifier: MIT
#include "perfdata/wire/record.hpp"

#include "catch.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("A record's header is type, misc and size", "[wire][record]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = bare_record(order, 0x01020304, 0x0506, 0x0708);
    const auto got = RecordHeader::load(blob.data(), AnyOrder(order));
    CHECK(got.type == 0x01020304);
    CHECK(got.misc == 0x0506);
    CHECK(got.size == 0x0708);
}

TEST_CASE("A record's body is what lies between header and trailer", "[wire][record]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = Blob(16, std::byte{0xff}), .misc = 0};
    const auto blob = record(RecordType::comm, frame, blob_of("contents"));
    const auto seen = view(blob, order, 500);
    auto body = seen.body(16, "the record");
    CHECK(body.file_offset() == 508);
    CHECK(as_text(body.rest()) == "contents");
    CHECK(seen.body(24, "the record").remaining() == 0);
    CHECK(seen.type() == RecordType::comm);
    CHECK(seen.body(0, "the record").failure("x").error().where == "the record");
}

TEST_CASE("Record types have the numbers of the headers", "[wire][record]") {
    CHECK(static_cast<int>(RecordType::mmap) == 1);
    CHECK(static_cast<int>(RecordType::sample) == 9);
    CHECK(static_cast<int>(RecordType::mmap2) == 10);
    CHECK(static_cast<int>(RecordType::lost_samples) == 13);
    CHECK(static_cast<int>(RecordType::ksymbol) == 17);
    CHECK(static_cast<int>(RecordType::bpf_event) == 18);
    CHECK(static_cast<int>(RecordType::text_poke) == 20);
    CHECK(static_cast<int>(RecordType::callchain_deferred) == 22);
    CHECK(static_cast<int>(RecordType::header_attr) == 64);
    CHECK(static_cast<int>(RecordType::finished_round) == 68);
    CHECK(static_cast<int>(RecordType::auxtrace) == 71);
    CHECK(static_cast<int>(RecordType::header_feature) == 80);
    CHECK(static_cast<int>(RecordType::compressed) == 81);
    CHECK(static_cast<int>(RecordType::compressed2) == 83);
    CHECK(static_cast<int>(RecordType::schedstat_domain) == 86);
}

TEST_CASE("Record types are named as in the headers", "[wire][record]") {
    CHECK(record_type_name(1) == "MMAP");
    CHECK(record_type_name(9) == "SAMPLE");
    CHECK(record_type_name(14) == "SWITCH");
    CHECK(record_type_name(17) == "KSYMBOL");
    CHECK(record_type_name(18) == "BPF_EVENT");
    CHECK(record_type_name(22) == "CALLCHAIN_DEFERRED");
    CHECK(record_type_name(64) == "HEADER_ATTR");
    CHECK(record_type_name(71) == "AUXTRACE");
    CHECK(record_type_name(81) == "COMPRESSED");
    CHECK(record_type_name(86) == "SCHEDSTAT_DOMAIN");
}

TEST_CASE("Record types that are not known have no name", "[wire][record]") {
    CHECK(record_type_name(0).empty());
    CHECK(record_type_name(23).empty());
    CHECK(record_type_name(63).empty());
    CHECK(record_type_name(87).empty());
    CHECK(record_type_name(0xffffffff).empty());
    for (std::uint32_t type = 1; type <= 22; ++type) CHECK_FALSE(record_type_name(type).empty());
    for (std::uint32_t type = 64; type <= 86; ++type) CHECK_FALSE(record_type_name(type).empty());
}

TEST_CASE("The CPU mode is the lowest three bits of misc", "[wire][record]") {
    CHECK(cpu_mode(0) == CpuMode::unknown);
    CHECK(cpu_mode(1) == CpuMode::kernel);
    CHECK(cpu_mode(0x4002) == CpuMode::user);
    CHECK(cpu_mode(0xfffb) == CpuMode::hypervisor);
    CHECK(cpu_mode(4) == CpuMode::guest_kernel);
    CHECK(cpu_mode(5) == CpuMode::guest_user);
    CHECK(cpu_mode(6) == CpuMode::unknown);
    CHECK(cpu_mode(7) == CpuMode::unknown);
}
