// SPDX-License-Identifier: MIT
// What listings share, and who of them gets it.
#include "listing/listing_texts.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// SharedListings are those of /bin/nest and of a copy, /bin/copy, with one debug file; of /bin/own with its own; and of
// two programs whose debug information has one alternate.
struct SharedListings {
    static constexpr std::uint64_t apart = 0x100000;

    SharedListings() {
        std::uint64_t at = 0x20000000;
        for (const auto* path : {"/bin/copy", "/bin/own", "/bin/x", "/bin/y"}) {
            scene.map(InlinedScene::pid, at, path);
            at += apart;
        }
        files->content["/bin/nest"] = files->content["/bin/copy"] = without(1).blob();
        auto debug = InlinedScene::program();
        debug.build_id(id(1).bytes());
        std::string name = "/usr/lib/debug/.build-id/";
        const auto recorded = id(1);
        bool first = true;
        for (const auto byte : recorded.bytes()) {
            constexpr std::string_view digits = "0123456789abcdef";
            const auto value = std::to_integer<unsigned>(byte);
            name += digits[value / 16];
            name += digits[value % 16];
            if (first) name += '/';
            first = false;
        }
        files->content[name + ".debug"] = debug.blob();
        files->content["/bin/own"] = InlinedScene::program().blob();
        auto alternate = without(9);
        DwarfWriter(InlinedScene::main, 4).add_to(alternate);
        files->content["/bin/alternate"] = alternate.blob();
        for (const std::uint8_t seed : {std::uint8_t{2}, std::uint8_t{3}}) {
            auto elf = InlinedScene::program();
            elf.build_id(id(seed).bytes());
            elf.add({.name = ".gnu_debugaltlink",
                     .content = Writer(std::endian::little).text("/bin/alternate").u8(0).bytes(id(9).bytes()).take()});
            files->content[seed == 2 ? "/bin/x" : "/bin/y"] = elf.blob();
        }
    }
    static Elf without(std::uint8_t seed) {
        Elf elf;
        auto& text = elf.section(Elf::text);
        text.address = InlinedScene::main;
        text.content = Blob(InlinedScene::end - InlinedScene::main, std::byte{0x90});
        elf.segments = {{InlinedScene::main - 0x1000, InlinedScene::main, InlinedScene::end - InlinedScene::main}};
        elf.build_id(id(seed).bytes());
        return elf;
    }
    SymbolizerOptions options() const {
        auto options = scene.sources();
        options.files = files;
        options.sources.source_dirs = {"/src"};
        return options;
    }
    static Frame in(std::uint32_t object) {
        auto frame = InlinedScene::frame(InlinedScene::work);
        frame.index = object;
        return frame;
    }

    // KnownFiles are the same whenever they are opened.
    class KnownFiles final : public Files {
      public:
        std::optional<FileIdentity> identity(const FileName& name) const override {
            const auto path = name.shown();
            if (!content.contains(path)) return {};
            return FileIdentity{1, std::hash<std::string>()(path), 3, 4, 5};
        }
    };

    InlinedScene scene;
    std::shared_ptr<KnownFiles> files = std::make_shared<KnownFiles>();
};

}  // namespace

TEST_CASE("Files share what is read of one debug file, or of one alternate", "[annotate][listing]") {
    SharedListings shared;
    const auto recording = shared.scene.scene().open();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline, shared.options());
    std::vector<const void*> of;
    for (std::uint32_t object = 0; object < 5; ++object) {
        of.push_back(symbolizer.lines_shared(SharedListings::in(object)).value());
        CHECK(of.back() != nullptr);
    }
    CHECK(symbolizer.lines_origin(SharedListings::in(0)).from != symbolizer.lines_origin(SharedListings::in(1)).from);
    CHECK(of[0] == of[1]);
    CHECK(of[2] != of[0]);
    CHECK(of[3] == of[4]);
    CHECK(of[3] != of[2]);
    const auto stopped = symbolizer.lines_shared(SharedListings::in(0), {StopToken([] { return true; }), {}});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("Room for source texts goes to the first listing, whichever is ready first", "[annotate][listing]") {
    SharedListings shared;
    for (const auto* path : {"/src/a.c", "/src/b.c", "/src/c.c"}) {
        const std::string_view text = "12345678";
        shared.files->content[path] = Blob(as_bytes(text).begin(), as_bytes(text).end());
    }
    auto options = shared.options();
    options.finder.limits.source_file_bytes = 2 * (8 + 4);  // each has 8 bytes, and 4 for its one line
    const auto recording = shared.scene.scene().open();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline, options);
    std::vector<Listing> listings(5);
    const auto fill = [&](std::size_t number, std::string_view file) {
        listings[number].version.function = SharedListings::in(0);
        listings[number].lines.push_back({{file, 1, 0, {}}, EventCounts{}});
    };
    fill(1, "a.c");
    listings[2].version.function = SharedListings::in(2);
    listings[2].inlined.emplace_back(std::vector{InlinedCall{"f", {"b.c", 1, 0, {}}}});
    fill(3, "c.c");
    ListingTexts texts(symbolizer, std::span(listings).first(4), 1);
    texts.ready(3);
    texts.ready(2);
    CHECK(listings[2].inlined[0].begin()->call.text.empty());
    texts.ready(1);
    CHECK(listings[1].lines[0].source.text == "12345678");
    CHECK(listings[2].inlined[0].begin()->call.text == "12345678");
    CHECK(listings[3].lines[0].source.text.empty());
    REQUIRE(symbolizer.text_problem());
    CHECK(symbolizer.text_problem()->detail.starts_with("the text of 1 is left out"));
}
