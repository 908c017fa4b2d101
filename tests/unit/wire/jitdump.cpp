// SPDX-License-Identifier: MIT
#include "perfdata/wire/jitdump.hpp"

#include <algorithm>
#include <type_traits>

#include "catch.hpp"
#include "support/jitdump.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// view_at(blob, at) returns the whole record at that offset.
JitRecordView view_at(const Blob& blob, std::size_t at, std::endian order) {
    const auto rest = Bytes(blob).subspan(at);
    const auto header = JitRecordHeader::load(rest.data(), AnyOrder(order));
    return {header, rest.first(std::min<std::size_t>(rest.size(), header.size)), at, AnyOrder(order)};
}

std::vector<std::string> entries_of(const JitRecordView& record) {
    std::vector<std::string> found;
    for (JitDebugEntries entries(record);;) {
        const auto entry = entries.next();
        if (!entry) {
            found.push_back("error " + std::string(to_string(entry.error().code)));
            return found;
        }
        if (!*entry) return found;
        found.push_back(std::to_string((*entry)->address.value) + " " + std::string((*entry)->file) + ":" +
                        std::to_string((*entry)->line) + "/" + std::to_string((*entry)->discriminator));
    }
}

}  // namespace

TEST_CASE("A jitdump header has its fields in either byte order", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitHeaderValues values;
    values.size = 48;
    values.machine = 0xb7;
    values.pid = 4711;
    values.time = 0x1122334455667788;
    values.flags = 1;
    const JitDumpWriter dump(order, values);
    const auto header = JitDumpHeader::decode(dump.blob());
    REQUIRE(header);
    CHECK(header->order.endian() == order);
    CHECK(header->version == 1);
    CHECK(header->size == 48);
    CHECK(header->elf_machine == 0xb7);
    CHECK(header->namespace_pid == 4711);
    CHECK(header->timestamp == 0x1122334455667788);
    CHECK(header->arch_timestamps());
    CHECK(header->unknown_flags() == 0);
    CHECK(as_text(Bytes(dump.blob()).first(4)) == (order == std::endian::little ? "DTiJ" : "JiTD"));
}

TEST_CASE("What is no jitdump header is refused", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto refused = [&](const JitHeaderValues& values) {
        const JitDumpWriter dump(order, values);
        const auto header = JitDumpHeader::decode(dump.blob());
        REQUIRE_FALSE(header);
        return header.error().code;
    };
    JitHeaderValues values;
    values.magic = 0x4a695445;
    CHECK(refused(values) == ErrorCode::malformed);
    values = {};
    values.version = 2;
    CHECK(refused(values) == ErrorCode::unsupported);
    values = {};
    values.size = 39;
    CHECK(refused(values) == ErrorCode::malformed);
    const JitDumpWriter whole(order);
    for (std::size_t size = 0; size < 40; ++size) {
        const auto header = JitDumpHeader::decode(Bytes(whole.blob()).first(size));
        REQUIRE_FALSE(header);
        CHECK(header.error().code == ErrorCode::truncated);
    }
}

TEST_CASE("A load has its fields, its name and the place of its code", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::size_t padding = GENERATE(std::size_t{0}, std::size_t{5});
    JitDumpWriter dump(order);
    const auto at = dump.load({0x99, 0x7f0000001000, "f(int) [opt]", "\x90\x90\xc3", 7, 13, padding});
    const auto record = view_at(dump.blob(), at, order);
    CHECK(record.header.type == 0);
    CHECK(record.header.timestamp == 0x99);
    const auto load = JitCodeLoad::decode(record);
    REQUIRE(load);
    CHECK(load->namespace_pid == 13);
    CHECK(load->namespace_tid == 13);
    CHECK(load->vma == Address{0});
    CHECK(load->range == AddressRange{{0x7f0000001000}, 3});
    CHECK(load->index == 7);
    CHECK(load->name == "f(int) [opt]");
    CHECK(load->padding == padding);
    // The code is the record's last bytes, as in perf.
    CHECK(as_text(Bytes(dump.blob()).subspan(load->code_at, 3)) == "\x90\x90\xc3");
    CHECK(load->code_at + 3 == dump.blob().size());
}

TEST_CASE("A load may have neither name nor code", "[wire][jitdump]") {
    JitDumpWriter dump(std::endian::little);
    const auto load = JitCodeLoad::decode(view_at(dump.blob(), dump.load({1, 2, "", ""}), std::endian::little));
    REQUIRE(load);
    CHECK(load->name.empty());
    CHECK(load->range.size == 0);
}

TEST_CASE("A load that is too small for what it announces is damaged", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    const auto at = dump.load({1, 0x1000, "name", "\xc3\xc3"});
    const auto code = [&](const Blob& blob) {
        const auto load = JitCodeLoad::decode(view_at(blob, at, order));
        return load ? std::string("decoded") : std::string(to_string(load.error().code));
    };
    CHECK(code(dump.blob()) == "decoded");
    for (const std::uint64_t size : {std::uint64_t{7}, std::uint64_t{8}, ~std::uint64_t{0}, ~std::uint64_t{0} - 56}) {
        INFO(size);
        CHECK(code(patched(dump.blob(), order, at + 40, size)) == "malformed");
    }
    // If the name's NUL is the first byte of code, the name does not end before the code.
    CHECK(code(patched(dump.blob(), order, at + 40, std::uint64_t{3})) == "malformed");
    CHECK(code(patched(dump.blob(), order, at + 40, std::uint64_t{0})) == "decoded");
    for (std::uint32_t size = 16; size < 56; ++size) {
        CHECK(code(patched(dump.blob(), order, at + 4, size)) == "truncated");
    }
}

