// SPDX-License-Identifier: MIT
// Which files named by a recording are opened, and which are not.
#include "perfdata/recording/named_file.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <stop_token>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "perfdata/core/cursor.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"

#include "catch.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;
namespace fs = std::filesystem;

namespace {

// content_named(name) returns the file's content, or the error code. Both ways of walking the path must agree.
std::string content_named(const FileName& name) {
    std::string answers[2];
    for (const auto walk : {LinkWalk::kernel, LinkWalk::own}) {
        const auto source = open_named_file(name, {}, {.walk = walk});
        auto& answer = answers[walk == LinkWalk::own ? 1 : 0];
        answer = source ? read_whole(**source, 1000).value() : std::string(to_string(source.error().code));
        CHECK(is_named_file(name, walk) == source.has_value());
        CHECK(named_file_time(name, walk).has_value() == source.has_value());
    }
    CHECK(answers[0] == answers[1]);
    return answers[0];
}

// Tree is a directory "root" with files, and files outside of it whose content is "outside".
class Tree {
  public:
    Tree() {
        fs::create_directories(root() + "/usr/lib");
        fs::create_directories(root() + "/etc");
        directory_.write("root/usr/lib/file", blob_of("inside"));
        directory_.write("root/etc/secret", blob_of("inside too"));
        directory_.write("secret", blob_of("outside"));
        fs::create_directory(directory_.path() / "etc");
        directory_.write("etc/secret", blob_of("outside"));
    }
    std::string root() const { return (directory_.path() / "root").string(); }
    std::string outside() const { return (directory_.path() / "secret").string(); }
    std::string path() const { return directory_.path().string(); }
    void link(const std::string& name, const std::string& target) const {
        fs::create_symlink(target, root() + "/" + name);
    }
    std::string below(const std::string& path) const { return content_named({root(), path}); }

  private:
    TempDir directory_;
};

}  // namespace

TEST_CASE("A regular file is opened by a recording's word, whole or packed", "[recording][named]") {
    const TempDir directory;
    const auto plain = directory.write("plain", blob_of("content"));
    CHECK(content_named({"", plain}) == "content");
    CHECK(content_named({"", directory.write("packed", compressed(Compression::gzip, blob_of("content")))}) ==
          "content");
    CHECK(content_named({"", directory.write("empty", {})}).empty());
    fs::create_symlink("plain", directory.path() / "link");
    CHECK(content_named({"", (directory.path() / "link").string()}) == "content");
    CHECK(content_named({"", directory.path().string() + "/./x/../plain"}) == "missing");
    CHECK(content_named({"", directory.path().string() + "/.//" + "../" + directory.path().filename().string() +
                                 "/plain"}) == "content");
    CHECK(content_named({"", (directory.path() / "none").string()}) == "missing");
    CHECK(content_named({"", plain + "/below"}) == "missing");
    CHECK(content_named({"", plain + std::string("\0", 1)}) == "missing");
    CHECK(content_named({"", std::string(70000, 'a')}) == "missing");
    std::string longest;
    while (longest.size() + plain.size() < 4090) longest += "/.";
    CHECK(content_named({"", longest + plain}) == "content");
    CHECK(content_named({"", longest + "/./././." + plain}) == "missing");
    CHECK(content_named({"", ""}) == "missing");
}

TEST_CASE("A relative name counts from the current directory", "[recording][named]") {
    const TempDir directory;
    const auto plain = directory.write("plain", blob_of("content"));
    const auto here = fs::current_path();
    fs::create_directory(directory.path() / "sub");
    fs::current_path(directory.path() / "sub");
    CHECK(content_named({"", "../plain"}) == "content");
    CHECK(content_named({"", "../../" + directory.path().filename().string() + "/plain"}) == "content");
    CHECK(content_named({"..", "plain"}) == "content");
    CHECK(content_named({"..", "/plain"}) == "content");
    CHECK(content_named({".", "/../plain"}) == "missing");
    fs::current_path(here);
}

