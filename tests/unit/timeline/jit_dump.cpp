// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_dump.hpp"

#include "perfdata/timeline/jit_dump_walk.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/jitdump.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct ReadDump {
    std::vector<std::string> records;
    Completeness completeness;
};

ReadDump read(const JitDump& dump) {
    ReadDump result;
    dump.walk(result.completeness, [&]<class R>(const JitRecordView& view, const R& record) {
        auto text = std::to_string(view.header.timestamp) + " " + std::string(R::record_name.substr(7));
        if constexpr (requires { record.name; }) text += " " + std::string(record.name);
        result.records.push_back(text);
    });
    const auto& bytes = result.completeness.bytes;
    CHECK(bytes.total == dump.source().size());
    CHECK(bytes.outside_records + bytes.records + bytes.unread == bytes.total);
    return result;
}

// Reads from memory, and from a file, which is read in blocks.
ReadDump read(const Blob& blob) {
    auto in_memory = read(JitDump::open(memory_source(blob), "dump").value());
    const TempDir directory;
    const auto in_file = read(JitDump::open(directory.write("jit-42.dump", blob)).value());
    CHECK(in_file.records == in_memory.records);
    CHECK(in_file.completeness.bytes.unread == in_memory.completeness.bytes.unread);
    return in_memory;
}

std::vector<ErrorCode> codes(const ReadDump& result) {
    std::vector<ErrorCode> found;
    for (const auto& diagnostic : result.completeness.diagnostics.kept()) found.push_back(diagnostic.code);
    return found;
}

}  // namespace

TEST_CASE("A jitdump file gives its records in file order", "[timeline][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t header_size = GENERATE(40u, 64u);
    JitHeaderValues values;
    values.size = header_size;
    JitDumpWriter dump(order, values);
    dump.debug_info(1, 0x1000, {{0x1000, 1, 0, "f"}});
    dump.unwinding(2, 24, 8, 0);
    dump.load({3, 0x1000, "one", "\xc3"});
    dump.move(5, 0x1000, 0x2000, 1, 1);
    dump.load({4, 0x3000, "two", "\xc3"});
    dump.close(6);
    const auto result = read(dump.blob());
    CHECK(result.records == std::vector<std::string>{"1 CODE_DEBUG_INFO", "2 CODE_UNWINDING_INFO", "3 CODE_LOAD one",
                                                     "5 CODE_MOVE", "4 CODE_LOAD two", "6 CODE_CLOSE"});
    CHECK(result.completeness.lossless());
    CHECK(result.completeness.bytes.outside_records == header_size);
    CHECK(result.completeness.records.at(0).decoded == 2);
}

TEST_CASE("Records of unknown types are skipped by their size and counted", "[timeline][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    dump.other(5, 16);
    dump.load({1, 0x1000, "one", "\xc3"});
    dump.other(0xffffffff, 333);
    dump.load({2, 0x2000, "two", "\xc3"});
    const auto result = read(dump.blob());
    CHECK(result.records == std::vector<std::string>{"1 CODE_LOAD one", "2 CODE_LOAD two"});
    CHECK(result.completeness.records.at(5).skipped == 1);
    CHECK(result.completeness.records.at(0xffffffff).skipped == 1);
    CHECK(result.completeness.lossless());
}

TEST_CASE("A damaged record is skipped and counted", "[timeline][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t type = GENERATE(0u, 1u, 2u, 4u);
    JitDumpWriter dump(order);
    dump.load({1, 0x1000, "one", "\xc3"});
    dump.other(type, 24);
    dump.load({2, 0x2000, "two", "\xc3"});
    const auto result = read(dump.blob());
    CHECK(result.records == std::vector<std::string>{"1 CODE_LOAD one", "2 CODE_LOAD two"});
    CHECK(result.completeness.records.at(type).damaged == 1);
    CHECK(codes(result) == std::vector{ErrorCode::truncated});
    CHECK(result.completeness.bytes.unread == 0);
}

