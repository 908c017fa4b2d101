// SPDX-License-Identifier: MIT
// Samples get the name of the code at their address at their own time, wherever they are in the file.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "script/script.hpp"
#include "support/files.hpp"
#include "support/random.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

struct LatePages {
    std::string report, script;
};

SymbolizerOptions nothing_else() {
    SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.jit.as_recorded = false;
    return sources;
}

LatePages pages_of(const Recording& recording) {
    const auto timeline = Timeline::build(recording).value();
    const auto names = Symbolizer::open(recording, timeline, nothing_else());
    ReportOptions options;
    options.keys = {ReportKey::program, ReportKey::symbol};
    const auto counts = SampleCounts::count(recording, timeline, count_options(options, names)).value();
    const auto report = Report::make(recording, counts, names, options);
    LatePages pages;
    write_report_text(report, {false, true, true}, [&](std::string_view part) { pages.report += part; });
    ScriptOptions script;
    REQUIRE(script.fields.fit(recording, true));
    REQUIRE(write_script(recording, names, script, [&](std::string_view part) { pages.script += part; }));
    return pages;
}

// Telling is timed records that can enter a scene in any order.
class Telling {
  public:
    // Three programs alternate at one address; the samples are well inside each turn.
    explicit Telling(std::uint64_t turns) {
        constexpr std::uint64_t long_turn = 1000;
        for (std::uint64_t turn = 0; turn < turns; ++turn) {
            const auto number = turn % 3;
            const std::string name(1, static_cast<char>('a' + number));
            const test::Program program{static_cast<std::uint32_t>(turn + 1), number, {{0x1000, 0x100, name, number}}};
            const auto begin = 10 + turn * long_turn;
            parts_.push_back([=](Scene& scene) { scene.loaded(live(begin), program); });
            for (std::uint64_t at = 0; at <= number; ++at) {
                parts_.push_back([=](Scene& scene) { scene.sample(0x1010, begin + 100 + 10 * at); });
            }
            parts_.push_back([=](Scene& scene) { scene.sample(0x1010, begin + long_turn - 100); });  // no function
            parts_.push_back([=](Scene& scene) { scene.unloaded(live(begin + long_turn - 200), program); });
        }
    }

    void shuffle(Random& random) {
        for (auto left = parts_.size(); left > 1; --left) std::swap(parts_[left - 1], parts_[random.below(left)]);
    }
    // Ends a round after each part, so that late records are late by more than a round.
    void tell(Scene& scene) const {
        for (const auto& part : parts_) {
            part(scene);
            scene.add(bare_record(scene.order(), static_cast<std::uint32_t>(RecordType::finished_round), 0,
                                  RecordHeader::bytes));
        }
    }

  private:
    std::vector<std::function<void(Scene&)>> parts_;
};

// ListModel is the naive solution: it searches a list of all registrations for each sample.
class ListModel {
  public:
    struct Change {
        Time time;
        std::size_t sequence;
        AddressRange range;
        bool gone;
        std::string name;
    };
    struct Sampled {
        Time time;
        Address address;
    };

    void operator()(const RecordContext& context, const Ksymbol& symbol) {
        if (symbol.kind == static_cast<std::uint16_t>(Ksymbol::Kind::bpf)) {
            changes_.push_back({context.time,
                                changes_.size(),
                                {symbol.address, symbol.size},
                                symbol.unregister(),
                                std::string(symbol.name)});
        }
    }
    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        if (sample.mode() == CpuMode::kernel && sample.ip()) samples_.push_back({context.time, *sample.ip()});
    }

    std::map<std::string, std::uint64_t> hits() {
        std::ranges::sort(changes_, {}, [](const Change& change) { return std::pair(change.time, change.sequence); });
        std::map<std::string, std::uint64_t> hits;
        for (const auto& [time, address] : samples_) {
            std::map<std::uint64_t, const Change*> there;  // by begin
            for (const auto& change : changes_) {
                if (change.time > time) break;
                if (!change.name.starts_with("bpf_prog_")) continue;
                if (change.gone) {
                    there.erase(change.range.begin.value);
                } else {
                    there[change.range.begin.value] = &change;
                }
            }
            const auto above = there.upper_bound(address.value);
            if (above == there.begin()) continue;
            const auto& found = *std::prev(above)->second;
            if (found.range.contains(address)) ++hits[found.name];
        }
        return hits;
    }

  private:
    std::vector<Change> changes_;
    std::vector<Sampled> samples_;
};

}  // namespace

TEST_CASE("Samples that come rounds too late are named by their own time", "[annotate][report][script][late]") {
    Telling telling(30);
    Scene in_order;
    telling.tell(in_order);
    const auto recording = in_order.open();
    const auto want = pages_of(recording);
    for (const auto* row : {"30 c since", "29 b since", "28 a since"}) {
        INFO(row);
        CHECK(want.report.find(row) != std::string::npos);
    }
    const auto count = [&](std::string_view name) {
        std::size_t found = 0;
        for (auto at = want.script.find(name); at != std::string::npos; at = want.script.find(name, at + 1)) ++found;
        return found;
    };
    CHECK(count(symbol_of(tag_of(0), "a") + "+0x10 (") == 10);
    CHECK(count(symbol_of(tag_of(1), "b") + "+0x10 (") == 20);
    CHECK(count(symbol_of(tag_of(2), "c") + "+0x10 (") == 30);
    CHECK(count("[unknown]") >= 30);

    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        telling.shuffle(random);
        Scene shuffled;
        telling.tell(shuffled);
        const auto late = shuffled.open();
        const auto got = pages_of(late);
        CHECK(got.report == want.report);
        CHECK(got.script == want.script);
    }
}

TEST_CASE("A report names the samples of BPF programs as a naive list of registrations does",
          "[annotate][report][fixtures][late]") {
    std::size_t compared = 0;
    for (const auto& path : fixture_recordings()) {
        INFO(path);
        const auto recording = Recording::open(path).value();
        const auto timeline = Timeline::build(recording).value();
        ListModel model;
        Completeness seen;
        REQUIRE(walk(recording, seen, model));

        const auto names = Symbolizer::open(recording, timeline, nothing_else());
        ReportOptions options;
        options.keys = {ReportKey::program, ReportKey::symbol};
        options.code.kinds = {CodeClass::bpf};
        const auto counts = SampleCounts::count(recording, timeline, count_options(options, names)).value();
        const auto report = Report::make(recording, counts, names, options);
        std::map<std::string, std::uint64_t> got;
        for (const auto& row : report.rows) {
            const auto& symbol = report.places[row.place].symbol;
            if (symbol.starts_with("bpf_prog_")) got[std::string(symbol)] += hits(row.self);
        }
        const auto want = model.hits();
        CHECK(got == want);
        compared += want.size();
    }
    CHECK(compared > 40);
}
