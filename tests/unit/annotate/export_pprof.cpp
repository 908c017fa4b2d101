// SPDX-License-Identifier: MIT
// The fields of an exported pprof profile.
#include <algorithm>
#include <map>
#include <memory>
#include <protozero/pbf_reader.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/utf8.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "catch.hpp"
#include "export/pprof.hpp"
#include "recording/unpack.hpp"

using namespace perfdata;

namespace {

constexpr std::uint64_t most_value = 0x7fffffffffffffff;

// PprofMessage has the fields of a message by number: varints, packed ones too, and texts.
struct PprofMessage {
    explicit PprofMessage(protozero::data_view bytes) {
        protozero::pbf_reader in(bytes);
        while (in.next()) {
            if (in.wire_type() == protozero::pbf_wire_type::varint) {
                numbers[in.tag()].push_back(in.get_uint64());
            } else {
                texts[in.tag()].push_back(in.get_string());
            }
        }
    }
    std::uint64_t number(std::uint32_t field) const {
        const auto found = numbers.find(field);
        return found == numbers.end() ? 0 : found->second.back();
    }
    std::vector<std::uint64_t> packed(std::uint32_t field) const {
        std::vector<std::uint64_t> all;
        const auto found = texts.find(field);
        if (found == texts.end()) return all;
        for (const auto& text : found->second) {
            const auto* at = text.data();
            while (at != text.data() + text.size())
                all.push_back(protozero::decode_varint(&at, text.data() + text.size()));
        }
        return all;
    }
    std::vector<PprofMessage> messages(std::uint32_t field) const {
        std::vector<PprofMessage> all;
        const auto found = texts.find(field);
        if (found == texts.end()) return all;
        for (const auto& text : found->second) all.emplace_back(protozero::data_view(text));
        return all;
    }

    std::map<std::uint32_t, std::vector<std::uint64_t>> numbers;
    std::map<std::uint32_t, std::vector<std::string>> texts;
};

std::string pprof_bytes(const Exported& exported, const PprofOptions& options = {}, PprofCuts* cuts = nullptr) {
    std::string bytes;
    const auto cut = write_pprof(exported, options, [&](std::string_view part) { bytes += part; });
    if (cuts != nullptr) *cuts = cut;
    return bytes;
}

// PprofRead is what a reader sees.
struct PprofRead {
    explicit PprofRead(const Exported& exported, const PprofOptions& options = {})
        : profile(plain(pprof_bytes(exported, options))) {}

    static PprofMessage plain(const std::string& packed) {
        std::string bytes;
        const auto broken = unpack_stream(Packing::gzip, read_from(std::as_bytes(std::span(packed))), [&](Bytes part) {
            bytes += as_text(part);
            return true;
        });
        REQUIRE_FALSE(broken);
        return PprofMessage(protozero::data_view(bytes));
    }
    const std::string& text(std::uint64_t number) const { return profile.texts.at(6).at(number); }
    std::string text(const PprofMessage& message, std::uint32_t field) const { return text(message.number(field)); }

    // lines(location) returns "skip a.c:3, parse a.c:2", innermost first.
    std::string lines(const PprofMessage& location) const {
        const auto functions = profile.messages(5);
        std::string all;
        for (const auto& line : location.messages(4)) {
            const auto& function = functions.at(line.number(1) - 1);
            REQUIRE(function.number(1) == line.number(1));
            all += (all.empty() ? "" : ", ") + text(function, 2) + " " + text(function, 4) + ":" +
                   std::to_string(line.number(2));
        }
        return all;
    }
    // stack(sample) returns lines() of its locations, innermost first.
    std::vector<std::string> stack(const PprofMessage& sample) const {
        const auto locations = profile.messages(4);
        std::vector<std::string> all;
        for (const auto id : sample.packed(1)) {
            REQUIRE(locations.at(id - 1).number(1) == id);
            all.push_back(lines(locations.at(id - 1)));
        }
        return all;
    }
    // labels(sample) returns "comm=make pid=7 tid=8 code=user".
    std::string labels(const PprofMessage& sample) const {
        std::string all;
        for (const auto& label : sample.messages(3)) {
            const bool is_number = label.numbers.contains(3);
            all += (all.empty() ? "" : " ") + text(label, 1) + "=" +
                   (is_number ? std::to_string(static_cast<std::int64_t>(label.number(3))) : text(label, 2));
        }
        return all;
    }
    std::vector<std::string> comments() const {
        std::vector<std::string> all;
        const auto found = profile.numbers.find(13);
        if (found == profile.numbers.end()) return all;
        for (const auto number : found->second) all.push_back(text(number));
        return all;
    }

