// SPDX-License-Identifier: MIT
// What small recordings that were made for it make the tool take, and what it does when it may take little.
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"
#include "cost/sketch.hpp"
#include "golden/json.hpp"
#include "support/features.hpp"
#include "support/files.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

extern char** environ;

namespace {

struct Run {
    int status = -1;         // -1: a signal
    std::size_t memory = 0;  // bytes, at most
    std::string output, messages;
};

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Run run(const TempDir& folder, std::vector<std::string> command) {
    command.insert(command.begin(), PERFDATA_TOOL);
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const auto output = (folder.path() / "output").string(), messages = (folder.path() / "messages").string();
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&files, 2, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    const auto failed = ::posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    REQUIRE(failed == 0);
    int status = 0;
    ::rusage use{};
    REQUIRE(::wait4(child, &status, 0, &use) == child);
    Run result;
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
    result.memory = static_cast<std::size_t>(use.ru_maxrss) * 1024;
    result.output = content_of(output);
    result.messages = content_of(messages);
    return result;
}

// Sanitizers take memory of their own, and leave no room for limits.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERFDATA_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFDATA_SANITIZED
#endif
#endif
#ifdef PERFDATA_SANITIZED
constexpr bool measured = false;
#else
constexpr bool measured = true;
#endif

// unlike_chains(n) is n samples of 128 frames each, none like another.
Blob unlike_chains(std::size_t n) {
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(5, 0, std::uint64_t{1} << 46, "/bin/x", 1);
    Random random(5);
    for (std::uint64_t at = 0; at < n; ++at) {
        std::vector<std::uint64_t> frames = {~std::uint64_t{0} - 511};
        for (int depth = 0; depth < 127; ++depth) frames.push_back(random.u64() >> 19);
        sketch.chain(random.u64() >> 19, 5, 10 + at, frames);
    }
    return sketch.build();
}

Blob unlike_places(std::size_t n) {
    Sketch sketch;
    sketch.mmap(5, 0, std::uint64_t{1} << 46, "/bin/x", 1);
    Random random(6);
    for (std::uint64_t at = 0; at < n; ++at) sketch.sample(random.u64() >> 19, 5, 10 + at);
    return sketch.build();
}

}  // namespace

TEST_CASE("What is reported of a recording takes little more memory than the recording", "[takes]") {
    const TempDir folder;
    for (const auto& [name, content] : {std::pair("chains", unlike_chains(2000)), {"places", unlike_places(80000)}}) {
        const auto path = folder.write(name, content);
        for (const auto* command : {"report", "script", "annotate"}) {
            for (const bool json : {false, true}) {
                INFO(name << " " << command << (json ? " --json" : ""));
                std::vector<std::string> arguments = {command, "--offline", path};
                if (json) arguments.emplace_back("--json");
                const auto got = run(folder, arguments);
                CHECK(got.status == 0);
                constexpr std::size_t itself = std::size_t{64} << 20, a_byte = 48;
                if (measured) CHECK(got.memory < itself + a_byte * content.size());
            }
        }
    }
}

TEST_CASE("With less memory places are joined before anything fails", "[takes]") {
    if (!measured) return;  // address sanitizers take terabytes for themselves: the limit is not set
    const TempDir folder;
    const auto chains = folder.write("chains", unlike_chains(6000));
    const auto places = folder.write("places", unlike_places(200000));
    for (const auto* most : {"48M", "96M", "192M"}) {
        INFO(most);
        const auto cut = run(folder, {"report", "--offline", "--json", "--max-memory", most, chains});
        CHECK(cut.status == 0);
        if (cut.status == 0) CHECK(Json::parse(cut.output)["events"].items().at(0)["samples"].number() == 6000);
        CHECK(cut.output.find("more distinct places than the limits of memory allow") != std::string::npos);
        const auto text = run(folder, {"report", "--offline", "--max-memory", most, chains});
        CHECK(text.status == 0);
        CHECK(text.output.find("more distinct places than the limits of memory allow") != std::string::npos);
        for (const auto* command : {"script", "annotate"}) {
            INFO(command);
            CHECK(run(folder, {command, "--offline", "--max-memory", most, chains}).status == 0);
            CHECK(run(folder, {command, "--offline", "--max-memory", most, places}).status == 0);
        }
        CHECK(run(folder, {"report", "--offline", "--max-memory", most, places}).status == 0);
    }
}

TEST_CASE("Long strings in little memory end in an answer or in an error", "[takes]") {
    Sketch sketch;
    const auto controls = feature_string(Sketch::order, std::string(2'000'000, '\x01'));
    sketch.feature(Feature::hostname, controls);
    sketch.feature(Feature::cmdline, joined({Writer(Sketch::order).u32(1).take(), controls}));
    sketch.sample(0x400010, 7, 100);
    const TempDir folder;
    const auto path = folder.write("controls", sketch.build());
    for (const auto* most : {"16M", "24M", "32M", "48M", "64M", "96M"}) {
        for (const auto* command : {"info", "report", "annotate", "bpf"}) {
            INFO(command << " " << most);
            const auto got = run(folder, {command, "--json", "--max-memory", most, path});
            CHECK((got.status == 0 || got.status == 1));
            if (got.status == 1) CHECK(!got.messages.empty());
            if (got.status == 0) CHECK(Json::parse(got.output).is_object());
        }
    }
}

TEST_CASE("A long name stands shortened in every line", "[takes]") {
    Sketch sketch;
    const std::string name(60000, 'n');
    sketch.comm(7, 1, name).symbol(0xffffffffc0000000, 64, name, 1);
    for (std::uint64_t at = 0; at < 2000; ++at) sketch.sample(0xffffffffc0000000 + at % 64, 7, 10 + at, Sketch::kernel);
    const TempDir folder;
    const auto path = folder.write("names", sketch.build());
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"script"}, {"script", "--json"}, {"report", "--sort", "cpu,tid,symbol"}, {"annotate"}, {"bpf"}}) {
        auto arguments = command;
        if (command[0] != "bpf") arguments.emplace_back("--offline");
        arguments.push_back(path);
        const auto got = run(folder, arguments);
        INFO(command[0]);
        CHECK(got.status == 0);
        CHECK(got.output.size() < 2000 * 8000);  // three names in a line of script, but not 60 KB of one
        CHECK(got.output.find("nnn… (and 57952 more bytes)") != std::string::npos);
    }
}
