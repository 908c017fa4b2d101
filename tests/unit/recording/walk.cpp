// SPDX-License-Identifier: MIT
#include "perfdata/recording/walk.hpp"

#include <optional>
#include <stop_token>

#include "catch.hpp"
#include "support/build.hpp"
#include "support/compressor.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto walked_type = sample_bit::identifier | sample_bit::ip | sample_bit::tid | sample_bit::time;

// Two events; records of both.
class WalkScene {
  public:
    explicit WalkScene(std::endian order) : order_(order), builder_(order) {
        builder_.event(sampling_attr(walked_type), {48}).event(sampling_attr(walked_type), {50});
    }

    SampleValues values(std::uint64_t id, std::uint64_t time) const {
        SampleValues made;
        made.identifier = id;
        made.time = time;
        return made;
    }
    RecordFrame frame(std::uint64_t id, std::uint64_t time) const {
        return {.order = order_, .trailer = trailer(order_, walked_type, values(id, time)), .misc = 0};
    }
    void add(const Blob& blob) { builder_.add(blob); }
    void add_sample(std::uint64_t id, std::uint64_t time) {
        add(sample(walked_type, values(id, time), {.order = order_, .trailer = {}, .misc = 0}));
    }
    Recording open() {
        file_ = builder_.build();
        return Recording::from_memory(file_).value();
    }
    const RecordingBuilder& builder() const { return builder_; }

  private:
    std::endian order_;
    RecordingBuilder builder_;
    Blob file_;
};

std::uint64_t sum(const Completeness::ByteCounts& bytes) {
    return bytes.records + bytes.outside_records + bytes.unread;
}

}  // namespace

TEST_CASE("A walk hands every record to its visitor with event, trailer and time", "[recording][walk]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    WalkScene scene(order);
    scene.add(encode(Ksymbol{{0x1000}, 64, 1, 0, "bpf_prog_a"}, scene.frame(0, 0)));
    scene.add(encode(Comm{{1}, {2}, "sh", false}, scene.frame(50, 1000)));
    scene.add_sample(48, 2000);
    scene.add_sample(50, 1500);
    scene.add(encode(BpfEvent{1, 0, {62}, {}}, scene.frame(50, 2500)));
    const auto recording = scene.open();

    std::vector<std::string> seen;
    Completeness completeness;
    const auto visit = [&]<class R>(const RecordContext& context, const R& record) {
        std::string text;
        if constexpr (std::is_same_v<R, Ksymbol>) text = std::string(record.name);
        if constexpr (std::is_same_v<R, Comm>) text = std::string(record.comm);
        if constexpr (std::is_same_v<R, BpfEvent>) text = "program " + std::to_string(record.id.value);
        if constexpr (requires { record.ip(); }) text = "sample of " + std::to_string(record.id()->value);
        if (context.trailer.tid) text += " by " + std::to_string(context.trailer.tid->value);
        seen.push_back(text + ", event " + std::to_string(context.event) + ", time " +
                       std::to_string(context.time.nanoseconds));
    };
    REQUIRE(walk(recording, completeness, visit));
    const auto by = " by " + std::to_string(SampleValues{}.tid);
    CHECK(seen == std::vector<std::string>{
                      "bpf_prog_a" + by + ", event 0, time 0",
                      "sh" + by + ", event 1, time 1000",
                      "sample of 48, event 0, time 2000",
                      "sample of 50, event 1, time 1500",
                      "program 62" + by + ", event 1, time 2500",
                  });
    CHECK(completeness.lossless());
}

TEST_CASE("A walk asks for nothing that its visitor does not take", "[recording][walk]") {
    WalkScene scene(std::endian::little);
    scene.add(encode(Comm{{1}, {2}, "sh", false}, scene.frame(50, 1000)));
    scene.add_sample(48, 2000);
    const auto recording = scene.open();
    int comms = 0;
    Completeness completeness;
    REQUIRE(walk(recording, completeness, [&](const RecordContext&, const Comm& comm) {
        CHECK(comm.comm == "sh");
        ++comms;
    }));
    CHECK(comms == 1);
    // It is counted nevertheless.
    CHECK(completeness.records[9].decoded == 1);
}

