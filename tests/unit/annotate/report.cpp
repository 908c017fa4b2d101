// SPDX-License-Identifier: MIT
#include "perfdata/annotate/report/report.hpp"

#include <map>

#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/recording/deferred_chains.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/samples.hpp"
#include "support/scene.hpp"
#include "unit/annotate/json_value.hpp"
#include "unit/annotate/reported.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("A row counts a chain once however often the chain passes it", "[annotate][report]") {
    Chains chains;
    chains.sample("ab").sample("abab").sample("aaa").sample("c");
    const auto recording = chains.open();
    const Reported reported(recording, by_symbol(true, ReportTree::none));
    CHECK(hits(reported.row(Chains::name('a')).total) == 3);
    CHECK(hits(reported.row(Chains::name('a')).self) == 1);
    CHECK(hits(reported.row(Chains::name('b')).total) == 2);
    CHECK(hits(reported.row(Chains::name('b')).self) == 2);
    CHECK(hits(reported.row(Chains::name('c')).total) == 1);
    CHECK(reported.report.rows.size() == 3);
    CHECK(reported.symbol(0) == Chains::name('a'));
}

TEST_CASE("Trees of callees and of callers hold each sample once", "[annotate][report]") {
    Chains chains;
    chains.sample("abc").sample("abc").sample("abd").sample("eb").sample("abab").sample("b");
    const auto recording = chains.open();
    const auto tree = [&](bool children, ReportTree kind, char function) {
        const Reported reported(recording, by_symbol(children, kind));
        return letters(reported.tree(reported.row(Chains::name(function)).tree));
    };
    // b's callees, and the callers of b itself.
    CHECK(tree(true, ReportTree::caller, 'b') == "b(4 c(2) d(1)) a(1 b(1 a(1 b(1)))) e(1 b(1))");
    CHECK(tree(true, ReportTree::caller, 'a') == "a(4 b(4 c(2) a(1 b(1)) d(1)))");
    CHECK(tree(true, ReportTree::callee, 'b') == "b(6 a(4 b(1 a(1))) e(1))");
    CHECK(tree(false, ReportTree::callee, 'b') == "b(3 a(1 b(1 a(1))) e(1))");
    CHECK(tree(false, ReportTree::caller, 'c') == "a(2 b(2 c(2)))");
}

TEST_CASE("Branches and rows below the limits are left out", "[annotate][report]") {
    Chains chains;
    for (int at = 0; at < 99; ++at) chains.sample("ab");
    chains.sample("ac");
    const auto recording = chains.open();
    auto options = by_symbol(true, ReportTree::caller);
    options.tree_limit = 2;
    options.percent_limit = 2;
    const Reported reported(recording, options);
    CHECK(letters(reported.tree(reported.row(Chains::name('a')).tree)) == "a(100 b(99))");
    CHECK(reported.report.rows.size() == 2);
    CHECK(reported.report.hidden_rows == 1);
    CHECK(reported.text().find("1 row below --percent-limit 2 left out") != std::string::npos);
}

TEST_CASE("Filters by symbol keep percentages of all samples, unless they are to be relative", "[annotate][report]") {
    Chains chains;
    chains.sample("ab").sample("ab").sample("ac").sample("d");
    const auto recording = chains.open();
    auto options = by_symbol(false, ReportTree::none);
    options.code.symbols = {Chains::name('b')};
    const Reported absolute(recording, options);
    REQUIRE(absolute.report.rows.size() == 1);
    CHECK(absolute.report.whole == EventCounts{{4, 4}});
    options.relative = true;
    const Reported relative(recording, options);
    CHECK(relative.report.whole == EventCounts{{2, 2}});
    options.code.symbols.clear();
    options.code.kinds = {CodeClass::user};
    CHECK(Reported(recording, options).report.rows.empty());
}

