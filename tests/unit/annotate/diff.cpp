// SPDX-License-Identifier: MIT
#include "perfdata/annotate/diff/diff.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "support/random.hpp"
#include "unit/annotate/compared.hpp"
#include "unit/annotate/json_value.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// noisy_run(random) is a run of a program of 30 functions: its samples are spread as those of any other.
DiffCounts noisy_run(Random& random, std::uint64_t slow = 10) {
    Hits hits;
    for (std::uint64_t at = 0; at < 30; ++at) {
        const auto usual = 50 * (at + 1);
        const auto count = usual + random.below(usual / 5 + 1);
        hits.emplace_back("f" + std::to_string(at), at == 20 ? count * slow / 10 : count);
    }
    return side(hits);
}

}  // namespace

TEST_CASE("A recording does not differ from itself", "[annotate][diff]") {
    const auto one = side({{"f", 10}, {"g", 90}, {"", 3}});
    for (const auto normalize :
         {DiffNormalize::periods, DiffNormalize::samples, DiffNormalize::time, DiffNormalize::none}) {
        DiffOptions options;
        options.normalize = normalize;
        const auto diff = compare(one, one, options);
        CHECK(diff.rows.size() == 3);
        for (const auto& row : diff.rows) {
            CHECK(row.delta == 0);
            CHECK(row.ratio == 1);
            CHECK(row.wdiff == 0);
            CHECK(row.p == 1);
            CHECK(row.noise == DiffNoise::within);
            CHECK(row.change == DiffChange::both);
        }
        CHECK(diff.notes.empty());
    }
}

TEST_CASE("What changed most comes first, with what is beyond noise before all else", "[annotate][diff]") {
    const auto old_side =
        side({{"big", 40'000}, {"slow", 1'000}, {"removed", 500}, {"steady_a", 30'000}, {"steady_b", 28'500}});
    const auto new_side =
        side({{"big", 40'100}, {"slow", 2'000}, {"added", 400}, {"steady_a", 29'500}, {"steady_b", 28'000}});
    const auto diff = compare(old_side, new_side);
    CHECK(name_at(diff, 0) == "slow");
    CHECK(row(diff, "slow").noise == DiffNoise::changed);
    CHECK(row(diff, "slow").delta > 0.9);
    CHECK(row(diff, "removed").change == DiffChange::removed);
    CHECK(row(diff, "removed").new_share == 0);
    CHECK(row(diff, "removed").ratio == 0);
    CHECK(row(diff, "added").change == DiffChange::added);
    CHECK_FALSE(row(diff, "added").ratio);
    CHECK(row(diff, "big").noise == DiffNoise::within);
    CHECK(name_at(diff, diff.rows.size() - 1) == "big");
}

TEST_CASE("Rows are in the order of what is computed", "[annotate][diff]") {
    const auto old_side = side({{"a", 3000}, {"b", 100}, {"c", 6000}, {"d", 900}});
    const auto new_side = side({{"a", 4000}, {"b", 400}, {"c", 4500}, {"e", 1100}});
    const auto order = [&](DiffCompute compute, double old_weight = 1, double new_weight = 1) {
        DiffOptions options;
        options.compute = compute;
        options.old_weight = old_weight;
        options.new_weight = new_weight;
        const auto diff = compare(old_side, new_side, options);
        std::string names;
        for (std::size_t at = 0; at < diff.rows.size(); ++at) names += name_at(diff, at);
        return names;
    };
    CHECK(order(DiffCompute::delta_abs) == "ceadb");
    CHECK(order(DiffCompute::delta) == "eabdc");
    CHECK(order(DiffCompute::ratio) == "ebacd");
    // 2 x new - old: a 50, e 22, c 30, d -9, b 7.
    CHECK(order(DiffCompute::wdiff, 1, 2) == "acedb");
    DiffOptions weighted;
    weighted.compute = DiffCompute::wdiff;
    weighted.new_weight = 2;
    CHECK(row(compare(old_side, new_side, weighted), "a").wdiff == 50);
}

