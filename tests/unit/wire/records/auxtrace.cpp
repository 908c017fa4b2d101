// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Writer error_head(std::endian order, std::uint32_t format) {
    Writer body(order);
    body.u32(1).u32(0x01020304).u32(3).u32(4).u32(5).u32(format).u64(0xffffffff81000102);
    return body;
}

const Lines error_head_lines = {"type=1", "code=16909060", "cpu=3", "pid=4", "tid=5"};

Lines joined_lines(Lines first, const Lines& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

TEST_CASE("AUXTRACE says what follows it", "[wire][auxtrace]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body =
        Writer(order).u64(0x1122334455667788).u64(2).u64(3).u32(4).u32(0xffffffff).u32(0x01020304).u32(9).take();
    check_fields<Auxtrace>(
        order, body,
        {"size=1234605616436508552", "offset=2", "reference=3", "idx=4", "tid=4294967295", "cpu=16909060"});
    const RecordCase<Auxtrace> got(order, body);
    CHECK(got->size == 0x1122334455667788);
    CHECK(got->offset == 2);
    CHECK(got->reference == 3);
    CHECK(got->index == 4);
    CHECK(got->tid == Tid{0xffffffff});
    CHECK(got->cpu == 0x01020304);
    check_needs<Auxtrace>(order, body, 48);
    CHECK(Auxtrace::min_bytes == 48);
}

TEST_CASE("AUXTRACE_INFO gives all words to the end", "[wire][auxtrace_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u32(2).u32(0xeeeeeeee).u64(0x1122334455667788).u64(6).take();
    check_fields<AuxtraceInfo>(order, body, {"type=2", "priv=[1234605616436508552,6]"});
    CHECK(static_cast<AuxtraceInfo::Kind>(RecordCase<AuxtraceInfo>(order, body)->kind) ==
          AuxtraceInfo::Kind::intel_bts);
    check_needs<AuxtraceInfo>(order, body, 16);
    CHECK(AuxtraceInfo::min_bytes == 16);
}

TEST_CASE("AUXTRACE_INFO leaves out what is less than a word", "[wire][auxtrace_info]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_fields<AuxtraceInfo>(order, Writer(order).u32(99).u32(0).take(), {"type=99", "priv=[]"});
    check_fields<AuxtraceInfo>(order, Writer(order).u32(1).u32(0).u64(5).fill(7, 0xee).take(), {"type=1", "priv=[5]"});
}

TEST_CASE("AUXTRACE_ERROR of format 0 has no time", "[wire][auxtrace_error]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = error_head(order, 0).padded_text("lost sync").take();
    check_fields<AuxtraceError>(order, body,
                                joined_lines(error_head_lines, {"fmt=0", "ip=0xffffffff81000102", "msg='lost sync'"}));
    const RecordCase<AuxtraceError> got(order, body);
    CHECK_FALSE(got->time);
    CHECK_FALSE(got->guest);
    check_needs<AuxtraceError>(order, body, 40 + 10);
    check_needs<AuxtraceError>(order, error_head(order, 0).u8(0).take(), 41);
    CHECK(AuxtraceError::min_bytes == 41);
}

TEST_CASE("AUXTRACE_ERROR of format 1 has a time", "[wire][auxtrace_error]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = error_head(order, 1).u64(0x1122334455667788).padded_text("lost sync").take();
    check_fields<AuxtraceError>(order, body,
                                joined_lines(error_head_lines, {"fmt=1", "ip=0xffffffff81000102",
                                                                "time=1234605616436508552ns", "msg='lost sync'"}));
    CHECK_FALSE(RecordCase<AuxtraceError>(order, body)->guest);
    check_needs<AuxtraceError>(order, body, 48 + 10);
}

TEST_CASE("AUXTRACE_ERROR of format 2 and later has a guest", "[wire][auxtrace_error]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t format = GENERATE(2u, 3u);
    const auto body = error_head(order, format).u64(7).padded_text("no code", 64).u32(0x01020304).u32(6).take();
    check_fields<AuxtraceError>(
        order, body,
        joined_lines(error_head_lines, {"fmt=" + std::to_string(format), "ip=0xffffffff81000102", "time=7ns",
                                        "msg='no code'", "machine_pid=16909060", "vcpu=6"}));
    check_needs<AuxtraceError>(order, body, 120);
}

TEST_CASE("AUXTRACE_ERROR's message of 64 bytes may lack its NUL in the fixed form only", "[wire][auxtrace_error]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::string full(64, 'm');
    const RecordCase<AuxtraceError> fixed(order, error_head(order, 2).u64(7).text(full).u32(0).u32(0).take());
    REQUIRE(fixed.decoded());
    CHECK(fixed->message == full);
    check_refused<AuxtraceError>(order, error_head(order, 0).text(full).take());
    check_refused<AuxtraceError>(order, error_head(order, 1).u64(7).text(full).take());
    const RecordCase<AuxtraceError> longer(order, error_head(order, 0).padded_text(full + "more").take());
    REQUIRE(longer.decoded());
    CHECK(longer->message == full.substr(1));
}
