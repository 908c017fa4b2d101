// SPDX-License-Identifier: MIT
// Which type payloads of bpf_perf_event_output are shown as, and a real recording against what its program logged.
#include "btf/payload_types.hpp"

#include <cstring>
#include <fstream>

#include "perfdata/recording/walk.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "btf/payload_output.hpp"
#include "btf/payload_writer.hpp"
#include "catch.hpp"
#include "support/scene.hpp"
#include "unit/symbols/btf_builder.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Btf2 = BtfBuilder;

// Structs of one member each, by name and size; more than eight bytes are an array.
std::string blob_with(const std::vector<std::pair<std::string, std::uint32_t>>& structs,
                      const std::string& member = "a") {
    Btf2 b;
    const auto byte = b.encoded("unsigned char", 1, 0);
    for (const auto& [name, size] : structs) {
        b.record(Btf2::kind_struct, name, size, {{member, b.array(byte, size), 0, 0}});
    }
    const auto blob = b.blob();
    return std::string(as_text(blob));
}

PayloadTypes types_with(std::string blob, std::vector<std::string> names = {}) {
    auto types = PayloadTypes::read_file(std::move(blob), "crafted", {.names = std::move(names)});
    REQUIRE(types);
    return std::move(*types);
}

std::string shown_as(PayloadTypes& types, const Blob& raw) {
    PayloadOutput output(types);
    std::string text;
    return output.append(text, {raw, AnyOrder(std::endian::little)}) ? text : "bytes";
}

// ProgramsWithBtf is a recording of programs with BTF of ids 1, 2 and so on.
struct ProgramsWithBtf {
    explicit ProgramsWithBtf(const std::vector<std::string>& blobs) {
        std::uint32_t id = 0;
        for (const auto& blob : blobs) {
            const auto bytes = as_bytes(blob);
            scene.btf(++id, Blob(bytes.begin(), bytes.end()));
        }
        scene.sample(0x1000, 1);
        recording.emplace(scene.open());
        features.emplace(BpfFeatures::read(*recording));
    }
    PayloadTypes types(std::vector<std::string> names = {}) const {
        auto types = PayloadTypes::read(*features, {.names = std::move(names)});
        REQUIRE(types);
        return std::move(*types);
    }

    Scene scene;
    std::optional<Recording> recording;
    std::optional<BpfFeatures> features;
};

}  // namespace

TEST_CASE("A struct fits RAW of its size and up to seven bytes of padding", "[annotate][payload]") {
    // RAW and its size of four bytes are a multiple of eight.
    for (std::uint32_t size = 13; size <= 20; ++size) {
        INFO(size);
        auto types = types_with(blob_with({{"one", size}}));
        CHECK(types.of(12, {}).types == nullptr);
        CHECK(types.of(20, {}).name == "struct one");
        CHECK(types.of(20, {}).guessed);
        CHECK(types.of(28, {}).types == nullptr);
    }
    // The kernel does not clear the padding: it holds what was in the buffer before.
    auto short_one = types_with(blob_with({{"one", 5}}));
    CHECK(shown_as(short_one, Blob(12, std::byte{7})) ==
          "struct one {.a = {7, 7, 7, 7, 7}} (guessed by size) [7 bytes of padding behind it]");
    auto types = types_with(blob_with({{"one", 21}}));
    CHECK(types.of(20, {}).types == nullptr);
    CHECK(types.of(28, {}).name == "struct one");
}

TEST_CASE("Several structs of a size leave bytes, and a note with their names", "[annotate][payload]") {
    auto types = types_with(blob_with({{"left", 16}, {"right", 18}, {"other", 40}}));
    const auto& type = types.of(20, {});
    CHECK(type.types == nullptr);
    CHECK(type.fitting == 2);
    CHECK(type.candidates == std::vector<std::string>{"struct left", "struct right"});
    PayloadOutput output(types);
    std::string text;
    const Blob raw(20), unfit(100);
    CHECK_FALSE(output.append(text, {raw, {}}));
    CHECK_FALSE(output.append(text, {unfit, {}}));
    CHECK(text.empty());
    CHECK(output.notes() ==
          std::vector<std::string>{
              "1 payload of BPF programs in 20 bytes of RAW is shown as bytes, for several types have that size: "
              "struct left, struct right; choose one with --bpf-output-type",
              "1 payload of BPF programs is shown as bytes: no struct in their BTF has that size (--bpf-output-type "
              "chooses a type, --btf its file)"});
}

