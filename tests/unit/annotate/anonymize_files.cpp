// SPDX-License-Identifier: MIT
// Anonymized copies of kallsyms, perf maps, jitdumps and ELF files.
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/timeline/jit_dump_walk.hpp"

#include "bundle/anonymize/joined_source.hpp"
#include "bundle/anonymize/masked_source.hpp"
#include "bundle/anonymize/tally.hpp"
#include "catch.hpp"
#include "support/elf.hpp"
#include "support/files.hpp"
#include "support/jitdump.hpp"
#include "unit/annotate/anonymized.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string text_made(const Result<std::shared_ptr<const Source>>& made) {
    const auto bytes = bytes_of_source(*made.value());
    return std::string(as_text(bytes));
}

std::shared_ptr<const Source> source_of_text(std::string_view text) {
    return memory_source(as_bytes(text));
}

struct DumpLines {
    std::vector<std::string> lines;
    const JitDump* dump = nullptr;

    void operator()(const JitRecordView& record, const JitCodeLoad& load) {
        const auto code = dump->read(load.code_at, load.range.size).value();
        lines.push_back("load " + std::to_string(record.header.timestamp) + " " + std::string(load.name) + " " +
                        std::to_string(load.range.begin.value) + " " + std::to_string(load.index) + " " +
                        std::string(as_text(code)));
    }
    void operator()(const JitRecordView&, const JitCodeMove& move) {
        lines.push_back("move " + std::to_string(move.from.value) + " " + std::to_string(move.to.begin.value));
    }
    void operator()(const JitRecordView&, const JitCodeClose&) { lines.emplace_back("close"); }
    void operator()(const JitRecordView&, const JitDebugInfo&) { lines.emplace_back("lines"); }
    void operator()(const JitRecordView&, const JitUnwindingInfo&) { lines.emplace_back("unwinding"); }
};

}  // namespace

TEST_CASE("kallsyms: addresses and types stay, names do not", "[annotate][anonymize]") {
    auto anonymizer = an_anonymizer();
    const std::string text =
        "ffffffff81000000 T _text\n"
        "ffffffff81000100 t s3cr3t_function\n"
        "ffffffffc0000000 t nf_s3cr3t\t[s3cr3t-mod]\n"
        "ffffffffc0001000 t bpf_prog_0123456789abcdef_s3cr3t\t[bpf]\n"
        "no line of it s3cr3t\n"
        "\n"
        "ffffffffc0002000 t name with spaces\n"
        "ffffffffc0003000 d last";
    const auto made = text_made(anonymizer.kallsyms(*source_of_text(text), {}));
    CHECK(made ==
          "ffffffff81000000 T _text\n"
          "ffffffff81000100 t " +
              anonymizer.name("s3cr3t_function") +
              "\n"
              "ffffffffc0000000 t " +
              anonymizer.name("nf_s3cr3t") + "\t" + anonymizer.path("[s3cr3t_mod]") +
              "\n"
              "ffffffffc0001000 t bpf_prog_0123456789abcdef_" +
              anonymizer.name("s3cr3t") +
              "\t[bpf]\n"
              "ffffffffc0003000 d " +
              anonymizer.name("last") + "\n");
    CHECK(sum_of_kind(anonymizer, "dropped_unreadable_lines") == 2);
    CHECK(sum_of_kind(anonymizer, "hashed_symbols") == 4);
}

TEST_CASE("Perf maps: addresses stay, names do not", "[annotate][anonymize]") {
    auto anonymizer = an_anonymizer();
    const std::string text = "7f0010 20 s3cr3t with spaces /home/me\n0x7f0030 8 other\nxyz 20 s3cr3t\n7f 8\n";
    const auto made = text_made(anonymizer.perf_map(*source_of_text(text), {}));
    CHECK(made == "7f0010 20 " + anonymizer.name("s3cr3t with spaces /home/me") + "\n0x7f0030 8 " +
                      anonymizer.name("other") + "\n");
    CHECK(sum_of_kind(anonymizer, "dropped_unreadable_lines") == 2);
}