TEST_CASE("Decoded, skipped and damaged records are counted by type", "[recording][walk]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    WalkScene scene(order);
    scene.add(encode(Lost{{48}, 5}, scene.frame(48, 10)));
    scene.add(encode(Lost{{48}, 7}, scene.frame(48, 20)));
    scene.add(encode(LostSamples{11, false}, scene.frame(50, 30)));
    scene.add(encode(Comm{{1}, {2}, "sh", false}, scene.frame(999, 40)));                          // unknown event
    scene.add(record(RecordType::comm, scene.frame(48, 50), Writer(order).u32(1).u32(2).take()));  // no name
    scene.add_sample(48, 60);
    scene.add_sample(999, 70);                  // unknown event
    scene.add(bare_record(order, 68, 0, 8));    // FINISHED_ROUND
    scene.add(bare_record(order, 5000, 0, 8));  // unknown type
    const auto recording = scene.open();
    Completeness completeness;
    REQUIRE(walk(recording, completeness, [](const RecordContext&, const Mmap&) {}));
    const auto counts = [&](std::uint32_t of) {
        const auto& got = completeness.records[of];
        return std::vector<std::uint64_t>{got.decoded, got.skipped, got.damaged};
    };
    CHECK(counts(2) == std::vector<std::uint64_t>{2, 0, 0});
    CHECK(counts(13) == std::vector<std::uint64_t>{1, 0, 0});
    CHECK(counts(3) == std::vector<std::uint64_t>{0, 0, 2});
    CHECK(counts(9) == std::vector<std::uint64_t>{1, 0, 1});
    CHECK(counts(68) == std::vector<std::uint64_t>{1, 0, 0});
    CHECK(counts(5000) == std::vector<std::uint64_t>{0, 1, 0});
    CHECK(completeness.lost_events == 12);
    CHECK(completeness.lost_samples == 11);
    CHECK(completeness.diagnostics.count() == 3);
    CHECK_FALSE(completeness.lossless());
}

TEST_CASE("Samples lost and samples that a BPF filter dropped are counted apart, by event", "[recording][walk]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    WalkScene scene(order);
    scene.add_sample(48, 10);
    scene.add_sample(50, 20);
    scene.add_sample(50, 30);
    scene.add(encode(Lost{{48}, 7}, scene.frame(48, 40)));
    scene.add(encode(LostSamples{11, false}, scene.frame(50, 0)));
    scene.add(encode(LostSamples{2, false}, scene.frame(50, 0)));
    scene.add(encode(LostSamples{300, true}, scene.frame(50, 0)));
    scene.add(encode(LostSamples{5, false}, scene.frame(0, 0)));  // of an event that it does not name
    const auto recording = scene.open();
    Completeness completeness;
    REQUIRE(walk(recording, completeness, [](const RecordContext&, const Mmap&) {}));
    CHECK(completeness.lost_events == 7);
    CHECK(completeness.lost_samples == 18);
    CHECK(completeness.filtered_samples == 300);
    CHECK(completeness.lost_elsewhere() == 7);
    CHECK(completeness.lossless());
    REQUIRE(completeness.losses.size() == 1);
    const auto& losses = completeness.losses.at(1);
    CHECK(losses.event == recording.events().events()[1].name);
    CHECK(losses.samples == 2);
    CHECK(losses.lost == 13);
    CHECK(losses.by_filter == 300);
}

