// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEMPLATE_TEST_CASE("THROTTLE and UNTHROTTLE give time, id and stream", "[wire][throttle]", Throttle, Unthrottle) {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0x1122334455667788).u64(2).u64(0xff00000000000003).take();
    check_fields<TestType>(order, body, {"time=1234605616436508552ns", "id=2", "stream_id=18374686479671623683"});
    const RecordCase<TestType> got(order, body);
    CHECK(got->time == Time{0x1122334455667788});
    CHECK(got->id == EventId{2});
    CHECK(got->stream_id == 0xff00000000000003);
    check_needs<TestType>(order, body, 32);
    CHECK(TestType::min_bytes == 32);
}

TEST_CASE("THROTTLE and UNTHROTTLE are two types", "[wire][throttle]") {
    CHECK(Throttle::type == RecordType::throttle);
    CHECK(Unthrottle::type == RecordType::unthrottle);
    CHECK(Throttle::record_name == "record THROTTLE");
    CHECK(Unthrottle::record_name == "record UNTHROTTLE");
}