TEST_CASE("Lines longer than 64 KiB are left out", "[annotate][anonymize]") {
    auto anonymizer = an_anonymizer();
    for (const std::size_t size : {std::size_t{70'000}, std::size_t{600'000}}) {
        const auto text = "1 2 a\n3 4 " + std::string(size, 's') + "\n5 6 b\n";
        CHECK(text_made(anonymizer.perf_map(*source_of_text(text), {})) ==
              "1 2 " + anonymizer.name("a") + "\n5 6 " + anonymizer.name("b") + "\n");
    }
    CHECK(sum_of_kind(anonymizer, "dropped_unreadable_lines") == 2);
}

TEST_CASE("Jitdumps keep code and times", "[annotate][anonymize]") {
    for (const auto order : {std::endian::little, std::endian::big}) {
        auto anonymizer = an_anonymizer();
        JitDumpWriter writer(order, {.size = 48, .pad = 0x5ec3, .pid = 17, .flags = 1});
        writer.debug_info(3, 0x1000, {{0x1000, 7, 0, "/home/s3cr3t.js"}});
        writer.unwinding(3, 16, 0, 0);
        writer.load({.time = 4, .address = 0x1000, .name = "s3cr3t", .code = "codecode", .index = 5, .padding = 3});
        writer.move(5, 0x1000, 0x2000, 8, 5);
        writer.other(4711, 24);
        writer.close(6);
        const auto source = memory_source(writer.blob());
        const auto made = anonymizer.jitdump(*source, {}).value();
        CHECK(!has_text_in(bytes_of_source(*made), "s3cr3t"));
        const auto dump = JitDump::open(made, "dump").value();
        CHECK(dump.header().order.endian() == order);
        CHECK(dump.header().namespace_pid == 17);
        CHECK(dump.header().flags == 1);
        CHECK(dump.header().size == 40);
        DumpLines lines;
        lines.dump = &dump;
        Completeness seen;
        dump.walk(seen, lines);
        CHECK(lines.lines == std::vector<std::string>{"load 4 " + anonymizer.name("s3cr3t") + " 4096 5 codecode",
                                                      "move 4096 8192", "close"});
        CHECK(sum_of_kind(anonymizer, "dropped_source_lines") == 1);
        CHECK(sum_of_kind(anonymizer, "dropped_unwind_information") == 1);
        CHECK(sum_of_kind(anonymizer, "dropped_unknown_records") == 1);
    }
    auto anonymizer = an_anonymizer();
    CHECK(!anonymizer.jitdump(*source_of_text("no dump"), {}));
}

TEST_CASE("Objects keep code, symbols and build id", "[annotate][anonymize]") {
    for (const auto order : {std::endian::little, std::endian::big}) {
        for (const bool wide : {true, false}) {
            INFO((wide ? "64" : "32") << (order == std::endian::big ? " big" : ""));
            auto anonymizer = an_anonymizer();
            constexpr std::uint8_t source_file = 4;
            Elf elf(order, wide);
            elf.replace(".text", blob_of("codecodecodecode"));
            elf.section(Elf::text).flags = 6;
            elf.symbols({{.name = "function_kept", .value = 0x10, .size = 8},
                         {.name = "s3cr3t_file.c", .type = source_file, .binding = Elf::local, .section = 0xfff1}});
            elf.build_id(blob_of("12345678901234567890"));
            elf.add({.name = ".note.package", .type = 7, .content = blob_of("s3cr3t-note")});
            elf.add({.name = ".rodata", .flags = 2, .content = blob_of("s3cr3t-rodata")});
            elf.add({.name = ".data", .flags = 3, .content = blob_of("s3cr3t-data")});
            elf.add({.name = ".comment", .content = blob_of("s3cr3t-comment")});
            elf.add({.name = ".debug_info", .content = blob_of("s3cr3t-dwarf")});
            elf.add({.name = ".debug_str", .flags = 0x30, .content = blob_of("s3cr3t-dwarf-names")});
            elf.add({.name = ".zdebug_line", .content = blob_of("s3cr3t-packed")});
            elf.add({.name = ".gdb_index", .content = blob_of("s3cr3t-index")});
            elf.add({.name = ".gnu_debugdata", .content = blob_of("s3cr3t-mini")});
            elf.add({.name = ".BTF", .content = blob_of("s3cr3t-btf")});
            elf.add({.name = ".s3cr3t_section", .content = blob_of("x")});
            elf.debug_link("s3cr3t.debug");
            const auto blob = elf.blob();
            const auto made = anonymizer.object(memory_source(blob), "/x", {}, {}).value();
            const auto bytes = bytes_of_source(*made);
            CHECK(bytes.size() == blob.size());
            CHECK(!has_text_in(bytes, "s3cr3t"));

            const auto before = ElfFile::open(memory_source(blob)).value();
            const auto after = ElfFile::open(made).value();
            CHECK(as_text(after.build_id()) == "12345678901234567890");
            REQUIRE(after.sections().size() == before.sections().size());
            const auto* text = after.section(".text");
            REQUIRE(text != nullptr);
            CHECK(after.content(*text).value() == "codecodecodecode");
            CHECK(after.section(".rodata")->type == 8);
            CHECK(after.section(".debug_info")->type == 8);
            CHECK(!after.debug_link());
            CHECK(after.section(".rodata")->address == before.section(".rodata")->address);
            const auto& names = *after.section(".strtab");
            CHECK(has_text_in(blob_of(after.content(names).value()), "function_kept"));
            CHECK(sum_of_kind(anonymizer, "dropped_object_sections") == 12);
            CHECK(sum_of_kind(anonymizer, "kept_objects") == 1);
        }
    }
}