TEST_CASE("Programs that load in turns at one address get their own samples", "[annotate][report][fixtures]") {
    const FixtureTimeline real("bpf_turns");
    ReportOptions options;
    options.keys = {ReportKey::program, ReportKey::symbol};
    options.code.kinds = {CodeClass::bpf};
    const Reported reported(real.recording, options);
    std::map<std::pair<std::uint64_t, std::string>, std::uint64_t> expected, got;
    for (const auto& row : table("expect/bpf_turns.hits.tsv")) expected[{number(row[0]), row[3]}] += number(row[4]);
    std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
    for (const auto& row : reported.report.rows) {
        const auto& place = reported.report.places[row.place];
        if (place.loads.empty()) continue;
        REQUIRE(place.loads.size() == 1);
        const auto name = parse_bpf_symbol(place.symbol);
        REQUIRE(name);
        got[{reported.timeline.loads()[place.loads.front()].id.value, std::string(name->name)}] += hits(row.self);
    }
    CHECK(got == expected);
    CHECK(got.size() > 4);
}

TEST_CASE("Objects without a build id are counted, apart from those that only call", "[annotate][report]") {
    const auto attr = sampling_attr(Scene::sample_type | sample_bit::callchain);
    Scene scene(std::endian::little, {attr});
    constexpr std::uint32_t pid = 42;
    const auto map = [&](std::uint64_t address, std::string_view path, bool proven) {
        Mmap2 mapping;
        mapping.pid = {pid};
        mapping.tid = {pid};
        mapping.range = {{address}, 0x1000};
        mapping.filename = path;
        mapping.protection = 5;
        if (proven) mapping.build_id = BuildId{{std::byte{1}}, 20};
        if (!proven) mapping.inode = Mmap2::Inode{0, 0, 1, 0};
        scene.add(encode(mapping, scene.frame({})));
    };
    map(0x10000, "/nowhere/sampled", false);
    map(0x20000, "/nowhere/caller", false);
    map(0x30000, "/nowhere/proven", true);
    std::uint64_t time = 100;
    const auto add = [&](const std::vector<std::uint64_t>& chain) {
        SampleContent content;
        content.fixed.identifier = Scene::first_id;
        content.fixed.pid = content.fixed.tid = pid;
        content.fixed.time = ++time;
        content.fixed.period = 1;
        content.fixed.ip = chain.front();
        content.callchain = {static_cast<std::uint64_t>(ChainContext::user)};
        content.callchain.insert(content.callchain.end(), chain.begin(), chain.end());
        scene.add(encode(std::endian::little, attr, content, 2));
    };
    add({0x10010, 0x20010});           // sampled, called by caller
    add({0x10020, 0x10010, 0x30010});  // called by itself and by an object with a build id
    add({0x30020, 0x10010, 0x20020});  // has a build id, called by both
    add({0x30030});
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    const auto names = Symbolizer::open(recording, timeline, {});
    const auto options = by_symbol(true, ReportTree::caller);
    const auto counts = SampleCounts::count(recording, timeline, count_options(options, names)).value();
    const auto without = WithoutBuildId::count(counts, names);
    CHECK(without.sampled.samples == 2);
    CHECK(without.sampled.objects == 1);
    CHECK(without.sampled.names == std::vector<std::string>{"sampled"});
    CHECK(without.callers.samples == 2);
    CHECK(without.callers.objects == 1);
    CHECK(without.callers.names == std::vector<std::string>{"caller"});
    CHECK(without.has_some);
    CHECK_FALSE(without.local);  // no such files exist
    CHECK(without.sampled_text() ==
          "1 object (50.00% of samples) has no build id here, so no function names: give the recording machine's files "
          "with --symfs");
    // By frame number: exclude the object without a build id that has samples.
    std::vector<std::uint8_t> unwanted;
    for (const auto& frame : counts.frames())
        unwanted.push_back(names.name(frame).object == "/nowhere/sampled" ? 1 : 0);
    const auto proven = WithoutBuildId::count(counts, names, unwanted, 8);
    CHECK(proven.sampled.samples == 0);
    CHECK(proven.callers.samples == 1);
    CHECK(proven.all == 8);
    CHECK(WithoutBuildId::count(counts, names, unwanted).all == 2);
    CHECK(without.callers_text() ==
          "callers of 2 samples have no names, as the recording has no build ids of their objects (caller): give the "
          "recording machine's files with --symfs; `perf record --buildid-all` notes them");
}

