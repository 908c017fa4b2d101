// SPDX-License-Identifier: MIT
// Outputs of -o, --aux and --sources keep the type and attributes of existing files.
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>

#include "catch.hpp"
#include "tool/file_status.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

TEST_CASE("Links are followed and kept", "[outputs]") {
    for (const auto& command : writing_commands()) {
        const Place place;
        INFO(in_words(command));
        const auto direct = place.run(command);
        std::filesystem::create_directory(place.path("below"));
        place.write("below/file", old_text);
        std::filesystem::create_symlink("below/second", place.path("first"));
        std::filesystem::create_symlink("file", place.path("below/second"));
        CHECK(place.run(with(command, {"-o", "first"})).status == 0);
        CHECK(same(place.read("below/file"), direct.output));
        CHECK_FALSE(std::filesystem::is_symlink(place.path("below/file")));
        // A dangling link: the target is created.
        std::filesystem::remove(place.path("below/file"));
        CHECK(place.run(with(command, {"-o", "./first"})).status == 0);
        CHECK(same(place.read("below/file"), direct.output));
        CHECK(std::filesystem::read_symlink(place.path("first")) == "below/second");
        CHECK(std::filesystem::read_symlink(place.path("below/second")) == "file");
        CHECK(place.files() == std::vector<std::string>{"below", "first", "in.data"});
    }
    const Place place;
    std::filesystem::create_symlink("other", place.path("loop"));
    std::filesystem::create_symlink("loop", place.path("other"));
    const auto loop = place.run({"info", "in.data", "-o", "loop"});
    CHECK(loop.status == 1);
    CHECK(has(loop.messages, "loop: cannot write: Too many levels of symbolic links"));
    std::filesystem::create_symlink("nowhere/file", place.path("lost"));
    CHECK(place.run({"info", "in.data", "-o", "lost"}).status == 1);
    CHECK(place.files() == std::vector<std::string>{"in.data", "loop", "lost", "other"});
}

TEST_CASE("An old file keeps its mode, a new one gets what the umask leaves", "[outputs]") {
    for (const auto& command : writing_commands()) {
        const Place place;
        INFO(in_words(command));
        for (const unsigned mode : {0600u, 0640u, 0755u, 0666u}) {
            place.write("old", old_text);
            ::chmod(place.path("old").c_str(), mode);
            CHECK(place.run(with(command, {"-o", "old"}), [] { ::umask(022); }).status == 0);
            CHECK(permissions(place.path("old")) == mode);
            CHECK(place.read("old") != old_text);
        }
        for (const unsigned mask : {077u, 022u, 002u, 0u}) {
            std::filesystem::remove(place.path("new"));
            CHECK(place.run(with(command, {"-o", "new"}), [=] { ::umask(mask); }).status == 0);
            CHECK(permissions(place.path("new")) == (0666u & ~mask));
        }
    }
}

TEST_CASE("An old file keeps its owner", "[outputs]") {
    if (!is_root()) {
        WARN("only root can give files away: not tested");
        return;
    }
    const Place place;
    ::chmod(place.path("").c_str(), 01777);
    constexpr ::uid_t owner = 4711, group = 4712;
    place.write("old", old_text);
    ::chmod(place.path("old").c_str(), 0666);
    REQUIRE(::chown(place.path("old").c_str(), owner, group) == 0);
    const auto ours = place.run({"info", "in.data", "-o", "old"});
    CHECK(ours.status == 0);
    CHECK(ours.messages.empty());
    auto status = status_of(place.path("old"));
    CHECK((status.st_uid == owner && status.st_gid == group && (status.st_mode & 07777) == 0666));
    // A user who may write the file, but cannot create one for its owner, writes it in place.
    const auto theirs = place.run({"info", "in.data", "-o", "old"}, as_nobody);
    CHECK(theirs.status == 0);
    CHECK(has(theirs.messages, "note: old was written in place"));
    const auto after = status_of(place.path("old"));
    CHECK((after.st_uid == owner && after.st_gid == group && after.st_ino == status.st_ino));
    CHECK(same(place.read("old"), place.run({"info", "in.data"}).output));
    CHECK(place.files() == std::vector<std::string>{"in.data", "old"});
}

