// SPDX-License-Identifier: MIT
// Finding the recorded file.
#include "perfdata/symbols/elf/find/object_finder.hpp"

#include <bit>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <vector>

#include "catch.hpp"
#include "support/files.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string link_of_one = "/.build-id/01/02030405060708090a0b0c0d0e0f1011121314";

Blob elf(const BuildId& build_id, bool with_symbols = true) {
    Elf file;
    file.build_id(build_id.bytes());
    if (with_symbols) file.symbols({{"f", 0x1000, 4}});
    file.debug_link("prog.debug");
    return file.blob();
}

struct SearchedMachine {
    std::shared_ptr<Files> files = std::make_shared<Files>();
    FinderOptions options;

    SearchedMachine() {
        options.recording_dir = "/recording";
        options.buildid_dir = "/cache";
        options.local_buildid_dir = "/home/.debug";
    }
    std::string find(const RecordedObject& object) const {
        const auto found = ObjectFinder(options, files).find(object);
        return found ? found->path : std::string(to_string(found.error()));
    }
    std::string find_debug(const RecordedObject& object) const {
        const auto found = ObjectFinder(options, files).find(object);
        REQUIRE(found);
        CHECK((found->debug != nullptr) == !found->debug_path.empty());
        return found->debug_path;
    }
};

const RecordedObject recorded{"/usr/bin/prog", id(1)};

}  // namespace

TEST_CASE("An object is looked for near the recording first, on this machine last", "[symbols][finder]") {
    SearchedMachine machine;
    const std::vector<std::string> places{"/recording" + link_of_one + "/elf", "/cache" + link_of_one + "/elf",
                                          "/home/.debug" + link_of_one + "/elf", "/usr/bin/prog"};
    for (const auto& place : places) machine.files->content[place] = elf(id(1));
    for (const auto& place : places) {
        CHECK(machine.find(recorded) == place);
        machine.files->content.erase(place);
    }
    CHECK(machine.find(recorded) == "not_found");
}

TEST_CASE("With --symfs, an object is looked for there and not on this machine", "[symbols][finder]") {
    SearchedMachine machine;
    machine.options.symfs = "/symfs";
    machine.options.allow_local = true;
    const std::vector<std::string> places{"/recording" + link_of_one + "/elf", "/symfs/usr/bin/prog",
                                          "/cache" + link_of_one + "/elf", "/symfs/.debug" + link_of_one + "/elf",
                                          "/symfs//usr/lib/debug" + link_of_one + ".debug"};
    for (const auto& place : places) machine.files->content[place] = elf(id(1));
    for (const auto& place : {"/home/.debug" + link_of_one + "/elf", std::string("/usr/bin/prog"),
                              "/usr/lib/debug" + link_of_one + ".debug"}) {
        machine.files->content[place] = elf(id(1));
    }
    for (const auto& place : places) {
        CHECK(machine.find(recorded) == place);
        machine.files->content.erase(place);
    }
    CHECK(machine.find(recorded) == "not_found");
    CHECK(machine.find({"/usr/bin/prog", {}}) == "no_build_id");
}

TEST_CASE("What links in an object name stays below the root in which it was found", "[symbols][finder]") {
    SearchedMachine machine;
    machine.options.symfs = "/symfs";
    machine.files->content["/symfs/usr/bin/prog"] = elf(id(1), false);
    for (const auto& place :
         {"/usr/bin/prog.debug", "/usr/bin/.debug/prog.debug", "/usr/lib/debug/usr/bin/prog.debug"}) {
        machine.files->content[place] = elf(id(1));
        CHECK(machine.find_debug(recorded).empty());
        const auto below = (std::string(place).starts_with("/usr/lib") ? "/symfs/" : "/symfs") + std::string(place);
        machine.files->content[below] = elf(id(1));
        const auto found = ObjectFinder(machine.options, machine.files).find(recorded);
        REQUIRE(found);
        CHECK(found->debug_path == below);
        CHECK(found->root == "/symfs");
        CHECK(found->debug_root == "/symfs");
        CHECK(found->name() == FileName{"/symfs", "/usr/bin/prog"});
        machine.files->content.erase(below);
    }
}