TEST_CASE("A kernel without a build id is told above the table, with what proves its names", "[annotate][report]") {
    Scene scene;
    scene.sample(0xffffffff81000010, 5, CpuMode::kernel).sample(0xffffffff81000020, 6, CpuMode::kernel);
    scene.sample(0x10, 7, CpuMode::user);
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    ReportOptions options;
    const auto report_with = [&](const SymbolizerOptions& sources) {
        const auto names = Symbolizer::open(recording, timeline, sources);
        const auto counts = SampleCounts::count(recording, timeline, count_options(options, names)).value();
        return Report::make(recording, counts, names, options);
    };
    const auto unproven = report_with({});
    CHECK(unproven.without_build_id.kernel == 2);
    CHECK(unproven.without_build_id.sampled.objects == 0);
    CHECK(unproven.without_build_id.sampled_text() ==
          "the kernel (66.67% of samples) has no build id here, so no function names: add --allow-local if this "
          "machine made the recording");
    REQUIRE(!unproven.no_symbol.empty());
    CHECK(unproven.no_symbol[0].remedy.starts_with("add --allow-local if this machine made the recording"));
    // Neither helps where files of this machine are not looked at.
    SymbolizerOptions offline;
    offline.finder.offline = true;
    const auto without = report_with(offline);
    CHECK(without.without_build_id.kernel == 0);
    CHECK(without.without_build_id.sampled_text().empty());
    CHECK(without.no_symbol[0].remedy.starts_with("give --kallsyms"));
    std::string json;
    write_report_json(unproven, [&](std::string_view part) { json += part; });
    const auto page = Json::parsed(json);
    REQUIRE(page);
    CHECK((*page)["without_build_id"]["kernel"].number() == 2);
}

TEST_CASE("A report counts what its filters keep, and what each of them drops", "[annotate][report]") {
    Chains chains;
    chains.sample("ab").sample("ab").sample("ac").sample("d");
    const auto recording = chains.open();
    auto options = by_symbol(false, ReportTree::none);
    CHECK(Reported(recording, options).report.dropped.empty());
    options.code.symbols = {Chains::name('b')};
    options.code.kinds = {CodeClass::bpf};
    const Reported by_name(recording, options);
    CHECK(by_name.report.kept == EventCounts{{2, 2}});
    REQUIRE(by_name.report.dropped.size() == 1);
    CHECK(by_name.report.dropped[0].part == FilterPart::symbol);
    CHECK(by_name.report.dropped[0].samples == 2);
    CHECK(by_name.text().find("# Samples: 2 of event") != std::string::npos);
    CHECK(by_name.text().find("# Filters keep 2 of 4 samples: --symbols drops 2; percentages are of 4\n") !=
          std::string::npos);
    options.code.kinds = {CodeClass::user};
    const Reported by_kind(recording, options);
    REQUIRE(by_kind.report.dropped.size() == 1);
    CHECK(by_kind.report.dropped[0].part == FilterPart::kind);
    CHECK(by_kind.report.dropped[0].samples == 4);
    CHECK(by_kind.report.kept == EventCounts{{0, 0}});

    // Callers have rows although the filter drops their samples.
    auto with_callers = by_symbol(true, ReportTree::none);
    with_callers.code.symbols = {Chains::name('a')};
    constexpr auto note = "# Rows have the samples of what they called as well, which these filters drop\n";
    CHECK(Reported(recording, with_callers).text().find(note) != std::string::npos);
    CHECK(by_name.text().find(note) == std::string::npos);
}

