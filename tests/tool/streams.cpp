// SPDX-License-Identifier: MIT
// Standard streams that are closed, full, slow, or without a reader: the tool ends with a documented exit status, and
// its output goes to the right place.
#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "catch.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

// The state of a descriptor.
enum class Wrong { closed, full, unread };

void spoil(int descriptor, Wrong wrong) {
    ::close(descriptor);
    if (wrong == Wrong::full) {
        const int full = ::open("/dev/full", O_WRONLY);
        if (full != descriptor) ::dup2(full, descriptor);
    }
    if (wrong == Wrong::unread) {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) ::_exit(126);
        ::close(ends[0]);
        if (ends[1] != descriptor) ::dup2(ends[1], descriptor);
    }
}

// Commands that also write to standard error, and some that fail.
std::vector<std::vector<std::string>> talking_commands() {
    auto commands = writing_commands();
    for (auto& command : commands) {
        for (auto& word : command) {
            if (word == "in.data") word = "cut.data";
        }
    }
    commands.push_back({"info", "nosuch.data"});
    commands.push_back({"report", "--strict", "cut.data"});
    commands.push_back({"report", "--nosuch", "cut.data"});
    commands.push_back({"nosuch"});
    commands.push_back({});
    return commands;
}

void write_cut(const Place& place) {
    place.write("cut.data", place.read("in.data").substr(0, 80000));
}

}  // namespace

TEST_CASE("Standard error that is closed, full or read by nobody changes nothing", "[streams]") {
    const Place place;
    write_cut(place);
    for (const auto& command : talking_commands()) {
        INFO(in_words(command));
        const auto usual = place.run(command);
        REQUIRE(usual.status >= 0);
        CHECK_FALSE(usual.messages.empty());
        for (const auto wrong : {Wrong::closed, Wrong::full, Wrong::unread}) {
            const auto ended = place.run(command, [=] { spoil(STDERR_FILENO, wrong); });
            CHECK(ended.status == usual.status);
            CHECK(same(ended.output, usual.output));
        }
    }
}

TEST_CASE("Standard output that is closed or full is a failure, one that nobody reads is none", "[streams]") {
    const Place place;
    auto commands = writing_commands();
    for (const auto* text : {"--help", "--version", "help"}) commands.push_back({text});
    for (const auto* command : {"report", "annotate", "script", "info", "dump", "bpf", "symbols", "extract", "help"}) {
        commands.push_back({command, "--help"});
        commands.push_back({"help", command});
    }
    for (const auto& command : commands) {
        INFO(in_words(command));
        CHECK(place.run(command).status == 0);
        CHECK(place.run(command, [] { spoil(STDOUT_FILENO, Wrong::closed); }).status == 1);
        const auto full = place.run(command, [] { spoil(STDOUT_FILENO, Wrong::full); });
        CHECK(full.status == 1);
        CHECK(full.messages.find("standard output: cannot write: No space left on device") != std::string::npos);
        CHECK(place.run(command, [] { spoil(STDOUT_FILENO, Wrong::unread); }).status == 0);
        // Both standard error and standard output fail.
        for (const auto wrong : {Wrong::closed, Wrong::full}) {
            const auto both = place.run(command, [=] {
                spoil(STDERR_FILENO, wrong);
                spoil(STDOUT_FILENO, wrong);
            });
            CHECK(both.status == 1);
        }
    }
}

TEST_CASE("No file becomes a standard stream", "[streams]") {
    const Place place;
    write_cut(place);
    for (const auto& command : talking_commands()) {
        INFO(in_words(command));
        const auto usual = place.run(command);
        for (const unsigned closed : {1u, 2u, 4u, 3u, 5u, 6u, 7u}) {
            INFO(closed);
            std::filesystem::remove(place.path("out"));
            const auto ended = place.run(with(command, {"-o", "out"}), [=] {
                for (int descriptor = 0; descriptor < 3; ++descriptor) {
                    if ((closed >> descriptor & 1) != 0) ::close(descriptor);
                }
            });
            if (usual.status == 0 || usual.status == 3) {
                CHECK(ended.status == usual.status);
                CHECK(same(place.read("out"), usual.output));
            } else {
                CHECK(ended.status > 0);
                CHECK_FALSE(std::filesystem::exists(place.path("out")));
            }
            CHECK(ended.output.empty());
        }
    }
    // The recording does not become standard input either.
    CHECK(place.run({"info", "-"}, [] { ::close(STDIN_FILENO); }).status == 1);
}

TEST_CASE("Messages do not wait for a reader who wants not to block", "[streams]") {
    const Place place;
    write_cut(place);
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    const std::string block(4096, 'x');
    while (::write(ends[1], block.data(), block.size()) > 0) {
    }
    const auto usual = place.run({"info", "cut.data"});
    const auto ended = place.run({"info", "cut.data"}, [&] { ::dup2(ends[1], STDERR_FILENO); });
    CHECK(ended.status == 0);
    CHECK(same(ended.output, usual.output));
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("A pipe that takes little at a time gets everything", "[streams]") {
    const Place place;
    const auto direct = place.run({"dump", "in.data"});
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    const auto started = place.start({"dump", "in.data"}, [&] { ::dup2(ends[1], STDOUT_FILENO); });
    ::close(ends[1]);
    std::string got;
    for (;;) {
        std::array<char, 3000> block{};
        const auto count = ::read(ends[0], block.data(), block.size());
        if (count == 0) break;
        if (count > 0) {
            got.append(block.data(), static_cast<std::size_t>(count));
        } else {
            REQUIRE(errno == EAGAIN);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    ::close(ends[0]);
    CHECK(started.wait().status == 0);
    CHECK(same(got, direct.output));
}