TEST_CASE("Shares are of what normalises", "[annotate][diff]") {
    auto old_side = side({{"f", 100}, {"g", 300}}), new_side = side({{"f", 400}, {"g", 400}});
    new_side.seconds = 2;
    old_side.functions[0].cells[0].count.periods = 200;  // f: 2 a sample
    old_side.events[0].whole.periods = 500;
    // 10 and 40 requests.
    old_side.events.push_back({"requests", "requests", {10, 10}, {10, 10}});
    new_side.events.push_back({"requests", "requests", {40, 40}, {40, 40}});
    const auto f = [&](DiffNormalize normalize) {
        DiffOptions options;
        options.normalize = normalize;
        options.per_event = "requests";
        return row(compare(old_side, new_side, options), "f");
    };
    CHECK(f(DiffNormalize::periods).old_share == 40);
    CHECK(f(DiffNormalize::periods).new_share == 50);
    CHECK(f(DiffNormalize::samples).old_share == 25);
    CHECK(f(DiffNormalize::samples).new_share == 50);
    // 400 a second are 100 %: 100 and 200 of them.
    CHECK(f(DiffNormalize::time).old_share == 25);
    CHECK(f(DiffNormalize::time).new_share == 50);
    // 50 periods a request are 100 %: 20 and 10 of them.
    CHECK(f(DiffNormalize::event).old_share == 40);
    CHECK(f(DiffNormalize::event).new_share == 20);
    // 500 periods are 100 %.
    CHECK(f(DiffNormalize::none).old_share == 40);
    CHECK(f(DiffNormalize::none).new_share == 80);
    CHECK(f(DiffNormalize::none).ratio == 2);
}

TEST_CASE("What cannot be normalised is an error", "[annotate][diff]") {
    const auto one = side({{"f", 10}});
    auto timeless = one;
    timeless.seconds = 0;
    DiffOptions options;
    options.normalize = DiffNormalize::time;
    const auto no_time = Diff::make({&one, 1}, {&timeless, 1}, options);
    REQUIRE_FALSE(no_time);
    CHECK(no_time.error().message().find("does not say how long was recorded") != std::string::npos);
    options.normalize = DiffNormalize::event;
    options.per_event = "requests";
    const auto no_event = Diff::make({&one, 1}, {&one, 1}, options);
    REQUIRE_FALSE(no_event);
    CHECK(no_event.error().message().find("has no event requests") != std::string::npos);
    const auto other = side({{"f", 10}}, "page-faults");
    const auto nothing = Diff::make({&one, 1}, {&other, 1});
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().code == ErrorCode::missing);
    CHECK(nothing.error().message().find("cycles") != std::string::npos);
    CHECK(nothing.error().message().find("page-faults") != std::string::npos);
}

TEST_CASE("Events are paired by name, then without modifiers; others are told", "[annotate][diff]") {
    auto old_side = side({{"f", 10}}, "cycles:u");
    old_side.events.push_back({"faults", "faults", {5, 5}, {5, 5}});
    auto new_side = side({{"f", 10}}, "cycles:ppp");
    new_side.events.insert(new_side.events.begin(), {"misses", "misses", {7, 7}, {7, 7}});
    new_side.functions[0].cells[0].event = 1;
    const auto diff = compare(old_side, new_side);
    REQUIRE(diff.events.size() == 1);
    CHECK(diff.events[0].name == "cycles:u");
    CHECK(row(diff, "f").delta == 0);
    REQUIRE(diff.notes.size() == 2);
    CHECK(diff.notes[0].find("event faults is in recording only") != std::string::npos);
    CHECK(diff.notes[1].find("event misses is in recording only") != std::string::npos);
    // Which of two is meant is not known.
    new_side.events.push_back({"cycles:k", "cycles", {1, 1}, {1, 1}});
    CHECK_FALSE(Diff::make({&old_side, 1}, {&new_side, 1}));
}

TEST_CASE("An event that one side has no samples of is compared, and told", "[annotate][diff]") {
    const auto old_side = side({{"f", 10}}), new_side = side({});
    const auto diff = compare(old_side, new_side);
    CHECK(row(diff, "f").old_share == 100);
    CHECK(row(diff, "f").new_share == 0);
    CHECK(row(diff, "f").delta == -100);
    CHECK(row(diff, "f").noise == DiffNoise::within);  // 0 of 0 says nothing
    REQUIRE(diff.notes.size() == 1);
    CHECK(diff.notes[0] == "recording has no samples of event cycles");
    const auto nothing = compare(new_side, new_side);
    CHECK(nothing.rows.empty());
    CHECK(nothing.testing.test == DiffTest::none);
    CHECK(text_of_diff(nothing).find("no samples to compare") != std::string::npos);
    DiffOptions options;
    options.normalize = DiffNormalize::none;
    CHECK(row(compare(new_side, old_side, options), "f").new_share == 100);
}

