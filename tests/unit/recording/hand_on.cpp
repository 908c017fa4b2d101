// SPDX-License-Identifier: MIT
// Which files may be handed on to others than who reads them.
#include <array>
#include <csignal>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/file_state.hpp"
#include "perfdata/recording/named_file.hpp"
#include "perfdata/recording/process_file.hpp"

#include "catch.hpp"
#include "recording/owner_proof.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// SharedFile is a directory that everybody may pass, with a file of so many bits.
struct SharedFile {
    explicit SharedFile(unsigned mode = 0644) {
        REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
        path = directory.write("file", blob_of("content"));
        REQUIRE(::chmod(path.c_str(), mode) == 0);
    }

    std::shared_ptr<const Source> open() const { return open_named_file({"", path}, {}).value(); }
    FileInode inode() const {
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        return {major(status.st_dev), minor(status.st_dev), status.st_ino, 0};
    }
    bool fits(const std::vector<FileInode>* mapped, const std::string& root = {}) const {
        const FileName name{root, root.empty() ? path : "/file"};
        const auto fit = fit_to_hand_on(open_named_file(name, {}).value(), {name, Content::any, mapped}, {});
        if (!fit) CHECK(fit.error().code == ErrorCode::mismatch);
        return fit.has_value();
    }

    TempDir directory;
    std::string path;
};

// Mounted is a file system at a place, of memory or another one's; ok is false if this process may not mount.
struct Mounted {
    Mounted(std::string where, unsigned long flags) : place(std::move(where)) {
        ok = ::mount("none", place.c_str(), "tmpfs", flags, "mode=755") == 0;
    }
    // The same file system once more.
    Mounted(const std::string& what, std::string where, unsigned long flags) : place(std::move(where)) {
        ok = ::mount(what.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
             ::mount(nullptr, place.c_str(), nullptr, MS_REMOUNT | MS_BIND | flags, nullptr) == 0;
    }
    Mounted(const Mounted&) = delete;
    Mounted& operator=(const Mounted&) = delete;
    ~Mounted() {
        if (ok) ::umount2(place.c_str(), MNT_DETACH);
    }

    std::string place;
    bool ok = false;
};

constexpr std::uint32_t somebody = 12345;

// Child is this program once more, as root, whom that user runs.
struct Child {
    explicit Child(std::uint32_t user) {
        std::array<int, 2> ready{};
        REQUIRE(::pipe(ready.data()) == 0);
        const auto child = ::fork();
        if (child == 0) {
            if (::setresuid(user, 0, 0) == 0) (void)!::write(ready[1], "", 1);
            ::pause();
            ::_exit(0);
        }
        char byte = 0;
        CHECK(::read(ready[0], &byte, 1) == 1);
        ::close(ready[0]);
        ::close(ready[1]);
        pid = static_cast<std::uint32_t>(child);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        ::kill(static_cast<::pid_t>(pid), SIGKILL);
        ::waitpid(static_cast<::pid_t>(pid), nullptr, 0);
    }

    std::uint32_t pid = 0;
};

}  // namespace

TEST_CASE("Nothing below the root of a process is everybody's, but for that process", "[recording][named]") {
    const SharedFile shared;
    const auto opens = [](const FileName& name, bool inside) {
        return open_named_file(name, {}, {.on_behalf_of = somebody, .inside_process = inside}).has_value();
    };
    const auto in_root = "/proc/" + std::to_string(::getpid()) + "/root";
    CHECK(opens({"", shared.path}, false));
    for (const auto& root : {std::string("/proc/self/root"), in_root}) {
        INFO(root);
        CHECK_FALSE(opens({root, shared.path}, false));
        CHECK_FALSE(opens({"", root + shared.path}, false));
        CHECK(opens({root, shared.path}, true));
        REQUIRE(::chmod(shared.path.c_str(), 0600) == 0);
        CHECK_FALSE(opens({root, shared.path}, true));
        REQUIRE(::chmod(shared.path.c_str(), 0644) == 0);
        CHECK_FALSE(everybody_may_read(*open_named_file({"", root + shared.path}, {}).value()));
    }
}

