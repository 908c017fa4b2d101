// SPDX-License-Identifier: MIT
// Compares real recordings with the output of perf 6.1.187.
//
// Events, programs, BTF: `perf report --header-only -i FILE`. Records, first sample: `perf report -D -i FILE`, lines
// counted by type. Samples and periods by event: `perf script -F event,period -G -i FILE`, summed.
#include <algorithm>
#include <map>

#include "perfdata/recording/bpf_features.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"

using namespace perfdata;

namespace {

struct ExpectedEvent {
    std::string name;
    std::vector<std::uint64_t> ids;
    std::uint64_t samples, period;
};

struct FirstSample {
    std::uint64_t offset, time, ip;
    std::uint32_t pid, tid;
    CpuMode mode;

    bool operator==(const FirstSample&) const = default;
};

struct RecordingExpected {
    std::string file;
    std::vector<ExpectedEvent> events;
    std::vector<std::uint32_t> programs, btf;
    std::uint64_t symbols_come, symbols_go, loads, unloads, mmaps, mmap2s, comms;
    FirstSample first;
};

// clang-format off
const std::vector<RecordingExpected>& recording_expectations() {
    static const std::vector<RecordingExpected> all = {
        {"bpf_events.data",
         {{"cpu-clock/freq=999,call-graph=no/", {44, 45}, 742, 742742742},
          {"task-clock/freq=499,call-graph=fp,max-stack=8/", {46, 47}, 397, 795591176},
          {"dummy:HG", {48, 49}, 0, 0}},
         {21}, {35},
         9, 0, 1, 0, 7, 76, 61,
         {0x4990, 20336541458, 0xffffffff92817a0b, 0, 0, CpuMode::kernel}},
        {"bpf_many.data",
         {{"cpu-clock", {7, 8}, 1230, 1231231230}, {"dummy:HG", {9, 10}, 0, 0}},
         {5}, {16},
         9, 0, 1, 0, 7, 76, 61,
         {0x4898, 6398531276, 0xffffffff920ba917, 131, 131, CpuMode::kernel}},
        {"bpf_misc.data",
         {{"cpu-clock", {59, 60}, 126, 633165750}, {"dummy:HG", {61, 62}, 0, 0}},
         {78, 82, 83, 84}, {115},
         12, 8, 10, 7, 7, 78, 61,
         {0x4568, 16479397905, 0xffffffffb02c24a5, 152, 152, CpuMode::kernel}},
        {"bpf_nobtf.data",
         {{"cpu-clock", {18, 19}, 516, 1034068128}, {"dummy:HG", {20, 21}, 0, 0}},
         {10}, {},
         4, 0, 1, 0, 7, 76, 61,
         {0x46f8, 10147003181, 0xffffffff924ce73b, 150, 150, CpuMode::kernel}},
        {"bpf_preloaded.data",
         {{"cpu-clock", {48, 49}, 114, 1151515140}, {"dummy:HG", {50, 51}, 0, 0}},
         {62, 64, 65, 66, 67, 69, 70, 71, 72, 73}, {106},
         34, 0, 10, 0, 7, 71, 60,
         {0x57b8, 14524050911, 0xffffffffb0a17a0b, 0, 0, CpuMode::kernel}},
        {"bpf_reuse.data",
         {{"cpu-clock", {36, 37}, 367, 2463087103}, {"dummy:HG", {38, 39}, 0, 0}},
         {27, 29, 31, 32, 33, 37, 41, 45, 46, 47, 48, 49, 51, 53, 54, 57}, {34, 43, 52, 61, 70, 79, 88, 97},
         49, 48, 32, 32, 7, 136, 84,
         {0x4568, 10528152372, 0x410a10, 126, 126, CpuMode::user}},
        {"bpf_turns.data",
         {{"cpu-clock", {57, 58}, 1422, 7145727750}, {"dummy:HG", {59, 60}, 0, 0}},
         {25, 26, 28, 30, 32, 34, 36, 37, 38, 40, 42, 44, 46, 48}, {44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55},
         38, 38, 26, 26, 7, 69, 60,
         {0x4250, 23057651230, 0xffffffff927c5ef9, 207, 207, CpuMode::kernel}},
        {"bpf_twins.data",
         {{"cpu-clock", {29, 30}, 527, 1056112216}, {"dummy:HG", {31, 32}, 0, 0}},
         {14, 16}, {25, 26},
         6, 0, 2, 0, 7, 76, 61,
         {0x47d0, 15702172991, 0x556c43e4ac57, 175, 175, CpuMode::user}},
        {"bpf_types.data",
         {{"cpu-clock", {24, 25}, 176, 1777777760}, {"dummy:HG", {26, 27}, 0, 0}},
         {10, 12, 13, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25}, {25},
         43, 38, 17, 16, 7, 69, 59,
         {0x45a0, 8057328029, 0x7ffbeeb14a48, 122, 122, CpuMode::user}},
    };
    return all;
}
// clang-format on

Result<Recording> open_fixture(const std::string& file) {
    return Recording::open(std::string(PERFDATA_FIXTURES) + "/bpf/" + file);
}

// Walked is the result of one walk over a recording.
struct Walked {
    std::map<std::uint32_t, std::uint64_t> samples, period;
    std::uint64_t symbols_come = 0, symbols_go = 0, loads = 0, unloads = 0, mmaps = 0, mmap2s = 0, comms = 0;
    std::optional<FirstSample> first;

