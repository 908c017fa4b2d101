// SPDX-License-Identifier: MIT
// A recording with two programs whose code, lines and calls are exactly known, and everything that a page needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfdata/annotate/page/page.hpp"

#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/machine_code.hpp"
#include "unit/symbols/program_fixture.hpp"

namespace perfdata::test {

// Texts in a recording that may be hostile.
struct PageTexts {
    std::string main = "first_main", sub = "first_sub", file = "dir/a.c", line = "\tx = f(y);";
    std::vector<std::string> events = {"cycles"};
    std::string host = "guest";
};

// Program 1: main at 0x1000, sub at 0x2000, with code, lines and BTF. Programs 2, at 0x5000 and 0x6000, and 3, at
// 0xb000 and 0xc000 and loaded at time 100, are known only from records.
//
//     main   0 push  1 mov  4 call sub  9 call 0x804  14 call program 2's sub+4  19 movabs $sub  29 jmp 4  31 ret
inline Blob first_code() {
    return bytes_of({
        0x55,                                                        // 0
        0x48, 0x89, 0xe5,                                            // 1
        0xe8, 0xf7, 0x0f, 0x00, 0x00,                                // 4
        0xe8, 0xf6, 0xf7, 0xff, 0xff,                                // 9
        0xe8, 0xf1, 0x4f, 0x00, 0x00,                                // 14
        0x48, 0xbf, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // 19
        0xeb, 0xe5,                                                  // 29
        0xc3,                                                        // 31
        0x90, 0x90, 0x90, 0xc3,                                      // sub
    });
}

inline CraftedProgram first_program(const PageTexts& texts = {}) {
    CraftedProgram program({1, 0xabc, {{0x1000, 32, texts.main, 1}, {0x2000, 4, texts.sub, 2}}});
    program.code(first_code()).names({texts.main, texts.sub});
    program.lines({{0x1000, 0, texts.file, "int main(void)", 10, 0},
                   {0x1004, 2, texts.file, texts.line, 11, 6},
                   {0x1009, 3, texts.file, "\treturn x;", 12, 1},
                   {0x100e, 4, texts.file, texts.line, 11, 6},
                   {0x1013, 5, "", "", 0, 0},
                   {0x2000, 9, texts.file, "int sub(void)", 3, 0}});
    return program;
}

class CraftedPage {
  public:
    explicit CraftedPage(const PageTexts& texts = {})
        : events_(texts.events.size()), scene_(std::endian::little, events_) {
        std::vector<DescribedEvent> events;
        for (std::size_t index = 0; index < texts.events.size(); ++index) {
            events.push_back({sampling_attr(Scene::sample_type), texts.events[index], {Scene::first_id + index}});
        }
        scene_.feature(Feature::event_desc, event_desc(std::endian::little, events));
        scene_.feature(Feature::arch, feature_string(std::endian::little, "x86_64"));
        scene_.feature(Feature::hostname, feature_string(std::endian::little, texts.host));
        first_program(texts).known_in(scene_);
        scene_.known({2, 0xdef, {{0x5000, 16, "second", 3}, {0x6000, 16, "second_sub", 4}}});
        scene_.loaded(live(100), {3, 0x123, {{0xb000, 16, "third", 5}, {0xc000, 16, "third_sub", 6}}});
    }

    std::size_t events() const { return events_; }
    // Add samples before calling other functions.
    Scene& scene() { return scene_; }

    const Timeline& timeline() {
        prepare();
        return opened_->timeline;
    }
    const Symbolizer& symbolizer() {
        prepare();
        return opened_->symbolizer;
    }
    const Profile& profile() {
        prepare();
        return *profile_;
    }
    PageContext context() {
        prepare();
        return {opened_->recording, opened_->timeline, *profile_, opened_->timeline.completeness()};
    }
    // listings() returns one listing per function with hits.
    std::vector<Listing> listings() {
        prepare();
        return listings_of(*profile_, opened_->symbolizer, opened_->recording.arch());
    }

    std::string summary(const std::vector<Unattributed>& unattributed = {}, const TextOptions& options = {}) {
        return collect(
            [&](const Sink& sink) { write_text_summary(context(), listings(), unattributed, options, sink); });
    }
    std::string listing(std::size_t index, const TextOptions& options = {}) {
        return collect([&](const Sink& sink) { write_text_listing(context(), listings().at(index), options, sink); });
    }
    std::string json(const std::vector<Unattributed>& unattributed = {}) {
        return collect([&](const Sink& sink) { write_json_page(context(), listings(), unattributed, sink); });
    }

  private:
    void prepare() {
        if (opened_) return;
        constexpr std::string_view kernel = "800 T kernel_function\n900 T next\n";
        opened_.emplace(scene_.open(), folder_.write("kallsyms", std::as_bytes(std::span(kernel))));
        profile_.emplace(Profile::count(opened_->recording, opened_->timeline).value());
    }
    template <class Write>
    static std::string collect(Write write) {
        std::string text;
        write([&](std::string_view part) { text += part; });
        return text;
    }

    std::size_t events_;
    Scene scene_;
    TempDir folder_;
    std::optional<AnnotatedScene> opened_;
    std::optional<Profile> profile_;
};

}  // namespace perfdata::test
