// SPDX-License-Identifier: MIT
// Checks the promises of the JSON documents on the tool's output for every fixture.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "support/json.hpp"
#include "support/shell.hpp"

namespace {

using Counts = std::vector<std::uint64_t>;

std::vector<std::filesystem::path> fixtures() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(PERFDATA_FIXTURES "/bpf")) {
        if (entry.path().extension() == ".data") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    REQUIRE(found.size() >= 5);
    return found;
}

// output_of(arguments, recording) returns what the tool prints.
std::string output_of(const std::string& arguments, const std::filesystem::path& recording) {
    const auto command = "'" PERFDATA_TOOL "' " + arguments + " '" + recording.string() + "' </dev/null";
    auto output = perfdata::test::shell_output(command);
    INFO(command);
    REQUIRE(output.status == 0);
    return std::move(output.text);
}

Json page(const std::string& arguments, const std::filesystem::path& recording) {
    return Json::parse(output_of(arguments, recording));
}

void require_keys(const Json& object, std::initializer_list<const char*> keys) {
    REQUIRE(object.is_object());
    for (const auto* key : keys) {
        INFO(key);
        REQUIRE(object.has(key));
    }
}

void check_no_key_twice(const Json& object) {
    std::set<std::string> seen;
    for (const auto& [name, value] : object.members()) {
        INFO(name);
        CHECK(seen.insert(name).second);
    }
}

Counts counts(const Json& array) {
    Counts result;
    for (const auto& count : array.items()) result.push_back(count.count());
    return result;
}

void add(Counts& sum, const Counts& more) {
    REQUIRE(sum.size() == more.size());
    for (std::size_t event = 0; event < sum.size(); ++event) sum[event] += more[event];
}

std::uint64_t total(const Counts& all) {
    std::uint64_t sum = 0;
    for (const auto count : all) sum += count;
    return sum;
}

std::uint64_t address(const Json& value) {
    const std::string digits(value.text());
    REQUIRE(digits.starts_with("0x"));
    std::size_t used = 0;
    const auto result = std::stoull(digits.substr(2), &used, 16);
    REQUIRE(used == digits.size() - 2);
    return result;
}

void check_time(const Json& time) {
    if (time.is_null()) return;
    const auto digits = time.text();
    const auto point = digits.find('.');
    REQUIRE(point != std::string_view::npos);
    CHECK(point >= 1);
    CHECK(digits.size() == point + 10);
    CHECK(std::ranges::all_of(digits, [](char c) { return c == '.' || (c >= '0' && c <= '9'); }));
}

void check_percent(const Json& percent, const Counts& part, const Counts& whole) {
    REQUIRE(percent.items().size() == part.size());
    for (std::size_t event = 0; event < part.size(); ++event) {
        const auto expected =
            whole[event] == 0 ? 0.0 : 100.0 * static_cast<double>(part[event]) / static_cast<double>(whole[event]);
        CHECK(std::abs(percent.items()[event].number() - expected) < 1e-4);
    }
}

void check_completeness(const Json& completeness) {
    require_keys(completeness, {"bytes", "records", "samples", "lost_events", "lost_samples", "diagnostics"});
    const auto& bytes = completeness["bytes"];
    require_keys(bytes, {"total", "records", "outside_records", "unread"});
    CHECK(bytes["total"].count() ==
          bytes["records"].count() + bytes["outside_records"].count() + bytes["unread"].count());
    for (const auto& [type, counts_of_type] : completeness["records"].members()) {
        INFO(type);
        require_keys(counts_of_type, {"decoded", "skipped", "damaged"});
    }
    const auto& samples = completeness["samples"];
    require_keys(samples, {"total", "decoded"});
    const auto& of_type = completeness["records"]["SAMPLE"];
    CHECK(samples["decoded"].count() == of_type["decoded"].count());
    CHECK(samples["total"].count() ==
          of_type["decoded"].count() + of_type["skipped"].count() + of_type["damaged"].count());
    for (const auto& diagnostic : completeness["diagnostics"].items()) {
        require_keys(diagnostic, {"code", "offset", "where", "detail"});
    }
}

void check_recording(const Json& recording) {
    require_keys(recording,
                 {"path", "arch", "perf_version", "os_release", "byte_order", "events", "first_time", "last_time"});
    CHECK(recording["arch"].text() == "x86_64");
    CHECK(recording["byte_order"].text() == "little");
    REQUIRE(recording["events"].items().size() != 0);
    for (const auto& event : recording["events"].items()) require_keys(event, {"name", "samples"});
    check_time(recording["first_time"]);
    check_time(recording["last_time"]);
}