TEST_CASE("Notes on types that were asked for do not advise to ask for them", "[annotate][payload]") {
    const auto blob = blob_with({{"left", 16}, {"right", 18}, {"other", 40}});
    const auto notes_on = [](PayloadTypes types, std::size_t bytes) {
        PayloadOutput output(types);
        std::string text;
        const Blob raw(bytes);
        CHECK_FALSE(output.append(text, {raw, {}}));
        return output.notes();
    };
    CHECK(notes_on(types_with(blob, {"left", "right"}), 44) ==
          std::vector<std::string>{"1 payload of BPF programs is shown as bytes: none of the types of "
                                   "--bpf-output-type has that size"});
    CHECK(notes_on(types_with(blob, {"left", "right"}), 20) ==
          std::vector<std::string>{"1 payload of BPF programs in 20 bytes of RAW is shown as bytes, for several of the "
                                   "types of --bpf-output-type have that size: struct left, struct right; choose only "
                                   "one of them"});
    const ProgramsWithBtf differing({blob_with({{"event", 16}}), blob_with({{"event", 16}}, "b")});
    const auto notes = notes_on(differing.types({"event"}), 20);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].ends_with("choose the BTF of one program with --btf"));
}

TEST_CASE("A file that is no BTF is none from its first byte on", "[annotate][payload]") {
    const auto none = PayloadTypes::read_file("no BTF at all, but long enough", "crafted", {});
    REQUIRE_FALSE(none);
    CHECK(none.error().offset == 0);
}

TEST_CASE("A type that is asked for is used whatever the size", "[annotate][payload]") {
    const auto blob = blob_with({{"left", 4}, {"right", 6}});
    for (const auto* name : {"left", "struct left", "struct  left"}) {
        auto types = types_with(blob, {name});
        CHECK(shown_as(types, Writer(std::endian::little).u32(0x04030201).zeros(8).take()) ==
              "struct left {.a = {1, 2, 3, 4}} [8 more bytes behind it]");
        CHECK(shown_as(types, Writer(std::endian::little).u16(0x0201).take()) ==
              "struct left {.a = {1, 2, ?}} [the payload has 2 of its 4 bytes] [1 value beyond the payload]");
    }
    // Of several the one that fits, which is a guess as well.
    auto both = types_with(blob_with({{"left", 4}, {"right", 13}, {"third", 14}}), {"left", "right"});
    CHECK(both.of(20, {}).name == "struct right");
    CHECK(both.of(20, {}).guessed);
    CHECK(both.of(4, {}).name == "struct left");
    CHECK(both.of(100, {}).types == nullptr);
}

TEST_CASE("A type that BTF does not have is an error with those that it has", "[annotate][payload]") {
    const auto types =
        PayloadTypes::read_file(blob_with({{"left", 4}, {"right", 6}}), "crafted", {.names = {"union left"}});
    REQUIRE_FALSE(types);
    CHECK(types.error().code == ErrorCode::missing);
    CHECK(types.error().message() == "BTF: no type is called union left; there are struct left, struct right");
    const ProgramsWithBtf none({});
    const auto nothing = PayloadTypes::read(*none.features, {.names = {"left"}});
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().message() == "BTF: there is none to look for left in (--btf gives a file with it)");
}

TEST_CASE("Structs without a name go by their typedef", "[annotate][payload]") {
    Btf2 b;
    const auto u32 = b.encoded("unsigned int", 4, 0);
    const auto unnamed = b.record(Btf2::kind_struct, "", 4, {{"x", u32, 0, 0}});
    b.refer(Btf2::kind_typedef, "event_t", unnamed);
    b.refer(Btf2::kind_typedef, "again_t", unnamed);
    b.record(Btf2::kind_union, "not_guessed", 4, {{"x", u32, 0, 0}});
    const auto blob = b.blob();
    auto types = types_with(std::string(as_text(blob)));
    CHECK(types.of(4, {}).name == "event_t");
    auto named = types_with(std::string(as_text(blob)), {"not_guessed"});
    CHECK(named.of(4, {}).name == "union not_guessed");
}