TEST_CASE("A debug link is a name and not a path", "[symbols][finder]") {
    SearchedMachine machine;
    Elf file;
    file.build_id(id(1).bytes());
    file.debug_link("../lib/prog.debug");
    machine.files->content["/usr/bin/prog"] = file.blob();
    machine.files->content["/usr/bin/../lib/prog.debug"] = elf(id(1));
    CHECK(machine.find_debug(recorded).empty());
}

TEST_CASE("Debug directories of the user are looked at where they are", "[symbols][finder]") {
    SearchedMachine machine;
    machine.options.given_debug_dirs = {"/mine"};
    const auto place = "/mine" + link_of_one + ".debug";
    machine.files->content[place] = elf(id(1));
    CHECK(machine.find(recorded) == place);
    machine.options.symfs = "/symfs";
    CHECK(machine.find(recorded) == place);
    CHECK(ObjectFinder(machine.options, machine.files).find(recorded)->root == "/mine");
}

TEST_CASE("The cache may link to the file itself, and hold the vdso", "[symbols][finder]") {
    SearchedMachine machine;
    machine.files->content["/cache" + link_of_one] = elf(id(1));
    CHECK(machine.find(recorded) == "/cache" + link_of_one);
    machine.files->content = {{"/cache" + link_of_one + "/vdso", elf(id(1))}};
    CHECK(machine.find({"[vdso]", id(1)}) == "/cache" + link_of_one + "/vdso");
    CHECK(machine.find({"[vdso]", id(2)}) == "not_found");
}

TEST_CASE("A file of another build id is never taken", "[symbols][finder]") {
    SearchedMachine machine;
    for (const std::string place : {"/usr/bin/prog", "/symfs/usr/bin/prog"}) {
        machine.options.symfs = place.starts_with("/symfs") ? "/symfs" : "";
        machine.files->content = {{place, elf(id(2))}};
        CHECK(machine.find(recorded) == "build_id_differs");
        machine.options.allow_local = true;
        CHECK(machine.find(recorded) == "build_id_differs");
        machine.files->content = {{place, Elf().blob()}};  // without a build id
        CHECK(machine.find(recorded) == "build_id_differs");
    }
    // A wrong file does not hide a right one at a later place.
    const auto cached = "/cache" + link_of_one + "/elf";
    machine.files->content = {{"/symfs/usr/bin/prog", elf(id(2))}, {cached, elf(id(1))}};
    CHECK(machine.find(recorded) == cached);
}

TEST_CASE("Without a recorded build id a local file is taken only if that was allowed", "[symbols][finder]") {
    SearchedMachine machine;
    const RecordedObject unproven{"/usr/bin/prog", {}};
    machine.files->content["/usr/bin/prog"] = elf(id(1));
    CHECK(machine.find(unproven) == "unproven");
    machine.options.allow_local = true;
    const auto found = ObjectFinder(machine.options, machine.files).find(unproven);
    REQUIRE(found);
    CHECK_FALSE(found->proven);
    machine.options.allow_local = false;
    machine.options.symfs = "/symfs";
    machine.files->content["/symfs/usr/bin/prog"] = elf(id(1));  // the user vouches for it
    CHECK(machine.find(unproven) == "/symfs/usr/bin/prog");
    CHECK(ObjectFinder(machine.options, machine.files).find(recorded)->proven);
}

TEST_CASE("Offline, nothing of this machine is looked at", "[symbols][finder]") {
    SearchedMachine machine;
    machine.options.offline = machine.options.allow_local = true;
    machine.files->content["/usr/bin/prog"] = elf(id(1));
    machine.files->content["/home/.debug" + link_of_one + "/elf"] = elf(id(1));
    machine.files->content["/usr/lib/debug" + link_of_one + ".debug"] = elf(id(1));
    CHECK(machine.find(recorded) == "offline");
    CHECK(machine.find({"/usr/bin/prog", {}}) == "offline");
    machine.files->content["/cache" + link_of_one + "/elf"] = elf(id(1), false);
    CHECK(machine.find(recorded) == "/cache" + link_of_one + "/elf");
    CHECK(machine.find_debug(recorded).empty());
}