    PprofMessage profile;
};

// pprof_scene() returns two threads of /bin/make. In main, parse and skip were inlined:
//
//     node 0 main   1 parse, inlined   2 skip, inlined   3 memcpy of libc, below main   4 a BPF program, below main
Exported pprof_scene() {
    Exported exported;
    exported.events = {{"cycles", 0, false, 0}, {"cpu-clock", 1, true, 1000}};
    exported.tasks = {{"make", Pid{7}, Tid{7}}, {"make", Pid{7}, Tid{8}}};
    ExportObject libc{"/lib/libc.so.6", "aa", CodeClass::user, AddressOf::file, 0x500, 0x501};
    ExportObject make{"/bin/make", "bb", CodeClass::user, AddressOf::program, 0x1010, 0x1011};
    ExportObject bpf{"[bpf:5:probe]",   "0123456789abcdef", CodeClass::bpf,
                     AddressOf::memory, 0xffffffffc0000010, 0xffffffffc0000011};
    exported.objects = {libc, make, bpf};
    exported.functions = {{"memcpy", "memcpy", {}, 0, 0, CodeClass::user, {}},
                          {"main", "main", "make.c", 10, 1, CodeClass::user, {}},
                          {"parse", "parse", "parse.c", 0, 1, CodeClass::user, {}},
                          {"skip", "skip", "parse.c", 0, 1, CodeClass::user, {}},
                          {"probe/sub", "bpf_prog_0123_sub", "probe.c", 3, 2, CodeClass::bpf, {}}};
    exported.places = {{1, 1, 0x1010, "make.c", 12, 4, false},
                       {2, 1, 0x1010, "parse.c", 20, 0, true},
                       {3, 1, 0x1010, "skip.h", 30, 0, true},
                       {0, 0, 0x500, {}, 0, 0, false},
                       {4, 2, 0xffffffffc0000010, "probe.c", 4, 0, false}};
    exported.nodes = {{ExportNode::none, 0}, {0, 1}, {1, 2}, {0, 3}, {0, 4}};
    exported.cells = {{0, {3, 300}}, {0, {1, 100}}, {1, {2, 2000}}, {0, {9, 900}}, {0, {1, 1}}, {0, {1, 1}}};
    const std::span<const ExportCell> cells(exported.cells);
    exported.rows = {{0, 2, ExportCells(cells.subspan(0, 1))},
                     {1, 2, ExportCells(cells.subspan(1, 2))},
                     {1, 3, ExportCells(cells.subspan(3, 1))},
                     {0, 4, ExportCells(cells.subspan(4, 1))},
                     {0, 1, ExportCells(cells.subspan(5, 1))}};
    exported.totals = {{15, 1302}, {2, 2000}};
    return exported;
}

}  // namespace

