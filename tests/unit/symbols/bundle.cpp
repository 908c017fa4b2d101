// SPDX-License-Identifier: MIT
// Bundles of perfdata collect, made by us and by others.
#include "perfdata/symbols/bundle/bundle.hpp"

#include "perfdata/symbols/bundle/bundle_packer.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/frames.hpp"
#include "support/looks.hpp"
#include "support/random.hpp"
#include "support/tar.hpp"
#include "support/text_parts.hpp"
#include "unit/symbols/bundle_case.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("A bundle is recognised by its beginning, however it is packed", "[symbols][bundle]") {
    const auto tar = simple().blob();
    CHECK(Bundle::is_bundle(*owned(tar)).value());
    CHECK(Bundle::is_bundle(*owned(sized_frame(tar))).value());
    for (const auto compression : {Compression::gzip, Compression::xz, Compression::zstd}) {
        const auto one = compressed(compression, tar);
        CHECK(Bundle::is_bundle(*owned(one)).value());
        const Opened opened(one);
        CHECK(opened.problems().empty());
        CHECK(opened.text(".build-id/01/02/elf") == "content");
    }
    CHECK_FALSE(Bundle::is_bundle(*owned(fixture_data())).value());
    CHECK_FALSE(Bundle::is_bundle(*owned(sized_frame(fixture_data()))).value());
    CHECK_FALSE(Bundle::is_bundle(*owned({})).value());
    CHECK_FALSE(Bundle::is_bundle(*owned(blob_of("\x28\xb5\x2f\xfd"))).value());
}