TEST_CASE("One struct in the BTF of two programs is one type", "[annotate][payload]") {
    const ProgramsWithBtf same({blob_with({{"event", 16}}), blob_with({{"padding", 3}, {"event", 16}})});
    auto types = same.types();
    CHECK(types.of(20, {}).name == "struct event");
    const ProgramsWithBtf other({blob_with({{"event", 16}}), blob_with({{"event", 16}}, "b")});
    auto differing = other.types();
    CHECK(differing.of(20, {}).types == nullptr);
    CHECK(differing.of(20, {}).fitting == 2);
    // The program that wrote it decides, if it is known.
    const auto* first = differing.of(20, 1).types;
    CHECK(first != nullptr);
    CHECK(differing.of(20, 2).types != first);
    CHECK(differing.of(20, 0).types == nullptr);
    auto named = other.types({"event"});
    CHECK(named.of(20, {}).types == nullptr);
    CHECK(named.of(20, 2).types != nullptr);
    CHECK_FALSE(named.of(20, 2).guessed);
}

TEST_CASE("Copies of a struct in the BTF of many programs are one", "[annotate][payload]") {
    const std::vector<std::string> copies(70, blob_with({{"event", 16}}));
    const ProgramsWithBtf same(copies);
    for (const auto& names : {std::vector<std::string>{}, {"event"}, {"event", "struct event"}}) {
        auto types = same.types(names);
        CHECK(types.of(20, {}).name == "struct event");
        CHECK(types.of(20, {}).guessed == names.empty());
        CHECK(types.problems().empty());
    }
    // A definition behind many copies of another one is still that of its program.
    auto one_more = copies;
    one_more.push_back(blob_with({{"event", 18}}, "b"));
    const ProgramsWithBtf programs(one_more);
    auto types = programs.types({"event"});
    CHECK(types.of(20, 71).bytes == 18);
    CHECK_FALSE(types.of(20, 71).guessed);
    CHECK(types.of(20, 70).bytes == 16);
    CHECK(types.of(20, {}).fitting == 2);
    CHECK(types.of(20, {}).candidates == std::vector<std::string>{"struct event", "struct event"});
    CHECK(types.of(25, {}).name == "struct event");
    CHECK(types.of(25, {}).bytes == 18);
    CHECK(types.of(25, {}).guessed);
}

TEST_CASE("A program whose BTF is a copy of another's has its types", "[annotate][payload]") {
    const auto left = blob_with({{"event", 16}}), right = blob_with({{"event", 18}}, "b");
    const ProgramsWithBtf programs({left, right, left});
    for (const auto& names : {std::vector<std::string>{}, {"event"}}) {
        auto types = programs.types(names);
        for (std::uint32_t btf = 1; btf <= 3; ++btf) {
            CHECK(types.of(20, btf).bytes == (btf == 2 ? 18 : 16));
            CHECK(types.of(20, btf).guessed == names.empty());
        }
    }
}

TEST_CASE("Types without number are compared up to a limit, which is told", "[annotate][payload]") {
    // Copies with descriptions of 15 KiB each, of which 64 MiB are made.
    Btf2 b;
    const auto byte = b.encoded("unsigned char", 1, 0);
    const auto inner = b.record(Btf2::kind_union, "inner", 1, {60, {std::string(230, 'm'), byte, 0, 0}});
    constexpr std::uint32_t structs = 5000;
    for (std::uint32_t at = 0; at < structs; ++at) b.record(Btf2::kind_struct, "event", 1, {{"a", inner, 0, 0}});
    const auto blob = b.blob();
    auto types = types_with(std::string(as_text(blob)));
    CHECK(types.of(4, {}).fitting > 1);
    CHECK(types.of(4, {}).fitting < 1000);
    CHECK(types.of(4, {}).candidates.size() == PayloadTypes::most_candidates);
    REQUIRE(types.problems().size() == 1);
    CHECK(types.problems()[0].detail == "too many types to compare: copies of a type count as several");
}

TEST_CASE("BTF that is damaged is told, and the rest is used", "[annotate][payload]") {
    const ProgramsWithBtf programs({"no BTF at all, but long enough", blob_with({{"event", 16}})});
    auto types = programs.types();
    CHECK(types.of(20, {}).name == "struct event");
    REQUIRE(types.problems().size() == 1);
    CHECK(types.problems()[0].detail == "BTF 1: no BTF magic at the start");
}