TEST_CASE("export: what the addresses of an object mean", "[export]") {
    const auto meaning = [](const std::string& file, const std::string& symfs, std::string_view object) {
        const auto recording = Recording::open(file).value();
        const auto timeline = Timeline::build(recording).value();
        SymbolizerOptions names;
        names.finder.symfs = symfs;
        names.files = std::make_shared<const LocalFiles>(Reach::given);
        const auto symbolizer = Symbolizer::open(recording, timeline, names);
        const auto exported = Exported::make(recording, symbolizer, {}).value();
        const auto found = std::ranges::find(exported.objects, object, &ExportObject::path);
        REQUIRE(found != exported.objects.end());
        return found->addresses;
    };
    const std::string stacks = PERFDATA_FIXTURES "/stacks/x86_plain.data", bpf = PERFDATA_FIXTURES "/bpf/bpf_many.data";
    CHECK(meaning(stacks, PERFDATA_FIXTURES "/stacks/x86", "/mnt/prog/stacks") == AddressOf::program);
    CHECK(meaning(stacks, PERFDATA_FIXTURES "/stacks", "/mnt/prog/stacks") == AddressOf::file);
    CHECK(meaning(bpf, "", "[bpf:5:many_main]") == AddressOf::memory);
    CHECK(meaning(bpf, "", "[kernel.kallsyms]") == AddressOf::memory);
}

TEST_CASE("pprof: sample types", "[export][pprof]") {
    auto exported = pprof_scene();
    const auto types = [](const PprofRead& read) {
        std::vector<std::string> all;
        for (const auto& type : read.profile.messages(1)) all.push_back(read.text(type, 1) + "/" + read.text(type, 2));
        return all;
    };
    const PprofRead read(exported);
    CHECK(types(read) == std::vector<std::string>{"cycles_sample/count", "cycles_event/count", "cpu-clock_sample/count",
                                                  "cpu-clock_event/nanoseconds"});
    CHECK(read.text(read.profile, 14) == "cycles_event");
    CHECK(read.profile.number(12) == 0);  // the period of the first event varies
    CHECK(read.profile.messages(11).empty());

    exported.events = {{"cpu-clock", 0, true, 1000}, {"cpu-clock", 1, true, 0}};
    const PprofRead clock(exported);
    CHECK(types(clock) == std::vector<std::string>{"cpu-clock_sample/count", "cpu-clock_event/nanoseconds",
                                                   "cpu-clock#2_sample/count", "cpu-clock#2_event/nanoseconds"});
    CHECK(clock.profile.number(12) == 1000);
    CHECK(clock.text(clock.profile.messages(11).at(0), 1) == "cpu-clock");

    // Without periods the hits are what pprof shows.
    exported.totals[0].periods = 0;
    const PprofRead hits_only(exported);
    CHECK(hits_only.text(hits_only.profile, 14) == "cpu-clock_sample");
}

TEST_CASE("pprof: samples have stacks, values and labels", "[export][pprof]") {
    const PprofRead read(pprof_scene());
    const auto samples = read.profile.messages(2);
    REQUIRE(samples.size() == 5);
    const std::vector<std::string> inlined{"skip skip.h:30, parse parse.c:20, main make.c:12"};
    CHECK(read.stack(samples[0]) == inlined);
    CHECK(samples[0].packed(2) == std::vector<std::uint64_t>{3, 300, 0, 0});
    CHECK(read.labels(samples[0]) == "comm=make pid=7 tid=7 code=user");
    // The same stack of another thread is a sample of its own.
    CHECK(samples[1].packed(1) == samples[0].packed(1));
    CHECK(samples[1].packed(2) == std::vector<std::uint64_t>{1, 100, 2, 2000});
    CHECK(read.labels(samples[1]) == "comm=make pid=7 tid=8 code=user");
    CHECK(read.stack(samples[2]) == std::vector<std::string>{"memcpy :0", "main make.c:12"});
    CHECK(read.stack(samples[3]) == std::vector<std::string>{"probe/sub probe.c:4", "main make.c:12"});
    CHECK(read.labels(samples[3]) == "comm=make pid=7 tid=7 code=bpf");
    CHECK(read.stack(samples[4]) == std::vector<std::string>{"parse parse.c:20, main make.c:12"});
    CHECK(read.profile.messages(4).size() == 5);
}