TEST_CASE("What is packed is read again, one frame a member", "[symbols][bundle]") {
    const auto large = Random(7).bytes(700'000);
    const std::string far(200, 'x');
    const std::vector<std::pair<std::string, Blob>> files{
        {"perf.data", fixture_data()},
        {"bundle.json",
         blob_of(index_of(named({"perf.data", "large", "empty", "root/\xc3\xa4/" + far, R"(root/\ufffd)"})))},
        {"large", large},
        {"empty", {}},
        {"root/\xc3\xa4/" + far, blob_of("far")},
        {"root/\xff", blob_of("no UTF-8")}};
    const auto made = packed(files);
    CHECK(made == packed(files));  // nothing of the time or the machine
    const Opened opened(made);
    CHECK(opened.problems().empty());
    REQUIRE((*opened.bundle)->files().size() == files.size());
    for (std::size_t at = 0; at < files.size(); ++at) {
        CHECK((*opened.bundle)->files()[at].name == files[at].first);
        CHECK(opened.text(files[at].first) == as_text(files[at].second));
    }
    const auto recording = open_recording(Shared<const Source>(owned(made)), "it");
    REQUIRE(recording);
    CHECK(recording->bundle());
    CHECK(recording->bytes() == fixture_data().size());
    CHECK(recording->path() == "it");
    CHECK(recording->reopen().error().code == ErrorCode::unsupported);
}

TEST_CASE("Names that lead elsewhere are not packed", "[symbols][bundle]") {
    for (const std::string name : {"", "/a", "a//b", "a/../b", "..", "./a", "a/", "."}) {
        INFO(name);
        const std::vector<PackedMember> members{{name, owned(blob_of("x"))}};
        const auto made = pack_members(members, [](Bytes) {});
        REQUIRE_FALSE(made);
        CHECK(made.error().code == ErrorCode::malformed);
    }
    const std::vector<PackedMember> other{{"a", owned(blob_of("x")), std::string(64, '0')}};
    CHECK(has(pack_members(other, [](Bytes) {}).error().message(), "has changed"));
}

TEST_CASE("Packing and opening a bundle can be stopped", "[symbols][bundle]") {
    const auto blob = Random(3).bytes(3 << 20);
    const std::vector<PackedMember> members{{"perf.data", owned(fixture_data())}, {"large", owned(blob)}};
    check_stops(
        [&](const Watch& watch) {
            return pack_members(
                members, [](Bytes) {}, watch);
        },
        8);
    const auto made = packed({{"perf.data", fixture_data()}, {"large", blob}});
    check_stops([&](const Watch& watch) { return Bundle::open(owned(made), bundle_path, {}, watch); }, 2);
    check_stops(
        [&](const Watch& watch) {
            const auto bundle = Bundle::open(owned(made), bundle_path, {});
            REQUIRE(bundle);
            return (*bundle)->content("large", watch);
        },
        8);
}

TEST_CASE("Hostile names, links and devices are left out and counted", "[symbols][bundle]") {
    Tar tar = simple();
    tar.file("../../etc/passwd", blob_of("root"));
    tar.file("/etc/shadow", blob_of("root"));
    tar.file("a/../../b", blob_of("up"));
    tar.symlink("link", "/etc/passwd");
    tar.hardlink("hard", "perf.data");
    tar.device("null");
    tar.directory("dir/");
    tar.file("last", blob_of("last"));
    const Opened opened(tar);
    CHECK(has(opened.problems(), "3 members have names that lead elsewhere, the first is \"../../etc/passwd\""));
    CHECK(has(opened.problems(), "2 members are links, which are not followed, the first is \"link\""));
    CHECK(has(opened.problems(), "1 member is no regular file"));
    CHECK(opened.text("last") == "last");
    for (const auto* name : {"../../etc/passwd", "/etc/shadow", "etc/shadow", "b", "link", "hard", "null", "dir"}) {
        CHECK(opened.text(name) == "missing");
    }
}

TEST_CASE("The first member of a name counts", "[symbols][bundle]") {
    Tar tar = simple();
    tar.file(".build-id/01/02/elf", blob_of("another"));
    tar.file("./.build-id/01/02/elf", blob_of("a third"));
    const Opened opened(tar);
    CHECK(has(opened.problems(), "2 of its members have names that others have"));
    CHECK(opened.text(".build-id/01/02/elf") == "content");
}

TEST_CASE("A tar-ball without a recording is no bundle", "[symbols][bundle]") {
    Tar tar;
    tar.file("something", blob_of("else"));
    const Opened opened(tar);
    CHECK(opened.bundle.error().code == ErrorCode::not_perf_data);
    CHECK(has(opened.error(), "is a tar-ball, but no bundle"));
    Tar link;
    link.symlink("perf.data", "/etc/passwd");
    CHECK(has(Opened(link).error(), "no bundle"));
    Tar other;
    other.file("perf.data", blob_of("this is no recording"));
    const auto recording = open_recording(Shared<const Source>(owned(other.blob())), "it");
    REQUIRE_FALSE(recording);
    CHECK(recording.error().code == ErrorCode::not_perf_data);
}

TEST_CASE("A newer bundle is refused by its version", "[symbols][bundle]") {
    for (const std::string version : {"2", "2.5", "18446744073709551616", "1e+99"}) {
        INFO(version);
        Tar tar;
        tar.file("perf.data", fixture_data());
        tar.file("bundle.json", blob_of(R"({"members": [], "perfdata_bundle": )" + version + "}"));
        const Opened opened(tar);
        REQUIRE_FALSE(opened.bundle);
        CHECK(opened.bundle.error().code == ErrorCode::unsupported);
        CHECK(has(opened.error(), "a newer perfdata wrote this bundle: version "));
        CHECK(has(opened.error(), ", this one reads 1"));
    }
}

TEST_CASE("A damaged index is a loss, and its bundle is read without", "[symbols][bundle]") {
    const std::string text = GENERATE("", "{", "[1]", "{\"perfdata_bundle\": \"1\"}", "{\"perfdata_bundle\": -1}",
                                      "\"perfdata_bundle\"", "{\"perfdata_bundle\": 1,}", "{\"perfdata_bundle\": 0.5}");
    Tar tar;
    tar.file("perf.data", fixture_data());
    tar.file("bundle.json", blob_of(text));
    const Opened opened(tar);
    CHECK(has(opened.problems(), "is no index"));
    CHECK((*opened.bundle)->facts().version == 0);
    CHECK(opened.text("perf.data").size() == fixture_data().size());
}

TEST_CASE("Deep and strange indexes cost nothing", "[symbols][bundle]") {
    const std::string deep =
        "{\"perfdata_bundle\": 1, \"x\": " + std::string(1 << 20, '[') + std::string(1 << 20, ']') + "}";
    const std::string strange =
        R"({"perfdata_bundle": 1, "members": {"name": "a"}, "missing": [[{"path": "b"}], 3, null, {"path": {"path": "c"}, )"
        R"("why": ["d"], "samples": "many"}], "left_out": [{"a": 1}], "sources": "yes", "debug": 3})";
    for (const auto& text : {deep, strange}) {
        Tar tar;
        tar.file("perf.data", fixture_data());
        tar.file("bundle.json", blob_of(text));
        const Opened opened(tar);
        CHECK(has(opened.problems(), text == strange ? "not in its index" : "nested too deep"));
        const auto& facts = (*opened.bundle)->facts();
        CHECK(facts.version == (text == strange ? 1U : 0U));
        CHECK(facts.left_out.empty());
        CHECK_FALSE(facts.sources);
        CHECK(facts.missing.size() == (text == strange ? 1U : 0U));
    }
}

TEST_CASE("An index that lies is told, and what it lies about is not used", "[symbols][bundle]") {
    const auto good = blob_of("content"), bad = blob_of("CONTENT");
    Tar tar;
    tar.file("perf.data", fixture_data());
    tar.file(
        "bundle.json",
        blob_of(index_of(listed("good", good, R"(, "path": "/usr/bin/good", "build_id": "0102", "samples": 7)") + "," +
                             listed("other", good) + "," + listed("long", fixture_data()) + "," +
                             listed("gone", good, R"(, "path": "/usr/bin/gone")"),
                         R"(, "missing": [{"path": "/usr/lib/x", "build_id": "03", "why": "not found", "samples": 5}, )"
                         R"({"path": "/tmp/perf-3.map", "kind": "perf_map", "why": "private", "reason": ")" +
                             std::string(600, 'y') +
                             R"(", "samples": 1}, {"path": "/tmp/perf-4.map", "why": "private"}, )"
                             R"({"path": "/usr/bin/y", "why": "unproven"}])")));
    tar.file("good", good);
    tar.file("other", bad);
    tar.file("long", good);
    const Opened opened(tar);
    CHECK(has(opened.problems(), "1 member of its index is not there, the first is \"/usr/bin/gone\""));
    CHECK(has(opened.problems(), "1 member has other sizes than its index says, the first is \"long\""));
    CHECK(opened.text("good") == "content");
    CHECK(opened.text("other") == "mismatch");
    CHECK(opened.text("long") == "mismatch");
    CHECK(opened.text("other") == "mismatch");  // again
    const auto& bundle = **opened.bundle;
    CHECK(bundle.losses().count() == 2);  // each once
    CHECK(bundle.files()[*bundle.find("good")].path == "/usr/bin/good");
    CHECK(bundle.shown(bundle_path + "/good") == "/usr/bin/good");
    CHECK(bundle.shown("/else") == "/else");
    CHECK(bundle.files()[*bundle.find("good")].samples == 7U);
    CHECK_FALSE(bundle.files()[*bundle.find("long")].samples);
    REQUIRE(bundle.facts().missing.size() == 4);
    CHECK(bundle.facts().missing[1].kind == "perf_map");
    CHECK(bundle.facts().missing[1].reason == std::string(600, 'y'));
    std::vector<Error> problems;
    Bundle::tell_missing(bundle, problems);
    REQUIRE(problems.size() == 4);
    CHECK(problems.front().where == "/usr/lib/x");
    CHECK(has(problems.front().detail, "could not be used when the bundle was made (not found); 5 samples need it"));
    CHECK(problems[1].detail == "is not in the bundle: " + std::string(400, 'y') + "...; 1 sample needs it");
    CHECK(has(problems[2].detail, "not everybody may read it where the bundle was made"));
    CHECK(!has(problems[2].detail, "sample"));
    CHECK(has(problems[3].detail, explain(SymbolMiss::unproven)));
}