TEST_CASE("Owners prove nothing in a file system that a user may have brought", "[recording][named]") {
    const SharedFile shared;
    const auto place = (shared.directory.path() / "mounted").string();
    REQUIRE(std::filesystem::create_directory(place));
    const auto source = (shared.directory.path() / "source").string();
    REQUIRE(std::filesystem::create_directory(source));
    const auto magic = platform::file_system(platform::open(source, {.directory = true})->get());
    constexpr std::uint32_t in_memory = 0x01021994;  // whose owners nobody brings
    for (const auto& [nosuid, memory] : {std::pair(false, false), {true, false}, {true, true}}) {
        const unsigned long flags = nosuid ? MS_NOSUID : 0;
        const auto mounted = memory ? Mounted(place, flags) : Mounted(source, place, flags);
        if (!mounted.ok) {
            WARN("not tested: this process may not mount");
            return;
        }
        const bool proven = !nosuid || memory || magic == in_memory;
        const auto path = shared.directory.write("mounted/file", blob_of("content"));
        std::filesystem::create_symlink("file", place + "/link");
        const auto opens = [&](const char* name, const NamedFileOptions& how) {
            return open_named_file({"", place + "/" + name}, {}, how).has_value();
        };
        REQUIRE(::chmod(path.c_str(), 0600) == 0);
        const auto owned = open_named_file({"", path}, {}).value();
        CHECK(others_may_have_written(*owned) == !proven);
        CHECK(file_state(*owned)->proven == proven);
        CHECK(opens("file", {.trusted_way = true}) == proven);
        CHECK(opens("link", {.trusted_links = true}) == proven);
        CHECK(opens("file", {.trusted_links = true}));
        CHECK(opens("file", {.trusted_owner = true}));
        // Who reads what everybody may read needs no proof.
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        CHECK(opens("file", {.trusted_way = true}));
        CHECK(opens("link", {.trusted_links = true}));
        CHECK(everybody_may_read(*open_named_file({"", path}, {}).value()));
        std::filesystem::remove(path);
        std::filesystem::remove(place + "/link");
    }
}

TEST_CASE("A group may write unless it is the owner's, root's or this user's alone", "[recording][named]") {
    const SharedFile any;
    const auto file = platform::open(any.path, {});
    REQUIRE(file);
    const auto may = [&](std::uint32_t permissions, std::uint32_t owner, std::uint32_t group) {
        platform::FileStatus status;
        status.permissions = permissions;
        status.owner = owner;
        status.group = group;
        return others_may_write(status, file->get());
    };
    CHECK_FALSE(may(0755, 0, somebody));
    CHECK(may(0775, 0, somebody));
    CHECK(may(0757, 0, 0));
    CHECK(may(0775, 54321, somebody));
    CHECK_FALSE(may(0775, somebody, somebody));
    CHECK_FALSE(may(0775, somebody, 0));
    CHECK_FALSE(may(0775, 54321, ::geteuid()));
    const SharedFile shared(0664);
    if (::chown(shared.path.c_str(), 0, somebody) != 0) {
        WARN("partly not tested: needs root");
        return;
    }
    CHECK(others_may_have_written(*shared.open()));
    CHECK(file_state(*shared.open())->writable);
}

