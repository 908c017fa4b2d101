// SPDX-License-Identifier: MIT
// Support of each architecture in the table: ELF files, disassembly, BPF registers.
#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/annotate/elf/elf_writer.hpp"
#include "perfdata/core/arch.hpp"

#include "catch.hpp"
#include "disassembly/bpf_registers.hpp"

using namespace perfdata;

TEST_CASE("ELF files can be written for each architecture", "[annotate][arch]") {
    for (const auto& arch : architectures) {
        INFO(arch.name);
        const auto target = ElfTarget::of(arch.name);
        REQUIRE(target);
        CHECK(target->machine == arch.machine);
        CHECK(target->wide == (arch.address_bytes == 8));
        CHECK(target->order == arch.order);
    }
    CHECK_FALSE(ElfTarget::of("vax"));
}

TEST_CASE("Architectures are disassembled, or it is said that they are not", "[annotate][arch]") {
    std::size_t known = 0;
    for (const auto& arch : architectures) {
        INFO(arch.name);
        const auto made = Disassembler::create(arch.name, Syntax::att);
        const auto other = Disassembler::create(arch.other.empty() ? arch.name : arch.other, Syntax::att);
        CHECK(made.has_value() == other.has_value());
        if (made) {
            ++known;
        } else {
            CHECK(made.error().code == ErrorCode::unsupported);
            CHECK(made.error().detail.find(arch.name) != std::string::npos);
        }
    }
    CHECK(known >= 7);  // x86 (64 and 32 bits), arm64, s390x, ppc64, ppc64le
}

TEST_CASE("Registers of BPF are known where its JIT is", "[annotate][arch]") {
    CHECK(bpf_registers("x86_64", "rdi, rbx") == "rdi=r1, rbx=r6");
    CHECK(bpf_registers("arm64", "x0") == bpf_registers("aarch64", "x0"));
    CHECK(bpf_registers("i686", "edi").empty());
    CHECK(bpf_registers("mips64", "a0").empty());
}
