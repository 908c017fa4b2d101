// SPDX-License-Identifier: MIT
// Checks with inotify which files named by a recording the tool opens, and which it does not.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"
#include "support/dwarf.hpp"
#include "support/elf.hpp"
#include "support/features.hpp"
#include "support/files.hpp"
#include "support/jitdump.hpp"
#include "support/json.hpp"
#include "support/world.hpp"

using namespace perfdata;
using namespace perfdata::test;
namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t process = 101;  // the pid of a Scene's samples
constexpr std::uint64_t mapped_at = 0x400000, apart = 0x10000;

BuildId build_id() {
    BuildId id;
    id.size = 20;
    id.value.fill(std::byte{0x5a});
    return id;
}
const std::string link_of_id = ".build-id/5a/" + [] {
    std::string text;
    for (unsigned index = 1; index < 20; ++index) text += "5a";
    return text;
}();

// program(function) returns an ELF file with that function at offset 0x640.
Blob program(const std::string& function) {
    Elf elf;
    elf.segments = {{0x600, 0x1600, 0x1000}};
    elf.build_id(build_id().bytes());
    elf.symbols({{function, 0x1640, 0x20}});
    return elf.blob();
}

// with_split_lines(split) returns a program whose debug information has lines, refers to the file `split` for the rest,
// and has no compilation directory.
Blob with_split_lines(const std::string& split) {
    constexpr std::uint8_t opcodes = 10;
    const auto order = std::endian::little;
    Elf elf;
    elf.segments = {{0x600, 0x1600, 0x1000}};
    elf.build_id(build_id().bytes());
    elf.symbols({{"of_split", 0x1640, 0x20}});
    const auto add = [&](const char* name, Blob content) {
        Elf::Section section;
        section.name = name;
        section.content = std::move(content);
        elf.add(std::move(section));
    };
    // A unit without children: lines, range, GNU_dwo_name, GNU_dwo_id.
    Writer abbreviations(order);
    for (const std::uint8_t byte : std::to_array<std::uint8_t>(
             {1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 6, 0xb0, 0x42, 8, 0xb1, 0x42, 7, 0, 0, 0})) {
        abbreviations.u8(byte);
    }
    add(".debug_abbrev", abbreviations.take());
    Writer unit(order);
    unit.u16(4).u32(0).u8(8).u8(1).u32(0).u64(0x1640).u32(0x20).text(split).zeros(1).u64(0x1234);
    const auto unit_bytes = unit.take();
    add(".debug_info", Writer(order).u32(static_cast<std::uint32_t>(unit_bytes.size())).bytes(unit_bytes).take());
    Writer header(order);
    header.u8(1).u8(1).u8(0xfb).u8(14).u8(opcodes);
    for (const std::uint8_t operands : std::to_array<std::uint8_t>({0, 1, 1, 1, 1, 0, 0, 0, 1})) header.u8(operands);
    header.zeros(1).text("a.c").zeros(4).zeros(1);  // no directories, one file
    const auto header_bytes = header.take();
    Writer lines(order);
    lines.u16(2).u32(static_cast<std::uint32_t>(header_bytes.size())).bytes(header_bytes);
    lines.u8(0).u8(9).u8(2).u64(0x1640).u8(1).u8(2).u8(0x20).u8(0).u8(1).u8(1);
    const auto line_bytes = lines.take();
    add(".debug_line", Writer(order).u32(static_cast<std::uint32_t>(line_bytes.size())).bytes(line_bytes).take());
    return elf.blob();
}

// with_alternate(name, target) returns a program with a section of that name, which refers to the file `target` for
// parts of its debug information, including inlined calls.
Blob with_alternate(const char* name, const std::string& target) {
    const auto order = std::endian::little;
    Elf elf;
    elf.segments = {{0x600, 0x1600, 0x1000}};
    elf.build_id(build_id().bytes());
    elf.symbols({{"of_alternate", 0x1640, 0x20}});
    DwarfWriter dwarf(0x1640, 0x20);
    dwarf.function(0x1640, 0x20, "of_alternate").in_alternate(0x1640, 0x10, 11).end();
    for (int row = 0; row < 0x20; ++row) dwarf.row();
    dwarf.add_to(elf);
    elf.add({.name = name, .content = Writer(order).text(target).u8(0).fill(20, 1).take()});
    return elf.blob();
}

