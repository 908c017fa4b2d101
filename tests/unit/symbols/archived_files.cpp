// SPDX-License-Identifier: MIT
// Build-id caches in tar-balls.
#include "perfdata/symbols/elf/find/archived_files.hpp"

#include "perfdata/symbols/elf/find/object_finder.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/looks.hpp"
#include "support/random.hpp"
#include "support/tar.hpp"
#include "support/text_parts.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string tar_ball = "/home/me/perf.data.tar.bz2";
const std::string link_of_1 = ".build-id/01/02030405060708090a0b0c0d0e0f1011121314";

Bytes bytes_of_text(std::string_view text) {
    return as_bytes(text);
}

Blob elf(const BuildId& build_id) {
    Elf file;
    file.build_id(build_id.bytes());
    file.symbols({{"f", 0x1000, 4}});
    return file.blob();
}

struct Packed {
    std::shared_ptr<Files> beneath = std::make_shared<Files>();
    Limits limits;

    explicit Packed(Blob blob) { beneath->content[tar_ball] = std::move(blob); }
    explicit Packed(const Tar& tar) : Packed(tar.blob()) {}

    Result<std::shared_ptr<const ArchivedFiles>> open() const { return ArchivedFiles::open(tar_ball, beneath, limits); }
    // text(name) returns the content of a file in it, or the error.
    std::string text(const std::string& name) const {
        const auto files = open();
        REQUIRE(files);
        const auto source = (*files)->open({"", tar_ball + "/" + name}, limits);
        if (!source) return std::string(to_string(source.error().code));
        return read_whole(**source, 1 << 20).value();
    }
    std::string damage() const {
        const auto files = open();
        REQUIRE(files);
        return (*files)->damage() ? (*files)->damage()->message() : "";
    }
    std::string error() const {
        const auto files = open();
        REQUIRE_FALSE(files);
        return files.error().message();
    }
};

void check_missing(const Packed& packed, std::initializer_list<std::string> names) {
    for (const auto& name : names) {
        INFO(name);
        CHECK(packed.text(name) == "missing");
    }
}

Tar cache() {
    Tar tar;
    tar.symlink(link_of_1, "../../usr/bin/prog/0102");
    tar.directory("usr/bin/prog/0102/");
    tar.file("usr/bin/prog/0102/elf", elf(id(1)));
    tar.file("usr/bin/prog/0102/probes", bytes_of_text("none"));
    return tar;
}

}  // namespace

TEST_CASE("An object is found in what perf archive packed, however it is compressed", "[symbols][archive]") {
    auto tar = cache().blob();
    const auto packing = GENERATE(0, 1, 2, 3, 4);
    constexpr std::array all{Compression::gzip, Compression::bzip2, Compression::xz, Compression::zstd};
    if (packing != 0) tar = compressed(all.at(static_cast<std::size_t>(packing - 1)), tar);
    const auto files = Packed(tar).open();
    REQUIRE(files);
    CHECK_FALSE((*files)->damage());
    CHECK((*files)->size() == 3);
    FinderOptions options;
    options.buildid_dir = tar_ball;
    options.offline = true;
    const ObjectFinder finder(options, *files);
    const auto found = finder.find({"/usr/bin/prog", id(1)});
    REQUIRE(found);
    CHECK(found->path == tar_ball + "/" + link_of_1 + "/elf");
    CHECK(found->proven);
    CHECK(found->file->section(".symtab") != nullptr);
    CHECK(finder.find({"/usr/bin/prog", id(2)}).error() == SymbolMiss::offline);
}

TEST_CASE("It does not matter from where a cache was packed", "[symbols][archive]") {
    const std::string root = GENERATE("", "./", "/", "home/them/.debug/", "x/../y/");
    Tar tar;
    tar.file(root + "usr/a", bytes_of_text("content"));
    tar.symlink(root + ".build-id/01/02", "../../usr/a");
    CHECK(Packed(tar).text(".build-id/01/02") == "content");
    CHECK(Packed(tar).text("usr/a") == "content");
}

TEST_CASE("The tar-ball of perf archive --all has the cache's in it", "[symbols][archive]") {
    Tar outer;
    outer.file("perf.data", bytes_of_text("PERFILE2"));
    outer.file("perf.symbols.tar.bz2", compressed(Compression::bzip2, cache().blob()));
    CHECK(Packed(outer).text("usr/bin/prog/0102/probes") == "none");
    CHECK(Packed(compressed(Compression::bzip2, outer.blob())).text(link_of_1 + "/probes") == "none");

    Tar broken;
    broken.file("perf.symbols.tar.bz2", bytes_of_text("not a tar-ball"));
    CHECK(has(Packed(broken).error(), tar_ball + ": is no tar-ball"));
}

