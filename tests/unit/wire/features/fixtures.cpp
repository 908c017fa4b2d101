// SPDX-License-Identifier: MIT
// Compares the features of real recordings with the output of perf 6.1.187: `perf report --header-only -I -i FILE`.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "perfdata/wire/feature/describe.hpp"
#include "perfdata/wire/file_header.hpp"

#include "catch.hpp"
#include "support/payload.hpp"
#include "unit/wire/features/lines.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// RealFile reads header and feature table with its own code.
class RealFile {
  public:
    explicit RealFile(const std::string& name) {
        std::ifstream file(std::string(PERFDATA_FIXTURES) + "/bpf/" + name, std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(file), {}};
        bytes_ = blob_of(content);
        const auto header = FileHeader::parse(bytes_);
        REQUIRE(header);
        Cursor table(bytes_, header->order, {.where = "feature table"});
        table.skip(header->data.offset + header->data.size);
        for (unsigned number = 0; number < 256; ++number) {
            if (!header->has_feature(number)) continue;
            const auto offset = table.u64();
            const auto size = table.u64();
            Cursor section(bytes_, header->order, {.where = "file"});
            section.skip(offset);
            sections_.emplace(number, Section{offset, section.bytes(size)});
            REQUIRE(section.ok());
        }
        REQUIRE(table.ok());
    }

    std::vector<unsigned> numbers() const {
        std::vector<unsigned> numbers;
        for (const auto& [number, section] : sections_) numbers.push_back(number);
        return numbers;
    }
    Cursor section(Feature feature) const {
        const auto& found = sections_.at(static_cast<unsigned>(feature));
        return {found.bytes, AnyOrder(std::endian::little), {.where = "feature", .offset = found.offset}};
    }
    std::vector<std::string> lines(Feature feature) const {
        std::vector<std::string> lines;
        const auto cpus = CpuCounts::decode(section(Feature::nrcpus));
        REQUIRE(cpus);
        CHECK(
            describe_feature(static_cast<unsigned>(feature), section(feature), {cpus->available}, FeatureLines(lines)));
        return lines;
    }

  private:
    struct Section {
        std::uint64_t offset = 0;
        Bytes bytes;
    };
    Blob bytes_;
    std::map<unsigned, Section> sections_;
};

struct Expected {
    std::string file;
    std::uint64_t memory, free;                         // kB
    std::uint64_t first_microsecond, last_microsecond;  // perf truncates times to microseconds
    std::uint64_t last_memory_block;
    std::vector<std::uint32_t> programs, btf;
    std::size_t functions;  // lines "sub_prog", and one per program without
    std::vector<std::string> arguments;
};

