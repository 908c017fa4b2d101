// SPDX-License-Identifier: MIT
#include "perfdata/wire/record/bpf_event.hpp"

#include "record_cut.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr BpfTag tag = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                        std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};

}  // namespace

TEST_CASE("BPF_EVENT gives its fields in either byte order; the tag is never swapped", "[wire][bpf_event]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto kind = GENERATE(BpfEvent::Kind::load, BpfEvent::Kind::unload);
    const BpfEvent want{static_cast<std::uint16_t>(kind), 0x0304, {0x0a0b0c0d}, tag};
    const auto blob = encode(want, {.order = order, .trailer = trailer_of_ones(48), .misc = 0});
    const auto got = BpfEvent::decode(view(blob, order), 48);
    REQUIRE(got);
    CHECK(got->kind == static_cast<std::uint16_t>(kind));
    CHECK(got->flags == 0x0304);
    CHECK(got->id == ProgramId{0x0a0b0c0d});
    CHECK(got->tag == tag);
}

TEST_CASE("BPF_EVENT kinds have the kernel's numbers", "[wire][bpf_event]") {
    CHECK(static_cast<int>(BpfEvent::Kind::load) == 1);
    CHECK(static_cast<int>(BpfEvent::Kind::unload) == 2);
}

TEST_CASE("BPF_EVENT needs 24 bytes", "[wire][bpf_event]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{.order = order, .trailer = {}, .misc = 0};
    check_refuses_below<BpfEvent>(encode(BpfEvent{1, 0, {7}, tag}, frame), order, BpfEvent::min_bytes);
    CHECK(BpfEvent::min_bytes == 24);
}

TEST_CASE("BPF_EVENT whose trailer leaves no room for the tag is refused", "[wire][bpf_event]") {
    const auto blob = encode(BpfEvent{1, 0, {7}, tag});
    CHECK(BpfEvent::decode(view(blob, std::endian::little), 0));
    CHECK_FALSE(BpfEvent::decode(view(blob, std::endian::little), 8));
}