TEST_CASE("Symbols of a stripped file are looked for by build id and by debug link", "[symbols][finder]") {
    SearchedMachine machine;
    machine.files->content["/usr/bin/prog"] = elf(id(1), false);
    const std::vector<std::string> places{"/cache" + link_of_one + "/debug", "/usr/lib/debug" + link_of_one + ".debug",
                                          "/usr/bin/prog.debug", "/usr/bin/.debug/prog.debug",
                                          "/usr/lib/debug/usr/bin/prog.debug"};
    for (const auto& place : places) machine.files->content[place] = elf(id(1));
    machine.files->content["/recording" + link_of_one + "/debug"] = elf(id(2));  // of another file
    for (const auto& place : places) {
        CHECK(machine.find_debug(recorded) == place);
        machine.files->content.erase(place);
    }
    CHECK(machine.find_debug(recorded).empty());
    machine.files->content[places.front()] = elf(id(1), false);  // it has no symbols either
    CHECK(machine.find_debug(recorded).empty());
}

TEST_CASE("Debug links of cached copies are looked for beside the recorded path, too", "[symbols][finder]") {
    SearchedMachine machine;
    machine.options.given_debug_dirs = {"/mine"};
    const auto cached = "/home/.debug" + link_of_one + "/";
    machine.files->content[cached + "elf"] = elf(id(1), false);
    const std::vector<std::string> places{cached + "prog.debug",
                                          cached + ".debug/prog.debug",
                                          "/usr/bin/prog.debug",
                                          "/usr/bin/.debug/prog.debug",
                                          "/usr/lib/debug/usr/bin/prog.debug",
                                          "/mine/usr/bin/prog.debug",
                                          "/mine/prog.debug"};
    const auto told = [&] {
        const ObjectFinder finder(machine.options, machine.files);
        const auto missing = finder.missing_debug(recorded, finder.find(recorded).value());
        return missing ? std::string(to_string(missing->why)) : "none";
    };
    for (const auto& place : places) machine.files->content[place] = elf(id(1));
    for (const auto& place : places) {
        CHECK(machine.find_debug(recorded) == place);
        CHECK(told() == "none");
        machine.files->content[place] = elf(id(2));  // a stale one hides no right one
    }
    CHECK(machine.find_debug(recorded).empty());
    CHECK(told() == "build_id_differs");
}

TEST_CASE("Beside a recorded path debug files are read only where files of it may be", "[symbols][finder]") {
    SearchedMachine machine;
    machine.files->content["/cache" + link_of_one + "/elf"] = elf(id(1), false);
    machine.files->content["/usr/bin/prog.debug"] = elf(id(1));
    const bool symfs = GENERATE(true, false);
    machine.options.offline = true;
    if (symfs) machine.options.symfs = "/symfs";
    CHECK(machine.find_debug(recorded).empty());
    const std::string inside = "/symfs/usr/bin/.debug/prog.debug";
    machine.files->content[inside] = elf(id(1));
    CHECK(machine.find_debug(recorded) == (symfs ? inside : ""));
    // The path does not lead out.
    machine.files->content["/symfs/../usr/bin/prog.debug"] = elf(id(1));
    machine.files->content.erase(inside);
    CHECK(machine.find_debug({"/../usr/bin/prog", id(1)}).empty());
    CHECK(machine.find_debug({"[vdso]", id(1)}).empty());
    // The user's own directory may be read.
    machine.options.given_debug_dirs = {"/mine"};
    machine.files->content["/mine/prog.debug"] = elf(id(1));
    CHECK(machine.find_debug(recorded) == "/mine/prog.debug");
}

TEST_CASE("A debug file that is missing or of another build is told", "[symbols][finder]") {
    SearchedMachine machine;
    const auto told = [&]() -> std::string {
        const ObjectFinder finder(machine.options, machine.files);
        const auto found = finder.find(recorded);
        REQUIRE(found);
        const auto missing = finder.missing_debug(recorded, *found);
        return missing ? missing->text() : "none";
    };
    machine.files->content["/usr/bin/prog"] = elf(id(1), false);
    CHECK(told() == "names the debug file prog.debug, which was not found");
    machine.files->content["/usr/bin/prog.debug"] = elf(id(2));
    CHECK(told() == "names the debug file prog.debug, but another build of it is here (its build id differs)");
    machine.files->content["/usr/lib/debug/usr/bin/prog.debug"] = elf(id(1));
    CHECK(told() == "none");
    Elf plain;
    plain.build_id(id(1).bytes());
    machine.files->content["/usr/bin/prog"] = plain.blob();
    CHECK(told() == "none");
}