TEST_CASE("A file with several names is written in place", "[outputs]") {
    for (const auto& command : writing_commands()) {
        const Place place;
        INFO(in_words(command));
        const auto direct = place.run(command);
        place.write("one", old_text);
        std::filesystem::create_hard_link(place.path("one"), place.path("two"));
        const auto ended = place.run(with(command, {"-o", "two"}));
        CHECK(ended.status == 0);
        CHECK(has(ended.messages, "perfdata: note: two was written in place, and not replaced: it has 2 names"));
        CHECK(same(place.read("one"), direct.output));
        CHECK(status_of(place.path("one")).st_ino == status_of(place.path("two")).st_ino);
        CHECK_FALSE(has(place.run(with(command, {"-q", "-o", "two"})).messages, "in place"));
    }
    // Until something is written, the file is untouched.
    const Place place;
    place.write("one", old_text);
    std::filesystem::create_hard_link(place.path("one"), place.path("two"));
    CHECK(place.run({"dump", "--event", "nosuch", "in.data", "-o", "two"}).status == 1);
    CHECK(same(place.read("one"), old_text));
}

TEST_CASE("In a directory that takes no files an old one is written in place", "[outputs]") {
    const Place place;
    const auto direct = place.run({"report", "in.data"}, as_nobody);
    std::filesystem::create_directory(place.path("closed"));
    const auto old = place.write("closed/old.txt", old_text);
    ::chmod(old.c_str(), 0666);
    ::chmod(place.path("closed").c_str(), 0555);
    const auto inode = status_of(old).st_ino;
    const auto ended = place.run({"report", "in.data", "-o", "closed/old.txt"}, as_nobody);
    CHECK(ended.status == 0);
    CHECK(has(ended.messages,
              "note: closed/old.txt was written in place, and not replaced: its directory allows no new"));
    CHECK(same(place.read("closed/old.txt"), direct.output));
    CHECK(status_of(old).st_ino == inode);
    const auto fresh = place.run({"report", "in.data", "-o", "closed/new.txt"}, as_nobody);
    CHECK(fresh.status == 1);
    CHECK(has(fresh.messages, "closed/new.txt: cannot write: Permission denied"));
    // A write-protected file is refused, even if its directory would permit replacing it.
    ::chmod(place.path("closed").c_str(), 0777);
    ::chmod(old.c_str(), 0444);
    const auto protected_file = place.run({"report", "in.data", "-o", "closed/old.txt"}, as_nobody);
    CHECK(protected_file.status == 1);
    CHECK(same(place.read("closed/old.txt"), direct.output));
    CHECK(permissions(old) == 0444);
}

TEST_CASE("A file that is a mount of its own is written in place", "[outputs]") {
    const Place place;
    const auto direct = place.run({"info", "in.data"});
    place.write("source", old_text);
    place.write("mounted", "");
    constexpr int not_allowed = 125;
    const auto ended = place.run({"info", "in.data", "-o", "mounted"}, [] {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
            ::mount("source", "mounted", nullptr, MS_BIND, nullptr) != 0) {
            ::_exit(not_allowed);
        }
    });
    if (ended.status == not_allowed) {
        WARN("nothing can be mounted here: not tested");
        return;
    }
    CHECK(ended.status == 0);
    CHECK(has(ended.messages, "note: mounted was written in place, and not replaced"));
    CHECK(same(place.read("source"), direct.output));
    CHECK(place.files() == std::vector<std::string>{"in.data", "mounted", "source"});
}

