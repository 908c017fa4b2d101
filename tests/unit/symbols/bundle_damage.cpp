// SPDX-License-Identifier: MIT
// Bundles that are damaged, or that lie: what is whole in them is read, and the rest is told.
#include <algorithm>
#include <chrono>

#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/symbols/symbolizer_options.hpp"

#include "catch.hpp"
#include "support/frames.hpp"
#include "support/random.hpp"
#include "support/text_parts.hpp"
#include "unit/symbols/bundle_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Blob& operator+=(Blob& all, const Blob& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

// A frame of one member, with a checksum at its end.
Blob frame_of_member(const std::string& name, Blob content) {
    std::vector<std::pair<std::string, Blob>> one;
    one.emplace_back(name, std::move(content));
    auto made = packed(std::move(one));
    const auto end = packed({});
    made.resize(made.size() - end.size());
    return made;
}

}  // namespace

TEST_CASE("A recording with a damaged checksum is read all the same", "[symbols][bundle]") {
    for (const auto bytes : {std::size_t{3000}, fixture_data().size()}) {
        INFO(bytes);
        auto data = fixture_data();
        data.resize(bytes);
        auto frame = frame_of_member("perf.data", data);
        frame.back() ^= std::byte{1};
        frame += packed({{"bundle.json", blob_of(index_of(named({"perf.data"})))}});
        const Opened opened(frame);
        REQUIRE(opened.bundle);
        const auto content = (*opened.bundle)->content("perf.data");
        REQUIRE(content);
        CHECK((*content)->size() == bytes);
        REQUIRE((*content)->damage());
        CHECK(has((*content)->damage()->detail, "checksum"));
    }
}

TEST_CASE("Why nothing is left of a recording in a bundle is told", "[symbols][bundle]") {
    auto noise = Random(4).bytes(4000);
    auto frame = frame_of_member("perf.data", noise);
    frame.back() ^= std::byte{1};
    const auto recording = open_recording(Shared<const Source>(owned(frame)), "it");
    REQUIRE_FALSE(recording);
    CHECK(has(recording.error().message(), "of what is in the bundle: cannot be unpacked any further"));
}

TEST_CASE("Many members that an index spells alike are matched in order, and in time", "[symbols][bundle]") {
    constexpr std::size_t alike = 1 << 15;
    const auto begin = std::chrono::steady_clock::now();
    Tar tar;
    tar.file("perf.data", fixture_data());
    std::string names = named({"perf.data"});
    std::vector<std::string> all;
    for (std::size_t at = 0; at < alike; ++at) {
        std::string name = "f";
        for (auto rest = at, digit = std::size_t{0}; digit < 4; ++digit, rest /= 64) {
            name += static_cast<char>(0xc0 + rest % 64);
        }
        all.push_back(name);
        names += R"(, {"name": "f\ufffd\ufffd\ufffd\ufffd", "kind": "source", "path": "/)" + std::to_string(at) + "\"}";
    }
    tar.file("bundle.json", blob_of(index_of(names)));
    for (const auto& name : all) tar.file(name, {});
    const Opened opened(tar);
    CHECK(opened.problems().empty());
    const auto& files = (*opened.bundle)->files();
    REQUIRE(files.size() == alike + 2);
    CHECK(files[2].path == "/0");
    CHECK(files[alike + 1].path == "/" + std::to_string(alike - 1));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

TEST_CASE("A size in attributes does not let a member reach into the next", "[symbols][bundle]") {
    for (const auto* keyword : {"SCHILY.realsize", "GNU.sparse.realsize"}) {
        INFO(keyword);
        Tar tar = simple();
        tar.pax(keyword, "3000");
        tar.file("small", blob_of("small"));
        tar.pax(keyword, "9000");
        tar.file("none", {});
        tar.file("secret", blob_of(std::string(2000, 's')));
        const Opened opened(tar);
        CHECK(has(opened.problems(), "small breaks off: 512 of 3000 bytes are there"));
        CHECK(has(opened.problems(), "1 more member breaks off before the size in its header"));
        CHECK(opened.text("small") == "truncated");
        CHECK(opened.text("none") == "truncated");
        CHECK(opened.text("secret") == std::string(2000, 's'));
        const auto& bundle = **opened.bundle;
        CHECK(bundle.files()[*bundle.find("none")].size == 0);
    }
}

