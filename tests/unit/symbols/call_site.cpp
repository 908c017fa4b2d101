// SPDX-License-Identifier: MIT
// Which code ends with a call.
#include "symbols/unwind/call_site.hpp"

#include <vector>

#include "catch.hpp"
#include "support/build.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

bool is_call(const std::vector<unsigned>& bytes) {
    Blob code;
    for (const auto byte : bytes) code.push_back(static_cast<std::byte>(byte));
    return ends_with_call(code);
}

}  // namespace

TEST_CASE("Calls are recognised at the end of code", "[symbols][unwind]") {
    CHECK(is_call({0xe8, 1, 2, 3, 4}));                                // call .+n
    CHECK(is_call({0x90, 0x67, 0xe8, 1, 2, 3, 4}));                    // addr32 call .+n, for linkers
    CHECK(is_call({0xff, 0xd0}));                                      // call *%rax
    CHECK(is_call({0x41, 0xff, 0xd4}));                                // call *%r12
    CHECK(is_call({0x3e, 0xff, 0xd2}));                                // notrack call *%rdx
    CHECK(is_call({0xff, 0x10}));                                      // call *(%rax)
    CHECK(is_call({0xff, 0x14, 0xc8}));                                // call *(%rax,%rcx,8)
    CHECK(is_call({0xff, 0x50, 0x18}));                                // call *24(%rax)
    CHECK(is_call({0xff, 0x54, 0x24, 0x08}));                          // call *8(%rsp)
    CHECK(is_call({0xff, 0x15, 1, 2, 0, 0}));                          // call *n(%rip)
    CHECK(is_call({0xff, 0x90, 0, 1, 0, 0}));                          // call *256(%rax)
    CHECK(is_call({0xff, 0x94, 0x24, 0, 1, 0, 0}));                    // call *256(%rsp)
    CHECK(is_call({0xff, 0x14, 0xc5, 0, 0x40, 0, 0}));                 // call *table(,%rax,8)
    CHECK(is_call({0x48, 0x8b, 0x07, 0x41, 0xff, 0x54, 0x24, 0x10}));  // mov; call *16(%r12)
}

TEST_CASE("Other code does not end with a call", "[symbols][unwind]") {
    CHECK_FALSE(is_call({}));
    CHECK_FALSE(is_call({0xff}));
    CHECK_FALSE(is_call({0xe8, 1, 2, 3}));           // cut off
    CHECK_FALSE(is_call({0xe8, 1, 2, 3, 4, 0x90}));  // a call, and one more
    CHECK_FALSE(is_call({0xe9, 1, 2, 3, 4}));        // jmp
    CHECK_FALSE(is_call({0xff, 0xe0}));              // jmp *%rax
    CHECK_FALSE(is_call({0xff, 0x54, 0x24}));        // without its distance
    CHECK_FALSE(is_call({0xff, 0x50}));              // likewise
    CHECK_FALSE(is_call({0xff, 0xd0, 0xc3}));        // call; ret
    CHECK_FALSE(is_call({0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3}));
}