// mapping(begin, path): the path must outlive the mapping.
Mmap2 mapping(std::uint64_t begin, std::string_view path) {
    Mmap2 map;
    map.pid = {process};
    map.tid = {process};
    map.range = {{begin}, 0x8000};
    map.build_id = build_id();
    map.protection = 5;
    map.filename = path;
    return map;
}

// recording_of(paths) has a mapping and a sample for each path.
Blob recording_of(const std::vector<std::string>& paths) {
    World world;
    std::uint64_t begin = mapped_at, time = 10;
    for (const auto& path : paths) {
        world.map(time, mapping(begin, path));
        world.scene().sample(begin + 0x645, 500 + time, CpuMode::user);
        begin += apart;
        ++time;
    }
    return world.scene().build();
}

struct Run {
    int status = -1;
    std::string output, messages;
};

// run(folder, arguments, before) kills the tool after half a minute: status 124.
Run run(const TempDir& folder, const std::string& arguments, const std::string& before = {}) {
    const auto messages = (folder.path() / "messages").string();
    const auto command = before + "HOME='" + folder.path().string() + "/home' timeout 30 '" PERFDATA_TOOL "' " +
                         arguments + " 2>'" + messages + "' </dev/null";
    const auto close = [](std::FILE* pipe) { return ::pclose(pipe); };
    std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(command.c_str(), "r"), close);
    REQUIRE(pipe != nullptr);
    Run result;
    std::array<char, 65536> block{};
    while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get()))
        result.output.append(block.data(), got);
    const auto status = ::pclose(pipe.release());
    REQUIRE(WIFEXITED(status));
    result.status = WEXITSTATUS(status);
    std::ifstream file(messages);
    result.messages.assign(std::istreambuf_iterator<char>(file), {});
    return result;
}

// FileWatch lists the files of directories that any process opens. A lookup alone does not count.
class FileWatch {
  public:
    explicit FileWatch(const std::vector<std::string>& directories)
        : queue_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        REQUIRE(queue_ >= 0);
        for (const auto& directory : directories) {
            REQUIRE(::inotify_add_watch(queue_, directory.c_str(), IN_OPEN | IN_ACCESS) >= 0);
        }
    }
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;
    ~FileWatch() { ::close(queue_); }

    // opened() returns the files opened since the last call.
    std::set<std::string> opened() const {
        std::set<std::string> names;
        alignas(inotify_event) std::array<char, 65536> events;
        for (ssize_t got = 0; (got = ::read(queue_, events.data(), events.size())) > 0;) {
            for (ssize_t at = 0; at < got;) {
                const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
                if ((event->mask & IN_ISDIR) == 0) names.insert(event->len == 0 ? "." : event->name);
                at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
            }
        }
        return names;
    }

  private:
    int queue_;
};

const std::array commands{"report",
                          "report --json",
                          "script",
                          "annotate",
                          "annotate --json",
                          "annotate --format html",
                          "report --sort srcline,symbol",
                          "symbols --at 0.0000005"};

bool names_functions(std::string_view command) {
    return command.starts_with("report") || command == "script";
}

// reads_objects(command): `symbols` needs no files, only addresses.
bool reads_objects(std::string_view command) {
    return !command.starts_with("symbols");
}

// RecordedMachine is a directory with the recorded program at its recorded path ("host"), in the user's cache, and at
// the target of links ("outside").
struct RecordedMachine {
    TempDir folder;
    std::string path = folder.path().string();
    std::string program_path = path + "/host/prog";
    std::string symfs = path + "/symfs";
    std::string recording;