TEST_CASE("Sums beyond 64 bits stay numbers", "[annotate][diff]") {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    auto huge = side({{"f", 10}, {"g", 10}});
    huge.functions[0].cells[0].count = {most, most};
    huge.events[0].whole = {most, most};
    const auto diff = compare(huge, huge);
    for (const auto& row : diff.rows) {
        CHECK(std::isfinite(row.old_share));
        CHECK(row.delta == 0);
    }
    CHECK(Json::parsed(json_of_diff(diff)).value().has("rows"));
}

TEST_CASE("Functions of one name in two objects are two", "[annotate][diff]") {
    auto old_side = side({{"f", 10}}), new_side = side({{"f", 10}});
    new_side.functions[0].object = "other";
    const auto diff = compare(old_side, new_side);
    REQUIRE(diff.pairs.size() == 2);
    CHECK(diff.rows.size() == 2);
    CHECK(diff.pairs[0].object == "app");
    CHECK(diff.pairs[1].object == "other");
}

TEST_CASE("Versions of code are told apart", "[annotate][diff]") {
    const auto code = [](CodeClass kind, std::vector<DiffVersion> of_old, std::vector<DiffVersion> of_new) {
        auto old_side = side({{"f", 10}}), new_side = old_side;
        old_side.functions[0].kind = new_side.functions[0].kind = kind;
        old_side.functions[0].versions = std::move(of_old);
        new_side.functions[0].versions = std::move(of_new);
        return compare(old_side, new_side);
    };
    CHECK(code(CodeClass::bpf, {{"aa", 10}}, {{"aa", 10}}).pairs[0].code == DiffCode::same);
    CHECK(code(CodeClass::bpf, {{"aa", 10}}, {{"bb", 10}}).pairs[0].code == DiffCode::changed);
    CHECK(code(CodeClass::bpf, {{"aa", 10}}, {{"aa", 5}, {"bb", 5}}).pairs[0].code == DiffCode::changed);
    CHECK(code(CodeClass::bpf, {{"", 10}}, {{"bb", 10}}).pairs[0].code == DiffCode::unknown);
    const auto rebuilt = code(CodeClass::user, {{"aa", 10}}, {{"bb", 10}});
    CHECK(rebuilt.pairs[0].code == DiffCode::rebuilt);
    CHECK(rebuilt.rebuilt == std::vector<std::string>{"app"});
    CHECK(rebuilt.pairs[0].old_versions == std::vector<DiffVersion>{{"aa", 10}});
    CHECK(text_of_diff(rebuilt).find("built anew between the sides, by their build ids: app") != std::string::npos);
    CHECK(rebuilt.reloaded.empty());
    const auto reloaded = code(CodeClass::bpf, {{"aa", 10}}, {{"bb", 10}});
    CHECK(reloaded.reloaded == std::vector<std::string>{"f"});
    CHECK(reloaded.rebuilt.empty());
    const auto text = text_of_diff(reloaded);
    CHECK(text.find("f  (other code)") != std::string::npos);
    CHECK(text.find("# Note: other code of BPF functions, by their tags: f\n") != std::string::npos);
}

TEST_CASE("Of changes of one size another body comes first, then what grew", "[annotate][diff]") {
    // Shares that are not exact in binary: their differences are equal but for rounding.
    const auto old_side = side({{"a_shrank", 20}, {"b_grew", 10}, {"c_steady", 67}});
    const auto new_side = side({{"a_shrank", 10}, {"b_grew", 20}, {"c_steady", 67}});
    const auto diff = compare(old_side, new_side);
    CHECK(name_at(diff, 0) == "b_grew");
    CHECK(name_at(diff, 1) == "a_shrank");

    auto before = side({{"big", 90}, {"small", 10}}), after = before;
    for (auto* one : {&before, &after}) one->functions[1].kind = CodeClass::bpf;
    before.functions[1].versions = {{"aa", 10}};
    after.functions[1].versions = {{"bb", 10}};
    REQUIRE(before.functions[1].name == "small");
    CHECK(name_at(compare(before, after), 0) == "small");
    CHECK(name_at(compare(before, before), 0) == "big");
}

TEST_CASE("Other machines are told, and no reason to refuse", "[annotate][diff]") {
    auto old_side = side({{"f", 10}}), new_side = old_side;
    old_side.recording.arch = "x86_64";
    new_side.recording.arch = "aarch64";
    old_side.recording.os_release = "6.1";
    const auto diff = compare(old_side, new_side);
    REQUIRE(diff.notes.size() == 1);
    CHECK(diff.notes[0] == "the sides are of different architectures: x86_64 and aarch64");
}

