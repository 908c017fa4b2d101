// SPDX-License-Identifier: MIT
#include "perfdata/timeline/code.hpp"

#include "perfdata/wire/feature/bpf_prog_info.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("A BPF symbol falls into tag and name", "[timeline][code]") {
    const auto symbol = parse_bpf_symbol("bpf_prog_10d76b36b6648015_many_main");
    REQUIRE(symbol);
    CHECK(symbol->tag == "10d76b36b6648015");
    CHECK(symbol->name == "many_main");
}

TEST_CASE("The name of a BPF symbol may be missing, empty, or hold anything", "[timeline][code]") {
    REQUIRE(parse_bpf_symbol("bpf_prog_0123456789abcdef"));
    CHECK(parse_bpf_symbol("bpf_prog_0123456789abcdef")->tag == "0123456789abcdef");
    CHECK(parse_bpf_symbol("bpf_prog_0123456789abcdef")->name.empty());
    REQUIRE(parse_bpf_symbol("bpf_prog_0123456789abcdef_"));
    CHECK(parse_bpf_symbol("bpf_prog_0123456789abcdef_")->name.empty());
    REQUIRE(parse_bpf_symbol("bpf_prog_0123456789abcdef__x.y"));
    CHECK(parse_bpf_symbol("bpf_prog_0123456789abcdef__x.y")->name == "_x.y");
}

TEST_CASE("What only resembles a BPF symbol is none", "[timeline][code]") {
    CHECK_FALSE(parse_bpf_symbol(""));
    CHECK_FALSE(parse_bpf_symbol("bpf_prog_"));
    CHECK_FALSE(parse_bpf_symbol("bpf_prog_0123456789abcde"));         // 15 digits
    CHECK_FALSE(parse_bpf_symbol("bpf_prog_0123456789abcde_name"));    // no digit at the 16th place
    CHECK_FALSE(parse_bpf_symbol("bpf_prog_0123456789abcdef0_name"));  // 17 digits
    CHECK_FALSE(parse_bpf_symbol("bpf_prog_0123456789ABCDEF_name"));
    CHECK_FALSE(parse_bpf_symbol("bpf_prog_0123456789abcdeg_name"));
    CHECK_FALSE(parse_bpf_symbol("xbpf_prog_0123456789abcdef_name"));
    CHECK_FALSE(parse_bpf_symbol("bpf_prog_array_map_ops"));
    CHECK_FALSE(parse_bpf_symbol("bpf_trampoline_6442536467"));
}

TEST_CASE("Images are known by the beginnings of their names", "[timeline][code]") {
    CHECK(is_bpf_image("bpf_trampoline_6442536467"));
    CHECK(is_bpf_image("bpf_dispatcher_xdp"));
    CHECK(is_bpf_image("bpf__tcp_congestion_ops_init"));
    CHECK_FALSE(is_bpf_image("bpf_prog_0123456789abcdef_bpf_trampoline_1"));
    CHECK_FALSE(is_bpf_image("bpf_trampoline"));
    CHECK_FALSE(is_bpf_image(""));
    CHECK_FALSE(is_bpf_image("ftrace_trampoline"));
}

TEST_CASE("A tag is written in the order of its bytes, with leading zeros", "[timeline][code]") {
    const auto byte = [](unsigned value) { return static_cast<std::byte>(value); };
    CHECK(hex(BpfTag{}) == "0000000000000000");
    CHECK(hex(BpfTag{byte(0x01), byte(0x23), byte(0x45), byte(0x67), byte(0x89), byte(0xab), byte(0xcd), byte(0xef)}) ==
          "0123456789abcdef");
    CHECK(hex(BpfTag{byte(0xff), byte(0x0a), byte(0xa0)}) == "ff0aa00000000000");
}

TEST_CASE("A load without info has as many functions as were seen", "[timeline][code]") {
    BpfLoad load;
    CHECK(load.function_count() == 0);
    load.functions = {3, 4, 5};
    CHECK(load.function_count() == 3);
    const BpfProgramInfo without_ksyms;
    load.info = &without_ksyms;
    CHECK(load.function_count() == 3);
}
