// SPDX-License-Identifier: MIT
// The parts of perfdata collect that find and cut files.
#include <bit>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "bundle/core_pieces.hpp"
#include "bundle/logged_source.hpp"
#include "bundle/needed.hpp"
#include "bundle/needed_parts.hpp"
#include "bundle/owned_source.hpp"
#include "bundle/perf_map_lines.hpp"
#include "bundle/traced_files.hpp"
#include "bundle/trimmed_object.hpp"
#include "catch.hpp"
#include "support/elf.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using NotedRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

std::shared_ptr<const Source> owned(Bytes bytes) {
    return std::make_shared<const perfdata::OwnedSource>(std::string(as_text(bytes)));
}

ElfFile opened_elf(std::shared_ptr<const Source> content) {
    auto file = ElfFile::open(std::move(content));
    REQUIRE(file);
    return std::move(*file);
}

Blob filled(std::size_t size, unsigned char byte) {
    return Blob(size, std::byte{byte});
}

std::string content_of_section(const ElfFile& file, std::string_view name) {
    const auto* section = file.section(name);
    REQUIRE(section != nullptr);
    return file.content(*section).value_or("none");
}

Elf with_debug_sections(std::endian order, bool wide) {
    Elf elf(order, wide);
    for (const auto* name : {".debug_info", ".debug_loc", ".debug_line", ".debug_frame", ".debug_loclists", ".comment"})
        elf.add({.name = name, .content = filled(100, 0x5a)});
    elf.symbols({{"f", 0x1000, 16}});
    return elf;
}

}  // namespace

TEST_CASE("Debug information that lines do not need becomes zeros, and the layout stays", "[annotate][bundle]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool wide = GENERATE(true, false);
    const auto blob = with_debug_sections(order, wide).blob();
    const auto content = owned(blob);
    const auto whole = opened_elf(content);

    const auto trimmed = trimmed_object(content, whole, DebugDetail::lines);
    REQUIRE(trimmed);
    CHECK(trimmed->left_out == 200);
    CHECK(trimmed->content->size() == content->size());
    const auto lines = opened_elf(trimmed->content);
    REQUIRE(lines.sections().size() == whole.sections().size());
    for (std::size_t number = 0; number < whole.sections().size(); ++number) {
        CHECK(lines.sections()[number].offset == whole.sections()[number].offset);
        CHECK(lines.sections()[number].size == whole.sections()[number].size);
    }
    const std::string full(100, 'Z');
    for (const auto* name : {".debug_info", ".debug_line", ".debug_frame", ".comment"})
        CHECK(content_of_section(lines, name) == full);
    for (const auto* name : {".debug_loc", ".debug_loclists"}) CHECK(content_of_section(lines, name) == "none");
    CHECK(content_of_section(lines, ".symtab") == content_of_section(whole, ".symtab"));

    const auto none = trimmed_object(content, whole, DebugDetail::none);
    REQUIRE(none);
    CHECK(none->left_out == 400);
    const auto bare = opened_elf(none->content);
    CHECK(content_of_section(bare, ".debug_info") == "none");
    CHECK(content_of_section(bare, ".debug_frame") == full);  // it is for unwinding

    const auto all = trimmed_object(content, whole, DebugDetail::full);
    REQUIRE(all);
    CHECK(all->left_out == 0);
    CHECK(all->content == content);
}

TEST_CASE("Bytes that other parts of a hostile file need are not zeroed", "[annotate][bundle]") {
    Elf elf;
    elf.add({.name = ".kept", .content = filled(64, 1)});
    elf.add({.name = ".debug_loc", .content = filled(64, 2)});
    elf.section(3).bytes_of = 2;
    const auto blob = elf.blob();
    const auto content = owned(blob);
    const auto whole = opened_elf(content);
    const auto trimmed = trimmed_object(content, whole, DebugDetail::none);
    REQUIRE(trimmed);
    const auto file = opened_elf(trimmed->content);
    CHECK(content_of_section(file, ".kept") == content_of_section(whole, ".kept"));
    // Read in pieces of any size and place, the file is the same.
    std::vector<std::byte> at_once(blob.size()), in_pieces(blob.size());
    REQUIRE(trimmed->content->read_at(0, at_once).value_or(0) == blob.size());
    for (std::size_t at = 0; at < blob.size(); at += 7) {
        const auto size = std::min<std::size_t>(7, blob.size() - at);
        REQUIRE(trimmed->content->read_at(at, std::span(in_pieces).subspan(at, size)).value_or(0) == size);
    }
    CHECK(at_once == in_pieces);
}