TEST_CASE("Payloads of a real program are what it logged", "[annotate][payload]") {
    const std::string folder = PERFDATA_FIXTURES "/typed/";
    const auto recording = Recording::open(folder + "bpf_output.data").value();
    const auto timeline = Timeline::build(recording).value();
    auto types = PayloadTypes::read(timeline.bpf(), {}).value();
    const PayloadWriters writers(timeline);
    PayloadOutput output(types);
    std::ifstream log(folder + "bpf_output.written");
    std::size_t payloads = 0;
    Completeness seen;
    const auto done = walk(recording, seen, [&]<class Order>(const RecordContext&, const BasicSample<Order>& sample) {
        const auto raw = sample.details().raw();
        REQUIRE(raw);
        std::size_t size = 0;
        std::string digits;
        REQUIRE(log >> size >> digits);
        REQUIRE(digits.size() == 2 * size);
        REQUIRE(PayloadTypes::fits(size, raw->size()));
        Blob logged;
        for (std::size_t at = 0; at < size; ++at) {
            logged.push_back(static_cast<std::byte>(std::stoul(digits.substr(2 * at, 2), nullptr, 16)));
        }
        CHECK(std::memcmp(logged.data(), raw->data(), size) == 0);
        const auto number = [&]<class T>(T value, std::size_t at) {
            std::memcpy(&value, logged.data() + at, sizeof value);
            return std::to_string(value);
        };
        // A program on a tracepoint passes on the registers of what hit it.
        CHECK_FALSE(writers.btf_of(sample.ip().value(), sample.time().value()));
        std::string expected;
        const std::uint32_t n = static_cast<std::uint32_t>(payloads / 4);
        switch (payloads % 4) {
            case 0: {
                constexpr const char* kinds[] = {"KIND_NONE", "KIND_OPEN", "KIND_CLOSE", "3"};
                expected = "struct start {.when = " + number(std::uint64_t{}, 0) +
                           ", .pid = " + number(std::uint32_t{}, 8) + ", .kind = " + kinds[n] +
                           R"(, .comm = "typed", .sides = {.left = 0, .right = 0}})";
                break;
            }
            case 1: {
                const auto bits = static_cast<std::uint32_t>(std::stoul(number(std::uint32_t{}, 0)));
                expected = "struct packet {.version = 4, .urgent = " + std::to_string(n & 1) +
                           ", .length = " + std::to_string(100 * n) +
                           ", .delta = " + std::to_string(static_cast<std::int32_t>(bits) >> 18) +
                           ", .address = union {.word = " + number(std::uint32_t{}, 4) + ", .part = {127, 0, 0, " +
                           std::to_string(n + 1) + "}}, {.port = " + std::to_string(8000 + n) + ", .grid = {{";
                for (std::size_t at = 0; at < 6; ++at) {
                    expected += number(std::int16_t{}, 10 + 2 * at) + (at == 2 ? "}, {" : at == 5 ? "}}}" : ", ");
                }
                expected += std::string(", .mode = ") + (n == 2 ? "WIDE_LAST" : "WIDE_FIRST") +
                            ", .where = 0xffff88800000100" + std::to_string(n) +
                            ", .ok = " + (n != 1 ? "true}" : "false}");
                break;
            }
            case 2: expected = "struct tick {.count = " + std::to_string(n) + ", .step = {1, 255}}"; break;
            default: break;
        }
        ++payloads;
        std::string text;
        const bool typed = output.append(text, {*raw, recording.order(), {}});
        CHECK(typed == !expected.empty());  // the last struct is one of two of its size
        if (typed) CHECK(text.substr(0, text.find(" (guessed by size)")) == expected);
    });
    REQUIRE(done);
    CHECK(payloads == 16);
    REQUIRE(output.notes().size() == 1);
    CHECK(output.notes()[0].find("struct span, struct pair") != std::string::npos);
}

TEST_CASE("A program on a raw tracepoint is found by the address of its call", "[annotate][payload]") {
    constexpr std::uint32_t tracepoint = 5, perf_event = 7, raw_tracepoint = 17;
    const auto found = [](std::uint32_t type, std::uint32_t other_type) {
        const test::Program program{7, 7, {{0x1000, 0x100, "writer", 7}}}, other{8, 8, {{0x2000, 0x100, "other", 8}}};
        Scene scene;
        auto info = info_of(program, std::endian::little);
        info.u32(info_field::type, type).u32(info_field::btf_id, 40);
        auto other_info = info_of(other, std::endian::little);
        other_info.u32(info_field::type, other_type);
        scene.known(program).info(info).known(other).info(other_info);
        const auto timeline = scene.timeline();
        return PayloadWriters(timeline).btf_of(Address{0x1010}, Time{100});
    };
    CHECK(found(raw_tracepoint, tracepoint) == std::optional<std::uint32_t>(40));
    CHECK_FALSE(found(tracepoint, tracepoint));
    CHECK_FALSE(found(raw_tracepoint, perf_event));
}
