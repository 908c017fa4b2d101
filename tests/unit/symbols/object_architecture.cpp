// SPDX-License-Identifier: MIT
// Files of mapped objects give the architecture if the recording does not.
#include "perfdata/symbols/object_architecture.hpp"

#include <filesystem>

#include "catch.hpp"
#include "support/build.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

#if defined(__x86_64__)
constexpr std::string_view ours = "x86_64";
#elif defined(__aarch64__)
constexpr std::string_view ours = "aarch64";
#else
constexpr std::string_view ours = {};
#endif

Architecture found(const std::string& path, bool offline) {
    auto attr = sampling_attr(sample_bit::ip);
    attr.flags = 0;  // no trailers
    Mmap map;
    map.pid = {7};
    map.tid = {7};
    map.range = {Address{0x400000}, 0x1000};
    map.filename = path;
    RecordingBuilder builder;
    builder.event(attr).add(encode(map, {.order = std::endian::little, .trailer = {}, .misc = 2}));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto timeline = Timeline::build(*recording).value();
    SymbolizerOptions options;
    options.finder.offline = offline;
    options.finder.allow_local = !offline;
    options.jit.as_recorded = false;
    return find_architecture(*recording, Symbolizer::open(*recording, timeline, options));
}

}  // namespace

TEST_CASE("A file that may be used tells the architecture", "[symbols][architecture]") {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
    REQUIRE(path_architecture(program).empty());
    const auto told = found(program, false);
    CHECK(told.name == ours);
    if (!ours.empty()) CHECK(told.told_by == "the file " + program);
    // Files that may not be used, or are not programs, say nothing.
    CHECK(found(program, true).name.empty());
    CHECK(found("/etc/passwd", false).name.empty());
    CHECK(found("/nosuch", false).name.empty());
}