TEST_CASE("Objects whose names of functions stay are counted", "[annotate][anonymize]") {
    auto anonymizer = an_anonymizer();
    const auto pack = [&](std::string name, std::uint8_t type) {
        Elf elf(std::endian::little, true);
        elf.replace(".text", blob_of("codecodecodecode"));
        elf.section(Elf::text).flags = 6;
        elf.symbols({{.name = std::move(name), .value = 0x10, .size = 8, .type = type}});
        REQUIRE(anonymizer.object(memory_source(elf.blob()), "/x", {}, {}));
    };
    constexpr std::uint8_t data = 1, function = 2, indirect_function = 10;
    pack("table", data);
    pack("", function);
    CHECK(sum_of_kind(anonymizer, "kept_objects") == 0);
    pack("resolve", indirect_function);
    CHECK(told_text("kept_objects", sum_of_kind(anonymizer, "kept_objects")) == "names of functions in 1 object stay");
    pack("work", function);
    CHECK(told_text("kept_objects", sum_of_kind(anonymizer, "kept_objects")) == "names of functions in 2 objects stay");
    CHECK(told_text("hashed_paths", 2) == "2 hashed_paths");
    CHECK(told_text("dropped_user_stacks", 61) ==
          "61 dropped_user_stacks: callers that are unwound from them are gone; a recording with -g (frame pointers) "
          "keeps callers");
    CHECK(!anonymizer.object(memory_source(blob_of("no ELF file")), "/x", {}, {}));
    CHECK(sum_of_kind(anonymizer, "kept_objects") == 2);
}

TEST_CASE("Tables of an object that share their bytes are read once", "[annotate][anonymize]") {
    // Reading each of them would take hours.
    const auto order = std::endian::little;
    const auto type = GENERATE(2u, 11u, 7u);  // symbols, dynamic symbols, notes
    constexpr std::uint16_t tables = 60000;
    constexpr std::uint64_t bytes = std::uint64_t{24} * 40000;
    Writer file(order);
    constexpr std::uint64_t header = 64, texts_at = header + bytes, sections_at = texts_at + 64;
    file.text(
        std::string_view("\x7f"
                         "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
                         16));
    file.u16(3).u16(62).u32(1).u64(0).u64(0).u64(sections_at).u32(0);
    file.u16(64).u16(56).u16(0).u16(64).u16(tables + 2).u16(1);
    file.zeros(bytes + 64);
    const auto section = [&](std::uint32_t kind, std::uint64_t at, std::uint64_t size) {
        file.u32(0).u32(kind).u64(0).u64(0).u64(at).u64(size).u32(1).u32(0).u64(8).u64(24);
    };
    section(0, 0, 0);
    section(3, texts_at, 64);
    for (unsigned table = 0; table < tables; ++table) section(type, header, bytes);
    auto anonymizer = an_anonymizer();
    const auto made = anonymizer.object(memory_source(file.blob()), "/x", {}, {});
    REQUIRE(made);
    // What is not read is left out, and counted.
    CHECK(sum_of_kind(anonymizer, "dropped_object_sections") > tables - 10);
}