TEST_CASE("pprof: threads without a number, and those beyond the limits", "[export][pprof]") {
    auto exported = pprof_scene();
    exported.tasks = {{"swapper", Pid{0}, Tid{0}}, {"[further tasks]", Pid{0}, Tid{0}, true}};
    const PprofRead read(exported);
    const auto samples = read.profile.messages(2);
    CHECK(read.labels(samples.at(0)) == "comm=swapper pid=0 tid=0 code=user");
    // pprof drops a zero that has no unit.
    CHECK(read.text(samples.at(0).messages(3).at(1), 4) == "pid");
    CHECK(read.labels(samples.at(1)) == "comm=[further tasks] code=user");
}

TEST_CASE("pprof: mappings begin with the main program", "[export][pprof]") {
    auto exported = pprof_scene();
    const PprofRead read(exported);
    const auto mappings = read.profile.messages(3);
    REQUIRE(mappings.size() == 3);
    // The library has more samples, but is none.
    CHECK(read.text(mappings[0], 5) == "/bin/make");
    CHECK(read.text(mappings[0], 6) == "bb");
    CHECK(mappings[0].number(2) == 0);
    CHECK(mappings[0].number(3) == ~std::uint64_t{0});
    CHECK(mappings[0].number(4) == 0);
    CHECK(read.text(mappings[1], 5) == "/lib/libc.so.6");
    CHECK(mappings[1].number(2) == std::uint64_t{1} << 44);
    CHECK(mappings[1].number(3) == std::uint64_t{1} << 45);
    CHECK(mappings[1].number(4) == 0);
    CHECK(read.text(mappings[2], 5) == "[bpf:5:probe]");
    CHECK(read.text(mappings[2], 6) == "0123456789abcdef");
    CHECK(mappings[2].number(2) == 0xffffffffc0000010);
    CHECK(mappings[2].number(3) == 0xffffffffc0000011);
    CHECK(mappings[2].number(4) == 0xffffffffc0000010);
    for (std::size_t at = 0; at < mappings.size(); ++at) {
        CHECK(mappings[at].number(1) == at + 1);
        for (const std::uint32_t flag : {7U, 8U, 9U, 10U}) CHECK(mappings[at].number(flag) == 1);
    }
    std::map<std::uint64_t, std::uint64_t> addresses;  // by mapping
    for (const auto& location : read.profile.messages(4)) addresses[location.number(2)] = location.number(3);
    CHECK(addresses == std::map<std::uint64_t, std::uint64_t>{
                           {1, 0x1010}, {2, (std::uint64_t{1} << 44) + 0x500}, {3, 0xffffffffc0000010}});
}

TEST_CASE("pprof: the last address of all, and an offset that no file has", "[export][pprof]") {
    auto exported = pprof_scene();
    constexpr auto last = ~std::uint64_t{0};
    exported.places[4].address = exported.objects[2].begin = last;
    exported.objects[2].end = 0;
    exported.places[3].address = exported.objects[0].begin = std::uint64_t{1} << 50;
    exported.objects[0].end = exported.objects[0].begin + 1;
    const PprofRead read(exported);
    const auto mappings = read.profile.messages(3);
    CHECK(mappings.at(1).number(2) == std::uint64_t{1} << 50);
    CHECK(mappings.at(2).number(2) == last);
    CHECK(mappings.at(2).number(3) == last);
}

TEST_CASE("pprof: functions", "[export][pprof]") {
    const PprofRead read(pprof_scene());
    std::map<std::string, std::string> functions;
    for (const auto& one : read.profile.messages(5)) {
        functions[read.text(one, 2)] =
            read.text(one, 3) + "|" + read.text(one, 4) + "|" + std::to_string(one.number(5));
    }
    // pprof would shorten names that equal the system's.
    CHECK(functions == std::map<std::string, std::string>{{"main", "|make.c|10"},
                                                          {"parse", "|parse.c|0"},
                                                          {"skip", "|skip.h|0"},
                                                          {"memcpy", "||0"},
                                                          {"probe/sub", "bpf_prog_0123_sub|probe.c|3"}});
}