TEST_CASE("Several recordings a side are tested by permutation", "[annotate][diff]") {
    Random random(3);
    std::vector<DiffCounts> old_side, new_side;
    for (int at = 0; at < 5; ++at) {
        old_side.push_back(noisy_run(random));
        new_side.push_back(noisy_run(random, 20));
    }
    const auto diff = compare(old_side, new_side);
    CHECK(diff.testing.test == DiffTest::permutation);
    CHECK(diff.testing.splits == 252);
    CHECK(diff.testing.tried == 252);
    CHECK(diff.testing.tested == 30);
    CHECK(diff.testing.can_tell);
    CHECK(name_at(diff, 0) == "f20");
    CHECK(diff.rows[0].noise == DiffNoise::changed);
    CHECK(diff.rows[0].old_shares.size() == 5);
    // Shares of one recording are parts of its own.
    CHECK(std::fabs(diff.rows[0].old_share - 100.0 * 21 / 465) < 0.5);
}

TEST_CASE("Too few recordings to tell are told", "[annotate][diff]") {
    Random random(3);
    std::vector<DiffCounts> old_side, new_side;
    for (int at = 0; at < 3; ++at) {
        old_side.push_back(noisy_run(random));
        new_side.push_back(noisy_run(random, 40));
    }
    const auto diff = compare(old_side, new_side);
    CHECK_FALSE(diff.testing.can_tell);
    CHECK(std::fabs(diff.testing.smallest_p - 0.1) < 1e-9);
    CHECK(diff.testing.needed == 4);
    for (const auto& row : diff.rows) {
        CHECK(row.noise == DiffNoise::too_few);
        CHECK_FALSE(row.p);
    }
    CHECK(text_of_diff(diff).find("the smallest p of 20 splits is 0.1, and not 0.05; 4 on each side suffice") !=
          std::string::npos);
    const auto json = Json::parsed(json_of_diff(diff)).value();
    CHECK_FALSE(json["test"]["can_tell"].truth());
    CHECK(json["test"]["needed"].number() == 4);
}

TEST_CASE("Of families of ten equal runs few have a mark", "[annotate][diff]") {
    Random random(11);
    int alarms = 0;
    constexpr int families = 200;
    for (int family = 0; family < families; ++family) {
        std::vector<DiffCounts> old_side, new_side;
        for (int at = 0; at < 5; ++at) {
            old_side.push_back(noisy_run(random));
            new_side.push_back(noisy_run(random));
        }
        const auto diff = compare(old_side, new_side);
        alarms += diff.rows[0].noise == DiffNoise::changed ? 1 : 0;
    }
    // 10 are expected; more than 20 have a chance of less than one in a thousand.
    CHECK(alarms <= 20);
}

TEST_CASE("Rows that meet a condition are counted, whatever the limit hides", "[annotate][diff]") {
    const auto old_side = side({{"hot_a", 300}, {"hot_b", 100}, {"cold", 600}});
    const auto new_side = side({{"hot_a", 400}, {"hot_b", 5}, {"cold", 595}});
    DiffOptions options;
    options.percent_limit = 50;
    options.conditions.push_back(DiffCondition::parse("delta > 5% symbol = hot_*").value());
    const auto diff = compare(old_side, new_side, options);
    CHECK(diff.met == 1);
    CHECK(row(diff, "hot_a").meets_condition);
    CHECK(diff.rows.size() == 2);
    CHECK(diff.events[0].hidden_rows == 1);
    CHECK(text_of_diff(diff).find("1 function meets that, marked !") != std::string::npos);
    options.conditions.push_back(DiffCondition::parse("change = both delta < -5").value());
    CHECK(compare(old_side, new_side, options).met == 2);
}

TEST_CASE("JSON has the numbers of text", "[annotate][diff]") {
    const auto old_side = side({{"f", 100}, {"g", 900}}), new_side = side({{"f", 300}, {"", 700}});
    const auto json = Json::parsed(json_of_diff(compare(old_side, new_side))).value();
    CHECK(json["schema"].text() == "perfdata.diff/1");
    CHECK(json["compute"].text() == "delta-abs");
    CHECK(json["normalize"].text() == "periods");
    CHECK(json["test"]["type"].text() == "counts");
    CHECK(json["test"]["tested"].number() == 3);
    CHECK(json["rows"][0]["symbol"].text() == "g");
    CHECK(json["rows"][0]["delta"].real() == -90);
    CHECK(json["rows"][0]["change"].text() == "removed");
    CHECK(json["rows"][0]["old_samples"].number() == 900);
    CHECK(json["rows"][1]["symbol"].is_null());
    CHECK(json["rows"][1]["ratio"].is_null());
    CHECK(json["rows"][2]["noise"].text() == "changed");
}

