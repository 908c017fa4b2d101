// SPDX-License-Identifier: MIT
// Build ids from records, as in pipe streams.
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "support/crafted.hpp"
#include "support/elf.hpp"
#include "support/files.hpp"
#include "support/records.hpp"
#include "support/world.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint32_t of_host = 0xffffffff;

Blob build_id_record(std::endian order, std::string_view path, std::byte filled, std::uint32_t pid = of_host) {
    Writer body(order);
    body.u32(pid).fill(20, std::to_integer<std::uint8_t>(filled)).u8(20).zeros(3).padded_text(path, 64);
    constexpr std::uint16_t size_is_there = 1 << 15;
    return record(RecordType::header_build_id, {order, {}, size_is_there}, body.take());
}

BuildId filled_id(std::byte filled) {
    BuildId id;
    id.size = 20;
    id.value.fill(filled);
    return id;
}

}  // namespace

TEST_CASE("Records HEADER_BUILD_ID prove files as the feature BUILD_ID does", "[symbols][names][header_build_id]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    World world(order);
    world.scene().add(build_id_record(order, "/bin/first", std::byte{0x11}));
    world.scene().add(build_id_record(order, "/bin/first", std::byte{0x22}));
    world.scene().add(build_id_record(order, "/bin/guests", std::byte{0x33}, 0));
    world.scene().add(build_id_record(order, "/bin/machines", std::byte{0x33}, 4711));
    world.scene().add(build_id_record(order, "[kernel.kallsyms]", std::byte{0x44}));
    world.map(10, 7, {0x1000, 0x1000, 0}, "/bin/first").map(10, 7, {0x3000, 0x1000, 0}, "/bin/guests");
    const auto recording = world.scene().open();
    const auto timeline = Timeline::build(recording).value();
    REQUIRE(timeline.build_ids().size() == 2);
    CHECK(timeline.build_ids().at("/bin/first") == filled_id(std::byte{0x11}));

    SymbolizerOptions sources;
    sources.finder.offline = true;
    const auto names = Symbolizer::open(recording, timeline, sources);
    CHECK(names.recorded_kernel().build_id == filled_id(std::byte{0x44}));
    const auto& objects = timeline.tasks().objects();
    REQUIRE(objects.size() == 2);
    CHECK(names.recorded_object(0).build_id == filled_id(std::byte{0x11}));
    CHECK(names.recorded_object(1).build_id.size == 0);
}

TEST_CASE("Build ids in more records than the limit are left out, and said once", "[timeline][limits]") {
    World world;
    for (const auto* path : {"/a", "/b", "/c", "/d"}) {
        world.scene().add(build_id_record(std::endian::little, path, std::byte{1}));
    }
    OpenOptions options;
    options.limits.task_records = 2;
    const auto timeline = world.timeline(options);
    CHECK(timeline.build_ids().size() == 2);
    const auto& told = timeline.completeness().diagnostics.kept();
    REQUIRE(told.size() == 1);
    CHECK(told[0].code == ErrorCode::limit);
    CHECK(told[0].detail.find("build ids of more than 2 files") != std::string::npos);
}

TEST_CASE("Build ids behind a damaged entry of the feature are lost, and this is said", "[timeline][build_id]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Writer section(order);
    const auto entry = [&](std::string_view path, std::uint16_t size) {
        section.u32(0).u16(2).u16(size).u32(of_host).fill(20, 0x55).zeros(4).padded_text(path, 64);
    };
    entry("/bin/first", 100);
    entry("/bin/second", 0);
    entry("/bin/third", 100);
    World world(order);
    world.scene().feature(Feature::build_id, section.take());
    const auto timeline = world.timeline();
    REQUIRE(timeline.build_ids().size() == 1);
    CHECK(timeline.build_ids().at("/bin/first") == filled_id(std::byte{0x55}));
    const auto& told = timeline.completeness().diagnostics.kept();
    REQUIRE(told.size() == 1);
    CHECK(told[0].code == ErrorCode::malformed);
    CHECK(told[0].where == "feature BUILD_ID");
}
