// SPDX-License-Identifier: MIT
// Runs every subcommand of the tool on every file. Checks exit codes, valid JSON, and both orders of a dump.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <sys/wait.h>

#include "catch.hpp"
#include "folder.hpp"
#include "support/json.hpp"

namespace corpus {
namespace {

struct Run {
    int status = 0;
    std::string output;
};

// run(arguments, path) fails the test if the tool crashes or takes longer than a minute.
Run run(const std::string& arguments, const std::filesystem::path& path) {
    const auto command =
        "timeout 60 '" PERFDATA_TOOL "' " + arguments + " '" + path.string() + "' 2>/dev/null </dev/null";
    const auto close = [](std::FILE* pipe) { return ::pclose(pipe); };
    std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(command.c_str(), "r"), close);
    REQUIRE(pipe != nullptr);
    Run result;
    std::array<char, 65536> block{};
    while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get()))
        result.output.append(block.data(), got);
    const auto status = ::pclose(pipe.release());
    INFO(command);
    REQUIRE(WIFEXITED(status));
    result.status = WEXITSTATUS(status);
    CHECK((result.status == 0 || result.status == 1));
    CHECK((result.status == 0 || result.output.empty()));
    return result;
}

struct Dump {
    std::vector<std::string> lines;
    std::vector<std::string> times;  // of kernel records, as printed
};

Dump dump(const std::string& output) {
    Dump result;
    std::istringstream stream(output);
    for (std::string line; std::getline(stream, line);) {
        const auto record = Json::parse(line);
        REQUIRE(!record["type"].text().empty());
        if (record.has("time")) result.times.emplace_back(record["time"].text());
        result.lines.push_back(line);
    }
    return result;
}

// Compares seconds with nine decimals as text: the longer number is larger.
bool earlier(const std::string& left, const std::string& right) {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
}

// records(info) returns the number of records in `info --json --completeness`.
std::uint64_t records(const Json& info) {
    std::uint64_t sum = 0;
    for (const auto& [type, counts] : info["completeness"]["records"].members()) {
        sum += counts["decoded"].count() + counts["skipped"].count() + counts["damaged"].count();
    }
    return sum;
}

void check_file(const std::filesystem::path& path) {
    INFO(path);
    const auto info = run("info --json --completeness", path);
    for (const auto* command : {"info", "info --completeness", "info --json", "bpf", "bpf --json", "dump"}) {
        INFO(command);
        const auto result = run(command, path);
        CHECK(result.status == info.status);
        if (result.status == 0 && std::string(command).ends_with("--json"))
            CHECK(Json::parse(result.output).is_object());
    }
    auto file = dump(run("dump --json", path).output);
    auto time = dump(run("dump --json --order time", path).output);
    CHECK(std::ranges::is_sorted(time.times, earlier));
    std::ranges::sort(file.lines);
    std::ranges::sort(time.lines);
    CHECK(file.lines == time.lines);
    CHECK(file.lines.size() == (info.status == 0 ? records(Json::parse(info.output)) : 0));

    // A recording without samples has nothing to annotate.
    const bool has_samples =
        std::ranges::any_of(file.lines, [](const auto& line) { return line.find("\"ip\":") != std::string::npos; });
    for (const auto* command : {"annotate", "annotate --json"}) {
        INFO(command);
        const auto result = run(command, path);
        CHECK((result.status == 0 || !has_samples));
        if (result.status == 0 && std::string(command).ends_with("--json"))
            CHECK(Json::parse(result.output).is_object());
    }
}

TEST_CASE("every subcommand handles every file of the corpus", "[corpus]") {
    for (const auto& row : index_rows()) check_file(row.path());
}

TEST_CASE("every subcommand handles every recording", "[recordings]") {
    for (const auto& path : recordings(PERFDATA_RECORDINGS)) check_file(path);
}

TEST_CASE("every subcommand handles every fixture", "[fixtures]") {
    for (const auto& path : recordings(PERFDATA_FIXTURES)) check_file(path);
}

}  // namespace
}  // namespace corpus