    RecordedMachine() {
        for (const auto* name : {"host", "outside", "recordings"}) fs::create_directories(path + "/" + name);
        fs::create_directories(path + "/home/.debug/" + link_of_id);
        fs::create_directories(symfs + path + "/host");
        folder.write("host/prog", program("of_host"));
        folder.write("host/jit-42.dump", JitDumpWriter(std::endian::little).blob());
        folder.write("outside/prog", program("of_outside"));
        folder.write("home/.debug/" + link_of_id + "/elf", program("of_cache"));
        recording = folder.write("recordings/perf.data", recording_of({program_path, path + "/host/jit-42.dump"}));
    }
    std::vector<std::string> outside() const {
        return {path + "/host", path + "/outside", path + "/home/.debug/" + link_of_id};
    }
};

}  // namespace

TEST_CASE("Files of this machine are read by a recording's word unless that is forbidden", "[hostile][touched]") {
    const RecordedMachine machine;
    const FileWatch watch(machine.outside());
    for (const auto* command : commands) {
        INFO(command);
        watch.opened();
        const auto got = run(machine.folder, std::string(command) + " '" + machine.recording + "'");
        CHECK(got.status == 0);
        if (reads_objects(command)) CHECK(watch.opened() == std::set<std::string>{"elf", "jit-42.dump"});
        if (names_functions(command)) CHECK(got.output.find("of_cache") != std::string::npos);

        const auto offline = run(machine.folder, std::string(command) + " --offline '" + machine.recording + "'");
        CHECK(offline.status == 0);
        CHECK(watch.opened().empty());
        CHECK(offline.output.find("of_host") == std::string::npos);
        CHECK(offline.output.find("of_cache") == std::string::npos);
    }
}

TEST_CASE("With --symfs nothing outside of it is read, wherever links in it lead", "[hostile][touched]") {
    const RecordedMachine machine;
    const FileWatch watch(machine.outside());
    const auto inside = machine.symfs + machine.program_path;
    const auto check = [&](const std::string& name) {
        for (const auto* command : commands) {
            INFO(command);
            const auto got = run(machine.folder,
                                 std::string(command) + " --symfs '" + machine.symfs + "' '" + machine.recording + "'");
            CHECK(got.status == 0);
            CHECK(watch.opened().empty());
            for (const auto* other : {"of_host", "of_cache", "of_outside"}) {
                CHECK(got.output.find(other) == std::string::npos);
            }
            if (names_functions(command)) CHECK((got.output.find("of_symfs") != std::string::npos) == !name.empty());
        }
    };
    check("");
    for (const auto& target :
         {machine.path + "/outside/prog", machine.program_path,
          std::string("../../../../../../../../../../../../../../..") + machine.path + "/outside/prog"}) {
        INFO(target);
        fs::remove(inside);
        fs::create_symlink(target, inside);
        check("");
    }
    // The same links lead to files inside if these exist.
    fs::create_directories(machine.symfs + machine.path + "/outside");
    machine.folder.write("symfs" + machine.path + "/outside/prog", program("of_symfs"));
    fs::remove(inside);
    fs::create_symlink(machine.path + "/outside/prog", inside);
    check("of_symfs");
    fs::remove(inside);
    fs::rename(machine.symfs + machine.path + "/outside/prog", inside);
    check("of_symfs");
}

// libdw can open the file itself, unchecked (dwarf_cu_info(), subunits from dwarf_get_units()): the library calls
// neither.
TEST_CASE("The file of split debug information is not opened", "[hostile][touched]") {
    const RecordedMachine machine;
    fs::remove(machine.path + "/home/.debug/" + link_of_id + "/elf");
    machine.folder.write("host/prog", with_split_lines(machine.path + "/outside/prog"));
    const FileWatch watch({machine.path + "/outside"});
    const auto got = run(machine.folder, "report --sort srcline,symbol '" + machine.recording + "'");
    CHECK(got.status == 0);
    CHECK(got.output.find("a.c:1") != std::string::npos);
    CHECK(got.output.find("of_split") != std::string::npos);
    CHECK(watch.opened().empty());
}