TEST_CASE("An old file keeps what users noted about it and who may use it", "[outputs]") {
    const Place place;
    place.write("old", old_text);
    const auto path = place.path("old");
    const auto value = [&](const char* name) {
        std::array<char, 256> text{};
        const auto size = ::getxattr(path.c_str(), name, text.data(), text.size());
        return size < 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size));
    };
    bool any = ::setxattr(path.c_str(), "user.note", "red", 3, 0) == 0;
    // Version 2: the owner, user 4711, the group, a mask, and others.
    const std::array<std::uint32_t, 11> list{2, 0x60001, ~0u, 0x40002, 4711, 0x40004, ~0u, 0x60010, ~0u, 0x20, ~0u};
    any = ::setxattr(path.c_str(), "system.posix_acl_access", list.data(), sizeof list, 0) == 0 || any;
    if (!any) WARN("the file system for temporary files has no extended attributes: not tested");
    const auto note = value("user.note"), access = value("system.posix_acl_access");
    CHECK(place.run({"info", "in.data", "-o", "old"}).status == 0);
    CHECK(place.read("old") != old_text);
    CHECK(value("user.note") == note);
    CHECK(value("system.posix_acl_access") == access);
}

TEST_CASE("What fails leaves the old file and nothing else", "[outputs]") {
    const Place place;
    place.write("old", old_text);
    auto inode = status_of(place.path("old")).st_ino;
    const auto untouched = [&] {
        CHECK(same(place.read("old"), old_text));
        CHECK(status_of(place.path("old")).st_ino == inode);
        CHECK(place.files() == std::vector<std::string>{"in.data", "old"});
    };
    CHECK(place.run({"dump", "--event", "nosuch", "in.data", "-o", "old"}).status == 1);
    untouched();
    CHECK(place.run({"report", "nosuch.data", "-o", "old"}).status == 1);
    untouched();
    CHECK(place.run({"report", "in.data", "--nosuch", "-o", "old"}).status == 2);
    untouched();
    // No room: files are limited to 1000 bytes.
    for (const auto& command : writing_commands()) {
        INFO(in_words(command));
        for (const std::string name : {"old", "new"}) {
            const auto full = place.run(with(command, {"-o", name}), [] {
                const ::rlimit little{1000, 1000};
                ::setrlimit(RLIMIT_FSIZE, &little);
            });
            if (full.status == 0) {
                CHECK(place.read(name).size() <= 1000);
                place.write("old", old_text);
                inode = status_of(place.path("old")).st_ino;
                std::filesystem::remove(place.path("new"));
                continue;
            }
            CHECK(full.status == 1);
            CHECK(has(full.messages, name + ": cannot write: File too large"));
            untouched();
        }
    }
}

TEST_CASE("A directory, an empty name and a name in no directory are no outputs", "[outputs]") {
    const Place place;
    std::filesystem::create_directory(place.path("folder"));
    place.write("file", old_text);
    for (const std::string name :
         {"folder", "folder/", ".", "..", "/", "folder/..", "nosuch/", "nosuch/file", "file/", "file/below"}) {
        INFO(name);
        const auto ended = place.run({"info", "in.data", "-o", name});
        CHECK(ended.status == 1);
        CHECK(has(ended.messages, name + ": cannot write"));
        CHECK(ended.output.empty());
    }
    CHECK(place.run({"info", "in.data", "-o", ""}).status == 2);
    CHECK(place.run({"info", "in.data", "-o", std::string(5000, 'a')}).status == 1);
    CHECK(place.run({"info", "in.data", "-o", std::string(255, 'a')}).status == 0);
    std::filesystem::remove(place.path(std::string(255, 'a')));
    CHECK(place.run({"info", "in.data", "-o", "one", "-o", "two"}).status == 2);
    CHECK(place.files() == std::vector<std::string>{"file", "folder", "in.data"});
}

