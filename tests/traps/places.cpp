// SPDX-License-Identifier: MIT
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/elf/objects.hpp"

#include "support/elf.hpp"
#include "support/files.hpp"
#include "support/world.hpp"
#include "trap.hpp"

using namespace perfdata;
using namespace perfdata::test;

// A library's text is mapped from file offset 0x700 to 0x1700. The sample at 0x7f0000000750, in a mapping of page
// offset 0x1000, is at address 0x750 by the first segment and 0x1750 by the right one.
TEST_CASE("trap 18: an offset in a file is an address by the segment that holds it, not by the first", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Elf elf(order);
    elf.segments = {{0, 0, 0x700, 4}, {0x700, 0x1700, 0x900}};
    elf.section(Elf::text).address = 0x1700;
    elf.symbols({{"by_the_first_segment", 0x740, 0x20}, {"by_the_right_one", 0x1740, 0x20}});
    const std::byte id[20] = {std::byte{7}};
    elf.build_id(id);
    const TempDir directory;
    directory.write("library.so", elf.blob());

    FinderOptions options;
    options.symfs = directory.path().string();
    ObjectSymbols files{ObjectFinder(options)};
    RecordedObject recorded{"/library.so", {}};
    std::ranges::copy(id, recorded.build_id.value.begin());
    recorded.build_id.size = 20;
    const auto name = files.name(files.add(recorded), 0x750);
    REQUIRE(name);
    CHECK(name->name == "by_the_right_one");
    CHECK(name->offset == 0x10);
}

TEST_CASE("trap 23: a FORK that perf made up gives a process no mappings of its parent", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    for (const bool marked : {true, false}) {
        // Both existed before the recording: perf writes the parent's mappings, the fork, and the child's own mappings.
        World world(order);
        world.map(0, 7, {0x1000, 0x100, 0}, "/parent")
            .fork(0, 8, 8, 7, 7, marked)
            .map(0, 8, {0x2000, 0x100, 0}, "/child");
        const auto timeline = world.timeline();
        CHECK(seen(timeline, 8, 0x1000, 50) == "-");
        CHECK(seen(timeline, 8, 0x2000, 50) == "/child+0");
        CHECK(seen(timeline, 7, 0x1000, 50) == "/parent+0");
    }
    // The kernel's own FORK copies them.
    World world(order);
    world.map(10, 7, {0x1000, 0x100, 0}, "/parent").fork(20, 8, 7);
    CHECK(seen(world.timeline(), 8, 0x1000, 50) == "/parent+0");
}