// clang-format off
const std::vector<Expected>& expectations() {
    static const std::vector<Expected> all = {
        {"bpf_events.data", 995356, 910272, 20336541, 20790612, 7, {21}, {35}, 9,
         {"/bin/perf", "record", "-q", "-a", "-N", "-o", "bpf_events.data", "-e", "cpu-clock/freq=999,call-graph=no/",
          "-e", "task-clock/freq=499,call-graph=fp,max-stack=8/", "--", "/prog/load", "work", "400"}},
        {"bpf_many.data", 995356, 894568, 6398531, 7034776, 7, {5}, {16}, 9,
         {"/bin/perf", "record", "-q", "-a", "-N", "-o", "bpf_many.data", "-e", "cpu-clock", "-F", "999", "--",
          "/prog/load", "work", "600"}},
        {"bpf_misc.data", 1509916, 1354072, 16479397, 16806289, 11, {78, 82, 83, 84}, {115}, 5,
         {"/bin/perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", "199", "-o", "bpf_misc.data", "--", "sh", "-c",
          "/prog/bpfload -m 80 /prog/plain.o; /prog/bpfload -m 60 /prog/structops.bpf.o"}},
        {"bpf_nobtf.data", 995356, 909024, 10147003, 10676541, 7, {10}, {}, 4,
         {"/bin/perf", "record", "-q", "-a", "-N", "-o", "bpf_nobtf.data", "-e", "cpu-clock", "-F", "499", "--",
          "/prog/load", "work", "500"}},
        {"bpf_preloaded.data", 1509916, 1351552, 14524050, 15122527, 11,
         {62, 64, 65, 66, 67, 69, 70, 71, 72, 73}, {106}, 32,
         {"/bin/perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", "99", "-g", "-o", "bpf_preloaded.data", "--",
          "sleep", "0.6"}},
        {"bpf_reuse.data", 1509916, 1352028, 10528152, 11779356, 11,
         {27, 29, 31, 32, 33, 37, 41, 45, 46, 47, 48, 49, 51, 53, 54, 57}, {34, 43, 52, 61, 70, 79, 88, 97}, 32,
         {"/bin/perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", "149", "-o", "bpf_reuse.data", "--",
          "/prog/swap.sh", "30"}},
        {"bpf_turns.data", 995356, 909352, 23057651, 26631058, 7,
         {25, 26, 28, 30, 32, 34, 36, 37, 38, 40, 42, 44, 46, 48},
         {44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55}, 26,
         {"/bin/perf", "record", "-q", "-a", "-N", "-o", "bpf_turns.data", "-k", "mono", "-e", "cpu-clock", "-F",
          "199", "--", "/prog/load", "turns", "expect/bpf_turns", "200", "3", "/prog/alpha.o", "/prog/beta.o",
          "/prog/gamma.o", "/prog/delta.o"}},
        {"bpf_twins.data", 995356, 893396, 15702172, 16235996, 7, {14, 16}, {25, 26}, 6,
         {"/bin/perf", "record", "-q", "-a", "-N", "-o", "bpf_twins.data", "-e", "cpu-clock", "-F", "499", "--",
          "/prog/load", "work", "500"}},
        {"bpf_types.data", 1509916, 1352028, 8057328, 8956257, 11,
         {10, 12, 13, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25}, {25}, 35,
         {"/bin/perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", "99", "-g", "-o", "bpf_types.data", "--",
          "/prog/bpfload", "-m", "250", "/prog/multi_fentry.bpf.o"}},
    };
    return all;
}

// The same machine made all recordings.
const std::map<Feature, std::vector<std::string>>& same_in_all() {
    static const std::map<Feature, std::vector<std::string>> all = {
        {Feature::hostname, {"hostname='guest'"}},
        {Feature::osrelease, {"os_release='6.1.0-56-cloud-amd64'"}},
        {Feature::version, {"perf_version='6.1.192'"}},
        {Feature::arch, {"arch='x86_64'"}},
        {Feature::nrcpus, {"available=2", "online=2"}},
        {Feature::cpudesc, {"cpu_description='QEMU TCG CPU version 2.5+'"}},
        {Feature::cpuid, {"cpu_id='AuthenticAMD,15,107,1'"}},
        {Feature::cpu_topology,
         {"sockets[?]", "sockets.0='0-1'", "threads[?]", "threads.0='0'", "threads.1='1'",
          "cpus[2]", "cpus.0.cpu=0", "cpus.0.core=0", "cpus.0.socket=0", "cpus.1.cpu=1", "cpus.1.core=1", "cpus.1.socket=0",
          "dies[?]", "dies.0='0-1'", "die_of_cpu[2]", "die_of_cpu.0=0", "die_of_cpu.1=0"}},
        {Feature::pmu_mappings,
         {"pmus[6]", "pmus.0.type=1", "pmus.0.name='software'", "pmus.1.type=7", "pmus.1.name='uprobe'",
          "pmus.2.type=5", "pmus.2.name='breakpoint'", "pmus.3.type=2", "pmus.3.name='tracepoint'",
          "pmus.4.type=6", "pmus.4.name='kprobe'", "pmus.5.type=8", "pmus.5.name='msr'"}},
        {Feature::pmu_caps, {"pmus[0]"}},
    };
    return all;
}
// clang-format on

}  // namespace