TEST_CASE("A signal leaves no temporary file", "[outputs]") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT,
                             SIGSYS, SIGRTMIN, SIGRTMAX}) {
        const Place place;
        INFO(signal);
        place.write("aux.data", aux_recording());
        place.write("p.cpu3.idx0", old_text);
        // The second file has no reader: the tool waits there after writing the first.
        REQUIRE(::mkfifo(place.path("p.tid99.idx2").c_str(), 0600) == 0);
        const auto started = place.start({"dump", "--aux", "p", "aux.data"}, [=] { ::signal(signal, SIG_DFL); });
        const auto is_there = [&] {
            for (const auto& name : place.files()) {
                if (name.starts_with(".perfdata-")) return true;
            }
            return false;
        };
        for (int waited = 0; waited < 6000 && !is_there(); ++waited) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        CHECK(is_there());
        ::kill(started.process(), signal);
        CHECK(started.wait().signal == signal);
        CHECK(place.files() == std::vector<std::string>{"aux.data", "in.data", "p.cpu3.idx0", "p.tid99.idx2"});
        CHECK(same(place.read("p.cpu3.idx0"), old_text));
    }
}

TEST_CASE("Files of --aux are outputs like any other", "[outputs]") {
    const Place place;
    place.write("aux.data", aux_recording());
    const std::vector<std::string> command{"dump", "--aux", "p", "aux.data"};
    place.write("target", old_text);
    ::chmod(place.path("target").c_str(), 0640);
    std::filesystem::create_symlink("target", place.path("p.cpu3.idx0"));
    std::filesystem::create_symlink("/dev/null", place.path("p.tid99.idx2"));
    CHECK(place.run(command, [] { ::umask(027); }).status == 0);
    CHECK(same(place.read("target"), "first second"));
    CHECK(permissions(place.path("target")) == 0640);
    CHECK(std::filesystem::is_symlink(place.path("p.cpu3.idx0")));
    CHECK(std::filesystem::is_symlink(place.path("p.tid99.idx2")));
    // Two outputs are the same file.
    std::filesystem::remove(place.path("p.tid99.idx2"));
    std::filesystem::create_symlink("target", place.path("p.tid99.idx2"));
    const auto twice = place.run(command);
    CHECK(twice.status == 2);
    CHECK(has(twice.messages, "--aux: p.tid99.idx2 is another file of --aux"));
    CHECK(same(place.read("target"), "first second"));
    // An output is the recording, or the file of -o.
    std::filesystem::remove(place.path("p.tid99.idx2"));
    std::filesystem::create_hard_link(place.path("aux.data"), place.path("p.tid99.idx2"));
    CHECK(place.run(command).status == 2);
    CHECK(same(place.read("aux.data"), aux_recording()));
    std::filesystem::remove(place.path("p.tid99.idx2"));
    CHECK(place.run(with(command, {"-o", "./p.tid99.idx2"})).status == 2);
    CHECK(place.run(with(command, {"-o", "target"})).status == 2);
    CHECK(place.files() == std::vector<std::string>{"aux.data", "in.data", "p.cpu3.idx0", "target"});
    CHECK(same(place.read("target"), "first second"));
}

TEST_CASE("Files of --sources take the place of files only", "[outputs]") {
    const Place place;
    const std::vector<std::string> command{"extract", "-s", "step", "in.data", "-o", "step.elf", "--sources", "src"};
    REQUIRE(place.run(command).status == 0);
    std::string source;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place.path("src"))) {
        if (entry.is_regular_file()) source = std::filesystem::relative(entry.path(), place.path("")).string();
    }
    REQUIRE_FALSE(source.empty());
    const auto text = place.read(source);
    REQUIRE_FALSE(text.empty());
    SECTION("a file with another name, which may be anywhere") {
        std::filesystem::remove(place.path(source));
        place.write("outside", old_text);
        std::filesystem::create_hard_link(place.path("outside"), place.path(source));
        CHECK(place.run(command).status == 0);
        CHECK(same(place.read(source), text));
        CHECK(same(place.read("outside"), old_text));
    }
    SECTION("a FIFO") {
        std::filesystem::remove(place.path(source));
        REQUIRE(::mkfifo(place.path(source).c_str(), 0600) == 0);
        CHECK(place.run(command).status == 1);
        CHECK(S_ISFIFO(status_of(place.path(source)).st_mode));
    }
    SECTION("the recording") {
        std::filesystem::remove(place.path(source));
        const auto recording = place.read("in.data");
        std::filesystem::create_hard_link(place.path("in.data"), place.path(source));
        CHECK(place.run(command).status == 2);
        CHECK(same(place.read("in.data"), recording));
    }
    SECTION("a link that leads out of the directory: nothing is made behind it") {
        const auto folder = std::filesystem::path(source).parent_path();  // src/.../a
        REQUIRE(std::distance(folder.begin(), folder.end()) > 2);
        const auto first = *folder.begin() / *std::next(folder.begin());
        std::filesystem::remove_all(place.path(first.string()));
        std::filesystem::create_directory(place.path("outside"));
        std::filesystem::create_directory_symlink("../outside", place.path(first.string()));
        CHECK(place.run(command).status == 1);
        CHECK(std::filesystem::is_empty(place.path("outside")));
    }
    SECTION("the output") {
        const auto ended = place.run({"extract", "-s", "step", "in.data", "--sources", "src", "-o", source});
        CHECK(ended.status == 2);
        CHECK(same(place.read(source), text));
    }
}

