// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_files.hpp"

#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "perfdata/wire/jitdump/header.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/jitdump.hpp"

using namespace perfdata;
using namespace perfdata::test;
using From = JitDumpFile::From;

namespace {

Blob dump_of(std::uint32_t pid) {
    JitHeaderValues values;
    values.pid = pid;
    return JitDumpWriter(std::endian::little, values).blob();
}

std::vector<JitDumpFile> find(const std::vector<JitMapping>& mappings, const JitSearch& search) {
    return find_jit_dumps(mappings, search);
}

}  // namespace

TEST_CASE("A jitdump file is known by its name", "[timeline][jit]") {
    CHECK(jitdump_pid("/tmp/jit-123.dump") == 123);
    CHECK(jitdump_pid("jit-0.dump") == 0);
    CHECK(jitdump_pid("/jit-1.dump/jit-4294967295.dump") == 4294967295);
    for (const auto* path : {"", "/", "jit-.dump", "jit-1.dump.old", "jit-1.dum", "jit-1", "xjit-1.dump", "jit-1x.dump",
                             "jit--1.dump", "jit- 1.dump", "jit-4294967296.dump", "jit-0x1.dump", "/jit-1.dump/"}) {
        INFO(path);
        CHECK_FALSE(jitdump_pid(path));
    }
}

TEST_CASE("A private dump is handed on if it is the one that was mapped", "[timeline][jit]") {
    const TempDir root;
    const auto path = root.write("jit-7.dump", dump_of(7));
    REQUIRE(::chmod(root.path().c_str(), 0755) == 0);
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    const FileInode mapped{major(status.st_dev), minor(status.st_dev), status.st_ino, 0}, other{1, 2, 3, 0};
    const auto fits = [&](std::vector<std::optional<FileInode>> inodes, HandedOn handed_on = HandedOn::if_fit) {
        std::vector<JitMapping> mappings;
        for (const auto& inode : inodes) mappings.push_back({Pid{7}, path, Time{1}, inode});
        const auto found = find(mappings, {});
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].from == From::recorded);
        return found[0].to_hand_on(open_named_file(found[0].name(), {}).value(), handed_on, {}, {}).has_value();
    };
    CHECK(fits({mapped}));
    CHECK(fits({other, mapped}));
    CHECK_FALSE(fits({other}));
    CHECK_FALSE(fits({std::nullopt}));
    CHECK_FALSE(fits({mapped}, HandedOn::if_everybodys));
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    CHECK(fits({other}));
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    // One beside the recording is a copy: only who may have put it there counts.
    const auto beside = [&](HandedOn handed_on = HandedOn::if_fit) {
        JitSearch search;
        search.beside = {root.path().string()};
        const auto found = find({{Pid{7}, "/elsewhere/jit-7.dump", Time{1}, {}}}, search);
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].from == From::beside);
        return found[0].to_hand_on(open_named_file(found[0].name(), {}).value(), handed_on, {}, {}).has_value();
    };
    CHECK(beside());
    CHECK_FALSE(beside(HandedOn::if_everybodys));
    // Directly in a directory that all share, the one that was mapped will do.
    REQUIRE(::chmod(root.path().c_str(), 01777) == 0);
    CHECK(fits({mapped}));
    REQUIRE(::chmod(root.path().c_str(), 0777) == 0);
    CHECK_FALSE(beside());
    CHECK_FALSE(fits({mapped}));
}

TEST_CASE("Dumps are looked for where they may be, in this order", "[timeline][jit]") {
    const TempDir root;
    const auto recorded = (root.path() / "recorded").string();
    const auto symfs = (root.path() / "symfs").string();
    const auto beside = (root.path() / "beside").string();
    const auto given = (root.path() / "given").string();
    for (const auto& directory : {recorded, symfs + recorded, beside, given}) {
        std::filesystem::create_directories(directory);
    }
    const JitSearch search{{given + "/jit-7.dump"}, symfs, {beside}, true, {}};
    const std::vector<JitMapping> mappings{{{100}, "/lib/libc.so.6", {1}}, {{100}, recorded + "/jit-7.dump", {2}}};
    const auto place = [&](const std::string& directory) {
        return std::filesystem::relative(directory + "/jit-7.dump", root.path()).string();
    };
    const auto only = [&](const JitSearch& where) {
        const auto files = find(mappings, where);
        REQUIRE(files.size() == 1);
        CHECK(files[0].pid == Pid{100});
        CHECK(files[0].marked);
        CHECK(files[0].namespace_pid == 7);
        CHECK(files[0].mapped_at == Time{2});
        CHECK(files[0].recorded_path == recorded + "/jit-7.dump");
        return files[0];
    };
    JitSearch without = search;
    without.given.clear();

    const auto missing = only(without);
    CHECK_FALSE(missing.found());
    CHECK(missing.looked_at == std::vector<std::string>{symfs + recorded + "/jit-7.dump", beside + "/jit-7.dump"});
    CHECK(missing.missing().code == ErrorCode::missing);
    CHECK(missing.missing().detail.find("--jitdump") != std::string::npos);
    CHECK(missing.missing().detail.find("process 100") != std::string::npos);

    root.write(place(recorded), dump_of(7));
    CHECK_FALSE(only(without).found());  // a symfs replaces the recorded machine
    without.symfs.clear();
    CHECK(only(without).from == From::recorded);
    without.as_recorded = false;
    CHECK_FALSE(only(without).found());
    without.as_recorded = true;
    without.symfs = symfs;
    root.write(place(beside), dump_of(7));
    CHECK(only(without).from == From::beside);
    CHECK(only(without).path == beside + "/jit-7.dump");
    root.write(place(symfs + recorded), dump_of(7));
    CHECK(only(without).from == From::symfs);
    CHECK(only(without).name() == FileName{symfs, recorded + "/jit-7.dump"});
    CHECK(only(search).from == From::given);
    CHECK(only(search).path == given + "/jit-7.dump");
}