TEST_CASE("A name is at most 64 KiB", "[wire][jitdump]") {
    const auto decoded = [](std::size_t size) {
        JitDumpWriter dump(std::endian::little);
        const std::string name(size, 'n');
        const auto record = view_at(dump.blob(), dump.load({1, 0x1000, name, "\xc3"}), std::endian::little);
        const auto load = JitCodeLoad::decode(record);
        return load && load->name == name;
    };
    CHECK(decoded(JitCodeLoad::longest_name - 1));
    CHECK_FALSE(decoded(JitCodeLoad::longest_name));
}

TEST_CASE("A move has its fields and 64 bytes", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    const auto at = dump.move(5, 0x1000, 0x2000, 0x30, 9);
    const auto move = JitCodeMove::decode(view_at(dump.blob(), at, order));
    REQUIRE(move);
    CHECK(move->namespace_pid == 42);
    CHECK(move->namespace_tid == 42);
    CHECK(move->vma == Address{0x2000});
    CHECK(move->from == Address{0x1000});
    CHECK(move->to == AddressRange{{0x2000}, 0x30});
    CHECK(move->index == 9);
    const auto cut = patched(dump.blob(), order, at + 4, std::uint32_t{63});
    CHECK_FALSE(JitCodeMove::decode(view_at(cut, at, order)));
}

TEST_CASE("Debug info has its entries, and the file of the one before where it says so", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    const auto at = dump.debug_info(
        5, 100, {{100, 1, 0, "a.js"}, {104, 2, 3, "\xff"}, {108, 4, 0, ""}, {112, 5, 0, "\xff"}, {116, 6, 0, "b"}}, 6);
    const auto record = view_at(dump.blob(), at, order);
    const auto info = JitDebugInfo::decode(record);
    REQUIRE(info);
    CHECK(info->code == Address{100});
    CHECK(info->count == 5);
    CHECK(info->first == Address{100});
    CHECK(entries_of(record) ==
          std::vector<std::string>{"100 a.js:1/0", "104 a.js:2/3", "108 :4/0", "112 :5/0", "116 b:6/0"});
}

TEST_CASE("Debug info of nothing, or with a first entry that refers to none, is read", "[wire][jitdump]") {
    JitDumpWriter dump(std::endian::little);
    const auto none = view_at(dump.blob(), dump.debug_info(5, 100, {}), std::endian::little);
    CHECK(JitDebugInfo::decode(none)->first == std::nullopt);
    CHECK(entries_of(none).empty());
    JitDumpWriter other(std::endian::little);
    const auto dangling = other.debug_info(5, 100, {{100, 1, 0, "\xff"}});
    CHECK(entries_of(view_at(other.blob(), dangling, std::endian::little)) == std::vector<std::string>{"100 :1/0"});
}

TEST_CASE("Debug info with more entries than bytes is damaged", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    const auto at = dump.debug_info(5, 100, {{100, 1, 0, "a"}, {104, 2, 0, "b"}}, 17);
    CHECK(JitDebugInfo::decode(view_at(dump.blob(), at, order)));
    for (const std::uint64_t count : {std::uint64_t{4}, std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
        const auto damaged = patched(dump.blob(), order, at + 24, count);
        const auto info = JitDebugInfo::decode(view_at(damaged, at, order));
        REQUIRE_FALSE(info);
        CHECK(info.error().code == ErrorCode::malformed);
    }
    // A third entry might fit, but the remaining bytes lack an end.
    const auto third = patched(dump.blob(), order, at + 24, std::uint64_t{3});
    CHECK(entries_of(view_at(third, at, order)).back() == "error truncated");
}

TEST_CASE("Unwinding info has its sizes, which fit in each other", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    const auto at = dump.unwinding(5, 64, 20, 44);
    const auto info = JitUnwindingInfo::decode(view_at(dump.blob(), at, order));
    REQUIRE(info);
    CHECK(info->size == 64);
    CHECK(info->header_size == 20);
    CHECK(info->mapped_size == 44);
    CHECK(info->data_at == at + 40);
    const auto larger = patched(dump.blob(), order, at + 16, std::uint64_t{65});
    CHECK_FALSE(JitUnwindingInfo::decode(view_at(larger, at, order)));
    const auto header = patched(dump.blob(), order, at + 24, std::uint64_t{65});
    CHECK_FALSE(JitUnwindingInfo::decode(view_at(header, at, order)));
}

TEST_CASE("Every record that is cut anywhere is an error, not a read beyond it", "[wire][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    const std::size_t places[] = {dump.load({1, 0x1000, "name", "\xc3"}), dump.move(2, 0x1000, 0x2000, 1, 1),
                                  dump.debug_info(3, 0x1000, {{0x1000, 1, 0, "file"}}), dump.unwinding(4, 8, 4, 0)};
    for (const auto at : places) {
        const auto whole = view_at(dump.blob(), at, order);
        for (std::uint32_t size = 16; size < whole.header.size; ++size) {
            const Blob exact(whole.bytes.begin(), whole.bytes.begin() + size);  // ends at the end of the allocation
            JitRecordView cut{whole.header, exact, at, whole.order};
            cut.header.size = size;
            const auto decode = [&]<class R>() {
                const auto record = R::decode(cut);
                if constexpr (std::is_same_v<R, JitDebugInfo>) {
                    CHECK((!record || entries_of(cut).back() == "error truncated"));
                } else if constexpr (std::is_same_v<R, JitCodeLoad>) {
                    // The cut is inside the name or leaves no room for the code.
                    CHECK(!record);
                } else if constexpr (!std::is_same_v<R, JitCodeClose>) {
                    CHECK(!record);
                }
            };
            with_jit_record_type(cut.header.type, decode, [] { FAIL("not a known type"); });
        }
    }
}