TEST_CASE("No output goes where a link of another user leads", "[outputs]") {
    const Place place;
    constexpr ::uid_t another = 54321;
    std::filesystem::create_directory(place.path("open"));
    std::filesystem::create_directory(place.path("theirs"));
    place.write("list", "in.data\n");
    const auto link = place.path("open/link");
    std::filesystem::create_directory_symlink("../theirs", link);
    std::filesystem::create_directory_symlink("open", place.path("own"));
    // Links in directories that links lead to: each counts once.
    std::string at = "deep";
    std::filesystem::create_directory(place.path(at));
    for (const auto* name : {"1", "2", "3", "4", "5", "6", "7"}) {
        std::filesystem::create_directory(place.path(at + "/of" + name));
        std::filesystem::create_directory_symlink(std::string("of") + name, place.path(at + "/" + name));
        at += std::string("/of") + name;
    }
    std::filesystem::create_directory_symlink(place.path("open"), place.path(at + "/open"));
    auto commands = std::vector<std::vector<std::string>>{
        {"extract", "-s", "step", "in.data", "-o", "step.elf", "--sources", "open/link"},
        {"extract", "-s", "step", "in.data", "-o", "step.elf", "--sources", "own/link/below"},
        {"extract", "-s", "step", "in.data", "-o", "step.elf", "--sources", "new/../open/link"},
        {"export", "--format", "csv", "in.data", "-o", "open/link"},
        {"export", "--format", "csv", "in.data", "-o", "deep/1/2/3/4/5/6/7/open/link"},
        {"export", "--format", "csv", "in.data", "-o", "open/link/"},
        {"batch", "--do", "info", "list", "--out", "open/link"},
    };
    for (const auto& command : writing_commands()) commands.push_back(with(command, {"-o", "own/link/file"}));
    const auto try_all = [&](int status) {
        for (const auto& command : commands) {
            INFO(in_words(command));
            const auto ended = place.run(command);
            CHECK(ended.status == status);
            CHECK(has(ended.messages, "a link of another user leads there") == (status != 0));
            CHECK(std::filesystem::is_empty(place.path("theirs")) == (status != 0));
            std::filesystem::remove_all(place.path("theirs"));
            std::filesystem::create_directory(place.path("theirs"));
        }
    };
    REQUIRE(::chmod(place.path("open").c_str(), 01777) == 0);
    try_all(0);                                                 // it is this user's own
    if (::lchown(link.c_str(), another, another) != 0) return;  // needs root
    try_all(1);
    REQUIRE(::chmod(place.path("open").c_str(), 0755) == 0);
    try_all(0);  // not everybody may put one here
}