TEST_CASE("Real recordings say about their machine what perf says", "[wire][features][fixtures]") {
    for (const auto& expected : expectations()) {
        CAPTURE(expected.file);
        const RealFile file(expected.file);
        for (const auto& [feature, lines] : same_in_all()) {
            CAPTURE(static_cast<unsigned>(feature));
            CHECK(file.lines(feature) == lines);
        }
        CHECK(file.lines(Feature::total_mem) == std::vector<std::string>{"kib=" + std::to_string(expected.memory)});
        CHECK(file.lines(Feature::numa_topology) ==
              std::vector<std::string>{"nodes[1]", "nodes.0.node=0",
                                       "nodes.0.total_kib=" + std::to_string(expected.memory),
                                       "nodes.0.free_kib=" + std::to_string(expected.free), "nodes.0.cpus='0-1'"});
        const auto blocks = std::to_string(expected.last_memory_block);
        CHECK(file.lines(Feature::mem_topology) ==
              std::vector<std::string>{"version=1", "block_bytes=134217728", "nodes[1]", "nodes.0.node=0",
                                       "nodes.0.size_blocks=" + std::to_string(expected.last_memory_block + 1),
                                       "nodes.0.blocks[?]", "nodes.0.blocks.0.first=0",
                                       "nodes.0.blocks.0.last=" + blocks});
    }
}

TEST_CASE("Real recordings tell the caches that perf prints", "[wire][features][fixtures]") {
    const std::vector<std::string> printed = {"L1 Data 64K [0]",        "L1 Instruction 64K [0]", "L1 Data 64K [1]",
                                              "L1 Instruction 64K [1]", "L2 Unified 512K [0]",    "L2 Unified 512K [1]",
                                              "L3 Unified 16384K [0-1]"};
    for (const auto& expected : expectations()) {
        CAPTURE(expected.file);
        const RealFile file(expected.file);
        auto caches = CpuCaches::decode(file.section(Feature::cache));
        REQUIRE(caches);
        std::vector<std::string> got;
        for (auto next = caches->caches.next(); next && *next; next = caches->caches.next()) {
            const auto& cache = **next;
            got.push_back("L" + std::to_string(cache.level) + " " + std::string(cache.type) + " " +
                          std::string(cache.size) + " [" + std::string(cache.cpus) + "]");
            const auto bytes = std::uint64_t{cache.line_size} * cache.sets * cache.ways;
            CHECK(std::to_string(bytes / 1024) + "K" == cache.size);
        }
        CHECK(got == printed);
    }
}

TEST_CASE("Real recordings were made by the commands that perf prints", "[wire][features][fixtures]") {
    for (const auto& expected : expectations()) {
        CAPTURE(expected.file);
        std::vector<std::string> lines = {"arguments[" + std::to_string(expected.arguments.size()) + "]"};
        for (std::size_t index = 0; index < expected.arguments.size(); ++index) {
            lines.push_back("arguments." + std::to_string(index) + "='" + expected.arguments[index] + "'");
        }
        CHECK(RealFile(expected.file).lines(Feature::cmdline) == lines);
    }
}

TEST_CASE("Real recordings have the times that perf prints", "[wire][features][fixtures]") {
    for (const auto& expected : expectations()) {
        CAPTURE(expected.file);
        const RealFile file(expected.file);
        const auto times = SampleTimes::decode(file.section(Feature::sample_time));
        REQUIRE(times);
        CHECK(times->first.nanoseconds / 1000 == expected.first_microsecond);
        CHECK(times->last.nanoseconds / 1000 == expected.last_microsecond);
    }
    const RealFile turns("bpf_turns.data");
    CHECK(turns.lines(Feature::clockid) == std::vector<std::string>{"resolution_ns=1"});
    const auto clock = ClockData::decode(turns.section(Feature::clock_data));
    REQUIRE(clock);
    CHECK(clock_name(clock->clockid) == "monotonic");
    CHECK(clock->wall_clock / 1000 == 1795213175487795);
    CHECK(clock->event_clock == Time{22869685999});
}

TEST_CASE("Real recordings carry the programs that perf prints", "[wire][features][fixtures]") {
    for (const auto& expected : expectations()) {
        CAPTURE(expected.file);
        const RealFile file(expected.file);
        std::vector<std::string> programs;
        std::size_t functions = 0;
        for (const auto& line : file.lines(Feature::bpf_prog_info)) {
            if (line.find(".id=") != std::string::npos) programs.push_back(line.substr(line.find(".id=") + 4));
            if (line.find(".address=") != std::string::npos) ++functions;
        }
        std::vector<std::string> expected_programs;
        for (const auto id : expected.programs) expected_programs.push_back(std::to_string(id));
        CHECK(programs == expected_programs);
        CHECK(functions == expected.functions);

        std::vector<std::string> btf;
        for (const auto& line : file.lines(Feature::bpf_btf)) {
            if (line.find(".id=") != std::string::npos) btf.push_back(line.substr(line.find(".id=") + 4));
        }
        std::vector<std::string> expected_btf;
        for (const auto id : expected.btf) expected_btf.push_back(std::to_string(id));
        CHECK(btf == expected_btf);
    }
}