TEST_CASE("Sums of losses do not wrap", "[recording][walk]") {
    constexpr auto half = std::uint64_t{1} << 63, most = ~std::uint64_t{0};
    WalkScene scene(std::endian::little);
    for (int copy = 0; copy < 2; ++copy) {
        scene.add(encode(Lost{{48}, half}, scene.frame(48, 0)));
        scene.add(encode(LostSamples{half, false}, scene.frame(50, 0)));
        scene.add(encode(LostSamples{most, true}, scene.frame(50, 0)));
    }
    const auto recording = scene.open();
    Completeness completeness;
    REQUIRE(walk(recording, completeness, [](const RecordContext&, const Mmap&) {}));
    CHECK(completeness.lost_events == most);
    CHECK(completeness.lost_samples == most);
    CHECK(completeness.filtered_samples == most);
    CHECK(completeness.losses.at(1).lost == most);
    CHECK(completeness.losses.at(1).by_filter == most);
}

TEST_CASE("LOST records tell again what events that count their losses tell", "[recording][walk]") {
    RecordingBuilder builder(std::endian::little);
    auto attr = sampling_attr(walked_type);
    attr.read_format = read_bit::lost;
    builder.event(attr);
    const RecordFrame frame{.order = std::endian::little, .trailer = trailer(std::endian::little, walked_type, {})};
    builder.add(encode(Lost{{48}, 7}, frame));
    SECTION("all of it") {
        builder.add(encode(LostSamples{11, false}, frame));
        const auto file = builder.build();
        const auto recording = Recording::from_memory(file).value();
        Completeness completeness;
        REQUIRE(walk(recording, completeness, [](const RecordContext&, const Mmap&) {}));
        CHECK(completeness.counts_losses);
        CHECK(completeness.lost_elsewhere() == 0);
        CHECK(completeness.losses.at(0).lost == 11);
    }
    SECTION("unless the recorder did not get so far as to read the counts") {
        const auto file = builder.build();
        const auto recording = Recording::from_memory(file).value();
        Completeness completeness;
        REQUIRE(walk(recording, completeness, [](const RecordContext&, const Mmap&) {}));
        CHECK(completeness.lost_elsewhere() == 7);
        CHECK(completeness.losses.empty());
    }
}

TEST_CASE("A dummy event loses records, not samples", "[recording][walk]") {
    RecordingBuilder builder(std::endian::little);
    auto attr = sampling_attr(walked_type);
    attr.read_format = read_bit::lost;
    auto dummy = attr;
    dummy.type = attr_type::software;
    dummy.config = 9;
    builder.event(attr, {48}).event(dummy, {50});
    const auto told_by = [](std::uint64_t id) {
        SampleValues values;
        values.identifier = id;
        return RecordFrame{.order = std::endian::little, .trailer = trailer(std::endian::little, walked_type, values)};
    };
    const bool all = GENERATE(true, false);  // else the recorder wrote no LOST record
    if (all) builder.add(encode(Lost{{48}, 80}, told_by(48)));
    builder.add(encode(LostSamples{11, false}, told_by(48)));
    builder.add(encode(LostSamples{69, false}, told_by(50)));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    Completeness completeness;
    REQUIRE(walk(recording, completeness, [](const RecordContext&, const Mmap&) {}));
    CHECK(completeness.counts_losses);
    CHECK(completeness.lost_events == 80);
    CHECK(completeness.lost_samples == 11);
    CHECK(completeness.lost_elsewhere() == 69);
    CHECK(completeness.losses.size() == 1);
    CHECK(completeness.losses.at(0).lost == 11);
}

TEST_CASE("A record whose trailer does not fit is damaged, not read out of bounds", "[recording][walk]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    RecordingBuilder builder(order);
    builder.event(sampling_attr(walked_type));  // a trailer of 24 bytes
    const auto types = {RecordType::mmap,         RecordType::lost,    RecordType::comm,      RecordType::mmap2,
                        RecordType::lost_samples, RecordType::ksymbol, RecordType::bpf_event, RecordType::sample};
    for (const auto which : types) builder.add(bare_record(order, static_cast<std::uint32_t>(which), 0, 8));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    Completeness completeness;
    REQUIRE(walk(*recording, completeness, [](const RecordContext&, const auto&) { FAIL("nothing to visit"); }));
    for (const auto which : types) {
        CHECK(completeness.records[static_cast<std::uint32_t>(which)].damaged == 1);
    }
    CHECK(completeness.diagnostics.kept().at(0).code == ErrorCode::truncated);
    CHECK(completeness.diagnostics.kept().at(0).offset == builder.places().data);
    CHECK(completeness.diagnostics.kept().at(0).where == "record MMAP");
}