TEST_CASE("No output is an input", "[outputs]") {
    const Place place;
    const auto recording = place.read("in.data");
    const auto refused = [&](const std::vector<std::string>& arguments, const std::string& kept,
                             const std::function<void()>& before = {}) {
        INFO(in_words(arguments));
        const auto content = place.read(kept);
        const auto names = place.files();
        const auto ended = place.run(arguments, before);
        CHECK(ended.status == 2);
        CHECK(ended.output.empty());
        CHECK(has(ended.messages, " is "));
        CHECK(has(ended.messages, "would be overwritten"));
        CHECK(same(place.read(kept), content));
        CHECK(place.files() == names);
    };
    SECTION("the recording, by any of its names") {
        std::filesystem::create_symlink("in.data", place.path("link"));
        std::filesystem::create_hard_link(place.path("in.data"), place.path("twin"));
        for (const auto& command : writing_commands()) {
            for (const std::string name : {"in.data", "./in.data", "link", "twin"}) {
                refused(with(command, {"-o", name}), "in.data");
            }
        }
        const auto open_input = [](int descriptor, int flags) {
            const int opened = ::open("in.data", flags);
            if (opened != descriptor) ::dup2(opened, descriptor);
        };
        refused({"report", "-", "-o", "in.data"}, "in.data", [&] { open_input(STDIN_FILENO, O_RDONLY); });
        refused({"report", "in.data", "-o", "/dev/fd/8"}, "in.data", [&] { open_input(8, O_RDWR); });
        const auto appended = place.run({"report", "in.data"}, [&] { open_input(STDOUT_FILENO, O_WRONLY | O_APPEND); });
        CHECK(appended.status == 2);
        CHECK(same(place.read("in.data"), recording));
    }
    SECTION("by default") {
        std::filesystem::rename(place.path("in.data"), place.path("perf.data"));
        refused({"report", "-o", "perf.data"}, "perf.data");
    }
    SECTION("another file that is named") {
        place.write("other", "ffffffff81000000 T _stext\n");
        for (const std::string option : {"--kallsyms", "--vmlinux", "-k", "--jitdump", "--perf-map", "--buildid-dir"}) {
            refused({"report", "in.data", option, "other", "-o", "other"}, "other");
        }
        refused({"annotate", "in.data", "--kcore", "other", "-o", "other"}, "other");
        refused({"report", "in.data", "--jitdump", "in.data", "--jitdump", "other", "-o", "other"}, "other");
    }
    SECTION("a member of a directory") {
        std::filesystem::create_directories(place.path("dir/kcore_dir"));
        std::filesystem::copy_file(place.path("in.data"), place.path("dir/data"));
        std::filesystem::create_symlink("../in.data", place.path("dir/data.1"));
        place.write("dir/data.0", "");
        place.write("dir/kcore_dir/kallsyms", "");
        place.write("outside", "elsewhere");
        std::filesystem::create_hard_link(place.path("outside"), place.path("dir/kcore_dir/kcore"));
        for (const std::string name : {"dir/data", "dir/data.0", "dir/data.1", "dir/kcore_dir/kallsyms",
                                       "dir/kcore_dir/kcore", "in.data", "outside"}) {
            refused({"report", "dir", "-o", name}, name);
        }
        // New files that a later run would read as members.
        for (const std::string name : {"dir/data.7", "dir/kcore_dir/new", "./dir/../dir/data.8"}) {
            refused({"report", "dir", "-o", name}, "dir/data");
        }
        // Other files in the directory are not members.
        for (int again = 0; again < 2; ++again) {
            CHECK(place.run({"report", "dir", "-o", "dir/report.txt"}).status == 0);
        }
    }
    SECTION("nothing else is refused") {
        place.write("step", "");
        CHECK(place.run({"extract", "-s", "step", "in.data", "-o", "step"}).status == 0);
        std::filesystem::create_directory(place.path("tree"));
        CHECK(place.run({"report", "--symfs", "tree", "in.data", "-o", "tree/report"}).status == 0);
        CHECK(place.run({"report", "--symfs", "tree", "in.data", "-o", "tree/report"}).status == 0);
    }
}