TEST_CASE("The programs of a real recording have the functions that perf prints", "[wire][features][fixtures]") {
    const auto lines = RealFile("bpf_twins.data").lines(Feature::bpf_prog_info);
    const auto has = [&](const std::string& line) { return std::ranges::find(lines, line) != lines.end(); };
    const auto address = [](std::uint64_t value) { return "address=@" + std::to_string(value); };
    CHECK(has("programs[2]"));
    CHECK(has("programs.0.name='twin_left'"));
    CHECK(has("programs.1.name='twin_right'"));
    CHECK(has("programs.0.functions.0." + address(0xffffffffc038b708)));
    CHECK(has("programs.0.functions.0.bytes=103"));
    CHECK(has("programs.0.functions.0.tag=x3071012bd289a16c"));
    CHECK(has("programs.0.functions.2." + address(0xffffffffc038b828)));
    CHECK(has("programs.0.functions.2.tag=x00d56113a8963c17"));
    CHECK(has("programs.1.functions.0." + address(0xffffffffc038b89c)));
    CHECK(has("programs.1.functions.0.bytes=143"));
    CHECK(has("programs.1.functions.2." + address(0xffffffffc038b94c)));
    CHECK(has("programs.1.functions.2.tag=xe5e94de0be277488"));
}

// Source: `perf buildid-list -i FILE`.
TEST_CASE("Real recordings have the build ids that perf prints", "[wire][features][fixtures]") {
    const auto lines = RealFile("bpf_turns.data").lines(Feature::build_id);
    const std::vector<std::pair<std::string, std::string>> printed = {
        {"3b43fad5034874490492495d552c0af6a5fab235", "[kernel.kallsyms]"},
        {"4c094903377ab138c3805fd8b6b97aa182f903d1", "[vdso]"},
        {"37ae4d5466647f4fca6cbf64a3796a8c78a3cb8a", "/bin/perf"},
        {"93ac61ec5a8eb1396f9fbd350e3169a558528a40", "/lib/libc.so.6"},
        {"5e9b61d4ea8b00ef26b01df81159ceae1a4b3ba4", "/lib/libelf.so.1"},
        {"7ebc65e52f2bbea498b4040fa92f7238377aaba9", "/lib64/ld-linux-x86-64.so.2"},
        {"ad2116cc90c805e105296d750cd07193f8193c81", "/lib/libbpf.so.1"}};
    std::vector<std::string> expected = {"build_ids[?]"};
    for (std::size_t index = 0; index < printed.size(); ++index) {
        const auto prefix = "build_ids." + std::to_string(index) + ".";
        expected.push_back(prefix + "misc=" + std::to_string(index == 0 ? 0x8001 : 0x8002));
        expected.push_back(prefix + "pid=-1");
        expected.push_back(prefix + "build_id=x" + printed[index].first);
        expected.push_back(prefix + "size_known=true");
        expected.push_back(prefix + "name='" + printed[index].second + "'");
    }
    CHECK(lines == expected);
}

TEST_CASE("Real recordings have exactly the features that perf does not miss", "[wire][features][fixtures]") {
    for (const auto& expected : expectations()) {
        CAPTURE(expected.file);
        std::vector<unsigned> numbers = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 20, 21, 22, 25, 26, 31};
        if (expected.file == "bpf_turns.data") {
            numbers.insert(std::ranges::find(numbers, 25u), 23);
            numbers.insert(std::ranges::find(numbers, 31u), 29);
        }
        const RealFile file(expected.file);
        CHECK(file.numbers() == numbers);
        for (const auto number : file.numbers()) (void)file.lines(static_cast<Feature>(number));
    }
}