// libdw opens the file itself, unchecked, unless it is given one. It also accepts uncompressed content under the old
// name for compressed sections.
TEST_CASE("The file that debug information was moved to is not opened from --symfs", "[hostile][touched]") {
    const RecordedMachine machine;
    fs::remove(machine.path + "/home/.debug/" + link_of_id + "/elf");
    const auto* name = GENERATE(".gnu_debugaltlink", ".zgnu_debugaltlink");
    INFO(name);
    machine.folder.write("symfs" + machine.program_path, with_alternate(name, machine.path + "/outside/prog"));
    const FileWatch watch({machine.path + "/outside"});
    const auto got =
        run(machine.folder, "report --sort srcline,symbol --symfs '" + machine.symfs + "' '" + machine.recording + "'");
    CHECK(got.status == 0);
    CHECK(got.output.find("of_alternate") != std::string::npos);
    CHECK(got.output.find("a.c:") != std::string::npos);
    CHECK(watch.opened().empty());
}

TEST_CASE("Links in a recording's directory do not lead out of it", "[hostile][touched]") {
    const RecordedMachine machine;
    const auto directory = machine.path + "/recordings/dir";
    fs::create_directories(directory + "/.build-id/5a");
    fs::create_directories(directory + "/kcore_dir");
    fs::copy_file(machine.recording, directory + "/data");
    fs::create_symlink(machine.path + "/outside", directory + "/" + link_of_id);
    fs::create_symlink("prog", machine.path + "/outside/elf");
    for (const auto* name : {"kcore", "kallsyms"}) {
        fs::create_symlink(machine.path + "/outside/prog", directory + "/kcore_dir/" + name);
    }
    fs::create_symlink(machine.path + "/host/jit-42.dump", directory + "/jit-42.dump");
    const auto empty = machine.path + "/empty";
    fs::create_directory(empty);
    const FileWatch watch(machine.outside());
    for (const auto* command : commands) {
        for (const auto& offline : {std::string(" --offline"), " --symfs '" + empty + "'"}) {
            INFO(command << offline);
            const auto got = run(machine.folder, std::string(command) + offline + " '" + directory + "'");
            CHECK(got.status == 0);
            CHECK(watch.opened().empty());
            CHECK(got.output.find("of_outside") == std::string::npos);
        }
    }
    // Nor files of a given cache, where nothing else may be read.
    const auto cache = " --buildid-dir '" + directory + "' '" + machine.recording + "'";
    CHECK(run(machine.folder, "report --offline" + cache).status == 0);
    CHECK(watch.opened().empty());
}

// Opening a pipe without a writer would block forever, and opening a device could read from it.
TEST_CASE("What is no file is not waited for, wherever a recording expects one", "[hostile][touched]") {
    const RecordedMachine machine;
    const auto& path = machine.path;
    const auto pid = 4000000 + static_cast<std::uint32_t>(::getpid());
    const auto map = "/tmp/perf-" + std::to_string(pid) + ".map";
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        names.push_back(path + "/recordings/" + name);
        return names.back();
    };
    REQUIRE(::mkfifo(add("pipe").c_str(), 0600) == 0);
    REQUIRE(::mkfifo(add("jit-43.dump").c_str(), 0600) == 0);
    for (const auto* target : {"/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/mem",
                               "/sys/kernel/tracing/trace_pipe", "/proc/self/fd/0"}) {
        fs::create_symlink(target, add("link" + std::to_string(names.size())));
        names.emplace_back(target);
    }
    REQUIRE(::mkfifo(map.c_str(), 0600) == 0);

    World world;
    std::uint64_t begin = mapped_at, time = 10;
    for (const auto& name : names) {
        world.map(time++, mapping(begin, name));
        world.scene().sample(begin + 0x645, 500, CpuMode::user);
        begin += apart;
    }
    auto anonymous = mapping(begin, "//anon");
    anonymous.build_id.reset();
    anonymous.inode = Mmap2::Inode{};
    anonymous.pid = {pid};
    anonymous.tid = {pid};
    world.map(time, anonymous);
    const auto recording = machine.folder.write("recordings/pipes.data", world.scene().build());
    for (const auto* command : commands) {
        INFO(command);
        const auto got = run(machine.folder, std::string(command) + " '" + recording + "'");
        CHECK(got.status == 0);
    }
    // The recorded paths in a symfs and in the caches, debug files and links.
    fs::create_directories(machine.symfs + path + "/recordings");
    REQUIRE(::mkfifo((machine.symfs + path + "/recordings/pipe").c_str(), 0600) == 0);
    fs::remove(path + "/home/.debug/" + link_of_id + "/elf");
    REQUIRE(::mkfifo((path + "/home/.debug/" + link_of_id + "/elf").c_str(), 0600) == 0);
    for (const auto* command : commands) {
        INFO(command);
        CHECK(
            run(machine.folder, std::string(command) + " --symfs '" + machine.symfs + "' '" + recording + "'").status ==
            0);
        CHECK(run(machine.folder, std::string(command) + " '" + recording + "'").status == 0);
    }
    fs::remove(map);
}