// The pipe has no writer and the socket no listener: opening one would hang the test or fail visibly.
TEST_CASE("Devices, pipes, sockets and directories are not opened by a recording's word", "[recording][named]") {
    const TempDir directory;
    const auto pipe = (directory.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto socket_path = (directory.path() / "socket").string();
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(socket_path.size() < sizeof address.sun_path);
    socket_path.copy(address.sun_path, socket_path.size());
    REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    for (const auto& name :
         {pipe, socket_path, directory.path().string(), std::string("/dev/zero"), std::string("/dev/tty"),
          std::string("/dev/null"), std::string("/"), std::string("/dev/stdin")}) {
        INFO(name);
        CHECK(content_named({"", name}) == "missing");
        fs::remove(directory.path() / "link");
        fs::create_symlink(name, directory.path() / "link");
        CHECK(content_named({"", (directory.path() / "link").string()}) == "missing");
    }
    CHECK(content_named({directory.path().string(), "pipe"}) == "missing");
    CHECK(content_named({directory.path().string(), "socket"}) == "missing");
    // A non-blocking writer fails: the pipe has no reader, so nothing has opened it.
    CHECK(::open(pipe.c_str(), O_WRONLY | O_NONBLOCK) == -1);
    if (const auto device = (directory.path() / "device").string();
        ::mknod(device.c_str(), S_IFCHR | 0600, ::makedev(1, 5)) == 0) {  // like /dev/zero
        CHECK(content_named({"", device}) == "missing");
        CHECK(content_named({directory.path().string(), "/device"}) == "missing");
    }
    ::close(socket);
}

TEST_CASE("Nothing in a file system of the kernel is opened by a recording's word", "[recording][named]") {
    const TempDir directory;
    const auto file = directory.write("file", blob_of("content"));
    const int open = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(open >= 0);
    for (const std::string name :
         {"/proc/self/status", "/proc/self/mem", "/proc/kmsg", "/proc/version", "/proc/sys/kernel/osrelease",
          "/proc/net/tcp", "/proc/self/exe", "/sys/kernel/notes", "/sys/kernel/tracing/trace_pipe",
          "/sys/kernel/debug/tracing/trace_pipe", "/sys/fs/cgroup/cgroup.procs", "/proc/self/cwd/CMakeCache.txt",
          "/proc/self/root/proc/version", "/proc/self/root/proc/self/root/proc/version", "/proc/../proc/version"}) {
        INFO(name);
        CHECK(content_named({"", name}) == "missing");
        CHECK(content_named({"/", name}) == "missing");
        fs::remove(directory.path() / "link");
        fs::create_symlink(name, directory.path() / "link");
        CHECK(content_named({"", (directory.path() / "link").string()}) == "missing");
    }
    // A recording cannot refer to this process's open files.
    CHECK(content_named({"", "/proc/self/fd/" + std::to_string(open)}) == "missing");
    CHECK(content_named({"", "/dev/fd/" + std::to_string(open)}) == "missing");
    ::close(open);
}

TEST_CASE("No name passes a file system of the kernel's own", "[recording][named]") {
    const Tree tree;
    const auto file = tree.outside();
    REQUIRE(content_named({"", file}) == "outside");
    const auto up = "/.." + file, twice = "/../.." + file;
    for (const auto& name : {"/proc/sys" + twice, "/proc/sys/kernel/.." + twice, "/sys/kernel" + twice,
                             "/dev/fd/../.." + up, "/proc/self/map_files/../.." + up,
                             "/proc/sys/fs/binfmt_misc/../../../.." + file, "/proc/thread-self/../../.." + up,
                             std::string("/sys/kernel/debug/tracing/x"), std::string("/proc/self/map_files/x")}) {
        INFO(name);
        CHECK(content_named({"", name}) == "missing");
    }
    // By a link, too.
    tree.link("proc", "/proc/sys");
    CHECK(content_named({"", tree.root() + "/proc/../.." + file}) == "missing");
    // The reason is the same whoever walks.
    for (const auto walk : {LinkWalk::kernel, LinkWalk::own}) {
        const auto refused = open_named_file({"", "/sys/kernel/debug/tracing/x"}, {}, {.walk = walk});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().detail.contains("where nothing is opened by that name"));
    }
}