TEST_CASE("Build ids of any length stay in objects", "[annotate][anonymize]") {
    for (const auto order : {std::endian::little, std::endian::big}) {
        for (const std::string_view id : {"1", "1234567", "12345678", "12345678901234567"}) {
            for (const bool padded : {true, false}) {
                INFO(id << (padded ? ", padded" : ""));
                Writer note(order);
                note.u32(4)
                    .u32(static_cast<std::uint32_t>(id.size()))
                    .u32(3)
                    .text(std::string_view("GNU\0", 4))
                    .text(id);
                if (padded) note.zeros((4 - id.size() % 4) % 4);
                Elf elf(order);
                elf.section(Elf::text).flags = 6;
                elf.add({.name = ".note.gnu.build-id", .type = 7, .flags = 2, .content = note.take()});
                const auto blob = elf.blob();
                auto anonymizer = an_anonymizer();
                const auto made = anonymizer.object(memory_source(blob), "/x", {}, {}).value();
                CHECK(as_text(ElfFile::open(made).value().build_id()) == id);
            }
        }
    }
}

TEST_CASE("Objects whose code cannot be told from data are refused", "[annotate][anonymize]") {
    auto anonymizer = an_anonymizer();
    const auto blob = Elf().blob();
    constexpr std::size_t sections_at = 40, section_count = 60;
    auto stripped = patched(patched(blob, std::endian::little, sections_at, std::uint64_t{0}), std::endian::little,
                            section_count, std::uint16_t{0});
    const auto refused = anonymizer.object(memory_source(stripped), "/bin/x", {}, {});
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK(refused.error().where == "/bin/x");
    CHECK(!anonymizer.object(source_of_text("no object"), "/bin/x", {}, {}));
}

TEST_CASE("A packed module is unpacked", "[annotate][anonymize]") {
    auto anonymizer = an_anonymizer();
    Elf elf;
    elf.section(Elf::text).flags = 6;
    const auto blob = elf.blob();
    const auto packed = compressed(Compression::xz, blob);
    const auto made = anonymizer.object(memory_source(packed), "x.ko.xz", {}, {});
    REQUIRE(made);
    CHECK((*made)->size() == blob.size());
}

TEST_CASE("Damaged objects are no trouble", "[annotate][anonymize]") {
    Elf elf;
    elf.symbols({{.name = "function_kept", .value = 0x10, .size = 8}});
    const auto blob = elf.blob();
    for (std::size_t at = 0; at < blob.size(); ++at) {
        auto damaged = blob;
        damaged[at] = static_cast<std::byte>(std::to_integer<unsigned>(damaged[at]) ^ 0xff);
        auto anonymizer = an_anonymizer();
        const auto made = anonymizer.object(memory_source(damaged), "/x", {}, {});
        if (made) CHECK(bytes_of_source(**made).size() == damaged.size());
        const Blob cut(blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(at));
        const auto short_one = anonymizer.object(memory_source(cut), "/x", {}, {});
        if (short_one) CHECK(bytes_of_source(**short_one).size() == cut.size());
    }
}

TEST_CASE("Inputs that are joined or masked are read at any place", "[annotate][anonymize]") {
    const auto part = [](std::string_view text) { return std::make_shared<OwnedBytes>(blob_of(text)); };
    const JoinedSource joined({part("abc"), part(""), part("defg"), part("h")});
    CHECK(joined.size() == 8);
    const std::string_view all = "abcdefgh";
    const auto whole = blob_of(all);
    MaskedSource masked(memory_source(whole));
    masked.keep(6, 100);
    masked.keep(1, 2);
    masked.keep(2, 2);
    masked.keep(100, 1);
    masked.replace(3, blob_of("XY"));
    masked.finish();
    const std::string_view left("\0bcXY\0gh", 8);
    for (std::size_t begin = 0; begin <= 9; ++begin) {
        for (std::size_t size = 0; size <= 9; ++size) {
            Blob out(size);
            const auto read = [&](const Source& source) {
                const auto got = source.read_at(begin, out).value();
                return std::string(as_text(Bytes(out).first(got)));
            };
            const auto want = [&](std::string_view text) {
                return std::string(text.substr(std::min(begin, text.size()), size));
            };
            CHECK(read(joined) == want(all));
            CHECK(read(masked) == want(left));
        }
    }
}