TEST_CASE("A damaged member costs neither those before it nor those behind it", "[symbols][bundle]") {
    const auto noise = Random(9).bytes(3000);
    Blob made;
    std::vector<std::string> names{"perf.data"};
    Blob members;
    for (int at = 0; at < 6; ++at) {
        names.push_back("m" + std::to_string(at));
        auto frame = frame_of_member(names.back(), noise);
        // The headers of the frame and its first block; or what is in that block.
        if (at == 2 || at == 4) std::fill_n(frame.begin() + (at == 2 ? 4 : 40), 24, std::byte{0xff});
        members += frame;
    }
    made += frame_of_member("perf.data", fixture_data());
    made += frame_of_member("bundle.json", blob_of(index_of(named(names))));
    made += members;
    made += packed({});
    const Opened opened(made);
    CHECK((*opened.bundle)->facts().version == 1);
    for (const int whole : {0, 1, 3, 5}) CHECK(opened.text("m" + std::to_string(whole)) == as_text(noise));
    CHECK(has(opened.problems(), "2 members of its index are not there"));
    CHECK_FALSE(has(opened.problems(), "cannot be read any further: " + bundle_path));
}

TEST_CASE("Frames that cannot be read are stepped over, up to a limit that is told", "[symbols][bundle]") {
    const auto bad = sized_frame(Blob(512, std::byte{'A'}));
    const auto with = [&](int number) {
        Blob made;
        made += frame_of_member("perf.data", fixture_data());
        made += frame_of_member("bundle.json", blob_of(index_of(named({"perf.data", "last"}))));
        for (int at = 0; at < number; ++at) made += bad;
        made += frame_of_member("last", blob_of("last"));
        made += packed({});
        return made;
    };
    const Opened few(with(1000));
    CHECK(few.text("last") == "last");
    CHECK(has(few.problems(), "999 more of its frames cannot be read"));
    const Opened many(with(3000));
    CHECK(many.text("last") == "missing");
    CHECK(has(many.problems(), "more than 1024 of its frames cannot be read: "));
}

TEST_CASE("What is behind the end of a bundle is told", "[symbols][bundle]") {
    const auto whole = simple().blob();
    const auto with = [&](Blob more) {
        auto made = whole;
        made += more;
        return made;
    };
    CHECK(Opened(whole).problems().empty());
    // tar pads with zeros.
    CHECK(Opened(with(Blob(10240, std::byte{0}))).problems().empty());
    CHECK(has(Opened(with(blob_of("x"))).problems(), "1 byte behind its end is not read"));
    Blob late(5000, std::byte{0});
    late += blob_of("later");
    CHECK(has(Opened(with(late)).problems(), "5 bytes behind its end are not read"));
    CHECK(has(Opened(with(whole)).problems(), "bytes behind its end are not read: another tar-ball, or damage"));
    CHECK(Opened(with(Blob(4 << 20, std::byte{0}))).problems().empty());
    CHECK(has(Opened(with(Blob((64 << 20) + 5, std::byte{0}))).problems(),
              "bytes behind its end, and behind 64 MiB of zeros, are not read"));
    // In frames, too.
    Blob twice;
    for (int at = 0; at < 2; ++at) {
        twice += packed({{"perf.data", fixture_data()}, {"bundle.json", blob_of(index_of(named({"perf.data"})))}});
    }
    const Opened opened(twice);
    CHECK(has(opened.problems(), "bytes behind its end are not read"));
    CHECK(opened.text("perf.data").size() == fixture_data().size());
}

TEST_CASE("Headers that are damaged are counted", "[symbols][bundle]") {
    Tar tar = simple();
    tar.file("empty", {});
    tar.file("last", blob_of("last"));
    auto blob = tar.blob();
    const auto name = std::ranges::search(blob, blob_of("empty"));
    REQUIRE_FALSE(name.empty());
    name.front() ^= std::byte{0x20};
    const Opened opened(blob);
    CHECK(has(opened.problems(), "1 header of a member is damaged"));
    CHECK(opened.text("last") == "last");
}