void check_instructions(const Json& function, const Counts& hits, const Counts& periods) {
    const auto& instructions = function["instructions"].items();
    const auto lines = function["lines"].items().size();
    Counts hits_seen(hits.size()), periods_seen(hits.size());
    std::uint64_t next = 0;
    for (const auto& row : instructions) {
        require_keys(row, {"offset", "address", "bytes", "text", "hits", "periods"});
        CHECK(row["offset"].count() == next);
        CHECK(address(row["address"]) == address(function["address"]) + next);
        const std::string_view bytes = row["bytes"].text();
        CHECK(!bytes.empty());
        CHECK(bytes.size() % 2 == 0);
        CHECK(!row["text"].text().empty());
        next += bytes.size() / 2;
        add(hits_seen, counts(row["hits"]));
        add(periods_seen, counts(row["periods"]));
        if (row.has("line")) CHECK(row["line"].count() < lines);
        if (row.has("target")) {
            require_keys(row["target"], {"name", "offset", "address"});
            (void)address(row["target"]["address"]);
        }
    }
    CHECK(next == function["size"].count());
    CHECK(hits_seen == hits);
    CHECK(periods_seen == periods);
}

void check_lines(const Json& function, const Counts& hits, const Counts& periods) {
    Counts hits_seen(hits.size()), periods_seen(hits.size());
    for (const auto& line : function["lines"].items()) {
        require_keys(line, {"file", "line", "column", "text", "hits", "periods"});
        add(hits_seen, counts(line["hits"]));
        add(periods_seen, counts(line["periods"]));
    }
    CHECK(hits_seen == hits);
    CHECK(periods_seen == periods);
}

void check_function(const Json& function, const Counts& samples) {
    require_keys(function, {"name", "symbol", "kind", "object", "address", "size", "from", "until", "hits", "periods",
                            "percent", "on_instruction_start", "instructions", "lines"});
    INFO(function["symbol"].text());
    CHECK(!function["name"].text().empty());
    const std::string_view kind = function["kind"].text();
    CHECK(std::set<std::string_view>{"bpf", "kernel", "module", "user", "jit", "out_of_line"}.contains(kind));
    CHECK(address(function["address"]) >> 63 == (kind == "user" || kind == "jit" ? 0 : 1));
    CHECK(function.has("bpf") == (kind == "bpf"));
    CHECK(function["version"].count() < function["versions"].count());
    check_time(function["from"]);
    check_time(function["until"]);
    if (function.has("bpf")) {
        require_keys(function["bpf"], {"program_id", "program_name", "program_tag", "tag", "subprogram", "subprograms",
                                       "btf_id", "prototype", "map_ids", "loaded_at"});
        CHECK(function["bpf"]["subprogram"].count() < function["bpf"]["subprograms"].count());
        check_time(function["bpf"]["loaded_at"]);
    }
    const auto hits = counts(function["hits"]);
    const auto periods = counts(function["periods"]);
    REQUIRE(hits.size() == samples.size());
    REQUIRE(periods.size() == samples.size());
    check_percent(function["percent"], hits, samples);
    const bool has_code = function["instructions"].items().size() != 0;
    const auto& on_start = function["on_instruction_start"];
    CHECK(on_start.is_null() != has_code);
    if (!has_code) return;
    CHECK(on_start.number() >= 0.99);
    CHECK(on_start.number() <= 1);
    check_instructions(function, hits, periods);
    if (function["lines"].items().size() != 0) check_lines(function, hits, periods);
}

TEST_CASE("annotation pages keep their promises", "[contract]") {
    for (const auto& path : fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const auto document = page("annotate --calls --json", path);
            require_keys(document, {"schema", "recording", "completeness", "functions", "unattributed"});
            CHECK(document["schema"].text() == "perfdata.annotation/1");
            check_recording(document["recording"]);
            check_completeness(document["completeness"]);

            Counts samples;
            for (const auto& event : document["recording"]["events"].items()) {
                samples.push_back(event["samples"].count());
            }
            CHECK(total(samples) == document["completeness"]["samples"]["decoded"].count());
            Counts attributed(samples.size());
            auto most = ~std::uint64_t{0};
            for (const auto& function : document["functions"].items()) {
                check_function(function, samples);
                add(attributed, counts(function["hits"]));
                CHECK(total(counts(function["hits"])) <= most);
                most = total(counts(function["hits"]));
            }
            for (const auto& miss : document["unattributed"].items()) {
                require_keys(miss, {"reason", "hits"});
                CHECK(!miss["reason"].text().empty());
                add(attributed, counts(miss["hits"]));
            }
            CHECK(attributed == samples);
        }
    }
}

