// SPDX-License-Identifier: MIT
#include <algorithm>

#include "catch.hpp"
#include "support/text_parts.hpp"
#include "unit/annotate/crafted_page.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char character : text) {
        if (character == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += character;
        }
    }
    return lines;
}

// line_with(text, part) returns the only line that contains `part`.
std::string line_with(const std::string& text, std::string_view part) {
    std::string found;
    int count = 0;
    for (const auto& line : lines_of(text)) {
        if (line.find(part) == std::string::npos) continue;
        found = line;
        ++count;
    }
    INFO(part << " in\n" << text);
    REQUIRE(count == 1);
    return found;
}

std::string without_colors(const std::string& text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\x1b') {
            at = text.find('m', at);
            REQUIRE(at != std::string::npos);
        } else {
            plain += text[at];
        }
    }
    return plain;
}

void some_samples(CraftedPage& page) {
    auto& scene = page.scene();
    for (int count = 0; count < 6; ++count) scene.sample(0x1009, 200, CpuMode::kernel, 0, 10);
    scene.sample(0x100e, 200, CpuMode::kernel, 0, 1000).sample(0x2000, 200).sample(0x5000, 200);
    scene.sample(0x7fff, 200, CpuMode::user);
}

}  // namespace

TEST_CASE("The summary lists functions with share, hits, kind, name and object", "[annotate][text]") {
    CraftedPage page;
    some_samples(page);
    const auto text = page.summary({{"user-space code", {{1, 1}}}});
    CHECK(has(text, "Samples: 10 of cycles\n"));
    INFO(text);
    CHECK(has(line_with(text, "[bpf:1] 0"), "  70.00%       7   100.00%  bpf          first_main "));
    CHECK(
        has(line_with(text, "[bpf:1] 1"), "  10.00%       1   100.00%  bpf          first_main/first_sub  [bpf:1] 1"));
    CHECK(has(line_with(text, "[bpf:2] 0"), "       1   no code  bpf          second "));
    CHECK(has(line_with(text, "user-space"), "  10.00%       1"));
    CHECK(has(line_with(text, "user-space"), "(user-space code)"));
}

TEST_CASE("A listing has header, source lines and instructions with their hits", "[annotate][text]") {
    CraftedPage page;
    some_samples(page);
    const auto text = page.listing(0);
    CHECK(has(text, "\nfirst_main   program 1, subprogram 0 of 0 to 1\n"));
    CHECK(has(line_with(text, "prototype"), "int first_main(void)"));
    CHECK(has(line_with(text, "symbol"), "bpf_prog_0000000000000001_first_main"));
    CHECK(has(line_with(text, "  program    "), "first_main, tag 0000000000000abc, unspec, BTF 1001"));
    CHECK(has(line_with(text, "  loaded "), "before the recording, unloaded after it"));
    CHECK(has(line_with(text, "  address"), "0x1000 to 0x101f, 32 bytes"));
    CHECK(has(line_with(text, "samples    "), "7 of 10 cycles (70.00%)"));
    CHECK(has(line_with(text, "checked"), "100.00%"));
    CHECK(has(line_with(text, "; dir/a.c:12:1  return x;"), "60.00%       6"));
    CHECK(has(line_with(text, "; dir/a.c:11:6  x = f(y);"), "10.00%       1  "));
    CHECK(has(text, "\n" + std::string(28, ' ') + "; dir/a.c:11:6\n"));  // repeated: hits and text are above
    CHECK(has(line_with(text, "; (no source)"), "  ; (no source)"));
    CHECK(has(line_with(text, "<kernel_function+0x4>"), "60.00%       6 >      9: callq   0x804"));
    CHECK(has(line_with(text, "<second/second_sub+0x4>"), "10.00%       1        e: callq"));
    CHECK(has(line_with(text, "<first_main+0x4>"), "1d: jmp"));
    CHECK(line_with(text, "retq").ends_with("1f: retq"));
}

TEST_CASE("Percentages are of what the options say", "[annotate][text]") {
    CraftedPage page;
    some_samples(page);
    const auto share_of_call = [&](PercentOf of) {
        TextOptions options;
        options.percent_of = of;
        return line_with(page.listing(0, options), "<kernel_function+0x4>").substr(0, 9);
    };
    CHECK(share_of_call(PercentOf::all_hits) == "   60.00%");
    CHECK(share_of_call(PercentOf::function_hits) == "   85.71%");
    CHECK(share_of_call(PercentOf::all_periods) == "    5.64%");       // 60 of 1063
    CHECK(share_of_call(PercentOf::function_periods) == "    5.66%");  // 60 of 1060
}