TEST_CASE("A perf map of another user is not believed unless it is given", "[hostile][touched]") {
    const RecordedMachine machine;
    const auto pid = 4100000 + static_cast<std::uint32_t>(::getpid());
    const auto map = "/tmp/perf-" + std::to_string(pid) + ".map";
    std::ofstream(map) << "400000 8000 of_perf_map\n";
    World world;
    Mmap2 anonymous;
    anonymous.range = {{mapped_at}, 0x8000};
    anonymous.inode = Mmap2::Inode{};
    anonymous.protection = 5;
    anonymous.filename = "//anon";
    anonymous.pid = {pid};
    anonymous.tid = {pid};
    world.map(10, anonymous);
    const auto recording = machine.folder.write("recordings/map.data", world.scene().build());
    const auto own = run(machine.folder, "report '" + recording + "'");
    CHECK(own.status == 0);
    CHECK(own.messages.find("another user") == std::string::npos);
    if (::chown(map.c_str(), 54321, 54321) == 0) {
        const auto others = run(machine.folder, "report '" + recording + "'");
        CHECK(others.status == 0);
        CHECK(others.messages.find("another user (54321)") != std::string::npos);
        CHECK(others.messages.find("--perf-map") != std::string::npos);
        const auto given = run(machine.folder, "report --perf-map '" + map + "' '" + recording + "'");
        CHECK(given.messages.find("another user") == std::string::npos);
    }
    fs::remove(map);
}