    template <class R>
    void operator()(const RecordContext& context, const R& record) {
        if constexpr (requires { record.ip(); }) {
            ++samples[context.event];
            period[context.event] += record.period();
            if (!first) {
                first = FirstSample{context.view.offset, context.time.nanoseconds, record.ip()->value,
                                    record.pid()->value, record.tid()->value,      record.mode()};
            }
        }
        if constexpr (std::is_same_v<R, Ksymbol>) ++(record.unregister() ? symbols_go : symbols_come);
        if constexpr (std::is_same_v<R, BpfEvent>) ++(record.kind == 1 ? loads : unloads);
        if constexpr (std::is_same_v<R, Mmap>) ++mmaps;
        if constexpr (std::is_same_v<R, Mmap2>) ++mmap2s;
        if constexpr (std::is_same_v<R, Comm>) ++comms;
    }
};

}  // namespace

TEST_CASE("Real recordings open without complaint and say where they come from", "[recording][fixtures]") {
    for (const auto& want : recording_expectations()) {
        CAPTURE(want.file);
        const auto recording = open_fixture(want.file);
        REQUIRE(recording);
        CHECK(recording->diagnostics().empty());
        CHECK(recording->order().endian() == std::endian::little);
        CHECK(recording->hostname() == "guest");
        CHECK(recording->os_release() == "6.1.0-56-cloud-amd64");
        CHECK(recording->perf_version() == "6.1.192");
        CHECK(recording->arch() == "x86_64");
        CHECK(recording->cpu_description() == "QEMU TCG CPU version 2.5+");
        REQUIRE(recording->command_line().size() > 5);
        CHECK(recording->command_line()[0] == "/bin/perf");
        CHECK(recording->command_line()[1] == "record");
        CHECK(std::ranges::count(recording->command_line(), want.file) == 1);
    }
}

TEST_CASE("Real recordings have the events that perf sees", "[recording][fixtures]") {
    for (const auto& want : recording_expectations()) {
        CAPTURE(want.file);
        const auto recording = open_fixture(want.file);
        REQUIRE(recording);
        const auto& events = recording->events().events();
        REQUIRE(events.size() == want.events.size());
        for (std::size_t index = 0; index < events.size(); ++index) {
            CHECK(events[index].name == want.events[index].name);
            std::vector<std::uint64_t> ids;
            for (const auto id : events[index].ids) ids.push_back(id.value);
            CHECK(ids == want.events[index].ids);
            CHECK(events[index].attr.type == 1);
            CHECK(events[index].attr.size == 128);
            CHECK(events[index].attr.sample_id_all());
        }
        CHECK(events.front().attr.freq());
        CHECK(events.front().attr.config == 0);  // cpu-clock
        CHECK(events.back().attr.config == 9);   // dummy
    }
}