TEST_CASE("The hottest instruction has a mark, and it is the one with most of what is shown", "[annotate][text]") {
    CraftedPage page;
    some_samples(page);
    TextOptions by_period;
    by_period.percent_of = PercentOf::all_periods;
    CHECK(has(line_with(page.listing(0), " > "), "<kernel_function+0x4>"));
    CHECK(has(line_with(page.listing(0, by_period), " > "), "<second/second_sub+0x4>"));
}

TEST_CASE("Periods and raw bytes are shown if asked for", "[annotate][text]") {
    CraftedPage page;
    some_samples(page);
    TextOptions options;
    options.show_periods = true;
    options.raw_bytes = true;
    const auto row = line_with(page.listing(0, options), "<second/second_sub+0x4>");
    CHECK(has(row, "10.00%       1         1000"));
    CHECK(has(row, "e: e8 f1 4f 00 00"));
    const auto plain = line_with(page.listing(0), "<second/second_sub+0x4>");
    CHECK_FALSE(has(plain, "1000"));
    CHECK_FALSE(has(plain, "e8 f1"));
}

TEST_CASE("There is colour only if asked for, and it adds nothing but colour", "[annotate][text]") {
    CraftedPage page;
    some_samples(page);
    TextOptions colored;
    colored.color = true;
    colored.raw_bytes = true;
    auto plain = colored;
    plain.color = false;
    const std::vector<Unattributed> unattributed = {{"user-space code", {{1, 1}}}};
    const auto all = [&](const TextOptions& options) {
        return page.summary(unattributed, options) + page.listing(0, options) + page.listing(1, options);
    };
    CHECK_FALSE(has(all(plain), "\x1b"));
    CHECK(has(all(colored), "\x1b[1;31m"));
    CHECK(without_colors(all(colored)) == all(plain));
    const auto call = line_with(page.listing(0, colored), "kernel_function");
    CHECK(has(call, "\x1b[1;31m 60.00%\x1b[0m"));
}

TEST_CASE("Events stand side by side under their names, those without samples do not", "[annotate][text]") {
    PageTexts texts;
    texts.events = {"cycles", "dummy:HG", "instructions"};
    CraftedPage page(texts);
    page.scene().sample(0x1009, 200).sample(0x1009, 200).sample(0x1004, 200);
    page.scene().sample(0x1009, 200, CpuMode::kernel, 2).sample(0x2000, 200, CpuMode::kernel, 2);
    const auto summary = page.summary();
    INFO(summary);
    CHECK(has(summary, "Samples: 3 of cycles, 2 of instructions\n"));
    CHECK_FALSE(has(summary, "dummy"));
    CHECK(has(line_with(summary, "[bpf:1] 0"), " 100.00%       3   50.00%       1   100.00%  bpf "));
    CHECK(has(line_with(summary, "[bpf:1] 1"), "                    50.00%       1   100.00%  bpf "));
    const auto text = page.listing(0);
    const auto call = line_with(text, "<kernel_function+0x4>");
    CHECK(has(call, "  66.67%       2   50.00%       1 >"));
    CHECK(has(text, "         cycles     instructions\n"));
    CHECK(has(text, "samples    3 of 3 cycles (100.00%)"));
    CHECK(has(text, "           1 of 2 instructions (50.00%)"));
}

TEST_CASE("A function without code says why", "[annotate][text]") {
    CraftedPage page;
    page.scene().sample(0xb000, 200);
    const auto text = page.listing(0);
    CHECK(has(text, "\nthird   program 3, subprogram 0 of 0 to 1\n"));
    CHECK(has(line_with(text, "  loaded "), "0.000000100, unloaded after it"));
    CHECK(has(line_with(text, "No code: "), "BPF program 3: the recorder could not query it"));
    CHECK_FALSE(has(text, "checked"));
}

TEST_CASE("Code that is of no program says when it was there", "[annotate][text]") {
    CraftedPage page;
    page.scene().symbol(live(300), 0x7000, 4096, "bpf_trampoline_6").sample(0x7004, 350);
    page.scene().symbol_gone(live(1'000'000'400), 0x7000, 4096, "bpf_trampoline_6");
    const auto text = page.listing(0);
    CHECK(has(text, "\nbpf_trampoline_6\n"));
    CHECK(has(line_with(text, "there"), "from 0.000000300 to 1.000000400"));
    CHECK(has(line_with(page.summary(), "bpf_trampoline_6"), " no code  bpf          bpf_trampoline_6  [bpf]"));
}

TEST_CASE("A page without samples is still a page", "[annotate][text]") {
    CraftedPage page;
    CHECK(has(page.summary(), "Samples: 0 of cycles\n"));
}
