// SPDX-License-Identifier: MIT
// A recording of code generated at run time, its dump, and the output of perf inject for both. See
// fixtures/MANIFEST.md.
#include <algorithm>

#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/timeline/jit_clock.hpp"
#include "perfdata/timeline/jit_code.hpp"
#include "perfdata/timeline/jit_files.hpp"

#include "catch.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string folder = PERFDATA_FIXTURES "/jit/";

struct Mapped {
    JitMapping mapping;
    AddressRange range;
};
struct Hit {
    Address address;
    Time time;
};

struct JitSeen {
    std::vector<Mapped> mappings;
    std::vector<Hit> hits;

    std::vector<JitMapping> plain() const {
        std::vector<JitMapping> found;
        for (const auto& mapped : mappings) found.push_back(mapped.mapping);
        return found;
    }
};

JitSeen seen_in(const Recording& recording) {
    JitSeen seen;
    Completeness completeness;
    const auto visit = [&]<class R>(const RecordContext& context, const R& record) {
        if constexpr (std::is_same_v<R, Mmap2>) {
            seen.mappings.push_back(
                {{record.pid, std::string(record.filename), context.trailer.time.value_or(Time{})}, record.range});
        } else if constexpr (requires {
                                 record.ip();
                                 record.details();
                             }) {
            seen.hits.push_back({*record.ip(), *record.time()});
        }
    };
    REQUIRE(walk(recording, completeness, visit));
    CHECK(completeness.lossless());
    return seen;
}

JitCode tinyjit(const Recording& recording, const JitSeen& seen) {
    const JitSearch search{{}, "", {folder}, false};
    const auto files = find_jit_dumps(seen.plain(), search);
    REQUIRE(files.size() == 1);
    CHECK(files[0].pid == Pid{32346});
    CHECK(files[0].recorded_path == "/usr/src/jit/jitrun00/jit-32346.dump");
    REQUIRE(files[0].found());
    const auto dump = JitDump::open(files[0].path);
    REQUIRE(dump);
    REQUIRE(check_jit_dump(files[0], dump->header()));
    const auto clock = JitClock::match(dump->header(), EventClock::of(recording.events()));
    REQUIRE(clock);
    return JitCode::build(*dump, *clock);
}

// Returns N of ".../jitted-PID-N.so"; 0 for other files.
unsigned number_of(const std::string& path) {
    const auto at = path.rfind("/jitted-32346-");
    return at == std::string::npos ? 0 : static_cast<unsigned>(path.at(at + 14) - '0');
}

}  // namespace

TEST_CASE("The fixture's dump has the functions that the program made", "[timeline][jit]") {
    const auto recording = Recording::open(folder + "tinyjit.data").value();
    const auto code = tinyjit(recording, seen_in(recording));
    CHECK(code.completeness().lossless());
    CHECK(code.completeness().records.at(0).decoded == 5);
    CHECK(code.completeness().records.at(1).decoded == 1);
    CHECK(code.completeness().records.at(2).decoded == 4);
    CHECK(code.completeness().records.at(3).decoded == 1);
    CHECK(code.completeness().bytes.records == 1310);
    CHECK(code.closed_at() == Time{3528485135230});

    struct Expected {
        const char* name;
        std::uint64_t address, size, from, until, index;
        std::size_t lines;
    };
    constexpr auto forever = Time::forever().nanoseconds;
    const Expected expected[] = {
        {"jit_gen0", 0x7f484ca8a000, 16, 3528004928815, 3528084945042, 1, 3},
        {"jit_gen1", 0x7f484ca8a000, 16, 3528084945042, 3528164986126, 2, 4},
        {"jit_gen2", 0x7f484ca8a000, 32, 3528164986126, 3528245020570, 3, 5},
        {"jit_gen3", 0x7f484ca8a000, 32, 3528245020570, forever, 4, 6},
        {"jit_mover", 0x7f484ca8b000, 32, 3528325054915, 3528405111041, 5, 0},
        {"jit_mover", 0x7f484ca8c000, 32, 3528405111041, forever, 5, 0},
    };
    REQUIRE(code.functions().size() == std::size(expected));
    for (std::size_t number = 0; number < std::size(expected); ++number) {
        const auto& want = expected[number];
        const auto& function = code.functions()[number];
        CHECK(function.name == want.name);
        CHECK(function.range == AddressRange{{want.address}, want.size});
        CHECK(function.from == Time{want.from});
        CHECK(function.until == Time{want.until});
        CHECK(function.index == want.index);
        CHECK(function.moved == (number == 5));
        // The program's line k + 10 is the code from byte 4 k on, up to the code's end.
        const auto lines = code.lines(function).value();
        REQUIRE(lines.size() == std::min<std::size_t>(want.lines, want.size / 4));
        for (std::size_t line = 0; line < lines.size(); ++line) {
            const auto row = static_cast<std::uint32_t>(10 + line);
            CHECK(lines[line] == JitLine{4 * line, row, 0, "tinyjit_source.toy"});
        }
        const auto image = code.image(function).value();
        REQUIRE(image.size() == want.size);
        CHECK(image[0] == std::byte{0x31});  // xor eax, eax
        CHECK(image[1] == std::byte{0xc0});
    }
    // Each generation adds more numbers, so each has different code.
    CHECK(code.image(code.functions()[0])->at(5) == std::byte{0x48});
    CHECK(code.image(code.functions()[1])->at(5) == std::byte{0x83});
    CHECK(code.image(code.functions()[4]).value() == code.image(code.functions()[5]).value());
}