TEST_CASE("Real recordings give the samples, symbols and mappings that perf counts", "[recording][fixtures]") {
    for (const auto& want : recording_expectations()) {
        CAPTURE(want.file);
        const auto recording = open_fixture(want.file);
        REQUIRE(recording);
        Walked counts;
        Completeness completeness;
        REQUIRE(walk(*recording, completeness, counts));
        for (std::uint32_t index = 0; index < want.events.size(); ++index) {
            CAPTURE(want.events[index].name);
            CHECK(counts.samples[index] == want.events[index].samples);
            CHECK(counts.period[index] == want.events[index].period);
        }
        CHECK(counts.symbols_come == want.symbols_come);
        CHECK(counts.symbols_go == want.symbols_go);
        CHECK(counts.loads == want.loads);
        CHECK(counts.unloads == want.unloads);
        CHECK(counts.mmaps == want.mmaps);
        CHECK(counts.mmap2s == want.mmap2s);
        CHECK(counts.comms == want.comms);
        REQUIRE(counts.first);
        CHECK(*counts.first == want.first);

        CHECK(completeness.diagnostics.empty());
        CHECK(completeness.lost_events == 0);
        CHECK(completeness.bytes.unread == 0);
        CHECK(completeness.bytes.records + completeness.bytes.outside_records == completeness.bytes.total);
        for (const auto& [type, of_type] : completeness.records) {
            CAPTURE(type);
            CHECK(of_type.damaged == 0);
        }
    }
}

TEST_CASE("What a BPF filter kept and dropped of a real recording is all there was", "[recording][fixtures]") {
    // fixtures/record/filter.c: 400 faults, by the counter itself; every fourth is kept.
    const auto recording = Recording::open(PERFDATA_FIXTURES "/records/bpf_filter.data");
    REQUIRE(recording);
    Completeness completeness;
    REQUIRE(walk(*recording, completeness, [](const RecordContext&, const Mmap&) {}));
    CHECK(completeness.lossless());
    CHECK(completeness.lost_samples == 0);
    CHECK(completeness.filtered_samples == 300);
    REQUIRE(completeness.losses.size() == 1);
    const auto& filtered = completeness.losses.at(0);
    CHECK(filtered.event == "page-faults:uh");
    CHECK(filtered.samples == 100);
    CHECK(filtered.lost == 0);
    CHECK(filtered.samples + filtered.by_filter == 400);
}

TEST_CASE("A real recording with LOST and LOST_SAMPLES tells each loss once", "[recording][fixtures]") {
    const auto recording = Recording::open(PERFDATA_FIXTURES "/records/lost.data");
    REQUIRE(recording);
    Completeness completeness;
    REQUIRE(walk(*recording, completeness, [](const RecordContext&, const Mmap&) {}));
    CHECK(completeness.lost_events == 436);
    CHECK(completeness.lost_samples == 763);
    CHECK(completeness.counts_losses);
    CHECK(completeness.lost_elsewhere() == 0);
    REQUIRE(completeness.losses.size() == 1);
    CHECK(completeness.losses.at(0).samples == 64);
    CHECK(completeness.losses.at(0).lost == 763);
}

TEST_CASE("Real recordings have the BPF programs and type information that perf lists", "[recording][fixtures]") {
    for (const auto& want : recording_expectations()) {
        CAPTURE(want.file);
        const auto recording = open_fixture(want.file);
        REQUIRE(recording);
        const auto features = BpfFeatures::read(*recording);
        CHECK(features.diagnostics().empty());
        std::vector<std::uint32_t> programs, btf;
        for (const auto& program : features.programs()) programs.push_back(program.id.value);
        for (const auto& blob : features.btf()) btf.push_back(blob.id);
        std::ranges::sort(programs);
        std::ranges::sort(btf);
        CHECK(programs == want.programs);
        CHECK(btf == want.btf);
        for (const auto& program : features.programs()) {
            CAPTURE(program.id.value);
            // The functions together form the code; each has an address, a length and a tag.
            std::uint64_t code = 0;
            for (std::size_t index = 0; index < program.jited_func_lens().size(); ++index) {
                code += program.jited_func_lens()[index];
            }
            CHECK(code == program.jited_insns().size());
            CHECK(code == program.jited_size);
            CHECK(program.jited_ksyms().size() == program.jited_func_lens().size());
            CHECK(program.tags() == program.jited_ksyms().size());
            CHECK(program.jited_line_info().size() == program.lines());
            // A raw BTF blob begins with its magic.
            if (program.btf_id == 0 || features.btf(program.btf_id) == nullptr) continue;
            const auto data = features.btf(program.btf_id)->data;
            REQUIRE(data.size() > 24);
            CHECK(recording->order().load<std::uint16_t>(data.data()) == 0xeb9f);
        }
    }
}

