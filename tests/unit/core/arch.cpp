// SPDX-License-Identifier: MIT
// The table of architectures, and agreement of all its users.
#include "perfdata/core/arch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "perfdata/recording/architecture.hpp"
#include "perfdata/wire/sample/registers.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Each name of an architecture leads to it alone", "[core][arch]") {
    std::set<std::string_view> names;
    for (const auto& arch : architectures) {
        INFO(arch.name);
        CHECK(names.insert(arch.name).second);
        CHECK(find_arch(arch.name) == &arch);
        if (arch.other.empty()) continue;
        CHECK(names.insert(arch.other).second);
        CHECK(find_arch(arch.other) == &arch);
    }
    for (const auto* unknown : {"", "x86", "aarch", "armada", "S390X"}) CHECK(find_arch(unknown) == nullptr);
    for (const auto* arm : {"armv5tejl", "armv6l", "armv8l"}) CHECK(find_arch(arm) == find_arch("arm"));
}

TEST_CASE("An ELF file's machine is the widest architecture that has it", "[core][arch]") {
    std::map<std::pair<unsigned, bool>, unsigned> widest;
    for (const auto& arch : architectures) {
        INFO(arch.name);
        const bool little = arch.order == std::endian::little;
        auto& bytes = widest[{arch.machine, little}];
        CHECK((bytes == 0 || arch.address_bytes <= bytes));  // wide ones come first
        bytes = std::max<unsigned>(bytes, arch.address_bytes);
        const auto* found = find_arch(arch.machine, arch.order);
        REQUIRE(found != nullptr);
        CHECK(found->family == arch.family);
        CHECK(found->address_bytes == bytes);
        CHECK(elf_architecture(arch.machine, arch.order) == found->name);
        CHECK((arch.address_bytes == 4 || arch.address_bytes == 8));
        CHECK((arch.least_instruction == 1 || arch.least_instruction == 2 || arch.least_instruction == 4));
    }
    CHECK(find_arch(em_s390, std::endian::little) == nullptr);
    CHECK(find_arch(0, std::endian::little) == nullptr);
}

TEST_CASE("Registers have names wherever the kernel gives them numbers", "[core][arch]") {
    for (const auto& arch : architectures) {
        INFO(arch.name);
        const auto set = register_set(arch.name);
        const bool numbered = arch.family != ArchFamily::mips && arch.family != ArchFamily::loongarch;
        CHECK((set != RegisterSet::unknown) == numbered);
        CHECK(register_name(set, 0).empty() == !numbered);
        if (!arch.other.empty()) CHECK(register_set(arch.other) == set);
    }
}
