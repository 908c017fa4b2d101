// SPDX-License-Identifier: MIT
// One filter means the same in every command: the lines of script, the rows of report, the listings of annotate, and a
// count by hand over all lines of script.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

using Words = std::vector<std::string>;

// Recordings whose script has one line for each sample: none with counter values in its samples.
const Words recordings = {
    "bpf/bpf_turns.data",  "jit/tinyjit.data",  "records/cgns.data", "records/multi.data",
    "records/threads.dir", "records/pipe.data", "records/lost.data", "records/switch_cpu_wide.data"};

// Samples reads the lines of `script --json`.
class Samples {
  public:
    Samples(const Place& place, const std::string& recording, const Words& filter) {
        const auto ended = place.run(with({"script", "--json", "--offline", fixture(recording)}, filter));
        CHECK(ended.status == 0);
        std::istringstream lines(ended.output);
        for (std::string line; std::getline(lines, line);) lines_.push_back(Json::parse(line));
    }
    const std::vector<Json>& lines() const { return lines_; }
    std::size_t count(const std::function<bool(const Json&)>& wanted) const {
        return static_cast<std::size_t>(std::ranges::count_if(lines_, wanted));
    }
    // Returns the words that the samples have there, those of most samples first; at most `most`.
    Words words(std::string_view member, std::size_t most) const {
        std::map<std::string, std::size_t> counts;
        for (const auto& line : lines_) {
            if (line.has(member)) ++counts[word(line, member)];
        }
        std::vector<std::pair<std::size_t, std::string>> order;
        for (const auto& [text, count] : counts) order.emplace_back(count, text);
        std::ranges::sort(order, std::greater());
        Words words;
        for (std::size_t at = 0; at < std::min(most, order.size()); ++at) words.push_back(order[at].second);
        return words;
    }
    static std::string word(const Json& line, std::string_view member) {
        const auto& value = line[member];
        return member == "pid" || member == "tid" || member == "cpu" ? std::to_string(static_cast<long>(value.number()))
                                                                     : std::string(value.text());
    }

  private:
    std::vector<Json> lines_;
};

std::uint64_t sum(const Json& counts) {
    std::uint64_t sum = 0;
    for (const auto& count : counts.items()) sum += count.count();
    return sum;
}

struct Sums {
    std::uint64_t report = 0, listings = 0, page = 0;
};

// Returns what report's rows, annotate's listings and the page's table add up to.
Sums sums(const Place& place, const std::string& recording, const Words& filter) {
    Sums sums;
    const auto report = place.run(with({"report", "--json", "--offline", "--no-children", fixture(recording)}, filter));
    CHECK(report.status == 0);
    const auto rows = Json::parse(report.output);
    for (const auto& row : rows["rows"].items()) sums.report += sum(row["hits"]);
    std::uint64_t kept = 0;
    for (const auto& event : rows["events"].items()) kept += event["kept"].count();
    CHECK(kept == sums.report);

    const auto relative = with(filter, {"--percentage", "relative"});
    const auto annotated = place.run(with({"annotate", "--json", "--offline", fixture(recording)}, relative));
    CHECK(annotated.status == 0);
    const auto listings = Json::parse(annotated.output);
    for (const auto& function : listings["functions"].items()) sums.listings += sum(function["hits"]);
    for (const auto& other : listings["unattributed"].items()) sums.listings += sum(other["hits"]);
    std::uint64_t samples = 0;
    for (const auto& event : listings["recording"]["events"].items()) samples += event["samples"].count();
    CHECK(samples == sums.listings);

    const auto page = place.run(
        with({"annotate", "--format", "html", "-o", "page.html", fixture(recording)}, with(relative, {"--offline"})));
    CHECK(page.status == 0);
    // "<dd>80 samples, period 80.1 M" of each event.
    const auto html = place.read("page.html");
    const auto end = html.find("</dl>");
    for (auto at = html.find(" samples, period "); at < end; at = html.find(" samples, period ", at + 1)) {
        const auto begin = html.rfind("<dd>", at) + 4;
        sums.page += std::stoull(html.substr(begin, at - begin));
    }
    return sums;
}

void check(const Place& place, const std::string& recording, const Words& filter, std::uint64_t expected) {
    INFO(in_words(filter) << " keeps " << expected);
    const Samples kept(place, recording, filter);
    CHECK(kept.lines().size() == expected);
    const auto found = sums(place, recording, filter);
    CHECK(found.report == expected);
    CHECK(found.listings == expected);
    CHECK(found.page == expected);
}

}  // namespace

TEST_CASE("A filter keeps the same samples in every command", "[filters]") {
    const Place place;
    for (const auto& recording : recordings) {
        INFO(recording);
        const Samples all(place, recording, {});
        REQUIRE(all.lines().size() > 3);
        const auto by = [&](const std::string& option, std::string_view member, std::size_t most) {
            for (const auto& word : all.words(member, most)) {
                check(place, recording, {option, word}, all.count([&](const Json& line) {
                    return line.has(member) && Samples::word(line, member) == word;
                }));
            }
        };
        by("--comm", "comm", 2);
        by("--pid", "pid", 1);
        by("--tid", "tid", 2);
        by("--cpu", "cpu", 2);
        by("--dso", "object", 3);
        by("-S", "symbol", 3);
        by("-e", "event", 1);
        // The kernel's modules are code of the kernel.
        for (const auto& kind : all.words("kind", 4)) {
            check(place, recording, {"--kind", kind}, all.count([&](const Json& line) {
                const auto has = Samples::word(line, "kind");
                return has == kind || (kind == "kernel" && has == "module");
            }));
        }
        if (!all.lines().front().has("time")) continue;
        std::vector<std::string> times;
        for (const auto& line : all.lines()) times.emplace_back(line["time"].text());
        const auto& first = times[times.size() / 4];
        const auto& last = times[times.size() / 2];
        const auto between = [&](const Json& line) {
            const auto time = std::stod(std::string(line["time"].text()));
            return time >= std::stod(first) && time <= std::stod(last);
        };
        check(place, recording, {"--time", first + "," + last}, all.count(between));
        // Both ends belong to the range, and ranges that meet count a sample once.
        check(place, recording, {"--time", first + "," + first + " " + first + "," + last}, all.count(between));
        check(place, recording, {"--time", "0%-100%"}, all.lines().size());
    }
}

