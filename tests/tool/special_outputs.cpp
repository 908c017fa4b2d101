// SPDX-License-Identifier: MIT
// Outputs that are not regular files: FIFOs, devices, sockets and open descriptors are written directly and never
// replaced.
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <future>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "catch.hpp"
#include "tool/file_status.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

// everything_of(descriptor) reads until its end in a separate thread.
std::future<std::string> everything_of(int descriptor) {
    return std::async(std::launch::async, [descriptor] {
        std::string text;
        std::array<char, 4096> block{};
        for (;;) {
            const auto got = ::read(descriptor, block.data(), block.size());
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return text;  // EIO: all other users of a terminal have closed it
            text.append(block.data(), static_cast<std::size_t>(got));
        }
    });
}

}  // namespace

TEST_CASE("A FIFO is written through and stays", "[outputs]") {
    for (const auto& command : writing_commands()) {
        const Place place;
        INFO(in_words(command));
        const auto direct = place.run(command);
        REQUIRE(direct.status == 0);
        REQUIRE_FALSE(direct.output.empty());
        REQUIRE(::mkfifo(place.path("fifo.csv").c_str(), 0600) == 0);
        // Keep both ends open: the tool does not wait, and the reader sees the end when both writers are closed.
        const int reader = ::open(place.path("fifo.csv").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        const int writer = ::open(place.path("fifo.csv").c_str(), O_WRONLY | O_CLOEXEC);
        REQUIRE((reader >= 0 && writer >= 0));
        ::fcntl(reader, F_SETFL, 0);
        auto text = everything_of(reader);
        const auto ended = place.run(with(command, {"-o", "fifo.csv"}));
        ::close(writer);
        const auto got = text.get();
        ::close(reader);
        CHECK(ended.status == 0);
        CHECK(S_ISFIFO(status_of(place.path("fifo.csv")).st_mode));
        CHECK(same(got, direct.output));
        CHECK(place.files() == std::vector<std::string>{"fifo.csv", "in.data"});
    }
}

TEST_CASE("A device is written through and stays", "[outputs]") {
    const Place place;
    const auto direct = place.run({"info", "in.data"});
    SECTION("a terminal") {
        const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        REQUIRE(master >= 0);
        REQUIRE((::grantpt(master) == 0 && ::unlockpt(master) == 0));
        const std::string terminal = ::ptsname(master);
        const int held = ::open(terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
        auto got = everything_of(master);
        CHECK(place.run({"info", "in.data", "-o", terminal}).status == 0);
        CHECK(S_ISCHR(status_of(terminal).st_mode));
        ::close(held);
        const auto text = got.get();
        CHECK(has(text, "container"));
        ::close(master);
        CHECK(place.run({"annotate", "--format", "html", "in.data", "-o", "/dev/null"}).status == 0);
    }
    SECTION("a device of its own") {
        if (::mknod(place.path("null").c_str(), S_IFCHR | 0666, ::makedev(1, 3)) == 0) {
            for (const auto& command : writing_commands()) {
                INFO(in_words(command));
                CHECK(place.run(with(command, {"-o", "null"})).status == 0);
                CHECK(S_ISCHR(status_of(place.path("null")).st_mode));
            }
            CHECK(place.files() == std::vector<std::string>{"in.data", "null"});
        } else {
            WARN("no device can be made here; terminals and links to devices are tested all the same");
        }
    }
    SECTION("through a link") {
        std::filesystem::create_symlink("/dev/null", place.path("link.pdf"));
        std::filesystem::create_symlink("/dev/full", place.path("full"));
        for (const auto& command : writing_commands()) {
            INFO(in_words(command));
            CHECK(place.run(with(command, {"-o", "link.pdf"})).status == 0);
            const auto full = place.run(with(command, {"-o", "full"}));
            CHECK(full.status == 1);
            CHECK(has(full.messages, "full: cannot write"));
        }
        CHECK(std::filesystem::is_symlink(place.path("link.pdf")));
        CHECK(S_ISCHR(status_of("/dev/null").st_mode));
        CHECK(place.files() == std::vector<std::string>{"full", "in.data", "link.pdf"});
    }
}

TEST_CASE("A socket is written through and stays", "[outputs]") {
    const Place place;
    const auto direct = place.run({"info", "in.data"});
    SECTION("by its name") {
        const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ::sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        const auto path = place.path("socket");
        REQUIRE(path.size() < sizeof address.sun_path);
        path.copy(address.sun_path, path.size());
        REQUIRE(::bind(listener, reinterpret_cast<::sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::listen(listener, 1) == 0);
        const auto ended = place.run({"info", "in.data", "-o", "socket"});
        CHECK(ended.status == 0);
        const int connection = ::accept(listener, nullptr, nullptr);
        CHECK(same(everything_of(connection).get(), direct.output));
        ::close(connection);
        ::close(listener);
        CHECK(S_ISSOCK(status_of(path).st_mode));
        // The socket has no listener any more.
        const auto refused = place.run({"info", "in.data", "-o", "socket"});
        CHECK(refused.status == 1);
        CHECK(has(refused.messages, "socket: cannot write"));
        CHECK(S_ISSOCK(status_of(path).st_mode));
    }
    SECTION("by its descriptor") {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        for (const std::string name : {"/dev/fd/9", "/proc/self/fd/9"}) {
            const auto started = place.start({"info", "in.data", "-o", name}, [&] { ::dup2(ends[1], 9); });
            std::string got(direct.output.size(), '\0');
            CHECK(::recv(ends[0], got.data(), got.size(), MSG_WAITALL) == static_cast<ssize_t>(got.size()));
            CHECK(started.wait().status == 0);
            CHECK(same(got, direct.output));
        }
        ::close(ends[0]);
        ::close(ends[1]);
    }
}

TEST_CASE("An open descriptor is written where it stands", "[outputs]") {
    const Place place;
    const auto direct = place.run({"report", "in.data"});
    place.write("log", old_text);
    const auto before = status_of(place.path("log"));
    const auto open_log = [&](int descriptor) {
        const int log = ::open("log", O_WRONLY | O_APPEND);
        ::dup2(log, descriptor);
    };
    std::filesystem::create_symlink("/dev/stdout", place.path("link"));
    std::string expected = old_text;
    for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link", "-"}) {
        INFO(name);
        CHECK(place.run({"report", "in.data", "-o", name}, [&] { open_log(STDOUT_FILENO); }).status == 0);
        expected += direct.output;
        CHECK(same(place.read("log"), expected));
    }
    CHECK(place.run({"report", "in.data", "-o", "/dev/fd/7"}, [&] { open_log(7); }).status == 0);
    expected += direct.output;
    CHECK(same(place.read("log"), expected));
    CHECK(status_of(place.path("log")).st_ino == before.st_ino);
    CHECK(std::filesystem::is_symlink(place.path("link")));
    // Descriptors that are closed or read-only are errors, and no file of that name is created.
    CHECK(place.run({"report", "in.data", "-o", "/dev/fd/42"}).status == 1);
    CHECK(place.run({"report", "in.data", "-o", "/dev/stdin"}).status == 1);
    CHECK(place.files() == std::vector<std::string>{"in.data", "link", "log"});
}