// Selecting changes what is shown, not the base: percentages remain shares of all samples.
TEST_CASE("a page of one function or one event adds up too", "[contract]") {
    const std::filesystem::path path = PERFDATA_FIXTURES "/bpf/bpf_events.data";
    for (const std::string arguments : {"-s step", "-e cpu-clock/freq=999,call-graph=no/",
                                        "-s bump -e task-clock/freq=499,call-graph=fp,max-stack=8/"}) {
        DYNAMIC_SECTION(arguments) {
            const auto document = page("annotate --json " + arguments, path);
            Counts samples;
            for (const auto& event : document["recording"]["events"].items()) {
                samples.push_back(event["samples"].count());
            }
            Counts attributed(samples.size());
            for (const auto& function : document["functions"].items()) {
                check_function(function, samples);
                add(attributed, counts(function["hits"]));
            }
            for (const auto& miss : document["unattributed"].items()) add(attributed, counts(miss["hits"]));
            CHECK(attributed == samples);
        }
    }
}

TEST_CASE("info pages keep their promises", "[contract]") {
    for (const auto& path : fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const auto document = page("info --json --completeness", path);
            require_keys(document, {"schema", "recording", "features", "events", "completeness"});
            CHECK(document["schema"].text() == "perfdata.info/1");
            check_recording(document["recording"]);
            check_completeness(document["completeness"]);
            CHECK(document["features"].members().size() != 0);
            for (const auto& [name, feature] : document["features"].members()) {
                INFO(name);
                require_keys(feature, {"number", "offset", "size"});
                CHECK_FALSE(feature.has("error"));
                check_no_key_twice(feature);
            }
            for (const auto& event : document["events"].items()) {
                require_keys(event["attr"], {"type", "size", "config", "sample_type", "flags", "flag_names"});
                check_no_key_twice(event["attr"]);
            }
            CHECK(document["completeness"]["bytes"]["total"].count() == std::filesystem::file_size(path));
            for (const auto& event : document["events"].items()) require_keys(event, {"name", "attr", "ids"});
            CHECK(document["events"].items().size() == document["recording"]["events"].items().size());
        }
    }
}

TEST_CASE("dump lines keep their promises", "[contract]") {
    for (const auto& path : fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const auto document = page("info --json --completeness", path);
            const auto& records = document["completeness"]["records"];
            CHECK(records.has("KSYMBOL"));
            // Only some types: parsing all lines of a recording would take too long.
            for (const std::string type : {"BPF_EVENT", "KSYMBOL", "FORK", "EVENT_UPDATE", "TIME_CONV"}) {
                std::istringstream lines(output_of("dump --json --type " + type, path));
                std::size_t count = 0;
                for (std::string line; std::getline(lines, line); ++count) {
                    const auto record = Json::parse(line);
                    require_keys(record, {"offset", "type", "size", "misc"});
                    CHECK(record["type"].text() == type);
                    check_no_key_twice(record);
                }
                CHECK(count == (records.has(type) ? records[type]["decoded"].count() : 0));
            }
        }
    }
}

TEST_CASE("bpf pages keep their promises", "[contract]") {
    for (const auto& path : fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const auto document = page("bpf --json", path);
            require_keys(document, {"schema", "recording", "completeness", "programs", "others"});
            CHECK(document["schema"].text() == "perfdata.bpf/1");
            check_completeness(document["completeness"]);
            CHECK(document["programs"].items().size() != 0);
            for (const auto& program : document["programs"].items()) {
                require_keys(program, {"program_id", "program_name", "program_tag", "program_type", "btf_id",
                                       "subprograms", "loaded_at", "unloaded_at", "code", "functions"});
                check_time(program["loaded_at"]);
                check_time(program["unloaded_at"]);
                CHECK(program["functions"].items().size() <= program["subprograms"].count());
                for (const auto& function : program["functions"].items()) {
                    require_keys(function,
                                 {"name", "symbol", "subprogram", "prototype", "address", "size", "from", "until"});
                    (void)address(function["address"]);
                    check_time(function["from"]);
                    check_time(function["until"]);
                }
            }
        }
    }
}

}  // namespace