TEST_CASE("The root directory of a process leads to ordinary files", "[recording][named]") {
    if (!fs::exists("/proc/self/root/")) return;
    const TempDir directory;
    const auto file = directory.write("file", blob_of("content"));
    fs::create_symlink(file, directory.path() / "link");
    for (const auto& process : {std::string("self"), std::string("thread-self"), std::to_string(::getpid())}) {
        const auto root = "/proc/" + process + "/root";
        INFO(root);
        CHECK(content_named({"", root + file}) == "content");
        CHECK(content_named({"", root + "/.." + file}) == "content");
        CHECK(content_named({"", root + (directory.path() / "link").string()}) == "content");
        CHECK(content_named({root, file}) == "content");  // the user may give one as well
    }
    CHECK(content_named({"", "/proc/self/task/" + std::to_string(::getpid()) + "/root" + file}) == "content");
    CHECK(content_named({"", "/proc/self/root"}) == "missing");
    CHECK(content_named({"", "/proc/self/root/dev/zero"}) == "missing");
}

TEST_CASE("Nothing outside of a root is opened, whatever links there are inside", "[recording][named]") {
    const Tree tree;
    CHECK(tree.below("/usr/lib/file") == "inside");
    CHECK(tree.below("usr/lib/file") == "inside");
    CHECK(tree.below("/../../../usr/lib/../lib/file") == "inside");
    CHECK(tree.below("/../secret") == "missing");
    CHECK(tree.below("/usr/../../secret") == "missing");
    CHECK(tree.below(tree.outside()) == "missing");

    tree.link("relative", "../secret");
    CHECK(tree.below("/relative") == "missing");
    tree.link("absolute", tree.outside());
    CHECK(tree.below("/absolute") == "missing");
    tree.link("usr/deep", "../../../../../../../../../../../../etc/secret");
    CHECK(tree.below("/usr/deep") == "inside too");
    tree.link("directory", tree.path());
    CHECK(tree.below("/directory/secret") == "missing");
    tree.link("usr/up", "..");
    CHECK(tree.below("/usr/up/up/up/etc/secret") == "missing");
    CHECK(tree.below("/usr/up/usr/up/usr/up/etc/secret") == "inside too");
    CHECK(tree.below("/usr/up/../../etc/secret") == "inside too");

    // An absolute link refers to the copied machine.
    tree.link("etc/there", "/usr/lib/file");
    CHECK(tree.below("/etc/there") == "inside");
    tree.link("lib", "usr/lib");
    CHECK(tree.below("/lib/file") == "inside");
    tree.link("lib64", "/lib");
    CHECK(tree.below("/lib64/file") == "inside");
    CHECK(tree.below("/lib64/../../etc/secret") == "inside too");
}

TEST_CASE("Links without an end are no files", "[recording][named]") {
    const Tree tree;
    tree.link("self", "self");
    CHECK(tree.below("/self") == "missing");
    tree.link("one", "two");
    tree.link("two", "/one");
    CHECK(tree.below("/one") == "missing");
    tree.link("longer", "longer/longer/longer/longer");
    CHECK(tree.below("/longer/x") == "missing");
    tree.link("here", ".");
    std::string many = "/usr/lib/file";
    for (unsigned index = 0; index < 39; ++index) many = "/here" + many;
    CHECK(tree.below(many) == "inside");
    CHECK(tree.below("/here/here" + many) == "missing");  // 41 links: the kernel's limit as well
    std::string deep = "/usr/lib/file";
    for (unsigned index = 0; index < 500; ++index) deep = "/usr/.." + deep;
    CHECK(tree.below(deep) == "inside");
}

