// SPDX-License-Identifier: MIT
// Reports of recordings made here, in few words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/annotate/report/report.hpp"

#include "catch.hpp"
#include "support/samples.hpp"
#include "support/scene.hpp"
#include "unit/symbols/expected.hpp"

namespace perfdata::test {

// Reported is a report with names from the recording alone.
struct Reported {
    Reported(const Recording& recording_, ReportOptions options_, std::uint32_t max_stack = 127)
        : recording(recording_),
          timeline(Timeline::build(recording).value()),
          names(Symbolizer::open(recording, timeline, offline())),
          options(std::move(options_)),
          counts(SampleCounts::count(recording, timeline, counting(options, names, max_stack)).value()),
          report(Report::make(recording, counts, names, options)) {}

    static SampleCountOptions counting(const ReportOptions& options, const Symbolizer& names, std::uint32_t max_stack) {
        auto counting = count_options(options, names);
        counting.max_stack = max_stack;
        return counting;
    }
    static SymbolizerOptions offline() {
        SymbolizerOptions sources;
        sources.finder.offline = true;
        sources.jit.as_recorded = false;
        return sources;
    }
    std::string symbol(std::size_t row) const { return report.places[report.rows.at(row).place].text(); }
    const ReportRow& row(std::string_view symbol) const {
        for (const auto& row : report.rows) {
            if (report.places[row.place].text() == symbol) return row;
        }
        FAIL("no row " << symbol);
        return report.rows.front();
    }
    // tree(nodes) returns "a(3 b(2) c(1))".
    std::string tree(const std::vector<ReportNode>& nodes) const {
        std::string text;
        for (const auto& node : nodes) {
            text += (text.empty() ? "" : " ") + report.tree_places[node.place].text() + "(" +
                    std::to_string(node.cells[0].hits) + (node.below.empty() ? "" : " " + tree(node.below)) + ")";
        }
        return text;
    }
    std::string text() const {
        std::string out;
        write_report_text(report, {false, true, true}, [&](std::string_view part) { out += part; });
        return out;
    }
    std::string json() const {
        std::string out;
        write_report_json(report, [&](std::string_view part) { out += part; });
        return out;
    }

    const Recording& recording;
    Timeline timeline;
    Symbolizer names;
    ReportOptions options;
    SampleCounts counts;
    Report report;
};

// Functions a to e of one program, with call chains.
class Chains {
  public:
    explicit Chains(std::size_t events = 1)
        : attr_(sampling_attr(Scene::sample_type | sample_bit::callchain)),
          scene_(std::endian::little, std::vector<Attr>(events, attr_)) {
        test::Program program{1, 1, {}};
        for (std::uint64_t at = 0; at < 5; ++at) {
            program.functions.push_back({0x1000 + 0x100 * at, 0x100, std::string(1, static_cast<char>('a' + at)), at});
        }
        scene_.known(program);
    }
    // sample("abc"): in c, called by b, called by a. An upper case letter is another address of the function.
    Chains& sample(std::string_view path, std::uint64_t event = 0, std::uint64_t period = 1, std::uint32_t thread = 0) {
        SampleContent content;
        content.fixed.pid = content.fixed.tid = thread;
        content.fixed.identifier = Scene::first_id + event;
        content.fixed.time = ++time_;
        content.fixed.period = period;
        content.callchain = {static_cast<std::uint64_t>(ChainContext::kernel)};
        for (auto at = path.size(); at-- != 0;) {
            const bool other = path[at] < 'a';
            const auto function = static_cast<std::uint64_t>(path[at] - (other ? 'A' : 'a'));
            content.callchain.push_back(0x1000 + 0x100 * function + (other ? 8 : 4));
        }
        content.fixed.ip = content.callchain[1];
        scene_.add(encode(std::endian::little, attr_, content, 1));
        return *this;
    }
    Recording open() { return scene_.open(); }
    static std::string name(char function) {
        return symbol_of(tag_of(static_cast<std::uint64_t>(function - 'a')), std::string(1, function));
    }

  private:
    Attr attr_;
    Scene scene_;
    std::uint64_t time_ = 100;
};

inline ReportOptions by_symbol(bool children, ReportTree tree) {
    ReportOptions options;
    options.keys = {ReportKey::symbol};
    options.children = children;
    options.tree = tree;
    return options;
}

// letters(text) replaces the kernel's names by the letters of Chains.
inline std::string letters(std::string text) {
    for (const char function : {'a', 'b', 'c', 'd', 'e'}) {
        const auto name = Chains::name(function);
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
            text.replace(at, name.size(), 1, function);
        }
    }
    return text;
}

}  // namespace perfdata::test
