// SPDX-License-Identifier: MIT
#include "perfdata/profile/payload_filter.hpp"

#include <array>
#include <cstddef>

#include "perfdata/profile/sample_filter.hpp"

#include "catch.hpp"

using namespace perfdata;

namespace {

// FirstByteFilter passes samples of one event whose data begin with its number.
class FirstByteFilter final : public PayloadFilter {
  public:
    PayloadAnswer ask(const SamplePayload& payload) const override {
        if (payload.event != 1 || !payload.raw || payload.raw->empty()) return PayloadAnswer::no_value;
        return payload.raw->front() == std::byte{1} ? PayloadAnswer::passes : PayloadAnswer::rejected;
    }
    bool needs_comm() const override { return true; }
};

// SampleWithData is what drop_payload() asks of a sample.
struct SampleWithData {
    std::optional<Bytes> data;

    const SampleWithData& details() const { return *this; }
    std::optional<Bytes> raw() const { return data; }
    std::optional<std::uint32_t> cpu() const { return {}; }
};

}  // namespace

TEST_CASE("A payload filter sees what the event wrote", "[profile]") {
    const std::array<std::byte, 2> one{std::byte{1}}, two{std::byte{2}};
    SampleFilter filter;
    CHECK_FALSE(filter.needs_comm());
    CHECK(filter.drop_payload(0, SampleWithData{}, "") == FilterPart::none);
    filter.payload = Shared<const PayloadFilter>(Shared<const FirstByteFilter>::make());
    CHECK(filter.needs_comm());
    CHECK(filter.drop_payload(1, SampleWithData{Bytes(one)}, "") == FilterPart::none);
    CHECK(filter.drop_payload(1, SampleWithData{Bytes(two)}, "") == FilterPart::payload);
    CHECK(filter.drop_payload(1, SampleWithData{}, "") == FilterPart::no_value);
    CHECK(filter.drop_payload(0, SampleWithData{Bytes(one)}, "") == FilterPart::no_value);
}