// Addresses, sizes and tags come from the lines "sub_prog" of `perf report --header-only`.
TEST_CASE("A real program has the functions that perf lists, at their addresses", "[recording][fixtures]") {
    const auto recording = open_fixture("bpf_preloaded.data");
    REQUIRE(recording);
    const auto features = BpfFeatures::read(*recording);
    const auto* program = features.program({64});
    REQUIRE(program != nullptr);
    CHECK(program->name == "tail_target");
    CHECK(bpf_program_type_name(program->type) == "raw_tracepoint");  // SEC("raw_tp/sys_enter") in its source
    CHECK(program->btf_id == 106);
    struct Function {
        std::uint64_t address;
        std::uint32_t size;
        std::uint64_t tag;
    };
    const Function functions[] = {{0xffffffffc011f88c, 164, 0x06f991ec278b7391},
                                  {0xffffffffc011f968, 66, 0xdbf6197d6e297acf},
                                  {0xffffffffc011f9d0, 168, 0x45ce96688fa295dd},
                                  {0xffffffffc011fa94, 85, 0x61a3ac679ae5c150}};
    REQUIRE(program->jited_ksyms().size() == 4);
    for (std::size_t index = 0; index < 4; ++index) {
        CAPTURE(index);
        CHECK(program->jited_ksyms()[index] == functions[index].address);
        CHECK(program->jited_func_lens()[index] == functions[index].size);
        const auto tag = program->function_tag(index);
        CHECK(FixedOrder<std::endian::big>::load<std::uint64_t>(tag.data()) == functions[index].tag);
    }
    REQUIRE(program->functions() == 4);
    CHECK(program->function_info(0).instruction == 0);
    REQUIRE(program->lines() > 0);
    CHECK(program->jited_line_info()[0] == functions[0].address);
}

// `perf report -D`: "0 0 0x298 [0x58]: PERF_RECORD_MMAP -1/0: [0xffffffffc0320000(0xc000) @ 0]: x [virtio_ring]",
// "0 0 0x1450 [0x78]: PERF_RECORD_MMAP2 1/1: [0x401000(0x184000) @ 0x1000 00:02 105 0]: r-xp /bin/busybox".
TEST_CASE("Real mappings have the fields that perf dumps", "[recording][fixtures]") {
    const auto recording = open_fixture("bpf_preloaded.data");
    REQUIRE(recording);
    int seen = 0;
    Completeness completeness;
    const auto visit = [&]<class R>(const RecordContext& context, const R& map) {
        if constexpr (std::is_same_v<R, Mmap>) {
            if (context.view.offset != 0x298) return;
            ++seen;
            CHECK(map.pid == Pid{0xffffffff});
            CHECK(map.tid == Tid{0});
            CHECK(map.range == AddressRange{{0xffffffffc0320000}, 0xc000});
            CHECK(map.page_offset == 0);
            CHECK(map.filename == "[virtio_ring]");
            CHECK(context.time == Time{0});
        }
        if constexpr (std::is_same_v<R, Mmap2>) {
            if (context.view.offset != 0x1450) return;
            ++seen;
            CHECK(map.pid == Pid{1});
            CHECK(map.tid == Tid{1});
            CHECK(map.range == AddressRange{{0x401000}, 0x184000});
            CHECK(map.page_offset == 0x1000);
            REQUIRE(map.inode);
            CHECK(map.inode->major == 0);
            CHECK(map.inode->minor == 2);
            CHECK(map.inode->number == 105);
            CHECK(map.inode->generation == 0);
            CHECK(map.protection == 5);
            CHECK(map.filename == "/bin/busybox");
        }
    };
    REQUIRE(walk(*recording, completeness, visit));
    CHECK(seen == 2);
}