TEST_CASE("pprof: comments and times", "[export][pprof]") {
    auto exported = pprof_scene();
    exported.recording.arch = "x86_64";
    exported.recording.hostname = "host";
    exported.recording.first_time = Time{5000};
    exported.recording.last_time = Time{7000};
    const PprofRead read(exported, {{"perf", "record", "make"}, 1'700'000'000'000'000'000});
    CHECK(read.comments().at(0) == "perf-command:perf record make");
    CHECK(read.comments().at(1).starts_with("perfdata-version:"));
    CHECK(read.comments().at(2) == "arch:x86_64");
    CHECK(read.comments().at(3) == "hostname:host");
    CHECK(read.comments().size() == 4);
    CHECK(read.profile.number(9) == 1'700'000'000'000'000'000);
    CHECK(read.profile.number(10) == 2000);
    CHECK(PprofRead(pprof_scene()).profile.number(9) == 0);
}

TEST_CASE("pprof: sums stay within 2^63-1, and that is said", "[export][pprof]") {
    auto exported = pprof_scene();
    exported.cells[0].count.periods = most_value - 10;
    exported.cells[1].count.periods = ~std::uint64_t{0};
    const PprofRead read(exported);
    const auto samples = read.profile.messages(2);
    CHECK(samples.at(0).packed(2).at(1) == most_value - 10);
    CHECK(samples.at(1).packed(2).at(1) == 10);
    CHECK(samples.at(2).packed(2).at(1) == 0);
    CHECK(samples.at(2).packed(2).at(0) == 9);
    CHECK(read.comments().back() == "values:sums beyond 2^63-1 are cut to that");
    CHECK(PprofRead(pprof_scene()).comments().back().starts_with("perfdata-version:"));
    PprofCuts cuts;
    pprof_bytes(exported, {}, &cuts);
    CHECK(cuts.values);
    pprof_bytes(pprof_scene(), {}, &cuts);
    CHECK_FALSE(cuts.values);
}

TEST_CASE("pprof: events beyond the limit are left out, and that is said", "[export][pprof]") {
    auto exported = pprof_scene();
    exported.events.resize(most_pprof_events + 2, exported.events[0]);
    exported.totals.resize(exported.events.size());
    exported.cells[5].column = most_pprof_events;  // the only one of its row
    const PprofRead read(exported);
    CHECK(read.profile.messages(1).size() == 2 * most_pprof_events);
    CHECK(read.profile.messages(2).size() == 4);
    CHECK(read.comments().back() == "events:2 further events are left out");
}

TEST_CASE("pprof: hostile names", "[export][pprof]") {
    auto exported = pprof_scene();
    exported.functions[3].name = std::string("a\0b\x1b[2J\xff", 8);
    exported.functions[2].name = std::string(100'000, 'x');
    const PprofRead read(exported);
    CHECK(read.text(0).empty());
    CHECK(read.lines(read.profile.messages(4).at(1)).starts_with("xxx"));
    for (const auto& text : read.profile.texts.at(6)) {
        CHECK(text.size() < 5000);
        CHECK(is_name(text));
    }
}

TEST_CASE("pprof: the same bytes again, without a time stamp", "[export][pprof]") {
    const auto exported = pprof_scene();
    const auto bytes = pprof_bytes(exported);
    CHECK(bytes == pprof_bytes(exported));
    CHECK(bytes.substr(0, 8) == std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
}

TEST_CASE("pprof: nothing to export", "[export][pprof]") {
    const PprofRead read(Exported{});
    CHECK(read.profile.messages(1).empty());
    CHECK(read.profile.messages(2).empty());
    CHECK(read.text(0).empty());
}
