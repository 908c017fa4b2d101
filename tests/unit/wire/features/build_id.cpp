// SPDX-License-Identifier: MIT
#include "perfdata/wire/feature/build_id.hpp"

#include <algorithm>

#include "catch.hpp"
#include "support/payload.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<BuildIdEntry> entries_of(const Blob& blob, std::endian order) {
    BuildIdReader reader(over(blob, order));
    std::vector<BuildIdEntry> entries;
    for (;;) {
        const auto entry = reader.next();
        REQUIRE(entry);
        if (!*entry) return entries;
        entries.push_back(**entry);
    }
}

Blob id_bytes(std::size_t size) {
    Blob bytes;
    for (std::size_t byte = 1; byte <= size; ++byte) bytes.push_back(static_cast<std::byte>(byte));
    return bytes;
}

bool same(Bytes bytes, const Blob& expected) {
    return std::ranges::equal(bytes, expected);
}

}  // namespace

TEST_CASE("BUILD_ID entries have ids, machines and names", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // Names are padded to 64 by perf 6.1 and to 8 by later versions: entry sizes are not multiples of 8.
    const std::size_t multiple = GENERATE(8u, 64u);
    const auto blob = joined(
        {build_id_record(order, {.misc = 0x8001, .name = "[kernel.kallsyms]", .name_multiple = multiple}),
         build_id_record(order, {.misc = 0x8002, .name = "/a/seven", .id_size = 16, .name_multiple = multiple}),
         build_id_record(order, {.misc = 5, .pid = 4711, .name = "x", .id_size = 7, .name_multiple = multiple})});
    const auto entries = entries_of(blob, order);
    REQUIRE(entries.size() == 3);

    CHECK(entries[0].offset == 4096);
    CHECK(entries[0].type == 0);
    CHECK(entries[0].misc == 0x8001);
    CHECK(entries[0].mode() == CpuMode::kernel);
    CHECK(entries[0].pid == BuildIdEntry::host);
    CHECK(entries[0].size_known);
    CHECK(same(entries[0].build_id, id_bytes(20)));
    CHECK(entries[0].name == "[kernel.kallsyms]");

    CHECK(entries[1].offset == 4096 + 36 + (multiple == 8 ? 24 : 64));
    CHECK(entries[1].mode() == CpuMode::user);
    CHECK(entries[1].size_known);
    CHECK(same(entries[1].build_id, id_bytes(16)));
    CHECK(entries[1].name == "/a/seven");

    // Without misc bit 15 the size byte is ignored.
    CHECK(entries[2].mode() == CpuMode::guest_user);
    CHECK(entries[2].pid == 4711);
    CHECK_FALSE(entries[2].size_known);
    CHECK(same(entries[2].build_id, id_bytes(20)));
    CHECK(entries[2].name == "x");
}

TEST_CASE("BUILD_ID with an impossible id size keeps 20 bytes, with none it is empty", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CHECK(entries_of(build_id_record(order, {.misc = 0x8001, .name = "n", .id_size = 21}), order)[0].build_id.size() ==
          20);
    CHECK(entries_of(build_id_record(order, {.misc = 0x8001, .name = "n", .id_size = 255}), order)[0].build_id.size() ==
          20);
    CHECK(entries_of(build_id_record(order, {.misc = 0x8001, .name = "n", .id_size = 0}), order)[0].build_id.empty());
}

TEST_CASE("BUILD_ID takes the body of a pipe's record too", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto record = build_id_record(order, {.misc = 0x8001, .name = "[vdso]", .type = 67});
    const auto entries = entries_of(record, order);
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].type == 67);
    CHECK(entries[0].name == "[vdso]");
}

TEST_CASE("BUILD_ID in the layout without pid is recognized by the kernel's name", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob =
        joined({old_build_id_record(order, 1, "[kernel.kallsyms]"), old_build_id_record(order, 2, "/a"),
                old_build_id_record(order, 4, "[guest.kernel.kallsyms]"), old_build_id_record(order, 5, "/b")});
    CHECK(BuildIdReader(over(blob, order)).without_pid());
    const auto entries = entries_of(blob, order);
    REQUIRE(entries.size() == 4);
    CHECK(entries[0].name == "[kernel.kallsyms]");
    CHECK(entries[0].pid == BuildIdEntry::host);
    CHECK(same(entries[0].build_id, id_bytes(20)));
    CHECK_FALSE(entries[0].size_known);
    CHECK(entries[1].name == "/a");
    CHECK(entries[1].pid == BuildIdEntry::host);
    CHECK(entries[2].pid == BuildIdEntry::default_guest);
    CHECK(entries[3].pid == BuildIdEntry::default_guest);
    CHECK(entries[3].offset == 4096 + blob.size() - 40);

    CHECK_FALSE(BuildIdReader(over(build_id_record(order, {.name = "[kernel.kallsyms]"}), order)).without_pid());
}

TEST_CASE("BUILD_ID keeps what was read before damage", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto good = build_id_record(order, {.misc = 1, .name = "good"});
    // 0 would be an endless loop; 35 has no room for the fields; 101 extends beyond the end.
    const std::uint16_t size = GENERATE(std::uint16_t{0}, std::uint16_t{7}, std::uint16_t{35}, std::uint16_t{101});
    const auto blob = joined({good, patched(good, order, 6, size)});
    BuildIdReader reader(over(blob, order));
    const auto first = reader.next();
    REQUIRE(first);
    REQUIRE(*first);
    CHECK((*first)->name == "good");
    const auto second = reader.next();
    REQUIRE_FALSE(second);
    CHECK(second.error().code == (size == 101 ? ErrorCode::truncated : ErrorCode::malformed));
    CHECK(second.error().offset >= 4096 + good.size());
    CHECK_FALSE(reader.next());
}

TEST_CASE("BUILD_ID entries may have no name, and one without NUL", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto blob = build_id_record(order, {.misc = 1, .name = "abcdefg", .name_multiple = 8});
    blob = patched(blob, order, blob.size() - 1, std::uint8_t{'h'});
    CHECK(entries_of(blob, order)[0].name == "abcdefgh");
    blob.resize(36);
    CHECK(entries_of(patched(blob, order, 6, std::uint16_t{36}), order)[0].name.empty());
    CHECK(entries_of({}, order).empty());
}

TEST_CASE("BUILD_ID cut anywhere gives the whole entries before the cut", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool old = GENERATE(false, true);
    const auto one = old ? old_build_id_record(order, 1, "[kernel.kallsyms]")
                         : build_id_record(order, {.misc = 1, .name = "[kernel.kallsyms]"});
    const auto blob = joined({one, one, one});
    for_every_cut(blob, [&](const Blob& cut) {
        BuildIdReader reader(over(cut, order));
        std::size_t entries = 0;
        auto next = reader.next();
        for (; next && *next; next = reader.next()) ++entries;
        // If the cut leaves too little to recognise the old layout, the first entry keeps the recorded size.
        if (cut.size() >= 49 || !old) CHECK(entries == cut.size() / one.size());
        CHECK(next.has_value() == (cut.size() % one.size() == 0));
    });
}
