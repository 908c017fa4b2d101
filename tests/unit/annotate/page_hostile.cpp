// SPDX-License-Identifier: MIT
// Names in a recording are foreign text: they must neither command the terminal nor break a document.
#include "catch.hpp"
#include "format/words.hpp"
#include "unit/annotate/crafted_page.hpp"
#include "unit/annotate/json_value.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string evil =
    "a\x1b]0;owned\x07\x9b"
    "31m\xc2\x9b\"\\\n\r\x7f\xff\xc3";

PageTexts hostile() {
    PageTexts texts;
    texts.main = "m" + evil;
    texts.sub = "s" + evil;
    texts.file = "f" + evil;
    texts.line = "\tl" + evil;
    texts.events = {"e" + evil, "E" + evil};
    texts.host = "h" + evil;
    return texts;
}

void fill(CraftedPage& page) {
    for (const std::uint32_t event : {0u, 1u}) {
        for (const std::uint64_t ip : {0x1004u, 0x1009u, 0x2000u, 0x5000u, 0x7000u}) {
            page.scene().sample(ip, 500, CpuMode::kernel, event);
        }
    }
    page.scene().symbol(live(300), 0x7000, 64, "bpf_trampoline_" + evil);
}

// obeys(text) returns true if a terminal would do more than show it.
bool obeys(const std::string& text) {
    std::string one_line;
    for (const char character : text) {
        if (character != '\n') one_line += character;
    }
    return printable(one_line) != one_line;
}

}  // namespace

TEST_CASE("Hostile names are shown and not obeyed in text", "[annotate][text][hostile]") {
    CraftedPage page(hostile());
    fill(page);
    TextOptions options;
    options.show_periods = true;
    options.raw_bytes = true;
    const auto summary = page.summary({{"r" + evil, {{1, 1}, {0, 0}}}}, options);
    INFO(summary);
    CHECK_FALSE(obeys(summary));
    CHECK(summary.find("m" + printable(evil)) != std::string::npos);
    CHECK(summary.find("r" + printable(evil)) != std::string::npos);
    const auto listings = page.listings();
    REQUIRE(listings.size() == 4);
    std::string all;
    for (std::size_t index = 0; index < listings.size(); ++index) {
        const auto text = page.listing(index, options);
        INFO(text);
        CHECK_FALSE(obeys(text));
        all += text;
    }
    for (const std::string part : {"m", "s", "f", "l", "e", "E"}) {
        INFO(part);
        CHECK(all.find(part + printable(evil)) != std::string::npos);
    }
}

TEST_CASE("Hostile names take no line of their own", "[annotate][text][hostile]") {
    CraftedPage evil_page(hostile());
    PageTexts kind;
    kind.events = {"one", "two"};
    CraftedPage kind_page(kind);
    fill(evil_page);
    fill(kind_page);
    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    CHECK(lines(evil_page.summary()) == lines(kind_page.summary()));
    CHECK(lines(evil_page.listing(0)) == lines(kind_page.listing(0)));
}

TEST_CASE("Hostile names leave JSON valid and themselves readable", "[annotate][json][hostile]") {
    CraftedPage page(hostile());
    fill(page);
    const auto text = page.json({{"r" + evil, {{1, 1}, {0, 0}}}});
    INFO(text);
    const auto whole = Json::parsed(text);
    REQUIRE(whole);
    const auto& json = *whole;
    REQUIRE(json["functions"].size() == 4);
    CHECK(json["functions"][0]["name"].text() == utf8("m" + evil));
    CHECK(json["functions"][0]["lines"][1]["text"].text() == utf8("\tl" + evil));
    CHECK(json["functions"][0]["lines"][1]["file"].text() == utf8("f" + evil));
    CHECK(json["recording"]["events"][1]["name"].text() == utf8("E" + evil));
    CHECK(json["recording"]["hostname"].text() == utf8("h" + evil));
    CHECK(json["unattributed"][0]["reason"].text() == utf8("r" + evil));
    for (const char character : text) CHECK((character == '\n' || static_cast<unsigned char>(character) >= 0x20));
}

TEST_CASE("Long names of events are cut between characters", "[annotate][text][hostile]") {
    for (std::size_t ascii = 0; ascii < 4; ++ascii) {
        PageTexts texts;
        texts.events = {std::string(ascii, 'x'), "other"};
        for (int count = 0; count < 20; ++count) texts.events[0] += "\u20ac";
        CraftedPage page(texts);
        fill(page);
        CHECK_FALSE(obeys(page.summary()));
    }
}