TEST_CASE("The fixture's samples are in the code of their time, as perf inject has them", "[timeline][jit]") {
    const auto recording = Recording::open(folder + "tinyjit.data").value();
    const auto seen = seen_in(recording);
    const auto code = tinyjit(recording, seen);
    std::map<std::uint64_t, int> hits;
    for (const auto& hit : seen.hits) {
        const auto* function = code.find(hit.address, hit.time);
        ++hits[function == nullptr ? 0 : function->index];
    }
    CHECK(hits == std::map<std::uint64_t, int>{{0, 2}, {1, 80}, {2, 80}, {3, 78}, {4, 72}, {5, 159}});
}

TEST_CASE("Recordings that perf inject has rewritten map a file for each function: nothing else is needed",
          "[timeline][jit]") {
    const auto recording = Recording::open(folder + "tinyjit.data").value();
    const auto code = tinyjit(recording, seen_in(recording));
    const auto injected = seen_in(Recording::open(folder + "tinyjit_injected.data").value());

    std::vector<Mapped> jitted;
    for (const auto& mapped : injected.mappings) {
        if (number_of(mapped.mapping.path) != 0) jitted.push_back(mapped);
    }
    REQUIRE(jitted.size() == code.functions().size());
    for (std::size_t index = 0; index < jitted.size(); ++index) {
        const auto& function = code.functions()[index];
        CHECK(jitted[index].mapping.pid == Pid{32346});
        CHECK(jitted[index].mapping.at == function.from);
        CHECK(jitted[index].range == function.range);
        CHECK(number_of(jitted[index].mapping.path) == function.index);
    }
    // The latest mapping of an address at a sample's time has the same function as the dump.
    std::size_t inside = 0;
    for (const auto& hit : injected.hits) {
        unsigned number = 0;
        for (const auto& mapped : jitted) {
            if (mapped.mapping.at <= hit.time && mapped.range.contains(hit.address))
                number = number_of(mapped.mapping.path);
        }
        const auto* function = code.find(hit.address, hit.time);
        CHECK(number == (function == nullptr ? 0 : function->index));
        inside += number != 0;
    }
    CHECK(inside == 469);
}

TEST_CASE("The fixture's perf map has the last name of the address that was used four times", "[symbols][perfmap]") {
    const auto found = find_perf_map(32346, {{}, "", {folder}, false});
    REQUIRE(!found.path.empty());
    const auto map = PerfMap::open(found.path).value();
    CHECK(map.size() == 5);
    CHECK(map.skipped() == 0);
    CHECK(map.find({0x7f484ca8a005})->name == "jit_gen3");
    CHECK(map.find({0x7f484ca8a005})->offset == 5);
    CHECK(map.find({0x7f484ca8b01f})->name == "jit_mover");
    CHECK_FALSE(map.find({0x7f484ca8c000}));  // it lacks the move
}