TEST_CASE("Of four events and more each has a table of its own", "[annotate][report]") {
    for (const std::size_t events : {3u, 5u}) {
        Scene scene(std::endian::little, events);
        test::Program program{1, 1, {{0x1000, 0x100, "a", 0}, {0x1100, 0x100, "b", 1}}};
        scene.known(program);
        std::uint64_t time = 100;
        // Event n has n + 1 samples in a; the last one also has some in b.
        for (std::uint32_t event = 0; event < events; ++event) {
            for (std::uint32_t count = 0; count <= event; ++count) {
                scene.sample(0x1004, ++time, CpuMode::kernel, event);
            }
        }
        for (int count = 0; count < 9; ++count) {
            scene.sample(0x1104, ++time, CpuMode::kernel, static_cast<std::uint32_t>(events - 1));
        }
        const auto recording = scene.open();
        const Reported reported(recording, by_symbol(false, ReportTree::none));
        const auto text = letters(reported.text());
        const auto count = [&](std::string_view part) {
            std::size_t found = 0;
            for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
            return found;
        };
        INFO(text);
        CHECK(count("# Samples: ") == events);
        CHECK(count("Overhead") == (events == 3 ? 3 : 5));
        CHECK(count("  Symbol\n") == (events == 3 ? 1 : 5));
        // A row appears only in tables of events with samples in it; most first.
        CHECK(count("[k] a\n") == (events == 3 ? 1 : 5));
        CHECK(count("[k] b\n") == 1);
        CHECK((text.rfind("[k] b\n") < text.rfind("[k] a\n")) == (events == 5));
        CHECK(text.find("# Samples: 2 of event") < text.find("# Samples: 3 of event"));
    }
}

TEST_CASE("Of four events and more each has the order of its own branches", "[annotate][report]") {
    Chains chains(4);
    for (std::uint64_t event = 0; event < 3; ++event) {
        chains.sample("abd", event).sample("abd", event).sample("abd", event).sample("acd", event);
    }
    chains.sample("ace", 3).sample("ace", 3).sample("ace", 3).sample("abd", 3);
    const auto recording = chains.open();
    auto options = by_symbol(true, ReportTree::caller);
    options.tree_limit = 0;
    const auto text = letters(Reported(recording, options).text());
    INFO(text);
    const auto last = text.rfind("# Samples: ");
    REQUIRE(last != std::string::npos);
    const auto first_tree = text.substr(text.find("|--"), 400);
    CHECK(first_tree.find("75.00%--b") < first_tree.find("25.00%--c"));
    const auto last_tree = text.substr(text.find("|--", last), 400);
    CHECK(last_tree.find("75.00%--c") < last_tree.find("25.00%--b"));
    // In that event e has all samples of c, and d has none.
    CHECK(last_tree.find("75.00%--c\n") < last_tree.find(" e\n"));
    CHECK(last_tree.find("--e\n") == std::string::npos);
}

TEST_CASE("Of four events and more each says how many of its rows are left out", "[annotate][report]") {
    Scene scene(std::endian::little, 4);
    scene.known({1, 1, {{0x1000, 0x100, "a", 0}, {0x1100, 0x100, "b", 1}, {0x1200, 0x100, "c", 2}}});
    std::uint64_t time = 100;
    const auto add = [&](std::uint64_t address, std::uint32_t event, int count) {
        for (; count != 0; --count) scene.sample(address, ++time, CpuMode::kernel, event);
    };
    for (std::uint32_t event = 0; event < 4; ++event) add(0x1004, event, 6);
    add(0x1104, 0, 10);  // so a is below the limit in event 0 only
    add(0x1204, 0, 1);
    add(0x1204, 2, 1);  // c is below the limit everywhere
    const auto recording = scene.open();
    auto options = by_symbol(false, ReportTree::none);
    options.percent_limit = 50;
    const Reported reported(recording, options);
    const auto text = reported.text();
    INFO(text);
    CHECK(reported.report.hidden_rows == 1);
    CHECK(reported.report.hidden_by_event == std::vector<std::uint64_t>{1, 0, 1, 0});
    std::vector<std::string> said;
    for (auto at = text.find("# Samples: "); at != std::string::npos;) {
        const auto next = text.find("# Samples: ", at + 1);
        const auto table = text.substr(at, next - at);
        const auto line = table.find(" below --percent-limit");
        said.push_back(
            line == std::string::npos ? "" : table.substr(table.rfind("# ", line), line - table.rfind("# ", line)));
        at = next;
    }
    CHECK(said == std::vector<std::string>{"# 2 rows", "", "# 1 row", ""});
}

