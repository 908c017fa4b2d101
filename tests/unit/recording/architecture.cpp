// SPDX-License-Identifier: MIT
// How the architecture of a recording is found if the recording does not name it.
#include "perfdata/recording/architecture.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Blob mapping_record(std::endian order, std::string_view path) {
    Mmap map;
    map.range = {Address{0x1000}, 0x1000};
    map.filename = path;
    return encode(map, {.order = order, .trailer = {}, .misc = 2});
}

Architecture found(const Blob& file) {
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    return find_architecture(*recording);
}

}  // namespace

TEST_CASE("An architecture is told by ARCH, then E_MACHINE, then what was mapped", "[recording][architecture]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto attr = sampling_attr(sample_bit::ip);
    attr.flags = 0;  // no trailers
    RecordingBuilder builder(order);
    builder.event(attr).add(mapping_record(order, "/usr/bin/prog"));
    CHECK(found(builder.build()).name.empty());
    CHECK_FALSE(found(builder.build()).guessed());

    builder.add(mapping_record(order, "/usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1"));
    const auto by_map = found(builder.build());
    CHECK(by_map.name == "aarch64");
    CHECK(by_map.told_by == "the mapping of ld-linux-aarch64.so.1");
    CHECK(by_map.guessed());

    // A machine that also runs programs of another architecture.
    auto both = builder;
    both.add(mapping_record(order, "/lib64/ld-linux-x86-64.so.2"));
    CHECK(found(both.build()).name.empty());

    // A damaged feature is ignored.
    builder.feature(Feature::e_machine, Writer(order).u32(62).take());
    CHECK(found(builder.build()).name == "aarch64");
    builder.feature(Feature::e_machine, Writer(order).u32(0x7777).u32(0).take());
    CHECK(found(builder.build()).name == "aarch64");
    builder.feature(Feature::e_machine, Writer(order).u32(62).u32(0).take());
    const auto by_machine = found(builder.build());
    CHECK(by_machine.name == "x86_64");
    CHECK(by_machine.told_by == "the feature E_MACHINE");

    builder.feature(Feature::arch, feature_string(order, "s390x"));
    const auto told = found(builder.build());
    CHECK(told.name == "s390x");
    CHECK(told.told_by.empty());
    CHECK_FALSE(told.guessed());
}

TEST_CASE("Paths tell an architecture only where one alone has them", "[recording][architecture]") {
    CHECK(path_architecture("/lib64/ld-linux-x86-64.so.2") == "x86_64");
    CHECK(path_architecture("ld-musl-aarch64.so.1") == "aarch64");
    CHECK(path_architecture("/usr/lib/s390x-linux-gnu/libc.so.6") == "s390x");
    CHECK(path_architecture("/usr/lib/powerpc64le-linux-gnu/libc.so.6") == "ppc64le");
    CHECK(path_architecture("/lib/ld64.so.1").empty());                        // s390x, and older ppc64
    CHECK(path_architecture("/lib/ld-linux.so.2").empty());                    // i386, sparc, alpha
    CHECK(path_architecture("/usr/aarch64-linux-gnu/lib/libc.so.6").empty());  // for cross compilers and emulators
    CHECK(path_architecture("").empty());
    CHECK(path_architecture("/").empty());
}

TEST_CASE("ELF's numbers are architectures of a byte order", "[recording][architecture]") {
    CHECK(elf_architecture(62, std::endian::little) == "x86_64");
    CHECK(elf_architecture(183, std::endian::little) == "aarch64");
    CHECK(elf_architecture(22, std::endian::big) == "s390x");
    CHECK(elf_architecture(22, std::endian::little).empty());
    CHECK(elf_architecture(21, std::endian::big) == "ppc64");
    CHECK(elf_architecture(21, std::endian::little) == "ppc64le");
    CHECK(elf_architecture(0, std::endian::little).empty());
}