TEST_CASE("A debug file alone is taken only if it says where code lies", "[symbols][finder]") {
    SearchedMachine machine;
    const auto place = "/usr/lib/debug" + link_of_one + ".debug";
    machine.files->content[place] = elf(id(1));
    CHECK(machine.find(recorded) == place);
    Elf stripped;
    stripped.segments = {{0, 0x1000, 0}};
    stripped.build_id(id(1).bytes());
    stripped.symbols({{"f", 0x1000, 4}});
    machine.files->content[place] = stripped.blob();
    CHECK(machine.find(recorded) == "only_debug_file");
}

TEST_CASE("What is damaged is told from what is missing", "[symbols][finder]") {
    SearchedMachine machine;
    machine.files->content["/usr/bin/prog"] = blob_of("#!/bin/sh\n");
    CHECK(machine.find(recorded) == "unreadable");
}

TEST_CASE("What the system does not open is told from what is damaged", "[symbols][finder]") {
    SearchedMachine machine;
    machine.files->content["/usr/bin/prog"] = elf(id(1));
    machine.files->locked.insert("/usr/bin/prog");
    CHECK(machine.find(recorded) == "not_opened");
    machine.files->locked.clear();
    CHECK(machine.find(recorded) == "/usr/bin/prog");
}

TEST_CASE("Without proof a file is taken only if it runs on the recorded machine", "[symbols][finder]") {
    struct Case {
        std::string recorded;
        std::uint16_t machine;
        std::endian order;
        bool runs;
    };
    constexpr std::uint16_t x86 = 3, arm = 40, x86_64 = 62, arm64 = 183, unknown = 1234;
    constexpr auto little = std::endian::little, big = std::endian::big;
    const std::vector<Case> cases = {
        {"x86_64", x86_64, little, true}, {"x86_64", x86, little, true},    {"x86_64", arm64, little, false},
        {"aarch64", arm, little, true},   {"aarch64", arm64, little, true}, {"aarch64", x86_64, little, false},
        {"aarch64", arm64, big, false},   {"armv7l", arm64, little, false}, {"x86_64", unknown, little, true},
        {"", arm64, little, true},        {"alpha", arm64, little, true}};
    for (const auto& one : cases) {
        INFO(one.recorded << ' ' << one.machine);
        Elf program(one.order);
        program.machine = one.machine;
        program.build_id(id(1).bytes());
        program.symbols({{"f", 0x1000, 4}});
        SearchedMachine machine;
        machine.options.architecture = one.recorded;
        machine.options.symfs = "/symfs";
        machine.files->content["/symfs/usr/bin/prog"] = program.blob();
        CHECK(machine.find({"/usr/bin/prog", {}}) == (one.runs ? "/symfs/usr/bin/prog" : "other_machine"));
        CHECK(machine.find(recorded) == "/symfs/usr/bin/prog");
    }
}

TEST_CASE("The memory of a process is no object", "[symbols][finder]") {
    SearchedMachine machine;
    Elf core;
    core.type = 4;
    core.build_id(id(1).bytes());
    machine.files->content["/usr/bin/prog"] = core.blob();
    CHECK(machine.find(recorded) == "unreadable");
}

TEST_CASE("Without proof a private file is handed on only if it is the mapped one", "[symbols][finder]") {
    const TempDir directory;
    const auto path = directory.write("prog", elf(id(1)));
    REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    const FileInode mapped{major(status.st_dev), minor(status.st_dev), status.st_ino, 0}, other{1, 2, 3, 0};
    FinderOptions options;
    options.allow_local = true;
    const auto find = [&](HandedOn handed_on, std::optional<FileInode> inode) {
        options.handed_on = handed_on;
        const auto found = ObjectFinder(options).find({path, {}, inode});
        return found ? std::string() : std::string(to_string(found.error()));
    };
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    CHECK(find(HandedOn::if_everybodys, {}).empty());
    REQUIRE(::chmod(path.c_str(), 0600) == 0);
    CHECK(find(HandedOn::no, other).empty());
    CHECK(find(HandedOn::if_fit, mapped).empty());
    CHECK(find(HandedOn::if_everybodys, mapped) == "untrusted");
    CHECK(find(HandedOn::if_fit, other) == "untrusted");
    CHECK(find(HandedOn::if_fit, {}) == "untrusted");
    REQUIRE(::chmod(directory.path().c_str(), 01777) == 0);
    CHECK(find(HandedOn::if_fit, mapped).empty());
    REQUIRE(::chmod(directory.path().c_str(), 0777) == 0);
    CHECK(find(HandedOn::if_fit, mapped) == "untrusted");
}