TEST_CASE("A recording whose hash differs is read, and that is told", "[symbols][bundle]") {
    Tar tar;
    tar.file("perf.data", fixture_data());
    tar.file("bundle.json", blob_of(index_of(listed("perf.data", blob_of("something else")))));
    const auto recording = open_recording(Shared<const Source>(owned(tar.blob())), "it");
    REQUIRE(recording);
    bool told = false;
    for (const auto& problem : recording->diagnostics().kept())
        told = told || has(problem.message(), "its hash differs");
    CHECK(told);
}

TEST_CASE("A bundle that breaks off anywhere is an error or a loss", "[symbols][bundle]") {
    const auto made = packed({{"perf.data", fixture_data()},
                              {"bundle.json", blob_of(index_of(""))},
                              {"one", Random(1).bytes(5000)},
                              {"two", Random(2).bytes(5000)}});
    const auto tar = simple().blob();
    for (const auto* whole : {&made, &tar}) {
        for (std::size_t size = 600; size < whole->size(); size += whole->size() / 97) {
            INFO(size << " of " << whole->size());
            const Opened opened(Blob(whole->begin(), whole->begin() + static_cast<std::ptrdiff_t>(size)));
            if (!opened.bundle) continue;
            const auto source = (*opened.bundle)->content("perf.data");
            CHECK((!opened.problems().empty() || (source && (*source)->size() == fixture_data().size())));
            for (const auto& file : (*opened.bundle)->files()) (void)opened.text(file.name);
        }
    }
}