TEST_CASE("Links are followed, of directories and of files, to the file of the last entry", "[symbols][archive]") {
    Tar tar;
    tar.file("a/b/c", bytes_of_text("old"));
    tar.file("a/b/c", bytes_of_text("new"));
    tar.hardlink("hard", "a/b/c");
    tar.symlink("directory", "a");
    tar.symlink("chain", "directory/b");
    tar.symlink("file", "./chain/../b/c");
    const Packed packed(tar);
    for (const std::string name : {"a/b/c", "hard", "directory/b/c", "chain/c", "a//b/./c", "x/../a/b/c"}) {
        INFO(name);
        CHECK(packed.text(name) == "new");
    }
    check_missing(packed, {"file"});  // ".." works on names, not on directories
    check_missing(packed, {"", "a", "a/b", "a/b/c/d", "directory", "hard/c", "A/B/C"});
}

TEST_CASE("A link is followed where other names begin with its name", "[symbols][archive]") {
    Tar tar;
    tar.file("target/below/x", bytes_of_text("followed"));
    tar.symlink("a", "target");
    tar.file("a-b/x", bytes_of_text("beside"));
    tar.file("a.b/x", bytes_of_text("beside"));
    tar.file("ab/x", bytes_of_text("beside"));
    tar.symlink("a/below", "../ab");  // below a link: unreachable
    tar.symlink("a!", "ab");
    const Packed packed(tar);
    CHECK(packed.text("a/below/x") == "followed");
    for (const std::string name : {"a-b/x", "a.b/x", "ab/x", "a!/x"}) {
        INFO(name);
        CHECK(packed.text(name) == "beside");
    }
}

TEST_CASE("Nothing leads out of a tar-ball", "[symbols][archive]") {
    Tar tar;
    tar.symlink("absolute", "/etc/passwd");
    tar.symlink("up", "../outside");
    tar.symlink("far/up", "../../outside");
    tar.hardlink("hard", "../outside");
    tar.file("../outside", bytes_of_text("secret"));
    tar.file("inside", bytes_of_text("shown"));
    tar.symlink("down", "a/../../outside");
    tar.symlink("around", "far/../inside");
    tar.device("null");
    const Packed packed(tar);
    packed.beneath->content["/etc/passwd"] = blob_of("secret");
    packed.beneath->content["/home/me/outside"] = blob_of("secret");
    check_missing(packed, {"absolute", "up", "far/up", "hard", "down", "outside", "../outside", "null",
                           "../../../etc/passwd", "/../outside", "inside/../../outside"});
    CHECK(packed.text("around") == "shown");
    // Other files come from the underlying file system.
    const auto files = packed.open();
    CHECK((*files)->open({"", "/home/me/outside"}, {}));
    CHECK((*files)->open({"", tar_ball}, {}));
    CHECK_FALSE((*files)->open({"", "/home/me/nothing"}, {}));
}

TEST_CASE("Links that lead in circles lead nowhere", "[symbols][archive]") {
    Tar tar;
    tar.symlink("self", "self");
    tar.symlink("left", "right");
    tar.symlink("right", "left");
    tar.symlink("deeper", "deeper/deeper");
    tar.hardlink("hard", "hard");
    const Packed packed(tar);
    check_missing(packed, {"self", "self/x", "left", "right/y", "deeper", "deeper/z", "hard"});
}