TEST_CASE("A file that is still written is read up to its last whole record", "[timeline][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    const auto first = dump.load({1, 0x1000, "one", "\xc3\xc3\xc3"});
    const auto second = dump.load({2, 0x2000, "two", "\xc3\xc3\xc3"});
    const auto& whole = dump.blob();
    for (std::size_t size = 40; size <= whole.size(); ++size) {
        INFO(size);
        const Blob cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        const auto result = read(JitDump::open(memory_source(cut), "dump").value());
        const std::size_t records = size == whole.size() ? 2 : size >= second ? 1 : 0;
        CHECK(result.records.size() == records);
        const bool at_a_boundary = size == first || size == second || size == whole.size();
        CHECK(codes(result) == (at_a_boundary ? std::vector<ErrorCode>{} : std::vector{ErrorCode::truncated}));
        CHECK((result.completeness.bytes.unread == 0) == at_a_boundary);
        CHECK(result.completeness.bytes.total == size);
    }
}

TEST_CASE("A size that no record can have ends the file", "[timeline][jitdump]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    JitDumpWriter dump(order);
    dump.load({1, 0x1000, "one", "\xc3"});
    const auto at = dump.load({2, 0x2000, "two", "\xc3"});
    dump.load({3, 0x3000, "three", "\xc3"});
    for (const std::uint32_t size : {0u, 1u, 15u}) {
        const auto result = read(patched(dump.blob(), order, at + 4, size));
        CHECK(result.records.size() == 1);
        CHECK(codes(result) == std::vector{ErrorCode::malformed});
        CHECK(result.completeness.bytes.unread == dump.blob().size() - at);
    }
    for (const std::uint32_t size : {100000u, 0x7fffffffu, 0xffffffffu}) {
        const auto result = read(patched(dump.blob(), order, at + 4, size));
        CHECK(result.records.size() == 1);
        CHECK(codes(result) == std::vector{ErrorCode::truncated});
    }
}

TEST_CASE("Records larger than a block, and across blocks, are read", "[timeline][jitdump]") {
    JitDumpWriter dump(std::endian::little);
    const std::string large(300000, '\x90'), middle(1000, '\x90');
    std::vector<std::string> expected;
    for (std::uint64_t number = 0; number < 1000; ++number) {
        const auto name = "function_" + std::to_string(number);
        dump.load({number, 0x1000 * number, name, number % 100 == 7 ? large : middle, number});
        expected.push_back(std::to_string(number) + " CODE_LOAD " + name);
    }
    const auto result = read(dump.blob());
    CHECK(result.records == expected);
    CHECK(result.completeness.lossless());
}

TEST_CASE("Flags that nobody knows are told, and the records are read", "[timeline][jitdump]") {
    JitHeaderValues values;
    values.flags = 0x12;
    JitDumpWriter dump(std::endian::big, values);
    dump.close(1);
    const auto result = read(dump.blob());
    CHECK(result.records.size() == 1);
    CHECK(codes(result) == std::vector{ErrorCode::unsupported});
}

TEST_CASE("What is no jitdump file is not opened", "[timeline][jitdump]") {
    const TempDir directory;
    const auto code = [&](const Blob& blob) {
        const auto dump = JitDump::open(directory.write("file", blob));
        REQUIRE_FALSE(dump);
        CHECK(dump.error().where.ends_with("/file"));
        return dump.error().code;
    };
    CHECK(code({}) == ErrorCode::truncated);
    CHECK(code(blob_of(std::string(100, 'x'))) == ErrorCode::malformed);
    JitHeaderValues values;
    values.size = 41;
    const JitDumpWriter dump(std::endian::little, values);
    CHECK(code(Blob(dump.blob().begin(), dump.blob().end() - 1)) == ErrorCode::truncated);
    CHECK(JitDump::open(directory.path() / "none").error().code == ErrorCode::io);
}

TEST_CASE("A part of the file is read within the file and the limit", "[timeline][jitdump]") {
    JitDumpWriter writer(std::endian::little);
    writer.load({1, 0x1000, "one", "\x01\x02\x03"});
    Limits limits;
    limits.section_bytes = 60;
    const auto dump = JitDump::open(memory_source(writer.blob()), "dump", limits).value();
    const auto size = writer.blob().size();
    CHECK(as_text(dump.read(size - 3, 3).value()) == "\x01\x02\x03");
    CHECK(dump.read(size, 0)->empty());
    CHECK(dump.read(size - 3, 4).error().code == ErrorCode::truncated);
    CHECK(dump.read(size + 1, 0).error().code == ErrorCode::truncated);
    CHECK(dump.read(1, ~std::uint64_t{0}).error().code == ErrorCode::truncated);
    CHECK(dump.read(0, 61).error().code == ErrorCode::limit);
}