TEST_CASE("The JSON report has what its rows are sorted by, and sums to the whole", "[annotate][report][fixtures]") {
    const FixtureTimeline real("bpf_many");
    const Reported reported(real.recording, {});
    const auto parsed = Json::parsed(reported.json());
    REQUIRE(parsed);
    const auto& page = *parsed;
    CHECK(page["schema"].text() == "perfdata.report/1");
    std::uint64_t sum = 0;
    bool function = false;
    for (std::size_t at = 0; at < page["rows"].size(); ++at) {
        const auto& row = page["rows"][at];
        sum += row["hits"][0].number();
        if (row.has("function") && row["function"].text() == "many_main") {
            function = true;
            CHECK(row["symbol"].text() == "bpf_prog_e2e5efe9ac340b8d_many_main");
            CHECK(row["kind"].text() == "bpf");
            CHECK(row["programs"].size() == 1);
        }
    }
    CHECK(function);
    CHECK(sum == hits(reported.report.whole));
}

TEST_CASE("A report says how many samples lost their callers to a limit", "[annotate][report][fixtures]") {
    Limits limits;
    limits.chain_nodes = 100;
    const auto recording = Recording::open(PERFDATA_FIXTURES "/bpf/bpf_events.data", {limits}).value();
    ReportOptions options;
    options.children = true;
    const Reported reported(recording, options);
    const auto cut = reported.counts.chain_losses().cut;
    REQUIRE(cut > 0);
    CHECK(reported.text().find("# " + std::to_string(cut) + " samples lost their callers") != std::string::npos);
    CHECK(reported.json().find("\"cut_chains\": " + std::to_string(cut)) != std::string::npos);
    const auto whole = Recording::open(PERFDATA_FIXTURES "/bpf/bpf_events.data").value();
    const Reported all(whole, options);
    CHECK(all.counts.totals() == reported.counts.totals());
    CHECK(all.text().find("lost their callers") == std::string::npos);
    CHECK(all.json().find("cut_chains") == std::string::npos);
}

TEST_CASE("A report says how many call chains have more frames than it counts", "[annotate][report][fixtures]") {
    const auto recording = Recording::open(PERFDATA_FIXTURES "/bpf/bpf_events.data").value();
    const std::size_t most = 3;
    std::uint64_t deeper = 0;
    const auto count = [&](const RecordContext&, const auto& sample) {
        if constexpr (requires { sample.callchain(); }) {
            std::size_t frames = 0;
            for_each_frame(sample, DeferredChains(), [&](Address, CpuMode) { ++frames; });
            if (frames > most) ++deeper;
        }
    };
    Completeness completeness;
    REQUIRE(walk(recording, completeness, count));
    REQUIRE(deeper > 100);

    ReportOptions options;
    options.children = true;
    const Reported cut(recording, options, most);
    CHECK(cut.counts.chain_losses().deep == deeper);
    CHECK(cut.text().find("# " + std::to_string(deeper) + " call chains have more than 3 frames") != std::string::npos);
    const auto page = Json::parsed(cut.json());
    REQUIRE(page);
    CHECK((*page)["deep_chains"].number() == deeper);
    const Reported whole(recording, options);
    CHECK(whole.counts.chain_losses().deep == 0);
    CHECK(whole.text().find("frames") == std::string::npos);
    CHECK(whole.json().find("deep_chains") == std::string::npos);
}

TEST_CASE("Values that have no room share a row that says so", "[annotate][report]") {
    Scene scene;
    for (std::uint32_t number = 0; number < 100; ++number) scene.sample(0x1000, 10 + number);
    OpenOptions open;
    open.limits.cells = 1;  // 64 rows are always kept
    const auto recording = scene.open(open);
    std::vector<std::string> texts(1);
    auto options = by_symbol(false, ReportTree::none);
    options.keys = {ReportKey::trace};
    options.label = [&](std::uint32_t, std::optional<Bytes>, const Moment&) {
        texts.push_back("value " + std::to_string(texts.size()));
        return static_cast<std::uint32_t>(texts.size() - 1);
    };
    // Asked for no number that it did not give.
    options.label_text = [&](std::uint32_t number) { return std::string_view(texts.at(number)); };
    const Reported reported(recording, options);
    const auto text = reported.text();
    CHECK(text.find("value 7") != std::string::npos);
    CHECK(text.find("[further values]") != std::string::npos);
    std::uint64_t samples = 0;
    for (const auto& row : reported.report.rows) samples += hits(row.self);
    CHECK(samples == 100);
}
