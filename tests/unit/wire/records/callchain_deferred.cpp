// SPDX-License-Identifier: MIT
#include "record_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("CALLCHAIN_DEFERRED gives cookie and addresses", "[wire][callchain_deferred]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto body = Writer(order).u64(0x1122334455667788).u64(2).u64(0x401000).u64(0x402000).take();
    check_fields<CallchainDeferred>(order, body, {"cookie=1234605616436508552", "nr=2", "ips=[4198400,4202496]"});
    const RecordCase<CallchainDeferred> got(order, body);
    CHECK(std::vector<std::uint64_t>(got->ips.begin(), got->ips.end()) ==
          std::vector<std::uint64_t>{0x401000, 0x402000});
    check_needs<CallchainDeferred>(order, body, 24 + 16);
    check_needs<CallchainDeferred>(order, Writer(order).u64(1).u64(0).take(), 24);
    CHECK(CallchainDeferred::min_bytes == 24);
}

TEST_CASE("CALLCHAIN_DEFERRED of more addresses than the record holds is refused", "[wire][callchain_deferred]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const auto count : wild_counts) {
        check_refused<CallchainDeferred>(order, Writer(order).u64(1).u64(count).zeros(64).take());
    }
    check_refused<CallchainDeferred>(order, Writer(order).u64(1).u64(3).zeros(23).take());
}
