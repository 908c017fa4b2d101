// SPDX-License-Identifier: MIT
#include "disassembly/bpf_registers.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Registers of the machine are told with those of BPF, in either syntax and in parts", "[annotate]") {
    CHECK(bpf_registers("x86_64", "%rdi, %rbx") == "rdi=r1, rbx=r6");
    CHECK(bpf_registers("x86_64", "rbx, qword ptr [rbp - 8]") == "rbx=r6, rbp=r10");
    CHECK(bpf_registers("x86_64", "0x18(%r15), %eax") == "r15=r9, eax=r0");
    CHECK(bpf_registers("x86_64", "%rax, %rax") == "rax=r0");
    CHECK(bpf_registers("aarch64", "x19, x0, #8") == "x19=r6, x0=r1");
    CHECK(bpf_registers("s390x", "%r2,160(%r15)") == "r2=r1");
    CHECK(bpf_registers("riscv64", "a5, 8(s5)") == "a5=r0, s5=r10");
    CHECK(bpf_registers("ppc64le", "r3, 16(r31)") == "r3=r1, r31=r10");
}

TEST_CASE("What is no register of BPF is not told", "[annotate]") {
    CHECK(bpf_registers("x86_64", "%r11, %xmm0").empty());
    CHECK(bpf_registers("x86_64", "0xffffffffc038b7d0").empty());
    CHECK(bpf_registers("x86_64", "").empty());
    CHECK(bpf_registers("vax", "%rdi").empty());
}
