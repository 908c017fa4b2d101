// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// An attr of `size` bytes that claims `claimed`, with a different value in each field.
Writer attr_record(std::endian order, std::size_t size, std::uint32_t claimed) {
    Writer attr(order);
    attr.u32(1).u32(claimed).u64(3).u64(4).u64(5).u64(6);
    attr.u64(order == std::endian::little ? 1u << 10 : std::uint64_t{1} << 53);  // freq
    attr.u32(8).u32(9).u64(10).u64(11).u64(12).u64(13).u32(14).u32(0xffffffff).u64(16).u32(17).u16(18).u16(0xeeee);
    attr.u32(19).u32(20).u64(21).u64(22).u64(23);
    attr.fill(256, 0xee);
    const auto blob = attr.take();
    return Writer(order).bytes(Bytes(blob).first(size));
}

Lines attr_lines(std::uint32_t claimed, std::size_t known) {
    Lines lines = {"type=1",
                   "size=" + std::to_string(claimed),
                   "config=3",
                   "sample_freq=4",
                   "sample_type=5",
                   "read_format=6",
                   "flags=1024",
                   "wakeup_events=8",
                   "bp_type=9",
                   "config1=10",
                   "config2=11",
                   "branch_sample_type=12",
                   "sample_regs_user=13",
                   "sample_stack_user=14",
                   "clockid=-1",
                   "sample_regs_intr=16",
                   "aux_watermark=17",
                   "sample_max_stack=18",
                   "aux_sample_size=19",
                   "aux_action=20",
                   "sig_data=21",
                   "config3=22",
                   "config4=23"};
    for (std::size_t index = known; index < lines.size(); ++index) {
        lines[index].replace(lines[index].find('=') + 1, std::string::npos, "0");
    }
    for (auto& line : lines) line = "attr[0]." + line;
    return lines;
}

}  // namespace

TEST_CASE("HEADER_ATTR gives the attr and the ids behind it", "[wire][header_attr]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto [size, known] = GENERATE(table<std::size_t, std::size_t>({{64, 10}, {112, 18}, {144, 23}, {168, 23}}));
    const auto claimed = static_cast<std::uint32_t>(size);
    const auto body = attr_record(order, size, claimed).u64(0x1122334455667788).u64(7).take();
    auto want = attr_lines(claimed, known);
    want.emplace_back("id=[1234605616436508552,7]");
    check_fields<HeaderAttr>(order, body, want);
    check_needs<HeaderAttr>(order, body, 8 + size);
}

TEST_CASE("HEADER_ATTR of size 0 is the first ABI's 64 bytes", "[wire][header_attr]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = attr_record(order, 64, 0).u64(7).u32(0xeeeeeeee).take();
    const RecordCase<HeaderAttr> got(order, body);
    REQUIRE(got.decoded());
    CHECK(got->attr.size == 0);
    CHECK(got->attr.config1 == 10);
    CHECK(got->attr.config2 == 0);
    REQUIRE(got->ids.size() == 1);
    CHECK(got->ids[0] == 7);
    check_needs<HeaderAttr>(order, body, 72);
    CHECK(HeaderAttr::min_bytes == 72);
}

TEST_CASE("HEADER_ATTR of an impossible attr size is refused", "[wire][header_attr]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const std::uint32_t claimed : {1u, 56u, 63u, 65u, 143u, 0xffffffffu}) {
        check_refused<HeaderAttr>(order, attr_record(order, 144, claimed).take(), ErrorCode::malformed);
    }
    for (const std::uint32_t claimed : {152u, 0xfffffff8u}) {
        check_refused<HeaderAttr>(order, attr_record(order, 144, claimed).take());
    }
}

TEST_CASE("HEADER_ATTR names a period as such", "[wire][header_attr]") {
    HeaderAttr header;
    header.attr.sample_period = 4000;
    const auto lines = lines_of(header);
    CHECK(lines.at(3) == "attr[0].sample_period=4000");
    CHECK(lines.back() == "id=[]");
}