TEST_CASE("What the user names may be a pipe", "[hostile][touched]") {
    const std::string fixtures = PERFDATA_FIXTURES;
    const auto recording = " '" + fixtures + "/bpf/bpf_many.data'";
    const auto kallsyms = fixtures + "/bpf/guest.kallsyms";
    const TempDir folder;
    const auto pipe = (folder.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const auto through_pipe = [&](const std::string& file) { return "cat '" + file + "' >'" + pipe + "' & "; };
    for (const auto* command : {"report --offline", "annotate --offline", "script --offline"}) {
        INFO(command);
        const auto plain = run(folder, std::string(command) + " --kallsyms '" + kallsyms + "'" + recording);
        const auto piped =
            run(folder, std::string(command) + " --kallsyms '" + pipe + "'" + recording, through_pipe(kallsyms));
        CHECK(plain.status == 0);
        CHECK(piped.status == 0);
        CHECK(piped.output == plain.output);
        const auto without = run(folder, std::string(command) + recording);
        CHECK(without.output != plain.output);
    }
    JitDumpWriter dump(std::endian::little);
    dump.load({.time = 100, .address = mapped_at, .name = "of_pipe", .code = std::string(0x1000, '\x90')});
    const auto jit_dump = folder.write("jit-42.dump", dump.blob());
    auto map = mapping(mapped_at + apart, "/nowhere/jit-42.dump");
    map.build_id.reset();
    map.inode = Mmap2::Inode{};
    World world;
    world.map(10, map);
    world.scene().sample(mapped_at + 0x645, 500, CpuMode::user);
    const auto jit_recording = folder.write("jit.data", world.scene().build());
    const auto piped =
        run(folder, "report --offline --jitdump '" + pipe + "' '" + jit_recording + "'", through_pipe(jit_dump));
    CHECK(piped.status == 0);
    CHECK(piped.output.find("of_pipe") != std::string::npos);
}

// V8 writes source file names from freed memory.
TEST_CASE("Damaged names of source files in a jitdump are left out, and that is said", "[hostile][touched]") {
    JitDumpWriter dump(std::endian::little);
    const std::string_view junk("\xf9\x04 junk", 7);
    dump.debug_info(90, mapped_at, {{mapped_at, 3, 0, "good.js"}, {mapped_at + 0x20, 4, 0, junk}});
    dump.load({.time = 100, .address = mapped_at, .name = "of_jit", .code = std::string(0x40, '\x90')});
    const TempDir folder;
    folder.write("jit-42.dump", dump.blob());
    auto map = mapping(mapped_at + apart, "/nowhere/jit-42.dump");
    map.build_id.reset();
    map.inode = Mmap2::Inode{};
    World world;
    world.map(10, map);
    world.scene().feature(Feature::arch, feature_string(world.scene().order(), "x86_64"));
    world.scene().sample(mapped_at + 0x10, 500, CpuMode::user);
    world.scene().sample(mapped_at + 0x30, 500, CpuMode::user);
    const auto recording = folder.write("perf.data", world.scene().build());

    const auto text = run(folder, "annotate --offline '" + recording + "'");
    CHECK(text.status == 0);
    CHECK(text.output.find("good.js") != std::string::npos);
    CHECK(text.output.find("junk") == std::string::npos);
    CHECK(text.output.find("Note:") != std::string::npos);
    CHECK(text.output.find("names of source files in it are damaged") != std::string::npos);
    const auto json = run(folder, "annotate --offline --json '" + recording + "'");
    const auto page = Json::parse(json.output);
    const auto& function = page["functions"].items().at(0);
    CHECK(function["problems"].items().at(0).text().find("damaged") != std::string::npos);
    std::set<std::string> files;
    for (const auto& line : function["lines"].items()) files.emplace(line["file"].text());
    CHECK(files == std::set<std::string>{"", "good.js"});
    CHECK(json.output.find("junk") == std::string::npos);
    const auto strict = run(folder, "annotate --offline --strict '" + recording + "'");
    CHECK(strict.status == 3);
    CHECK(strict.messages.find("damaged") != std::string::npos);
}

// Loading is threaded: any of the names may be asked first.
TEST_CASE("What is wrong with a file's debug information is told by the name that leads there", "[hostile][touched]") {
    Elf elf;
    elf.segments = {{0x600, 0x1600, 0x1000}};
    elf.symbols({{"of_damaged", 0x1640, 0x20}});
    for (const auto* name : {".debug_info", ".debug_abbrev", ".debug_line"}) {
        Elf::Section section;
        section.name = name;
        section.content = Writer(std::endian::little).u32(16).u16(99).zeros(14).take();  // no such version
        elf.add(std::move(section));
    }
    const TempDir folder;
    auto bytes = elf.blob();
    bytes.resize(std::max<std::size_t>(bytes.size(), 0x1600));  // the code: zeros
    const auto one = folder.write("one", bytes);
    const auto other = (folder.path() / "other").string();
    fs::create_hard_link(one, other);
    World world;
    std::uint64_t begin = mapped_at, time = 10;
    for (const auto& path : {one, other}) {
        auto map = mapping(begin, path);
        map.build_id.reset();
        map.inode = Mmap2::Inode{};
        world.map(time, map);
        world.scene().sample(begin + 0x645, 500 + time, CpuMode::user);
        begin += apart;
        ++time;
    }
    const auto recording = folder.write("perf.data", world.scene().build());
    for (const auto* jobs : {"1", "2", "8"}) {
        const auto got =
            run(folder, "annotate --allow-local -s of_damaged -j " + std::string(jobs) + " '" + recording + "'");
        INFO(got.output << got.messages);
        CHECK(got.status == 0);
        for (const auto& name : {one, other}) CHECK(got.output.find(name + ": DWARF: ") != std::string::npos);
    }
}
