// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("CGROUP gives id and path", "[wire][cgroup]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0x1122334455667788).padded_text("/sys.slice").take();
    check_fields<Cgroup>(order, body, {"id=1234605616436508552", "path='/sys.slice'"});
    check_needs<Cgroup>(order, body, 16 + 11);
    check_needs<Cgroup>(order, Writer(order).u64(1).u8(0).take(), 17);
    CHECK(Cgroup::min_bytes == 17);
}

TEST_CASE("CGROUP without a NUL before the trailer is refused", "[wire][cgroup]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    check_refused<Cgroup>(order, Writer(order).u64(1).text("/abcdefg").take());
}