TEST_CASE("Bytes are records, something else, or unread: they sum to the file", "[recording][walk]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    WalkScene scene(order);
    scene.add_sample(48, 60);
    scene.add(auxtrace(order, 100, Blob(100)));
    scene.add_sample(48, 70);
    const auto damage = GENERATE(false, true);
    if (damage) scene.add(joined({bare_record(order, 9, 0, 3), Blob(29)}));
    const auto recording = scene.open();
    Completeness completeness;
    REQUIRE(walk(recording, completeness, [](const RecordContext&, const Comm&) {}));
    CHECK(completeness.bytes.total == recording.bytes());
    CHECK(completeness.bytes.records == 40 + 48 + 40);
    CHECK(completeness.bytes.unread == (damage ? 37 : 0));
    CHECK(sum(completeness.bytes) == recording.bytes());
    CHECK(completeness.diagnostics.empty() == !damage);
}

TEST_CASE("Records of an event without times happened no earlier than those before them", "[recording][walk]") {
    constexpr auto timed = sample_bit::identifier | sample_bit::ip | sample_bit::time;
    constexpr auto untimed = sample_bit::identifier | sample_bit::ip;
    const auto order = GENERATE(std::endian::little, std::endian::big);
    RecordingBuilder builder(order);
    builder.event(sampling_attr(timed), {48}).event(sampling_attr(untimed), {50});
    SampleValues first, second;
    first.identifier = 48;
    first.time = 777;
    second.identifier = 50;
    const RecordFrame plain{.order = order, .trailer = {}, .misc = 0};
    builder.add(sample(untimed, second, plain)).add(sample(timed, first, plain)).add(sample(untimed, second, plain));
    builder.add(
        encode(Comm{{1}, {2}, "sh", false}, {.order = order, .trailer = trailer(order, untimed, second), .misc = 0}));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    std::vector<std::uint64_t> times;
    Completeness completeness;
    REQUIRE(walk(*recording, completeness,
                 [&](const RecordContext& context, const auto&) { times.push_back(context.time.nanoseconds); }));
    CHECK(times == std::vector<std::uint64_t>{0, 777, 777, 777});
}

TEST_CASE("A walk that is asked to stop ends with cancelled", "[recording][walk]") {
    WalkScene scene(std::endian::little);
    for (int count = 0; count < 10000; ++count) scene.add_sample(48, 60);
    const auto recording = scene.open();
    std::stop_source stop;
    stop.request_stop();
    Completeness completeness;
    const auto walked = walk(recording, completeness, [](const RecordContext&, const Comm&) {},
                             {.order = RecordOrder::file, .stop = stop.get_token(), .progress = {}});
    REQUIRE_FALSE(walked);
    CHECK(walked.error().code == ErrorCode::cancelled);
}

TEST_CASE("Compressed records that are no zstd stream are a loss that is reported", "[recording][walk]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto compressed = GENERATE(RecordType::compressed, RecordType::compressed2);
    WalkScene scene(order);
    scene.add_sample(48, 60);
    const Blob not_zstd(40, std::byte{0xa5});
    const auto body =
        compressed == RecordType::compressed ? not_zstd : joined({Writer(order).u64(not_zstd.size()).take(), not_zstd});
    for (int count = 0; count < 3; ++count) {
        scene.add(record(compressed, {.order = order, .trailer = {}, .misc = 0}, body));
    }
    const auto recording = scene.open();
    Completeness completeness;
    REQUIRE(walk(recording, completeness, [](const RecordContext&, const Comm&) {}));
    CHECK(completeness.records[static_cast<std::uint32_t>(compressed)].decoded == 3);
    CHECK(completeness.records[9].decoded == 1);
    REQUIRE(completeness.diagnostics.count() == 1);
    CHECK(completeness.diagnostics.kept()[0].code == ErrorCode::malformed);
    CHECK(completeness.diagnostics.kept()[0].offset == scene.builder().places().data + 40);
    CHECK_FALSE(completeness.lossless());
}