TEST_CASE("An access list may let others write", "[recording][named]") {
    const SharedFile shared(0664);
    CHECK_FALSE(others_may_have_written(*shared.open()));
    // Version 2: its owner rw, user 12345 rw, its group r, at most rw, others r.
    constexpr std::array<std::uint16_t, 10> entries{1, 6, 2, 6, 4, 4, 16, 6, 32, 4};
    std::string list("\2\0\0\0", 4);
    for (std::size_t at = 0; at < entries.size(); at += 2) {
        const std::uint32_t user = entries[at] == 2 ? somebody : ~0u;
        for (const std::uint32_t value : {entries[at] | std::uint32_t{entries[at + 1]} << 16, user}) {
            for (unsigned byte = 0; byte < 4; ++byte) list += static_cast<char>(value >> (8 * byte) & 0xff);
        }
    }
    if (::setxattr(shared.path.c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0) {
        WARN("not tested: no access lists here");
        return;
    }
    CHECK(others_may_have_written(*shared.open()));
    REQUIRE(::chmod(shared.path.c_str(), 0644) == 0);
    CHECK_FALSE(others_may_have_written(*shared.open()));
}

TEST_CASE("A private file below the root of a process is for what it was in the recording", "[recording][named]") {
    const SharedFile shared(0600);
    const auto pid = static_cast<std::uint32_t>(::getpid());
    const FileName there{"/proc/" + std::to_string(pid) + "/root", shared.path};
    const auto opens = [&](const MappedProgram& mapped, std::uint32_t process) {
        const auto opened = open_of_process(process, std::span(&mapped, 1), there, {});
        if (!opened) CHECK(opened.error().code == ErrorCode::mismatch);
        return opened.has_value();
    };
    const MappedProgram own{std::filesystem::read_symlink("/proc/self/exe").string(), {}};
    CHECK(opens(own, pid));
    CHECK_FALSE(opens({shared.path, {}}, pid));
    CHECK_FALSE(opens({own.path, FileInode{1, 2, 3, 0}}, pid));
    CHECK_FALSE(opens(own, 0));
    if (::geteuid() == 0) {
        CHECK(opens(own, Child(0).pid));
        CHECK_FALSE(opens(own, Child(somebody).pid));  // as programs that a user runs as root
    }
    // Who may not read a file can still give it another name.
    std::filesystem::create_hard_link(shared.path, shared.path + ".link");
    CHECK_FALSE(opens(own, pid));
    REQUIRE(::chmod(shared.path.c_str(), 0644) == 0);
    CHECK(opens(own, pid));
}

TEST_CASE("A source for its owner alone is opened only if the options let it", "[recording][named]") {
    const SharedFile shared(0600);
    CHECK(open_named_file({"", shared.path}, {}, {.trusted_way = true}));
    CHECK_FALSE(open_named_file({"", shared.path}, {}, {.trusted_way = true, .for_others = true}));
    REQUIRE(::chmod(shared.path.c_str(), 0644) == 0);
    REQUIRE(::chmod(shared.directory.path().c_str(), 0700) == 0);
    CHECK(open_named_file({"", shared.path}, {}, {.trusted_way = true, .for_others = true}));
}

TEST_CASE("A private map is that of a living process of its user, and no older", "[recording][named]") {
    const SharedFile shared(0600);
    const auto pid = static_cast<std::uint32_t>(::getpid());
    CHECK(may_be_map_of(pid, *shared.open()));
    std::filesystem::last_write_time(shared.path,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * 365));
    CHECK_FALSE(may_be_map_of(pid, *shared.open()));
    CHECK(may_be_map_of(0, *shared.open()));  // there is none
    if (::geteuid() != 0) return;
    const Child child(somebody);
    CHECK_FALSE(may_be_map_of(child.pid, *SharedFile(0600).open()));
}

TEST_CASE("A program is one's own if it is what ran, and no copy by its build id", "[recording][named]") {
    const SharedFile shared(0755);
    auto inode = shared.inode();
    const auto why = [&](const std::string& path, const std::optional<FileInode>& mapped) {
        const auto opened = open_own_program({"", path}, mapped, {});
        return opened || opened.error().code != ErrorCode::mismatch ? std::string() : opened.error().detail;
    };
    CHECK(why(shared.path, inode).empty());
    CHECK(why(shared.path, {}).empty());
    ++inode.number;
    CHECK(why(shared.path, inode) == "the program is not the file that ran");
    REQUIRE(::chmod(shared.path.c_str(), 0757) == 0);
    CHECK(why(shared.path, {}) == "others may write the program");
    REQUIRE(::chmod(shared.path.c_str(), 0755) == 0);
    for (const std::string copy : {"prog/0123456789abcdef0123456789abcdef01234567/elf",
                                   "prog/0123456789abcdef0123456789abcdef01234567", ".build-id/01/23/elf"}) {
        const auto path = shared.directory.path() / copy;
        std::filesystem::create_directories(path.parent_path());
        std::filesystem::copy_file(shared.path, path);
        CHECK(why(path.string(), {}) == "the program is a copy by its build id");
        std::filesystem::remove_all(shared.directory.path() / copy.substr(0, copy.find('/')));
    }
    REQUIRE(::chmod(shared.directory.path().c_str(), 0777) == 0);
    CHECK(why(shared.path, {}).contains("others may write to a directory"));
    REQUIRE(::chmod(shared.directory.path().c_str(), 0755) == 0);
    if (::chown(shared.path.c_str(), somebody, somebody) != 0) return;
    CHECK(why(shared.path, {}) == "the program belongs to another user");
}

