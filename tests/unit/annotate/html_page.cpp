// SPDX-License-Identifier: MIT
#include "perfdata/annotate/page/html_page.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <regex>

#include "catch.hpp"
#include "format/words.hpp"
#include "page/html/html_writer.hpp"
#include "support/text_parts.hpp"
#include "unit/annotate/crafted_page.hpp"
#include "unit/annotate/html_pages.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// markup(page) returns the page without the content of style and script, which is our own.
std::string markup(std::string page) {
    for (const std::string name : {"style", "script"}) {
        const auto begin = page.find("<" + name + ">");
        const auto end = page.find("</" + name + ">", begin);
        REQUIRE(begin != std::string::npos);
        REQUIRE(end != std::string::npos);
        page.erase(begin, end - begin);
    }
    return page;
}

// Returns every tag of a page, unchanged.
std::vector<std::string> tags(const std::string& page) {
    std::vector<std::string> found;
    for (auto at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
        auto end = at;
        char quote = 0;
        for (; end < page.size() && (quote != 0 || page[end] != '>'); ++end) {
            if (quote == 0 && page[end] == '"') {
                quote = '"';
            } else if (page[end] == quote) {
                quote = 0;
            }
        }
        found.push_back(page.substr(at, end - at + 1));
    }
    return found;
}

}  // namespace

TEST_CASE("Foreign text is shown and not obeyed by HTML", "[annotate][html][hostile]") {
    CHECK(html_text("</script><b a='x' b=\"y\">&amp;") ==
          "&lt;/script&gt;&lt;b a=&#39;x&#39; b=&quot;y&quot;&gt;&amp;amp;");
    CHECK(html_text(std::string_view("\0\x1b\x7f\xff\xc2\x85 \n", 8)) == "\\x00\\x1b\\x7f\\xff\\xc2\\x85 \\x0a");
    CHECK(html_text("\tgr\xc3\xbc\xc3\x9f") == "\tgr\xc3\xbc\xc3\x9f");
    // Marks that change the direction of writing.
    CHECK(html_text("a\xe2\x80\xae"
                    "b\xe2\x81\xa6"
                    "c\xe2\x80\xa6") ==
          "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6"
          "c\xe2\x80\xa6");
    CHECK(html_text(std::string(70000, 'x'), 10) == "xxxxxxxxxx… (70000 bytes)");
    CHECK(html_text(std::string(70000, '<'), 10) == "&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;… (70000 bytes)");
    CHECK(html_text("aaa\xe2\x82\xac\xe2\x82\xac", 5) == "aaa… (9 bytes)");
    CHECK(html_text("") == "");
}

TEST_CASE("Histograms are tables of the page, with bars", "[annotate][html][hostile]") {
    CraftedPage page(hostile_texts());
    fill(page);
    FieldHistogram histogram;
    histogram.field = "<b>ret";
    histogram.is_signed = true;
    histogram.samples = 4;
    histogram.no_value = 2;
    histogram.least = 0 - std::uint64_t{1};
    histogram.most = 1;
    histogram.mean = 0.5;
    histogram.buckets = {{histogram.least, histogram.least, 1}, {0, 0, 0}, {1, 1, 3}};
    const std::vector<FieldHistogram> histograms{histogram};
    auto context = page.context();
    context.histograms = histograms;
    context.without_field = 7;
    std::string html;
    write_html_page(context, page.listings(), {}, {}, {}, [&](std::string_view part) { html += part; });
    const auto begin = html.find("<section id=fields>");
    REQUIRE(begin != std::string::npos);
    const auto section = html.substr(begin, html.find("</section>", begin) - begin);
    CHECK(section.find("<caption>&lt;b&gt;ret of e&lt;/script&gt;") != std::string::npos);
    CHECK(section.find("<small>4 samples, least -1, most 1, mean 0.5; without a value: 2</small>") !=
          std::string::npos);
    CHECK(section.find("7 samples are of events without such a field.") != std::string::npos);
    CHECK(section.find("<tr><th scope=row>[-1]<td>1<td>25.0<i style=--s:0.3333></i>") != std::string::npos);
    CHECK(section.find("<tr><th scope=row>[0]<td>0<td>0.0\n") != std::string::npos);
    CHECK(section.find("<tr><th scope=row>[1]<td>3<td>75.0<i style=--s:1.0000></i>") != std::string::npos);
    CHECK(html.find("<a href=#fields>") != std::string::npos);
    CHECK(html_of(page).find("#fields") == std::string::npos);
}