TEST_CASE("A dump of several mappings or processes is listed once a process", "[timeline][jit]") {
    const std::vector<JitMapping> mappings{{{1}, "/x/jit-5.dump", {30}},
                                           {{2}, "/x/jit-5.dump", {40}},
                                           {{1}, "/x/jit-5.dump", {20}},
                                           {{1}, "/x/jit-6.dump (deleted)", {50}}};
    const auto files = find(mappings, {});
    REQUIRE(files.size() == 3);
    CHECK(files[0].pid == Pid{1});
    CHECK(files[0].mapped_at == Time{20});
    CHECK(files[1].pid == Pid{2});
    CHECK(files[2].recorded_path == "/x/jit-6.dump");
    for (const auto& file : files) CHECK_FALSE(file.found());
}

TEST_CASE("A given dump stands for the one of its name, else of its header, else for itself", "[timeline][jit]") {
    const TempDir directory;
    const auto renamed = directory.write("saved.dump", dump_of(5));
    const auto stranger = directory.write("jit-9.dump", dump_of(9));
    const auto none = (directory.path() / "jit-11.dump").string();
    const std::vector<JitMapping> mappings{{{100}, "/nowhere/jit-5.dump", {1}}, {{200}, "/nowhere/jit-6.dump", {2}}};
    const auto files = find(mappings, {{renamed, stranger, none}, "", {}, false});
    REQUIRE(files.size() == 4);
    CHECK(files[0].path == renamed);
    CHECK(files[0].from == From::given);
    CHECK(files[0].pid == Pid{100});
    CHECK(files[0].looked_at.empty());
    CHECK_FALSE(files[1].found());
    CHECK(files[2].path == stranger);
    CHECK_FALSE(files[2].marked);
    CHECK(files[2].pid == Pid{9});
    CHECK(files[3].path == none);  // opening it reports the problem
    CHECK(files[3].pid == Pid{11});
}

TEST_CASE("A dump that another process has written is told by its header", "[timeline][jit]") {
    const auto files = find({{{100}, "/nowhere/jit-5.dump", {1}}}, {});
    REQUIRE(files.size() == 1);
    JitDumpHeader header;
    header.namespace_pid = 5;
    CHECK(check_jit_dump(files[0], header));
    header.namespace_pid = 6;
    CHECK(check_jit_dump(files[0], header).error().code == ErrorCode::mismatch);
}

TEST_CASE("In a bundle, processes whose dumps have one name have their own ones", "[timeline][jit]") {
    const TempDir root;
    const auto bundle = root.path().string();
    const std::string recorded = "/tmp/jit-7.dump";
    JitSearch search;
    search.bundle = bundle;
    search.as_recorded = false;
    const std::vector<JitMapping> mappings{{{100}, recorded, {1}}, {{200}, recorded, {2}}, {{300}, recorded, {3}}};
    for (const auto* process : {"proc/100/root", "proc/200/root"}) {
        std::filesystem::create_directories(bundle + "/" + process + "/tmp");
        root.write(std::string(process) + recorded, dump_of(7));
    }
    auto files = find(mappings, search);
    REQUIRE(files.size() == 3);
    CHECK(files[0].path == bundle + process_root(100) + recorded);
    CHECK(files[1].path == bundle + process_root(200) + recorded);
    CHECK_FALSE(files[2].found());
    for (const auto& file : files) CHECK(file.recorded_path == recorded);

    std::filesystem::create_directories(bundle + "/tmp");
    root.write(recorded.substr(1), dump_of(7));
    files = find(mappings, search);
    CHECK(files[0].path == bundle + process_root(100) + recorded);
    CHECK(files[2].path == bundle + recorded);
}
