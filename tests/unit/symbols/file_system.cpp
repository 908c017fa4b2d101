// SPDX-License-Identifier: MIT
// The two ways to open a file: named by a recording, or given by the user.
#include "perfdata/symbols/elf/find/file_system.hpp"

#include <chrono>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "catch.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Out of reach nothing is opened by a recording's word", "[symbols][files]") {
    const auto walk = GENERATE(LinkWalk::kernel, LinkWalk::own);
    const TempDir directory;
    const auto path = directory.write("file", blob_of("content"));
    const FileName whole{"", path}, below{directory.path().string(), "/file"};
    const LocalFiles machine(Reach::machine, walk), given(Reach::given, walk);
    for (const auto& name : {whole, below}) {
        CHECK(machine.open(name, {}));
        CHECK(machine.has(name));
        CHECK(machine.modified(name));
    }
    CHECK(given.open(below, {}));
    CHECK(given.has(below));
    CHECK(given.modified(below));
    CHECK(given.open(whole, {}).error().code == ErrorCode::missing);
    CHECK_FALSE(given.has(whole));
    CHECK_FALSE(given.modified(whole));
    CHECK(given.read_kernel_file(path, 100).error().code == ErrorCode::missing);
    CHECK(given.read_kernel_file_start(path, 100).error().code == ErrorCode::missing);
    CHECK(given.open_given(path, {}));  // the user may name anything
}

TEST_CASE("The time of a file is that of its last change", "[symbols][files]") {
    const TempDir directory;
    const auto path = directory.write("file", blob_of("content"));
    const LocalFiles files;
    const auto found = files.modified({"", path});
    REQUIRE(found);
    const auto since = std::chrono::seconds(found->seconds) + std::chrono::nanoseconds(found->nanoseconds);
    const std::chrono::sys_time<std::chrono::nanoseconds> time(since);
    CHECK(std::chrono::file_clock::from_sys(time) == std::filesystem::last_write_time(path));
    CHECK_FALSE(files.modified({"", path + "x"}));
    CHECK_FALSE(files.modified({"", "/dev/null"}));
}

TEST_CASE("A file is the same by each of its names until it changes", "[symbols][files]") {
    const auto walk = GENERATE(LinkWalk::kernel, LinkWalk::own);
    const TempDir directory;
    const auto path = directory.write("file", blob_of("content")), other = directory.write("other", blob_of("content"));
    std::filesystem::create_symlink("file", directory.path() / "link");
    std::filesystem::create_hard_link(path, directory.path() / "hard");
    const LocalFiles files(Reach::machine, walk);
    const auto identity = files.identity({"", path});
    REQUIRE(identity);
    CHECK(identity->size == 7);
    const auto root = directory.path().string();
    for (const auto* name : {"/file", "/link", "/hard", "/./file", "/../link"}) {
        INFO(name);
        CHECK(files.identity({root, name}) == identity);
    }
    CHECK(files.identity({"", other}) != identity);
    CHECK_FALSE(files.identity({"", path + "x"}));
    CHECK_FALSE(files.identity({"", "/dev/null"}));
    CHECK_FALSE(LocalFiles(Reach::given, walk).identity({"", path}));
    directory.write("file", blob_of("content and more"));
    CHECK(files.identity({"", path}) != identity);
}

TEST_CASE("A pipe by the user's word is read once, however often it is asked for", "[symbols][files]") {
    const TempDir directory;
    const auto path = (directory.path() / "pipe").string();
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const std::jthread writer([&] { std::ofstream(path) << "content"; });
    const LocalFiles files;
    for (unsigned round = 0; round < 3; ++round) {
        const auto source = files.open_given(path, {});
        REQUIRE(source);
        CHECK(read_whole(**source, 100) == std::string("content"));
    }
    CHECK(files.open({"", path}, {}).error().code == ErrorCode::missing);
}

TEST_CASE("A perf map where everybody may write must be the user's own or root's", "[symbols][files]") {
    const TempDir directory;
    const auto path = directory.write("perf-1.map", blob_of("1000 10 name\n"));
    const LocalFiles files;
    CHECK(files.open({"", path}, {}, Content::perf_map));
    if (::chown(path.c_str(), 54321, 54321) != 0) return;  // needs root
    CHECK(files.open({"", path}, {}, Content::perf_map).error().code == ErrorCode::mismatch);
    CHECK(files.open({directory.path().string(), "perf-1.map"}, {}, Content::perf_map));
    CHECK(files.open({"", path}, {}, Content::text));
    CHECK(files.open_given(path, {}, Content::perf_map));
}