TEST_CASE("An HTML page of hostile names has the markup of a kind one", "[annotate][html][hostile]") {
    const auto shape = [](const std::string& page) {
        std::vector<std::string> names;
        for (const auto& tag : tags(markup(page))) names.push_back(tag.substr(0, tag.find_first_of(" >\n", 1)));
        return names;
    };
    CraftedPage kind_page(kind_texts());
    CraftedPage hostile_page(hostile_texts());
    fill(kind_page);
    fill(hostile_page);
    const auto kind = html_of(kind_page);
    const auto hostile = html_of(hostile_page);
    CHECK(shape(kind) == shape(hostile));
    CHECK(count(hostile, "<script") == 1);
    CHECK(count(hostile, "</script") == 1);
    const auto text = markup(hostile);
    CHECK_FALSE(has(text, "<img"));
    CHECK_FALSE(has(text, "alert(1)\""));
    for (const char character : text) {
        REQUIRE((static_cast<unsigned char>(character) >= 0x20 || character == '\n' || character == '\t'));
    }
    CHECK(utf8(hostile) == hostile);
    // All attributes are ours, whatever the names contain.
    for (const auto& tag : tags(text)) {
        INFO(tag);
        CHECK_FALSE(
            std::regex_search(std::regex_replace(tag, std::regex("\"[^\"]*\""), ""), std::regex("\\son[a-z]+=")));
    }
    // Long names are cut: no name may make the page large.
    CHECK(hostile.size() < kind.size() + 200'000);
}

TEST_CASE("An HTML page asks for nothing and forbids to", "[annotate][html]") {
    CraftedPage page;
    fill(page);
    const auto html = html_of(page);
    CHECK(has(html, "http-equiv=Content-Security-Policy"));
    CHECK(has(html, "default-src 'none'"));
    CHECK(std::regex_search(html, std::regex("script-src 'sha256-[A-Za-z0-9+/]{43}='")));
    for (const auto& tag : tags(markup(html))) {
        INFO(tag);
        CHECK_FALSE(std::regex_search(tag, std::regex("(src|href)=\"?(https?:|//)")));
        CHECK_FALSE(has(tag, " src="));
    }
}

TEST_CASE("Links of an HTML page lead to something in it", "[annotate][html]") {
    for (const auto& html : {crafted_html(), versions_html()}) {
        const auto text = markup(html);
        std::map<std::string, int> ids;
        std::vector<std::string> links;
        const std::regex id(" id=\"?([^ \">]+)"), link(" href=#([^ >]+)");
        for (const auto& tag : tags(text)) {
            std::smatch match;
            if (std::regex_search(tag, match, id)) ++ids[match[1]];
            if (std::regex_search(tag, match, link)) links.push_back(match[1]);
        }
        for (const auto& [name, times] : ids) {
            INFO(name);
            CHECK(times == 1);
        }
        REQUIRE(links.size() > 5);
        for (const auto& name : links) {
            INFO(name);
            CHECK(ids.contains(name));
        }
    }
}

TEST_CASE("An HTML page has its functions, lines and calls as text", "[annotate][html]") {
    const auto html = markup(crafted_html());
    for (const std::string part : {"first_main", "first_sub", "second", "cycles", "x = f(y);", "return x;",
                                   "kernel_function", ">pushq<td data-r=\"rbp=r10\">"}) {
        INFO(part);
        CHECK(has(html, part));
    }
    // main calls sub, which has a listing, so its name is a link.
    CHECK(std::regex_search(html, std::regex("<td>call[a-z]*<td><a href=#f[0-9]+>first_sub</a>")));
    // The jump back to offset 4.
    CHECK(std::regex_search(html, std::regex("<td>jmp<td><a class=jp href=#f1v1-4>4</a>")));
    CHECK(std::regex_search(html, std::regex("<tr id=f1v1-4[ >]")));
}

TEST_CASE("A row of an HTML page without a listing has no link", "[annotate][html]") {
    CraftedPage page;
    fill(page);
    std::vector<Listing> outlines;
    for (const auto& function : page.profile().functions())
        outlines.push_back(summary_listing(function, page.symbolizer()));
    const auto html = markup(html_of(page, outlines));
    CHECK(has(html, "first_main"));
    CHECK_FALSE(has(html, "href=#f1"));
    CHECK_FALSE(has(html, "<details class=fn"));
}

TEST_CASE("A long listing leaves out what has no samples", "[annotate][html]") {
    CraftedPage page;
    fill(page);
    auto listings = page.listings();
    auto& listing = listings[0];
    const auto last = listing.instructions.back();
    for (std::size_t at = 0; at < 1000; ++at) {
        auto row = last;
        row.instruction.offset = 100 + at;
        EventCounts cells(row.cells.size());
        if (at == 500) cells[0] = {1, 1};
        row.cells = cells;
        listing.instructions.push_back(row);
    }
    HtmlOptions options;
    options.whole_listing = 100;
    options.context = 3;
    const auto html = markup(html_of(page, listings, options));
    CHECK(has(html, "<td>" + fmt::format("{:x}", 100 + 497) + "<td>"));
    CHECK(has(html, "<td>" + fmt::format("{:x}", 100 + 503) + "<td>"));
    CHECK_FALSE(has(html, "<td>" + fmt::format("{:x}", 100 + 496) + "<td>"));
    CHECK(has(html, fmt::format("{} instructions without a sample", 1000 - 504)));
    // The page mentions everything that it leaves out.
    auto rest = html.substr(html.find("id=f1v1-"));
    rest = rest.substr(0, rest.find("</details>"));
    const auto shown = count(rest, ">" + last.instruction.mnemonic + "<td>");
    std::size_t left_out = 0;
    std::smatch match;
    while (std::regex_search(rest, match, std::regex("([0-9]+) instructions without"))) {
        left_out += std::stoul(match[1]);
        rest = std::string(match.suffix());
    }
    CHECK(shown + left_out == 1001);
    options.whole_listing = 2000;
    CHECK_FALSE(has(markup(html_of(page, listings, options)), "without a sample"));
}

TEST_CASE("Versions of a function are on a time line of an HTML page", "[annotate][html]") {
    const auto html = markup(versions_html());
    CHECK(count(html, "class=vr") == 2);
    CHECK(has(html, "href=#f1v1"));
    CHECK(has(html, "href=#f1v2"));
    CHECK(has(html, "Version 1 of 2"));
    CHECK(std::regex_search(html, std::regex("<tr[^>]*class=\"?[^>]*c[^>]*>[^\n]*<del title=\"until [0-9.]+\">")));
}

TEST_CASE("An HTML page without samples says so", "[annotate][html]") {
    CraftedPage page;
    const auto html = markup(html_of(page));
    CHECK(has(html, "0 of 0 functions"));
}

// tests/browser runs this case by its tag and opens the pages it writes.
TEST_CASE("Crafted pages are written for the browser", "[.][browser-pages]") {
    const char* folder = std::getenv("PERFDATA_PAGES");
    REQUIRE(folder != nullptr);
    std::ofstream(std::string(folder) + "/hostile.html", std::ios::binary) << hostile_html();
    std::ofstream(std::string(folder) + "/versions.html", std::ios::binary) << versions_html();
    const auto deep = deep_recording();
    std::ofstream(std::string(folder) + "/deep.data", std::ios::binary)
        .write(reinterpret_cast<const char*>(deep.data()), static_cast<std::streamsize>(deep.size()));
}