TEST_CASE("Nobody knows who wrote what comes through a pipe", "[recording][named]") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    REQUIRE(::write(ends[1], "content", 7) == 7);
    ::close(ends[1]);
    const auto source = open_source("/dev/fd/" + std::to_string(ends[0]), {}).value();
    ::close(ends[0]);
    CHECK(read_whole(*source, 100) == std::string("content"));
    CHECK(others_may_have_written(*source));
    CHECK_FALSE(everybody_may_read(*source));
}

TEST_CASE("Everybody's is what everybody may read and reach, packed or not", "[recording][named]") {
    for (const bool packed : {false, true}) {
        const SharedFile shared;
        const auto path =
            packed ? shared.directory.write("file.gz", compressed(Compression::gzip, blob_of("content"))) : shared.path;
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        const auto source = open_named_file({"", path}, {}).value();
        REQUIRE(read_whole(*source, 100) == std::string("content"));
        CHECK(everybody_may_read(*source));
        CHECK(everybody_may_read(*open_source(path, {}).value()));
        for (const ::mode_t shut_out : {0640u, 0604u}) {
            REQUIRE(::chmod(path.c_str(), shut_out) == 0);
            CHECK_FALSE(everybody_may_read(*source));
        }
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        REQUIRE(::chmod(shared.directory.path().c_str(), 0705) == 0);
        CHECK_FALSE(everybody_may_read(*source));
        REQUIRE(::chmod(shared.directory.path().c_str(), 0755) == 0);
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        REQUIRE(::chmod(shared.directory.path().c_str(), 0700) == 0);
        CHECK_FALSE(everybody_may_read(*source));
        REQUIRE(::chmod(shared.directory.path().c_str(), 0755) == 0);
        CHECK(everybody_may_read(*source));
        std::filesystem::rename(path, path + ".old");
        CHECK_FALSE(everybody_may_read(*source));
        // A file that is deleted while its copy is in use must not leave its inode number to another one.
        std::filesystem::remove(path + ".old");
        (void)shared.directory.write(std::filesystem::path(path).filename(), blob_of("of somebody else"));
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        CHECK_FALSE(everybody_may_read(*source));
    }
    CHECK_FALSE(everybody_may_read(*memory_source({})));
}

TEST_CASE("A private file is handed on if it was mapped, and nobody else may have put it there", "[recording][named]") {
    const SharedFile shared(0600);
    const std::vector<FileInode> this_one{shared.inode()}, none;
    auto of_other_device = this_one;
    ++of_other_device.front().minor;
    CHECK(shared.fits(&this_one));
    CHECK(shared.fits(nullptr));
    CHECK_FALSE(shared.fits(&none));
    CHECK_FALSE(shared.fits(&of_other_device));
    const auto refused =
        fit_to_hand_on(shared.open(), {{"", shared.path}, Content::any, &this_one, HandedOn::if_everybodys}, {});
    REQUIRE_FALSE(refused);
    CHECK(is_private(refused.error()));
    const auto generation = platform::generation(platform::open(shared.path, {})->get());
    if (generation) {
        auto removed = this_one;  // which had this inode number before
        removed.front().generation = std::uint64_t{*generation} + 1;
        CHECK_FALSE(shared.fits(&removed));
    }
    CHECK_FALSE(
        fit_to_hand_on(shared.open(), {{"", shared.path}, Content::any, &this_one, HandedOn::if_everybodys}, {}));
    REQUIRE(::chmod(shared.directory.path().c_str(), 0777) == 0);
    CHECK_FALSE(shared.fits(&this_one));
    REQUIRE(::chmod(shared.path.c_str(), 0644) == 0);
    CHECK(shared.fits(&none));
    // Below a root that the user gave, links of others count.
    const auto root = shared.directory.path().string();
    CHECK(shared.fits(&none, root));
    std::filesystem::rename(shared.path, root + "/secret");
    REQUIRE(::chmod((root + "/secret").c_str(), 0600) == 0);
    std::filesystem::create_symlink("secret", shared.path);
    CHECK(shared.fits(&none, root));
    if (::lchown(shared.path.c_str(), somebody, somebody) != 0) {
        WARN("partly not tested: needs root");
        return;
    }
    CHECK_FALSE(shared.fits(&none, root));
}
