// SPDX-License-Identifier: MIT
// Which files may be handed on to others than who reads them.
#include <filesystem>
#include <optional>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/file_state.hpp"
#include "perfdata/recording/named_file.hpp"

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

// Mounted is a file system of memory at a place; ok is false if this process may not mount.
struct Mounted {
    Mounted(std::string where, unsigned long flags) : place(std::move(where)) {
        ok = ::mount("none", place.c_str(), "tmpfs", flags, "mode=755") == 0;
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
    for (const bool nosuid : {false, true}) {
        const Mounted mounted(place, nosuid ? MS_NOSUID : 0);
        if (!mounted.ok) {
            WARN("not tested: this process may not mount");
            return;
        }
        const auto path = shared.directory.write("mounted/file", blob_of("content"));
        std::filesystem::create_symlink("file", place + "/link");
        const auto opens = [&](const char* name, const NamedFileOptions& how) {
            return open_named_file({"", place + "/" + name}, {}, how).has_value();
        };
        REQUIRE(::chmod(path.c_str(), 0600) == 0);
        const auto owned = open_owned_file({"", path}, {}).value();
        CHECK(owned.proven == !nosuid);
        CHECK(file_state(*owned.content)->proven == !nosuid);
        CHECK(opens("file", {.trusted_way = true}) == !nosuid);
        CHECK(opens("link", {.trusted_links = true}) == !nosuid);
        CHECK(opens("file", {.trusted_links = true}));
        CHECK(opens("file", {.trusted_owner = true}));
        // Who reads what everybody may read needs no proof.
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        CHECK(opens("file", {.trusted_way = true}));
        CHECK(opens("link", {.trusted_links = true}));
        CHECK(everybody_may_read(*open_named_file({"", path}, {}).value()));
    }
}

TEST_CASE("A group may write unless it is the owner's, root's or this user's alone", "[recording][named]") {
    const auto may = [](std::uint32_t permissions, std::uint32_t owner, std::uint32_t group) {
        platform::FileStatus status;
        status.permissions = permissions;
        status.owner = owner;
        status.group = group;
        return others_may_write(status);
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
    CHECK(open_owned_file({"", shared.path}, {}).value().writable);
    CHECK(file_state(*shared.open())->writable);
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
        REQUIRE(::chmod(path.c_str(), 0640) == 0);
        CHECK_FALSE(everybody_may_read(*source));
        REQUIRE(::chmod(path.c_str(), 0644) == 0);
        REQUIRE(::chmod(shared.directory.path().c_str(), 0700) == 0);
        CHECK_FALSE(everybody_may_read(*source));
        REQUIRE(::chmod(shared.directory.path().c_str(), 0755) == 0);
        CHECK(everybody_may_read(*source));
        std::filesystem::rename(path, path + ".old");
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
