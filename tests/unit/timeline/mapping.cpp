// SPDX-License-Identifier: MIT
#include "perfdata/timeline/mapping.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Names of mapped objects are told apart", "[timeline][mapping]") {
    CHECK(object_kind("/usr/lib/libc.so.6") == ObjectKind::file);
    CHECK(object_kind("/tmp/x (deleted)") == ObjectKind::file);
    CHECK(object_kind("relative") == ObjectKind::file);
    CHECK(object_kind("[vdso]") == ObjectKind::vdso);
    CHECK(object_kind("[vdso32]") == ObjectKind::vdso);
    CHECK(object_kind("[vsyscall]") == ObjectKind::vsyscall);
    CHECK(object_kind("[heap]") == ObjectKind::heap);
    CHECK(object_kind("[stack]") == ObjectKind::stack);
    CHECK(object_kind("[stack:12]") == ObjectKind::stack);
    CHECK(object_kind("//anon") == ObjectKind::anonymous);
    CHECK(object_kind("[anon:v8]") == ObjectKind::anonymous);
    CHECK(object_kind("/anon_hugepage (deleted)") == ObjectKind::anonymous);
    CHECK(object_kind("") == ObjectKind::anonymous);
    CHECK(object_kind("/memfd:doublemapper (deleted)") == ObjectKind::memory);
    CHECK(object_kind("/dev/zero (deleted)") == ObjectKind::memory);
    CHECK(object_kind("/SYSV00000000 (deleted)") == ObjectKind::memory);
    CHECK(object_kind("anon_inode:[perf_event]") == ObjectKind::inode);
    CHECK(object_kind("[uprobes]") == ObjectKind::special);
    CHECK(object_kind("//enomem") == ObjectKind::special);
    CHECK(object_kind("//toolong") == ObjectKind::special);
}

TEST_CASE("The mark of deleted files comes off", "[timeline][mapping]") {
    CHECK(is_deleted("/tmp/x (deleted)"));
    CHECK_FALSE(is_deleted("/tmp/x"));
    CHECK(without_deleted("/tmp/x (deleted)") == "/tmp/x");
    CHECK(without_deleted("/tmp/x") == "/tmp/x");
}

TEST_CASE("A module is called as the kernel calls it", "[timeline][mapping]") {
    CHECK(module_name("[nf_nat]") == "nf_nat");
    CHECK(module_name("/lib/modules/6.1.0/kernel/net/nf-nat.ko") == "nf_nat");
    CHECK(module_name("/lib/modules/6.1.0/kernel/fs/ext4.ko.zst") == "ext4");
    CHECK(module_name("x") == "x");
    CHECK(module_name("").empty());
}