TEST_CASE("Memory without a file is not looked for", "[symbols][finder]") {
    const SearchedMachine machine;
    for (const std::string name :
         {"//anon", "[heap]", "[stack]", "[vsyscall]", "[kernel.kallsyms]_text", "[anon:x]", "/memfd:jit (deleted)",
          "/SYSV00000000", "/dev/zero", "anon_inode:[perf_event]", "/anon_hugepage (deleted)", "", "relative"}) {
        INFO(name);
        CHECK(machine.find({name, id(1)}) == "not_a_file");
    }
}

TEST_CASE("A deleted file is looked for under its name", "[symbols][finder]") {
    SearchedMachine machine;
    machine.files->content["/usr/bin/prog"] = elf(id(1));
    CHECK(machine.find({"/usr/bin/prog (deleted)", id(1)}) == "/usr/bin/prog");
    machine.files->content["/usr/bin/prog"] = elf(id(2));  // replaced, as by an upgrade
    CHECK(machine.find({"/usr/bin/prog (deleted)", id(1)}) == "build_id_differs");
}

TEST_CASE("Old recordings pad build ids with zeros", "[symbols][finder]") {
    BuildId padded;
    padded.size = 20;
    std::ranges::copy(id(1, 16).bytes(), padded.value.begin());
    CHECK(same_build_id(padded, id(1, 16).bytes()));
    CHECK(same_build_id(id(1, 8), id(1, 8).bytes()));
    CHECK_FALSE(same_build_id(id(1), id(1, 16).bytes()));
    CHECK_FALSE(same_build_id(id(1, 16), id(1, 8).bytes()));
    CHECK_FALSE(same_build_id(id(1, 8), id(1, 16).bytes()));
    CHECK_FALSE(same_build_id(padded, {}));
}

TEST_CASE("A recorded path does not lead out of --symfs", "[symbols][finder]") {
    SearchedMachine machine;
    machine.options.offline = true;
    machine.options.symfs = "/symfs";
    machine.files->content["/etc/outside"] = elf(id(1));
    machine.files->content["/symfs/../etc/outside"] = elf(id(1));
    for (const auto* path : {"/../etc/outside", "/usr/../../etc/outside", "/./.././../etc/outside"}) {
        INFO(path);
        CHECK(machine.find({path, id(1)}) == "offline");
    }
    machine.files->content["/symfs/etc/outside"] = elf(id(1));
    CHECK(machine.find({"/usr/../../etc/outside", id(1)}) == "/symfs/etc/outside");
}

TEST_CASE("A named pipe is not opened: it would wait for ever", "[symbols][finder]") {
    const TempDir directory;
    const auto pipe = (directory.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const LocalFiles files;
    const auto opened = files.open({"", pipe}, {});
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ErrorCode::missing);
    CHECK(files.open({"", "/dev/zero"}, {}).error().code == ErrorCode::missing);
    CHECK(files.open({"", directory.path().string()}, {}).error().code == ErrorCode::missing);
    CHECK(files.open({"", directory.write("file", blob_of("x"))}, {}));
    CHECK(files.read_kernel_file(directory.write("text", blob_of("abc")), 3) == "abc");
    CHECK(files.read_kernel_file(directory.write("text", blob_of("abcd")), 3).error().code == ErrorCode::limit);
}

TEST_CASE("Every reason has words, and says what would help if anything would", "[symbols][finder]") {
    for (unsigned value = 0; value < symbol_misses; ++value) {
        const auto miss = static_cast<SymbolMiss>(value);
        CHECK(to_string(miss) != "unknown");
        CHECK(explain(miss) != "unknown");
    }
    CHECK(to_string(static_cast<SymbolMiss>(symbol_misses)) == "unknown");
    CHECK(remedy(SymbolMiss::not_found).find("perf archive") != std::string_view::npos);
    CHECK(remedy(SymbolMiss::between_symbols).empty());
}
