// SPDX-License-Identifier: MIT
// --percent-limit and --percentage mean the same in every command with rows: perf's meaning.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/text_parts.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

using Words = std::vector<std::string>;

Json annotate(const Place& place, const std::string& recording, const Words& options) {
    const auto arguments = with({"annotate", "--json", "--offline", fixture(recording)}, options);
    INFO(in_words(arguments));
    const auto ended = place.run(arguments);
    REQUIRE(ended.status == 0);
    return Json::parse(ended.output);
}

// All versions of a function are one function.
std::string identity(const Json& function) {
    const auto program =
        function.has("bpf") ? std::string(function["from"].is_null() ? "" : function["from"].text()) : std::string();
    return std::string(function["object"].text()) + " " + std::string(function["symbol"].text()) + " " +
           std::string(function["address"].text()) + program;
}

// Returns, by function, its share of the periods of each event in percent.
std::map<std::string, std::vector<double>> shares(const Json& page) {
    std::map<std::string, std::vector<double>> shares;
    for (const auto& function : page["functions"].items()) {
        auto& sums = shares[identity(function)];
        const auto& percent = function["percent_periods"].items();
        sums.resize(percent.size());
        for (std::size_t event = 0; event < percent.size(); ++event) sums[event] += percent[event].number();
    }
    return shares;
}

std::uint64_t hits(const Json& entry) {
    std::uint64_t sum = 0;
    for (const auto& count : entry["hits"].items()) sum += count.count();
    return sum;
}
std::uint64_t all_hits(const Json& page) {
    std::uint64_t sum = 0;
    for (const auto* part : {"functions", "unattributed"}) {
        for (const auto& entry : page[part].items()) sum += hits(entry);
    }
    return sum;
}

}  // namespace

TEST_CASE("annotate --percent-limit leaves out functions below it, and nothing else", "[limits]") {
    const Place place;
    for (const std::string recording :
         {"bpf/bpf_turns.data", "bpf/bpf_events.data", "pokes/text_pokes.data", "jit/tinyjit.data"}) {
        for (const auto& filter : {Words{}, Words{"--kind", "bpf,jit", "--percentage", "relative"}}) {
            const auto whole = annotate(place, recording, filter);
            const auto known = shares(whole);
            for (const std::string limit : {"0", "0.5", "3", "100"}) {
                INFO(recording << ' ' << in_words(filter) << " limit " << limit);
                const auto page = annotate(place, recording, with(filter, {"--percent-limit", limit}));
                std::set<std::string> kept, expected;
                for (const auto& [name, percents] : known) {
                    if (std::ranges::any_of(percents, [&](double one) { return one >= std::stod(limit); })) {
                        expected.insert(name);
                    }
                }
                for (const auto& function : page["functions"].items()) kept.insert(identity(function));
                CHECK(kept == expected);
                CHECK(all_hits(page) == all_hits(whole));
                const auto hidden = known.size() - expected.size();
                CHECK((page.has("hidden_functions") ? page["hidden_functions"].count() : 0) == hidden);
                std::uint64_t in_row = 0, in_functions = 0;
                for (const auto& entry : page["unattributed"].items()) {
                    if (entry["reason"].text() == "functions below --percent-limit " + limit) in_row += hits(entry);
                }
                for (const auto& function : whole["functions"].items()) {
                    if (!expected.contains(identity(function))) in_functions += hits(function);
                }
                CHECK(in_row == in_functions);
            }
        }
    }
}

TEST_CASE("Text and page show no function below --percent-limit, and say how many there are", "[limits]") {
    const Place place;
    const auto recording = fixture("bpf/bpf_many.data");
    const auto whole = annotate(place, "bpf/bpf_many.data", {"--kind", "bpf"});
    std::string least;
    for (const auto& function : whole["functions"].items()) {
        if (function["percent_periods"].items().front().number() < 4) least = std::string(function["name"].text());
    }
    REQUIRE_FALSE(least.empty());
    const Words options = {"--offline", "--no-calls", "--kind", "bpf", recording};
    const auto title = "/" + least + "   program ";
    const auto shown = place.run(with({"annotate", "--percent-limit", "0"}, with(options, {"-s", least})));
    INFO(shown.messages);
    CHECK(shown.status == 0);
    CHECK((has(shown.output, title)));
    const auto limited = place.run(with({"annotate", "--percent-limit", "4"}, options));
    CHECK(limited.status == 0);
    CHECK(has(limited.output, "(functions below --percent-limit 4)"));
    CHECK(has(limited.messages, " below --percent-limit 4 left out\n"));
    CHECK_FALSE((has(limited.output, title)));
    // One that was asked for by name, too.
    const auto named = place.run(with({"annotate", "-s", least, "--percent-limit", "4"}, options));
    CHECK(named.status == 0);
    CHECK(named.output.empty());
    CHECK(has(named.messages, "note: 1 function below --percent-limit 4 left out\n"));
    const auto page = place.run(with({"annotate", "-o", "page.html", "--percent-limit", "4"}, options));
    CHECK(page.status == 0);
    const auto html = place.read("page.html");
    CHECK((has(html, "functions below --percent-limit 4")));
    CHECK((has(html, " below --percent-limit 4 left out")));
    const auto nothing = place.run(with({"annotate", "--percent-limit", "100"}, options));
    CHECK(nothing.status == 0);
    CHECK_FALSE(has(nothing.messages, "nothing to annotate"));
    CHECK(has(nothing.messages, " below --percent-limit 100 left out\n"));
    CHECK(place.run(with({"annotate", "--percent-limit", "4", "--versions"}, options)).status == 0);
}

TEST_CASE("Rows of report and functions of annotate have the same share of the periods", "[limits]") {
    const Place place;
    for (const std::string percentage : {"absolute", "relative"}) {
        INFO(percentage);
        const Words filter = {"--offline",
                              "--kind",
                              "jit",
                              "--percent-limit",
                              "16.9",
                              "--percentage",
                              percentage,
                              "--jitdump",
                              fixture("jit/jit-32346.dump"),
                              "--json",
                              fixture("jit/tinyjit.data")};
        const auto report = place.run(with({"report", "--no-children", "--sort", "symbol"}, filter));
        const auto annotated = place.run(with({"annotate"}, filter));
        REQUIRE(report.status == 0);
        REQUIRE(annotated.status == 0);
        // Moves of a function are one row, and functions of their own.
        std::map<std::string, double> rows, functions;
        const auto table = Json::parse(report.output), page = Json::parse(annotated.output);
        for (const auto& row : table["rows"].items()) {
            rows[std::string(row["symbol"].text())] += row["percent"].items().front().number();
        }
        for (const auto& function : page["functions"].items()) {
            functions[std::string(function["symbol"].text())] += function["percent_periods"].items().front().number();
        }
        REQUIRE_FALSE(functions.empty());
        for (const auto& [name, percent] : functions) {
            INFO(name);
            REQUIRE(rows.contains(name));
            CHECK(percent <= rows[name] + 1e-6);
            CHECK(percent >= 16.9);
        }
    }
}