TEST_CASE("Frames may lie anywhere in the tar-ball, and may lie", "[symbols][bundle]") {
    const auto tar = simple().blob();
    for (const std::size_t piece : {std::size_t{300}, std::size_t{512}, std::size_t{1000}, std::size_t{100'000}}) {
        INFO(piece);
        const Opened opened(sized_frames(tar, piece));
        CHECK(opened.problems().empty());
        CHECK(opened.text(".build-id/01/02/elf") == "content");
        CHECK(opened.text("perf.data") == as_text(fixture_data()));
    }
    // Skippable frames.
    auto skipped = sized_frame(Bytes(tar).first(4096));
    const auto more = blob_of(std::string_view("\x50\x2a\x4d\x18\x03\x00\x00\x00***", 11));
    const auto rest = sized_frame(Bytes(tar).subspan(4096));
    skipped.insert(skipped.end(), more.begin(), more.end());
    skipped.insert(skipped.end(), rest.begin(), rest.end());
    const Opened over(skipped);
    CHECK(over.problems().empty());
    CHECK(over.text(".build-id/01/02/elf") == "content");
    // A frame that is damaged costs its member, and none behind it.
    const auto noise = Random(9).bytes(5000);
    auto broken = packed({{"perf.data", fixture_data()}, {"noise", noise}, {"last", blob_of("last")}});
    const auto in_noise = std::ranges::search(broken, Bytes(noise).first(64)).begin() - broken.begin();
    REQUIRE(in_noise < static_cast<std::ptrdiff_t>(broken.size()));
    for (const auto change : {-20, 100}) {
        INFO(change);
        auto flipped = broken;
        for (int at = 0; at < 16; ++at) flipped[static_cast<std::size_t>(in_noise + change + at)] ^= std::byte{0xff};
        const Opened with(flipped);
        CHECK(with.text("last") == "last");
        if ((*with.bundle)->find("noise")) CHECK(with.text("noise") != as_text(noise));
    }
    // Any byte may be another one: nothing worse than an error.
    Random random(5);
    const auto made =
        packed({{"perf.data", blob_of("PERFILE2")}, {"one", blob_of("1")}, {"two", Random(2).bytes(600)}});
    for (int turn = 0; turn < 3000; ++turn) {
        auto damaged = made;
        for (auto changes = random.below(4) + 1; changes > 0; --changes) {
            damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(256));
        }
        Limits limits;
        limits.unpacked_bytes = 1 << 22;
        const Opened opened(std::move(damaged), limits);
        if (!opened.bundle) continue;
        for (const auto& file : (*opened.bundle)->files()) (void)opened.text(file.name);
    }
}

TEST_CASE("Bombs end at the limits", "[symbols][bundle]") {
    Limits limits;
    limits.unpacked_bytes = 1 << 20;
    const Blob zeros(std::size_t{8} << 20);
    const auto made = packed({{"perf.data", fixture_data()}, {"bomb", zeros}, {"small", blob_of("small")}});
    const Opened opened(made, limits);
    CHECK(opened.text("bomb") == "limit");
    CHECK(opened.text("small") == "small");

    // All of them together.
    const Blob half(std::size_t{600} << 10);
    const Opened two(packed({{"perf.data", fixture_data()}, {"one", half}, {"two", half}}), limits);
    CHECK(two.text("one").size() == half.size());
    CHECK(two.text("two") == "limit");

    // In one frame without a size: all is unpacked, up to the limit.
    Tar tar = simple();
    tar.file("bomb", zeros);
    const Opened unsized(compressed(Compression::zstd, tar.blob()), limits);
    CHECK_FALSE(unsized.bundle);

    // More members than are read.
    limits.archived_files = 8;
    Tar many = simple();
    for (int at = 0; at < 20; ++at) many.file("file" + std::to_string(at), {});
    CHECK(has(Opened(many, limits).problems(), "has more than 8 files"));
    std::vector<std::pair<std::string, Blob>> frames{{"perf.data", fixture_data()}};
    for (int at = 0; at < 100; ++at) frames.emplace_back("file" + std::to_string(at), Blob());
    CHECK(has(Opened(packed(frames), limits).problems(), "has more than"));
    Tar claims = simple();
    claims.claim("claims", std::uint64_t{1} << 33);
    const Opened claimed(claims);
    CHECK(has(claimed.problems(), "claims breaks off"));
    CHECK(claimed.text("claims") == "truncated");
}

TEST_CASE("A directory recording in a bundle has all of its files", "[symbols][bundle]") {
    const auto whole = fixture_data();
    Tar tar;
    tar.file("perf.data/data", whole);
    tar.file("bundle.json", blob_of(index_of("")));
    tar.file("perf.data/data.0", {});
    tar.file("perf.data/data.2", {});
    tar.file("perf.data/data.old", blob_of("old"));
    const auto recording = open_recording(Shared<const Source>(owned(tar.blob())), "it");
    REQUIRE(recording);
    CHECK(recording->data_files() == 2);
    bool told = false;
    for (const auto& problem : recording->diagnostics().kept()) told = told || has(problem.message(), "before data.2");
    CHECK(told);
}

TEST_CASE("Objects are found in a bundle behind what the user gave, and nowhere else", "[symbols][bundle]") {
    const auto elf = [](std::uint8_t seed) {
        Elf file;
        file.build_id(id(seed).bytes());
        file.symbols({{"f", 0x1000, 4}});
        return file.blob();
    };
    const std::string hex = "01/02030405060708090a0b0c0d0e0f1011121314";
    Tar tar = simple();
    tar.file(".build-id/" + hex + "/elf", elf(1));
    tar.file("root/usr/bin/two", elf(2));
    const Opened opened(tar);
    auto machine = std::make_shared<Files>();
    machine->content["/usr/bin/three"] = elf(3);
    machine->content["/given/.build-id/" + hex + "/elf"] = elf(1);
    SymbolizerOptions options;
    options.files = std::shared_ptr<const FileSystem>(machine);
    Bundle::apply(*opened.bundle, options);
    const ObjectFinder finder(options.finder, options.files);
    const auto one = finder.find({"/usr/bin/one", id(1)});
    REQUIRE(one);
    CHECK(one->path == bundle_path + "/.build-id/" + hex + "/elf");
    CHECK(one->proven);
    const auto two = finder.find({"/usr/../usr/bin/./two", id(2)});
    REQUIRE(two);
    CHECK(options.files->shown(two->path) == "/usr/bin/two");
    CHECK(finder.find({"/usr/bin/three", id(3)}).error() == SymbolMiss::not_found);
    CHECK_FALSE(finder.find({"/../bundle.json", {}}));

    auto given = options.finder;
    given.buildid_dir = "/given";
    const auto users = ObjectFinder(given, options.files).find({"/usr/bin/one", id(1)});
    REQUIRE(users);
    CHECK(users->path == "/given/.build-id/" + hex + "/elf");
    // JIT code, too.
    CHECK(options.jit.has({options.jit.bundle, "/usr/bin/two"}));
    CHECK_FALSE(options.jit.has({"", "/etc/passwd"}));
    CHECK_FALSE(options.jit.has({options.jit.bundle, "/../perf.data"}));
}