TEST_CASE("Names that are too long are told as such", "[symbols][bundle]") {
    Tar tar = simple();
    tar.pax("path", std::string(5000, 'n'));
    tar.file("n", blob_of("n"));
    CHECK(has(Opened(tar).problems(), "1 member has too long a name"));
}

TEST_CASE("Members that an index does not list, or lists with another size, are told", "[symbols][bundle]") {
    Tar tar;
    tar.file("perf.data", fixture_data());
    tar.file("bundle.json",
             blob_of(R"({"perfdata_bundle": 1, "recording": "other.data", "members": [{"name": "perf.data"},)"
                     R"({"name": "long", "size": 3}]})"));
    tar.file("long", blob_of("longer"));
    tar.file("one", blob_of("1"));
    tar.file("two", blob_of("2"));
    const Opened opened(tar);
    CHECK(has(opened.problems(), "2 members are not in its index, the first is \"one\""));
    CHECK(has(opened.problems(), "its index names another recording: \"other.data\""));
    CHECK(opened.text("long") == "mismatch");
    CHECK(opened.text("one") == "1");
    CHECK(opened.text("perf.data").size() == fixture_data().size());
}

TEST_CASE("Input that begins with a zstd frame to be stepped over is unpacked", "[symbols][bundle]") {
    const auto over = blob_of(std::string_view("\x50\x2a\x4d\x18\x03\x00\x00\x00***", 11));
    Blob made = over;
    made += packed({{"perf.data", fixture_data()}, {"bundle.json", blob_of(index_of(named({"perf.data"})))}});
    CHECK(Bundle::is_bundle(*owned(made)).value());
    CHECK(Opened(made).problems().empty());
    Blob plain = over;
    plain.front() = std::byte{0x5f};
    plain += sized_frame(fixture_data());
    const auto recording = open_recording(Shared<const Source>(owned(plain)), "it");
    REQUIRE(recording);
    CHECK(recording->bytes() == fixture_data().size());
}

TEST_CASE("What a caller does not take is refused before it is unpacked, and told once", "[symbols][bundle]") {
    auto binary = blob_of("\177ELF");
    binary.resize(std::size_t{1} << 20);
    const Opened opened(packed({{"perf.data", fixture_data()},
                                {"bundle.json", blob_of(index_of(named({"perf.data", "long"})))},
                                {"long", binary}}));
    const auto& bundle = **opened.bundle;
    Limits limits;
    limits.unpacked_bytes = 1000;
    CHECK(bundle.content("long", limits, Content::elf).error().code == ErrorCode::limit);
    CHECK(bundle.content("long", limits, Content::elf).error().code == ErrorCode::limit);
    limits = {};
    CHECK(bundle.content("long", limits, Content::text).error().code == ErrorCode::malformed);
    CHECK(bundle.losses().count() == 1);
    CHECK(bundle.content("long", limits, Content::elf));
    CHECK(bundle.content("gone", limits, Content::elf).error().code == ErrorCode::missing);
}

TEST_CASE("Names of the kernel in a bundle need a proof if its build id is recorded", "[symbols][bundle]") {
    const auto origin = [](const std::string& names, const std::string& said) {
        Tar tar;
        tar.file("perf.data", fixture_data());
        tar.file("bundle.json", blob_of(index_of(named({"perf.data"}) +
                                                 R"(, {"name": "kernel/kallsyms", "build_id": ")" + said + "\"}")));
        tar.file("kernel/kallsyms", blob_of(names));
        const Opened opened(tar);
        SymbolizerOptions options;
        options.files = std::shared_ptr<const FileSystem>(std::make_shared<Files>());
        Bundle::apply(*opened.bundle, options);
        const RecordedKernel kernel{"_text", {0xffffffff90000000}, id(1), "6.1.0-x", {}};
        const auto loaded = KernelNames::load(kernel, ObjectFinder(options.finder, options.files));
        return loaded ? std::string("taken") : loaded.error().message();
    };
    const std::string in_place = "ffffffff90000000 T _text\nffffffff90000100 T do_work\n";
    const std::string elsewhere = "ffffffffa0000000 T _text\nffffffffa0000100 T do_work\n";
    const std::string without = "ffffffff90000100 T do_work\n";
    const std::string same = "0102030405060708090a0b0c0d0e0f1011121314";
    CHECK(origin(in_place, "") == "taken");
    CHECK(has(origin(elsewhere, ""), "it is not from the boot that was recorded"));
    CHECK(has(origin(without, ""), "nothing proves that it is of the recorded kernel"));
    CHECK(has(origin(without, "02"), "nothing proves"));
    CHECK(origin(without, same) == "taken");
    CHECK(origin(elsewhere, same) == "taken");
    CHECK(has(origin("nonsense\n", ""), "kernel/kallsyms"));
}