TEST_CASE("Sections are left out by what they are called", "[annotate][bundle]") {
    for (const auto* name :
         {".debug_loc", ".zdebug_loc", ".rela.debug_loc", ".debug_macro", ".gdb_index", ".debug_names"}) {
        CAPTURE(name);
        CHECK(is_left_out(name, DebugDetail::lines));
        CHECK(is_left_out(name, DebugDetail::none));
        CHECK_FALSE(is_left_out(name, DebugDetail::full));
    }
    for (const auto* name : {".debug_info", ".zdebug_line", ".rela.debug_info", ".debug_str", ".debug_addr"}) {
        CAPTURE(name);
        CHECK_FALSE(is_left_out(name, DebugDetail::lines));
        CHECK(is_left_out(name, DebugDetail::none));
    }
    for (const auto* name : {".text", ".eh_frame", ".debug_frame", ".symtab", ".gnu_debugdata", ".rela.text"}) {
        CAPTURE(name);
        CHECK_FALSE(is_left_out(name, DebugDetail::none));
    }
}

TEST_CASE("A logged input knows the pages that were read", "[annotate][bundle]") {
    const auto bytes = filled(0x10000, 7);
    const LoggedSource logged(owned(bytes));
    std::vector<std::byte> out(16);
    for (const auto at : {0x3ff8u, 0x100u, 0x5000u, 0x4000u, 0x9000u}) CHECK(logged.read_at(at, out).value_or(0) == 16);
    CHECK(logged.ranges() == NotedRanges{{0, 0x1000}, {0x3000, 0x6000}, {0x9000, 0xa000}});
    CHECK(logged.read_at(0x20000, out).value_or(1) == 0);
    CHECK(logged.ranges().size() == 3);
}

TEST_CASE("Pieces of the kernel's memory keep their addresses", "[annotate][bundle]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool wide = GENERATE(true, false);
    Elf elf(order, wide);
    elf.type = 4;  // ET_CORE
    elf.segments.clear();
    const std::uint64_t high = wide ? 0xffffffff81000000 : 0xc1000000;
    elf.segments.push_back({0x1000, high, 0x3000});
    elf.segments.push_back({0x4000, high + 0x100000, 0x1000});
    auto blob = elf.blob();
    blob.resize(0x5000);
    for (std::size_t at = 0x1000; at < blob.size(); ++at) blob[at] = static_cast<std::byte>(at >> 12);
    const auto core = opened_elf(owned(blob));
    const auto pieces = core_pieces(core, {{0, 0x1000}, {0x2000, 0x3000}, {0x3000, 0x5000}}, {});
    REQUIRE(pieces);
    const auto part = opened_elf(std::make_shared<const perfdata::OwnedSource>(*pieces));
    CHECK(part.type() == ElfFile::Type::core);
    CHECK(part.machine() == core.machine());
    CHECK(part.missing_bytes() == 0);
    std::vector<std::byte> one(1);
    const auto byte_at = [&](std::uint64_t address) {
        const auto got = part.read(address, one);
        return got && *got == 1 ? std::to_integer<int>(one[0]) : -1;
    };
    CHECK(byte_at(high) == -1);
    CHECK(byte_at(high + 0xfff) == -1);
    CHECK(byte_at(high + 0x1000) == 2);
    CHECK(byte_at(high + 0x2fff) == 3);
    CHECK(byte_at(high + 0x100000) == 4);
    CHECK(part.next_segment(high) == high + 0x1000);
    CHECK(core_pieces(core, {}, {}).value_or("").size() >= 52);
}

TEST_CASE("Segments that share bytes do not make a large copy of the kernel's memory", "[annotate][bundle]") {
    Elf elf;
    elf.type = 4;
    elf.segments.clear();
    for (std::uint64_t number = 0; number < 2000; ++number) elf.segments.push_back({0, number << 20, 0x100000});
    auto blob = elf.blob();
    blob.resize(0x100000);
    const auto pieces = core_pieces(opened_elf(owned(blob)), {{0, 0x100000}}, {});
    REQUIRE_FALSE(pieces);
    CHECK(pieces.error().code == ErrorCode::limit);
}

TEST_CASE("Names inside of a bundle lead out of nothing", "[annotate][bundle]") {
    CHECK(below_root("/usr/bin/x") == "root/usr/bin/x");
    CHECK(below_root("/usr/../../../etc/./x") == "root/etc/x");
    CHECK(below_root("x.c") == "root/x.c");
    CHECK(below_root("../x.c") == "root/x.c");
    CHECK(below_root("[vdso]") == "root/[vdso]");
    CHECK(id_folder("abcdef") == ".build-id/ab/cdef");
}