TEST_CASE("A comparison stops when asked", "[annotate][diff]") {
    const auto one = side({{"f", 10}});
    DiffOptions options;
    options.stop = StopToken([] { return true; });
    const auto diff = Diff::make({&one, 1}, {&one, 1}, options);
    REQUIRE_FALSE(diff);
    CHECK(diff.error().code == ErrorCode::cancelled);
}

TEST_CASE("An object whose file is missing on one side is not compared", "[annotate][diff]") {
    // The old program is gone: its samples have no names.
    auto old_side = side({{"", 400}}), new_side = side({{"f", 300}, {"g", 100}});
    old_side.functions.push_back({"lib", "h", CodeClass::user, {{"", 600}}, {{0, {600, 600}}}, false});
    new_side.functions.push_back({"lib", "h", CodeClass::user, {{"", 200}}, {{0, {200, 200}}}, false});
    for (auto* one : {&old_side, &new_side}) {
        one->events[0].whole += one->functions.back().cells[0].count;
        one->events[0].kept = one->events[0].whole;
    }
    const auto by_chance = compare(old_side, new_side);  // perhaps its code has no names there
    CHECK(row(by_chance, "f").noise == DiffNoise::changed);
    CHECK(by_chance.notes.empty());

    old_side.functions[0].lacks_file = true;
    old_side.recording.path = "old.data";
    DiffOptions options;
    options.conditions.push_back(DiffCondition::parse("noise = no").value());
    const auto diff = compare(old_side, new_side, options);
    for (const auto name : {"", "f", "g"}) {
        CHECK(row(diff, name).noise == DiffNoise::no_names);
        CHECK_FALSE(row(diff, name).p);
        CHECK_FALSE(row(diff, name).meets_condition);
    }
    CHECK(row(diff, "h").noise == DiffNoise::changed);
    CHECK(diff.testing.tested == 1);
    CHECK(diff.met == 1);
    CHECK(diff.notes == std::vector<std::string>{"app is not compared: its functions have no names in old.data"});
    CHECK(text_of_diff(diff).find("# Note: app is not compared") != std::string::npos);
    CHECK(json_of_diff(diff).find(R"("noise": "no_names")") != std::string::npos);
    // Where both sides lack it, all of its code is compared.
    auto both = old_side;
    both.functions[0].cells[0].count = {10, 10};
    CHECK(row(compare(old_side, both), "").noise == DiffNoise::changed);

    // Of several recordings one is enough.
    std::vector<DiffCounts> old_runs(4, new_side), new_runs(4, new_side);
    old_runs[2] = old_side;
    const auto several = compare(old_runs, new_runs);
    CHECK(row(several, "f").noise == DiffNoise::no_names);
    CHECK(row(several, "h").noise != DiffNoise::no_names);
    CHECK(several.testing.tested == 1);
}

TEST_CASE("A file is built anew, whatever functions have samples", "[annotate][diff]") {
    auto old_side = side({{"f", 10}}), new_side = side({{"g", 10}});
    old_side.functions[0].versions[0].id = "aa";
    new_side.functions[0].versions[0].id = "bb";
    CHECK(compare(old_side, new_side).rebuilt == std::vector<std::string>{"app"});
    new_side.functions[0].versions[0].id = "aa";
    CHECK(compare(old_side, new_side).rebuilt.empty());
    new_side.functions[0].versions = {{"aa", 5}, {"bb", 5}};  // two files of one name
    CHECK(compare(old_side, new_side).rebuilt.empty());
    new_side.functions[0].versions = {{"", 5}, {"bb", 5}};
    CHECK(compare(old_side, new_side).rebuilt.empty());
    new_side.functions[0] = old_side.functions[0];
    new_side.functions[0].kind = CodeClass::bpf;
    new_side.functions[0].name = "g";
    new_side.functions[0].versions[0].id = "bb";
    CHECK(compare(old_side, new_side).rebuilt.empty());
}
