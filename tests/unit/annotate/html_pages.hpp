// SPDX-License-Identifier: MIT
// HTML pages of crafted recordings, for unit tests and for browser tests.
#pragma once

#include <string>
#include <vector>

#include "perfdata/annotate/page/html_page.hpp"

#include "support/samples.hpp"
#include "unit/annotate/crafted_page.hpp"

namespace perfdata::test {

inline PageTexts kind_texts() {
    PageTexts texts;
    texts.events = {"one", "two"};
    return texts;
}

// Names of an attacker who wants to run a script in the reader's page.
inline PageTexts hostile_texts() {
    const std::string evil =
        "</script></style></title>--><script>alert(1)</script><img src=x onerror=alert(1)>\" onload=\"alert(1)\" "
        "x='y' &lt; \x1b[31m\xff\xc2\x9b\xe2\x80\xae]]>\r\n";
    PageTexts texts;
    texts.main = "m" + evil;
    texts.sub = "s" + evil + std::string(65000, '<');
    texts.file = "f" + evil;
    texts.line = "\tl" + evil;
    texts.events = {"e" + evil, "E" + evil};
    texts.host = "h" + evil;
    return texts;
}

// fill(page) adds samples to its functions, more of the first event than of the second.
inline void fill(CraftedPage& page) {
    for (const std::uint64_t ip : {0x1004u, 0x1004u, 0x1009u, 0x101du, 0x2000u, 0x5000u}) {
        page.scene().sample(ip, 500, CpuMode::kernel, 0);
    }
    if (page.events() < 2) return;
    for (const std::uint64_t ip : {0x1009u, 0x2000u, 0x5000u}) page.scene().sample(ip, 600, CpuMode::kernel, 1);
}

inline std::string html_of(CraftedPage& page, const std::vector<Listing>& listings, const HtmlOptions& options = {}) {
    const auto context = page.context();
    const auto counts =
        SampleCounts::count(context.recording, context.timeline, flame_counting(page.symbolizer(), false)).value();
    const auto flame = Flame::make(counts, page.symbolizer());
    std::string html;
    write_html_page(context, listings, {}, flame, options, [&](std::string_view part) { html += part; });
    return html;
}
inline std::string html_of(CraftedPage& page) {
    return html_of(page, page.listings());
}

inline std::string crafted_html() {
    CraftedPage page;
    fill(page);
    return html_of(page);
}
inline std::string hostile_html() {
    CraftedPage page(hostile_texts());
    fill(page);
    return html_of(page);
}

// versions_html() has one function whose second instruction changed during the recording.
inline std::string versions_html() {
    CraftedPage page;
    fill(page);
    auto listings = page.listings();
    auto& first = listings.at(0);
    first.versions = 2;
    first.version.until = Time{300};
    auto second = first;
    second.version.number = 1;
    second.version.from = Time{300};
    second.version.until = Time::forever();
    second.instructions.at(1).changed = ListingChange{Time{300}, "nopl (%rax)"};
    listings.insert(listings.begin() + 1, second);
    return html_of(page, listings);
}

// deep_recording() has stacks as deep as any that is counted. Of 100 samples 60 have 1024 frames, 20 others 1024 of
// which the outer 500 are the same, and 20 have 127. The innermost function of the first has code.
inline Blob deep_recording() {
    constexpr std::uint32_t functions = 1023, size = 0x40, begin = 0x100000, most = 1024, usual = 127, fork = 500;
    const auto attr = sampling_attr(Scene::sample_type | sample_bit::callchain);
    Scene scene(std::endian::little, {attr});
    scene.feature(Feature::arch, feature_string(std::endian::little, "x86_64"));
    first_program().known_in(scene);
    Program program{9, 1, {}};
    for (std::uint32_t at = 0; at < 2 * functions; ++at) {
        const auto name = (at < functions ? "level_" : "other_") + std::to_string(at % functions);
        program.functions.push_back({begin + std::uint64_t{at} * size, size, name, at});
    }
    scene.known(program);
    const auto address = [&](std::uint32_t level, bool other) {
        return begin + (level + (other ? functions : 0)) * std::uint64_t{size} + 4;
    };
    for (std::uint32_t number = 0; number < 100; ++number) {
        const bool other = number >= 60 && number < 80;
        const auto frames = number < 80 ? most : usual;
        SampleContent content;
        content.fixed.identifier = Scene::first_id;
        content.fixed.time = 1000 + number;
        content.fixed.period = 1;
        content.callchain = {static_cast<std::uint64_t>(ChainContext::kernel)};
        content.callchain.push_back(other || frames == usual ? address(frames - 2, other) : 0x1004);
        for (auto level = frames - 1; level-- != 0;)
            content.callchain.push_back(address(level, other && level >= fork));
        content.fixed.ip = content.callchain[1];
        scene.add(encode(std::endian::little, attr, content, 1));
    }
    return scene.build();
}

}  // namespace perfdata::test