TEST_CASE("A bundle in a bundle, or packed twice, is told", "[symbols][bundle]") {
    const auto made = packed({{"perf.data", fixture_data()}, {"bundle.json", blob_of(index_of(named({"perf.data"})))}});
    const auto why = [](Blob blob) {
        const auto recording = open_recording(Shared<const Source>(owned(std::move(blob))), "it");
        REQUIRE_FALSE(recording);
        return recording.error().message();
    };
    for (const auto outer : {Compression::gzip, Compression::xz, Compression::zstd}) {
        CHECK(has(why(compressed(outer, made)), "is a bundle inside of another packing: unpack one"));
    }
    CHECK(has(why(compressed(Compression::zstd, compressed(Compression::gzip, simple().blob()))), "unpack one"));
    CHECK(has(why(packed({{"perf.data", made}})), "the recording in this bundle is a bundle itself"));
    CHECK(has(why(packed({{"perf.data", compressed(Compression::gzip, made)}})), "unpack one"));
    CHECK_FALSE(has(why(compressed(Compression::gzip, blob_of(std::string(5000, 'x')))), "unpack one"));
}

TEST_CASE("Losses of a bundle are told by its members, whichever was read first", "[symbols][bundle]") {
    const auto lie = [](const std::string& name) { return listed(name, blob_of("something else")); };
    const auto made = packed({{"perf.data", fixture_data()},
                              {"bundle.json", blob_of(index_of(lie("one") + ", " + lie("two")))},
                              {"one", blob_of("1")},
                              {"two", blob_of("2")}});
    std::vector<std::vector<std::string>> told;
    for (const auto& order : {std::vector{"one", "two"}, std::vector{"two", "one"}}) {
        const Opened opened(made);
        for (const auto* name : order) CHECK(opened.text(name) == "mismatch");
        auto& texts = told.emplace_back();
        const auto losses = (*opened.bundle)->losses();
        for (const auto& loss : losses.kept()) texts.push_back(loss.message());
    }
    REQUIRE(told[0].size() == 2);
    CHECK(has(told[0][0], ": one"));
    CHECK(told[0] == told[1]);
}

TEST_CASE("A member that is read as two things is a loss, whichever was first", "[symbols][bundle]") {
    const Blob text(std::size_t{1} << 20, std::byte{'a'});
    const auto made = packed({{"perf.data", fixture_data()},
                              {"bundle.json", blob_of(index_of(named({"perf.data", "long"})))},
                              {"long", text}});
    for (const bool text_first : {true, false}) {
        const Opened opened(made);
        const auto& bundle = **opened.bundle;
        if (text_first) CHECK(bundle.content("long", {}, Content::text));
        CHECK(bundle.content("long", {}, Content::elf).error().code == ErrorCode::malformed);
        CHECK(bundle.content("long", {}, Content::text));
        CHECK(bundle.losses().count() == 1);
    }
}

TEST_CASE("What is too much of a bundle is what lies behind, whatever is read first", "[symbols][bundle]") {
    Limits limits;
    limits.unpacked_bytes = 1 << 20;
    const Blob half(std::size_t{600} << 10);
    const Opened opened(packed({{"perf.data", fixture_data()}, {"one", half}, {"two", half}, {"small", blob_of("s")}}),
                        limits);
    CHECK(opened.text("two") == "limit");
    CHECK(opened.text("one").size() == half.size());
    CHECK(opened.text("small") == "s");
}