TEST_CASE("A directory that is moved out of a root while it is walked leads to nothing outside", "[recording][named]") {
    const Tree tree;
    const auto inside = tree.root() + "/a/b";
    fs::create_directories(inside);
    fs::create_directories(tree.path() + "/x/y/z");
    std::ofstream(tree.path() + "/x/found") << "outside";
    std::jthread mover([&](const std::stop_token& stop) {
        const auto away = tree.path() + "/x/y/z/b";
        while (!stop.stop_requested()) {
            std::error_code ignored;
            fs::rename(inside, away, ignored);
            fs::rename(away, inside, ignored);
        }
    });
    for (unsigned round = 0; round < 3000; ++round) {
        for (const auto walk : {LinkWalk::kernel, LinkWalk::own}) {
            const auto source = open_named_file({tree.root(), "/a/b/../../../found"}, {}, {.walk = walk});
            REQUIRE_FALSE(source);
        }
    }
}

// The name alternates between a file and a pipe: only the file is ever read.
TEST_CASE("What is checked is what is read", "[recording][named]") {
    const TempDir directory;
    const auto name = (directory.path() / "name").string();
    directory.write("file", blob_of("content"));
    REQUIRE(::mkfifo((directory.path() / "pipe").c_str(), 0600) == 0);
    fs::create_hard_link(directory.path() / "file", directory.path() / "other");
    fs::rename(directory.path() / "other", name);
    std::jthread swapper([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            for (const auto* kind : {"file", "pipe"}) {
                std::error_code ignored;
                fs::create_hard_link(directory.path() / kind, directory.path() / "new", ignored);
                fs::rename(directory.path() / "new", name, ignored);
            }
            std::error_code ignored;
            fs::create_symlink("/proc/self/status", directory.path() / "new", ignored);
            fs::rename(directory.path() / "new", name, ignored);
        }
    });
    unsigned opened = 0;
    for (unsigned round = 0; round < 20000 && opened < 200; ++round) {
        const auto walk = round % 2 == 0 ? LinkWalk::kernel : LinkWalk::own;
        const bool below = round % 4 < 2;
        const auto source = open_named_file(below ? FileName{directory.path().string(), "name"} : FileName{"", name},
                                            {}, {.walk = walk});
        if (!source) continue;
        ++opened;
        REQUIRE(read_whole(**source, 100) == std::string("content"));
    }
    CHECK(opened != 0);
}

TEST_CASE("A file of another user is refused where that is asked for", "[recording][named]") {
    const TempDir directory;
    const auto path = directory.write("perf-1.map", blob_of("1000 10 name\n"));
    CHECK(open_named_file({"", path}, {}, {.trusted_owner = true}));
    if (::chown(path.c_str(), 54321, 54321) != 0) return;  // needs root
    const auto refused = open_named_file({"", path}, {}, {.trusted_owner = true});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::mismatch);
    CHECK(refused.error().detail.find("54321") != std::string::npos);
    CHECK(open_named_file({"", path}, {}));
}

TEST_CASE("What a link of another user leads to is refused where that is asked for", "[recording][named]") {
    const TempDir directory;
    const auto secret = directory.write("secret", blob_of("1000 10 name\n"));
    const auto root = directory.path().string();
    const auto link = root + "/perf-1.map";
    REQUIRE(::symlink("secret", link.c_str()) == 0);
    const NamedFileOptions owner{.trusted_owner = true}, links{.trusted_links = true};
    CHECK(open_named_file({"", link}, {}, owner));
    CHECK(open_named_file({root, "/perf-1.map"}, {}, links));
    if (::lchown(link.c_str(), 54321, 54321) != 0) return;  // needs root
    for (const auto& refused : {open_named_file({"", link}, {}, owner), open_named_file({"", link}, {}, links),
                                open_named_file({root, "/perf-1.map"}, {}, links)}) {
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::mismatch);
    }
    CHECK(open_named_file({"", secret}, {}, owner));
    CHECK(open_named_file({"", link}, {}));
    // Files of the machine are opened so for perf maps alone.
    const LocalFiles files;
    CHECK_FALSE(files.open({"", link}, {}, Content::perf_map));
    CHECK_FALSE(files.open({root, "/perf-1.map"}, {}, Content::perf_map));
    CHECK(files.open({"", link}, {}));
}