TEST_CASE("A tar-ball that breaks off gives the files before the break, and says so", "[symbols][archive]") {
    const auto whole = cache().blob();
    for (const auto& cut : {whole.size() - 1024 - 100, std::size_t{512 + 512 + 512 + 100}}) {
        const auto blob = Blob(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
        const Packed packed(blob);
        INFO(cut);
        CHECK(has(packed.damage(), "cannot be unpacked any further"));
        CHECK((packed.text(link_of_1 + "/elf") == "missing") == (cut < 2048));
        CHECK(packed.text(link_of_1 + "/probes") == "missing");
    }
    Tar claims;
    claims.file("small", bytes_of_text("content"));
    claims.claim("large", std::uint64_t{1} << 32);
    CHECK(has(Packed(claims).damage(), "cannot be unpacked any further"));
    CHECK(Packed(claims).text("small") == "content");
    CHECK(Packed(claims).text("large") == "missing");
}

TEST_CASE("What is no tar-ball is an error with its name", "[symbols][archive]") {
    for (const std::string text : {"", "x", "PERFILE2 and so on", "\x1f\x8b"}) {
        INFO(text);
        CHECK(has(Packed(blob_of(text)).error(), tar_ball));
    }
    CHECK(has(Packed(Blob(4096)).damage(), "has no .build-id directory"));
    CHECK(has(Packed(Tar().file("a", bytes_of_text("b"))).damage(), "has no .build-id directory"));
    CHECK(Packed(cache()).damage().empty());
    Packed packed(Blob{});
    packed.beneath->content.clear();
    CHECK_FALSE(packed.error().empty());
}

TEST_CASE("Limits of tar-balls are kept and told", "[symbols][archive]") {
    Tar tar;
    tar.file("first", bytes_of_text("0123456789"));
    tar.file("second", bytes_of_text("0123456789"));
    Packed packed(tar);
    packed.limits.unpacked_bytes = 15;
    CHECK(has(packed.damage(), "unpacks to more than 15 bytes"));
    CHECK(packed.text("first") == "0123456789");
    CHECK(packed.text("second") == "missing");

    packed.limits = {};
    packed.limits.archived_files = 1;
    CHECK(has(packed.damage(), "more than 1 files"));
    CHECK(packed.text("first") == "0123456789");
    CHECK(packed.text("second") == "missing");
}

TEST_CASE("Symbolizer and links of tar-balls are as long as paths may be, and on average shorter",
          "[symbols][archive]") {
    const std::string longest(4096, 'l'), longer(4097, 'l');
    Tar tar;
    tar.pax("path", longest).file("-", bytes_of_text("found"));
    tar.pax("linkpath", longest).hardlink("hard", "-").pax("linkpath", longest).symlink("soft", "-");
    tar.pax("linkpath", longer).hardlink("longer", "-");
    Packed packed(tar);
    CHECK(packed.text("hard") == "found");
    CHECK(packed.text("soft") == "found");
    CHECK(packed.text("longer") == "missing");

    Tar many;
    many.file("first", bytes_of_text("1"));
    for (std::size_t at = 0; at < 64; ++at) many.pax("path", std::to_string(at) + longest.substr(8)).file("-", {});
    packed = Packed(many);
    packed.limits.archived_files = 64;
    CHECK(has(packed.damage(), "names of more than 512 bytes on average"));
    CHECK(packed.text("first") == "1");
    packed.limits.archived_files = 1024;
    CHECK_FALSE(has(packed.damage(), "names"));
}

TEST_CASE("Any names of a file in a tar-ball are known to be those of one", "[symbols][archive]") {
    Tar tar;
    tar.file("one", bytes_of_text("same"))
        .file("other", bytes_of_text("same"))
        .file("empty", {})
        .hardlink("hard", "one");
    tar.symlink("soft", "hard");
    const Packed packed(tar);
    const auto files = packed.open().value();
    const auto identity = [&](const std::string& name) { return files->identity({"", tar_ball + "/" + name}); };
    REQUIRE(identity("one"));
    CHECK(identity("hard") == identity("one"));
    CHECK(identity("soft") == identity("one"));
    REQUIRE(identity("other"));
    CHECK(identity("other") != identity("one"));
    CHECK(identity("empty") != identity("other"));
    CHECK(identity("empty") != identity("one"));
    CHECK_FALSE(identity("none"));
}

TEST_CASE("Unpacking a tar-ball tells how far it has come", "[symbols][archive]") {
    const auto tar = Tar().file("large", Blob(1 << 20)).file(".build-id/x", bytes_of_text("y")).blob();
    const Packed packed(tar);
    std::vector<std::uint64_t> read;
    const auto told = [&](std::uint64_t now, std::uint64_t total) {
        CHECK(total == tar.size());
        read.push_back(now);
    };
    REQUIRE(ArchivedFiles::open(tar_ball, packed.beneath, {}, told));
    CHECK(read.size() > 3);
    CHECK(std::ranges::is_sorted(read));
    CHECK(read.back() <= tar.size());
    CHECK(read.back() > tar.size() / 2);
}

TEST_CASE("A compressed file in a tar-ball is unpacked as one beside it would be", "[symbols][archive]") {
    Tar tar;
    tar.file("module.ko.xz", compressed(Compression::xz, bytes_of_text("ELF of the module")));
    CHECK(Packed(tar).text("module.ko.xz") == "ELF of the module");
}

TEST_CASE("Of several caches in a tar-ball the first is looked at, and that is said", "[symbols][archive]") {
    Tar tar;
    tar.file("a/.build-id/x", bytes_of_text("of a"));
    CHECK(Packed(tar).damage().empty());
    tar.file("a/.build-id/y", bytes_of_text("also"));
    CHECK(Packed(tar).damage().empty());
    tar.file("b/.build-id/x", bytes_of_text("of b"));
    Packed packed(tar);
    CHECK(has(packed.damage(), "has several caches; only \"a/.build-id\" is looked at"));
}

TEST_CASE("What is passed over in a tar-ball counts for the limits", "[symbols][archive]") {
    Tar directories;
    for (int at = 0; at < 41; ++at) directories.directory("d" + std::to_string(at));
    directories.file(".build-id/x", bytes_of_text("y"));
    Packed many(directories);
    CHECK(many.damage().empty());
    many.limits.archived_files = 10;
    CHECK(has(many.damage(), "has more than 40 entries"));

    Packed large(Tar().file("../out", Blob(std::size_t{2} << 20)).file(".build-id/x", bytes_of_text("y")));
    CHECK(large.damage().empty());
    large.limits.unpacked_bytes = 1 << 20;
    CHECK(has(large.damage(), "unpacks to more than 1048576 bytes"));
}

TEST_CASE("A file in a tar-ball has at most 16 KiB of headers", "[symbols][archive]") {
    std::string rights;
    while (rights.size() < 20'000) rights += "u:" + std::to_string(1000 + rights.size()) + ":r,";
    const auto with_rights = [&](std::size_t size) {
        Tar tar;
        tar.file(".build-id/first", bytes_of_text("1"));
        tar.pax("SCHILY.acl.access", rights.substr(0, size)).file("second", bytes_of_text("2"));
        return Packed(tar.file("third", bytes_of_text("3")));
    };
    const auto few = with_rights(10'000), many = with_rights(20'000);
    CHECK(few.damage().empty());
    CHECK(few.text("second") == "2");
    CHECK(has(many.damage(), "a file has headers of more than 16384 bytes"));
    CHECK(many.text(".build-id/first") == "1");
    CHECK(many.text("third") == "missing");
}

TEST_CASE("A tar-ball is packed once", "[symbols][archive]") {
    const auto inner = GENERATE(Compression::gzip, Compression::bzip2, Compression::xz, Compression::zstd);
    const Packed packed(compressed(Compression::bzip2, compressed(inner, cache().blob())));
    CHECK(has(packed.error(), "is no tar-ball"));
}

TEST_CASE("A tar-ball whose packing breaks off gives the files before the break, and says so", "[symbols][archive]") {
    const auto packing = GENERATE(Compression::gzip, Compression::bzip2);
    Tar tar;
    tar.file(".build-id/first", bytes_of_text("1"));
    Random random(1);
    tar.file("second", random.bytes(std::size_t{3} << 20));
    auto blob = compressed(packing, tar.blob());
    blob.resize(blob.size() / 2);
    const Packed packed(blob);
    CHECK(has(packed.damage(), "cannot be unpacked any further"));
    CHECK(packed.text(".build-id/first") == "1");
    CHECK(packed.text("second") == "missing");
    Packed limited(compressed(packing, tar.blob()));
    limited.limits.unpacked_bytes = std::size_t{2} << 20;
    if (packing == Compression::bzip2) {
        CHECK(has(limited.damage(), "unpacks to more than 2097152 bytes"));
        CHECK(limited.text(".build-id/first") == "1");
    }
}

TEST_CASE("The vdso is that of the machine, whatever cache is given", "[symbols]") {
    struct WithVdso final : Files {
        Result<std::shared_ptr<const Source>> vdso() const override { return memory_source(bytes_of_text("vdso")); }
    };
    const auto beneath = std::make_shared<WithVdso>();
    beneath->content[tar_ball] = Tar().blob();
    const auto files = ArchivedFiles::open(tar_ball, beneath, {});
    REQUIRE(files);
    const auto vdso = (*files)->vdso();
    REQUIRE(vdso);
    CHECK(read_whole(**vdso, 100).value() == "vdso");
}

TEST_CASE("Unpacking a tar-ball stops wherever it is", "[symbols]") {
    Blob content(std::size_t{1} << 20);
    Random random(7);
    for (auto& byte : content) byte = static_cast<std::byte>(random.size(256));
    Tar tar;
    tar.file(".build-id/first", content).file("second", content).file("third", content);
    const int way = GENERATE(0, 1, 2, 3, 4);
    auto blob = tar.blob();
    if (way == 1) blob = compressed(Compression::gzip, blob);
    if (way == 2) blob = compressed(Compression::bzip2, blob);
    if (way == 3) blob = compressed(Compression::xz, blob);
    if (way == 4) blob = compressed(Compression::zstd, blob);
    const Packed packed(std::move(blob));
    check_stops([&](const Watch& watch) { return ArchivedFiles::open(tar_ball, packed.beneath, packed.limits, watch); },
                40);
    Looks never;
    const auto files = ArchivedFiles::open(tar_ball, packed.beneath, packed.limits, never.watch());
    REQUIRE(files);
    CHECK_FALSE((*files)->damage());
    CHECK((*files)->size() == 3);
}

TEST_CASE("A packed member of a tar-ball is left while it is unpacked", "[symbols]") {
    const Blob content(std::size_t{4} << 20, std::byte{'x'});
    Tar tar;
    tar.file(".build-id/packed", compressed(Compression::gzip, content));
    const auto files = Packed(tar).open();
    REQUIRE(files);
    check_stops(
        [&](const Watch& watch) {
            return (*files)->open_watched({"", tar_ball + "/.build-id/packed"}, {}, Content::any, watch);
        },
        16);
}