TEST_CASE("Traced files know what was opened, and look below other roots", "[annotate][bundle]") {
    const TempDir folder;
    std::filesystem::create_directories(folder.path() / "root/lib");
    const auto elf = Elf().blob();
    folder.write("here.so", elf);
    folder.write("root/lib/there.so", elf);
    folder.write("root/lib/other.so", elf);
    folder.write("x.c", as_bytes(std::string_view("int x;\n")));
    const auto here = folder.path().string();
    TracedFiles files(Shared<const FileSystem>(std::make_shared<const LocalFiles>()), {here + "/root"}, {});
    files.add_object("abcdef", {here + "/root", "/lib/other.so"});
    files.rename("/virtual", here);

    const auto one = files.open({"", here + "/here.so"}, {}, Content::elf);
    const auto two = files.open({"", "/lib/there.so"}, {}, Content::elf);
    const auto three = files.open({"", "/cache/.build-id/ab/cdef/elf"}, {}, Content::elf);
    REQUIRE(one);
    REQUIRE(two);
    REQUIRE(three);
    CHECK_FALSE(files.open({"", "/lib/nowhere.so"}, {}, Content::elf));
    CHECK_FALSE(files.open({"", "/cache/.build-id/ab/cdee/elf"}, {}, Content::elf));
    CHECK(files.has({"", "/lib/there.so"}));
    CHECK(files.identity({"", "/lib/there.so"}) == files.beneath().identity({here + "/root", "/lib/there.so"}));
    const auto opened = files.elf_files();
    REQUIRE(opened.size() == 3);
    CHECK(opened[0].actual == FileName{here + "/root", "/lib/other.so"});
    CHECK(opened[1].actual == FileName{here + "/root", "/lib/there.so"});
    CHECK(opened[2].name.path == here + "/here.so");
    CHECK(opened[2].in_use() == *one);
    // Another thread opens it at the same time, and gives way to the first.
    auto again = files.open({"", here + "/here.so"}, {}, Content::elf);
    REQUIRE(again);
    (*again).reset();
    CHECK(files.elf_files()[2].in_use() == *one);

    CHECK_FALSE(files.read_text({"", here + "/x.c"}));
    CHECK(files.open({"", "/virtual/x.c"}, {}, Content::text));
    CHECK(files.read_text({"", here + "/x.c"}));
    CHECK(files.shown("/virtual/x.c") == here + "/x.c");
    CHECK(files.text_file(here + "/x.c") == FileName{"", here + "/x.c"});
    CHECK_FALSE(files.text_file(here + "/y.c"));
}

TEST_CASE("What is needed is there once, and counted", "[annotate][bundle]") {
    Needed needed;
    const auto content = owned({});
    CHECK(needed.add({{"b", "object"}, content, {}, "/b", {3, {"x"}}}));
    CHECK(needed.add({{"a", "object"}, content, {}, "/a", {1, {"y"}}}));
    CHECK_FALSE(needed.add({{"b", "object"}, content, {}, "/c", {2, {"x", "z"}}}));
    needed.finish();
    CHECK_FALSE(needed.add({{"a", "object"}, content, {}, "/d", {1, {"y"}}}));
    REQUIRE(needed.files.size() == 2);
    CHECK(needed.files[0].member.name == "a");
    CHECK(needed.files[0].by.samples == 1);
    CHECK(needed.files[1].from == "/b");
    CHECK(needed.files[1].by.samples == 3);  // count_once() counts those that have both
    CHECK(needed.files[1].by.commands == std::vector<std::string>{"x"});
    for (const auto* name : {"root/", ".build-id/ab//elf", "root/../x", ""})
        CHECK_FALSE(needed.add({{name, "object"}, content, {}, "/x", {}}));
    CHECK(std::exchange(needed.left_out, {}).size() == 1);
    needed.leave_out("things", 2, "/a");
    needed.leave_out("things", 1, "/a");
    needed.leave_out("things");
    for (int number = 0; number < 20; ++number) needed.leave_out("things", 1, "/b" + std::to_string(number));
    needed.leave_out("nothing", 0, "/c");
    REQUIRE(needed.left_out.size() == 1);
    CHECK(needed.left_out[0].what == "things");
    CHECK(needed.left_out[0].number == 24);
    CHECK(needed.left_out[0].examples.size() == NeededLeftOut::most_examples);
    CHECK(needed.left_out[0].examples[0] == "/a");
    CHECK(needed.left_out[0].examples[1] == "/b0");
    needed.missing.push_back({"object", "/few", {}, "not_found", {}, {}, {1, {}}});
    needed.missing.push_back({"object", "/many", {}, "not_found", {}, {}, {9, {}}});
    needed.finish();
    CHECK(needed.missing.front().path == "/many");
}

TEST_CASE("Of a perf map, only lines that name code are packed", "[annotate][bundle]") {
    const auto packed = [](std::string text) -> std::string {
        const perfdata::OwnedSource map(std::move(text));
        const auto lines = perf_map_lines(map, "/tmp/perf-1.map", {}, {});
        if (!lines) return std::string(to_string(lines.error().code));
        return read_whole(**lines, 1000).value();
    };
    CHECK(packed("1000 10 f(int)\n2000 0x8 g h\r\n3000 8 last") == "1000 10 f(int)\n2000 0x8 g h\n3000 8 last");
    CHECK(packed("root:secret:1\n1000 10 f\n\nsecret\n") == "\n1000 10 f\n\n\n");
    CHECK(packed(std::string("1000 10 f\0secret\n", 17)) == "1000 10 f\n");
    CHECK(packed("root:secret:1\n") == "malformed");
    CHECK(packed("").empty());
    const perfdata::OwnedSource map(std::string("1000 10 f\n"));
    std::stop_source stop;
    stop.request_stop();
    CHECK_FALSE(perf_map_lines(map, "map", {}, {stop.get_token(), {}}));
}