namespace {

// Walks with a budget. Returns the error's code; nothing if the walk came to its end.
std::optional<ErrorCode> walked_within(const Recording& recording, const WalkBudget& budget) {
    Completeness completeness;
    const auto nothing = [](const RecordContext&, const auto&) {};
    WalkOptions options;
    options.budget = budget;
    const auto walked = walk(recording, completeness, nothing, options);
    return walked ? std::nullopt : std::optional(walked.error().code);
}

}  // namespace

TEST_CASE("A walk gives up once its budget of records is used up", "[recording][walk][budget]") {
    WalkScene scene(std::endian::little);
    constexpr std::uint64_t records = 20'000;
    for (std::uint64_t at = 0; at < records; ++at) scene.add_sample(48, at);
    const auto recording = scene.open();
    CHECK_FALSE(walked_within(recording, {}));
    CHECK_FALSE(walked_within(recording, {.records = records}));
    CHECK(walked_within(recording, {.records = records - 1}) == ErrorCode::limit);
    CHECK(walked_within(recording, {.records = 1}) == ErrorCode::limit);
    CHECK_FALSE(walked_within(recording, {.damaged = 0, .unpacked_bytes = 0}));
}

TEST_CASE("A walk gives up once its budget of damage is used up", "[recording][walk][budget]") {
    WalkScene scene(std::endian::little);
    for (int at = 0; at < 3; ++at) scene.add(record(RecordType::lost, {}, {}));
    const auto recording = scene.open();
    CHECK_FALSE(walked_within(recording, {.damaged = 3}));
    CHECK(walked_within(recording, {.damaged = 2}) == ErrorCode::limit);
}

TEST_CASE("A walk gives up once it has unpacked its budget, and does not unpack the rest",
          "[recording][walk][budget]") {
    const auto order = std::endian::little;
    WalkScene scene(order);
    const Blob zeros(std::size_t{1} << 20);
    Compressor compressor;
    for (int at = 0; at < 8; ++at) {
        scene.add(compressed_record(order, RecordType::compressed, compressor.piece(zeros)));
    }
    const auto recording = scene.open();
    CHECK_FALSE(walked_within(recording, {.unpacked_bytes = std::uint64_t{8} << 20}));
    CHECK(walked_within(recording, {.unpacked_bytes = std::uint64_t{4} << 20}) == ErrorCode::limit);
    CHECK(walked_within(recording, {.unpacked_bytes = 0}) == ErrorCode::limit);
    auto stream = recording.records(Recording::Stacks::read, std::uint64_t{2} << 20);
    RecordView record;
    while (stream.next(record)) {
    }
    CHECK(stream.unpacked_bytes() < std::uint64_t{3} << 20);
}

TEST_CASE("Losses are counted alike where a log keeps none of them", "[recording][walk]") {
    WalkScene scene(std::endian::little);
    for (int at = 0; at < 3; ++at) scene.add(record(RecordType::lost, {}, {}));
    const auto recording = scene.open();
    Completeness none, all;
    none.diagnostics = DiagnosticLog(0);
    const auto nothing = [](const RecordContext&, const auto&) {};
    REQUIRE(walk(recording, none, nothing));
    REQUIRE(walk(recording, all, nothing));
    CHECK(none.diagnostics.is_full());
    CHECK(none.diagnostics.count() == 3);
    CHECK(all.diagnostics.count() == 3);
    CHECK(all.diagnostics.kept().size() == 3);
    CHECK(none.records[static_cast<std::uint32_t>(RecordType::lost)].damaged == 3);
}
