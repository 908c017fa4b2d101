// SPDX-License-Identifier: MIT
// Begin and end of functions.
#include "unit/symbols/patched_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("A function of the kernel reaches up to the next one", "[symbols][names]") {
    PatchedScene scene;
    const auto opened = scene.open();
    const auto extent = opened.names.extent(opened.at(alpha + 0x3f));
    CHECK(extent.begin == opened.at(alpha));
    CHECK(extent.begin == opened.names.function(opened.at(alpha + 0x3f)));
    CHECK(extent.size == 0x40);
    CHECK(extent.address == Address{alpha});
    // The last of its kind ends where names end: after 64 KiB.
    CHECK(opened.names.extent(opened.at(omega + 8)).size == 64 << 10);
    CHECK(opened.names.extent(opened.at(module_begin + 0x35)).size == 64 << 10);
}

TEST_CASE("A function of a module lies where the module lay", "[symbols][names]") {
    PatchedScene scene;
    const auto opened = scene.open();
    const auto frame = opened.at(module_begin + 8);
    CHECK(frame.offset == 8);
    const auto extent = opened.names.extent(frame);
    CHECK(extent.begin.offset == 0);
    CHECK(extent.size == 0x30);
    CHECK(extent.address == Address{module_begin});
}

TEST_CASE("Code of the timeline is as long as it was registered", "[symbols][names]") {
    PatchedScene scene;
    scene.out_of_line(100, module_begin + 0x200000, 207);
    const auto opened = scene.open();
    const auto extent = opened.names.extent(opened.at(module_begin + 0x200010, 200));
    CHECK(extent.begin.kind == FrameKind::code);
    CHECK(extent.begin.offset == 0);
    CHECK(extent.size == 207);
    CHECK(extent.address == Address{module_begin + 0x200000});
}

TEST_CASE("What has no name has no extent", "[symbols][names]") {
    PatchedScene scene;
    const auto opened = scene.open();
    const auto frame = opened.at(kernel_begin - 0x1000);
    const auto extent = opened.names.extent(frame);
    CHECK(extent.begin == frame);
    CHECK(extent.size == 0);
    CHECK_FALSE(extent.address);
}