TEST_CASE("Parts of a recording are all of it", "[filters]") {
    const Place place;
    for (const auto& recording : recordings) {
        INFO(recording);
        const Samples all(place, recording, {});
        if (!all.lines().front().has("time")) continue;
        std::size_t of_slices = 0, of_ranges = 0;
        for (const auto* part : {"25%/1", "25%/2", "25%/3", "25%/4"}) {
            of_slices += Samples(place, recording, {"--time", part}).lines().size();
        }
        for (const auto* part : {"0%-30%", "30%-60%", "60%-100%"}) {
            of_ranges += Samples(place, recording, {"--time", part}).lines().size();
        }
        CHECK(of_slices == all.lines().size());
        CHECK(of_ranges == all.lines().size());
        check(place, recording, {"--time", "0%-30%,60%-100%"},
              all.lines().size() - Samples(place, recording, {"--time", "30%-60%"}).lines().size());
    }
}

TEST_CASE("Filters in any order are the same filter", "[filters]") {
    const Place place;
    const Words parts = {"--comm", "load", "--cpu", "1", "--kind", "bpf", "--time", "23.2,25"};
    const auto run = [&](const Words& command, const Words& filter) {
        return place.run(with(with(command, {"--offline", fixture("bpf/bpf_turns.data")}), filter)).output;
    };
    std::vector<std::size_t> order = {0, 1, 2, 3};
    const Words commands = {"report", "annotate", "script"};
    std::map<std::string, std::string> first;
    do {
        Words filter;
        for (const auto part : order) filter.insert(filter.end(), {parts[2 * part], parts[2 * part + 1]});
        for (const auto& command : commands) {
            const auto output = run({command, "--json"}, filter);
            const auto [known, added] = first.emplace(command, output);
            CHECK((added || known->second == output));
        }
    } while (std::ranges::next_permutation(order).found);
    CHECK(first["report"].find("beta_spin") != std::string::npos);
}

TEST_CASE("A filter that matches nothing says so and is no failure", "[filters]") {
    const Place place;
    const auto recording = fixture("bpf/bpf_turns.data");
    for (const Words& filter : {Words{"--comm", "nosuch"},
                                {"--pid", "99999"},
                                {"--tid", "99999"},
                                {"--cpu", "77"},
                                {"--time", "1,2"},
                                {"--kind", "jit"},
                                {"--dso", "nosuch.so"},
                                {"-S", "nosuch"}}) {
        INFO(in_words(filter));
        for (const std::string command : {"report", "annotate", "script"}) {
            INFO(command);
            const auto ended = place.run(with({command, "--offline", recording}, filter));
            CHECK(ended.status == 0);
            const auto said = ended.output + ended.messages;
            CHECK((said.find("ilters keep 0 of 1422 samples: ") != std::string::npos));
        }
    }
    // What samples do not record cannot be asked for.
    for (const std::string command : {"report", "annotate", "script"}) {
        INFO(command);
        const auto ended = place.run({command, "--cgroup", "/", recording});
        CHECK(ended.status == 2);
        CHECK(ended.messages.find("--cgroup: the samples of this recording do not say their cgroup") !=
              std::string::npos);
        CHECK(place.run({command, "--cpu", "0", fixture("jit/tinyjit.data")}).status == 2);
    }
}

TEST_CASE("Samples are chosen by cgroup, by path or number", "[filters]") {
    const Place place;
    const auto recording = std::string("records/cgns.data");
    const auto report = place.run({"report", "--json", "--offline", "--sort", "cgroup", fixture(recording)});
    REQUIRE(report.status == 0);
    const auto rows = Json::parse(report.output);
    std::size_t tried = 0;
    for (const auto& row : rows["rows"].items()) {
        const auto path = std::string(row["cgroup"].text());
        if (!path.starts_with('/')) continue;
        ++tried;
        check(place, recording, {"--cgroup", path}, sum(row["hits"]));
    }
    CHECK(tried != 0);
    const auto ended = place.run({"report", "--offline", "--cgroup", "/nosuch", fixture(recording)});
    CHECK(ended.status == 0);
    CHECK(ended.messages.find("--cgroup: no cgroup /nosuch in this recording") != std::string::npos);
}

TEST_CASE("What chose the samples is told with names that none of them has", "[filters]") {
    const Place place;
    const std::vector<std::vector<std::string>> commands = {
        {"report"}, {"annotate"}, {"script"}, {"export", "--format", "folded"}};
    for (const auto& command : commands) {
        const auto messages = [&](const std::vector<std::string>& options) {
            const auto ended = place.run(with(with(command, {"--offline", "--dso", "nosuch", "in.data"}), options));
            INFO(in_words(command) << "\n" << ended.messages);
            return ended.messages;
        };
        CHECK(messages({}).find("--dso: no samples in an object called nosuch in this recording") != std::string::npos);
        CHECK(messages({"--kind", "kernel"}).find("--dso: no samples in an object") != std::string::npos);
        CHECK(messages({"-e", "cpu-clock", "--time", "0,99"})
                  .find("--dso: no samples that --event, --time chose in an object called nosuch in this recording") !=
              std::string::npos);
    }
}