TEST_CASE("A file is opened on behalf of a user who may read it", "[recording][named]") {
    const TempDir directory;
    const auto path = directory.write("source.c", blob_of("int main;\n"));
    if (::chown(path.c_str(), 54321, 54321) != 0) return;  // needs root
    const auto opens_for = [&](std::uint32_t user) {
        return open_named_file({directory.path().string(), "/source.c"}, {}, {.on_behalf_of = user}).has_value();
    };
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    CHECK(opens_for(12345));
    REQUIRE(::chmod(directory.path().c_str(), 0700) == 0);
    CHECK_FALSE(opens_for(12345));
    CHECK(opens_for(54321));
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    REQUIRE(::chmod(path.c_str(), 0640) == 0);
    CHECK_FALSE(opens_for(12345));
    CHECK(opens_for(54321));
    CHECK(others_may_have_written(*open_named_file({"", path}, {}).value()));
}

TEST_CASE("A file that others may have put in its place is refused where that is asked for", "[recording][named]") {
    const TempDir directory;
    const auto root = directory.path().string();
    const auto folder = root + "/folder";
    REQUIRE(fs::create_directory(folder));
    const auto path = directory.write("folder/source.c", blob_of("int main;\n"));
    REQUIRE(::chmod(root.c_str(), 0755) == 0);
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    const auto opens = [&](std::optional<std::uint32_t> user = {}) {
        NamedFileOptions how;
        how.trusted_way = true;
        how.on_behalf_of = user;
        return open_named_file({root, "/folder/source.c"}, {}, how).has_value();
    };
    const auto opens_in = [&](unsigned mode) {
        REQUIRE(::chmod(folder.c_str(), mode) == 0);
        return opens();
    };
    CHECK(opens_in(0755));
    CHECK_FALSE(opens_in(0757));
    // Directly in a directory that all share: as its owner wrote it there, not what was linked there.
    fs::remove(path);
    const auto mask = ::umask(077);
    directory.write("folder/source.c", blob_of("int main;\n"));
    ::umask(mask);
    CHECK(opens_in(01777));
    CHECK_FALSE(opens(54321));
    fs::create_hard_link(path, root + "/link");
    CHECK_FALSE(opens_in(01777));
    fs::remove(root + "/link");
    CHECK(opens_in(0700));
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    CHECK(opens_in(0777));  // everybody's
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    // What is in a directory that all share belongs to who made it.
    REQUIRE(::chmod(root.c_str(), 01777) == 0);
    CHECK(opens_in(0755));
    if (::chown(folder.c_str(), 54321, 54321) != 0) return;  // needs root
    CHECK_FALSE(opens());
    REQUIRE(::chown(path.c_str(), 54321, 54321) == 0);
    CHECK(opens(54321));
    CHECK_FALSE(opens(12345));
    REQUIRE(::chmod(folder.c_str(), 0770) == 0);
    CHECK(opens(54321));  // the user's own group
    REQUIRE(::chown(folder.c_str(), 54321, 12345) == 0);
    REQUIRE(::chmod(folder.c_str(), 0770) == 0);
    CHECK_FALSE(opens(54321));
}

TEST_CASE("A file that claims eight exbibytes is as cheap as an empty one", "[recording][named]") {
    const TempDir directory;
    const auto path = directory.write("holes", blob_of("start"));
    std::error_code too_large;
    std::uintmax_t size = std::numeric_limits<std::int64_t>::max();
    for (fs::resize_file(path, size, too_large); too_large && size > 100; fs::resize_file(path, size, too_large))
        size /= 2;
    const auto source = open_named_file({"", path}, {});
    REQUIRE(source);
    CHECK((*source)->size() == size);
    Blob end(16);
    CHECK((*source)->read_at(size - 4, end) == std::size_t{4});
    CHECK(read_whole(**source, 1 << 20).error().code == ErrorCode::limit);
}
