// SPDX-License-Identifier: MIT
#include "trap.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto contained_type = sample_bit::identifier | sample_bit::ip | sample_bit::time;

RecordingBuilder one_event(std::endian order) {
    RecordingBuilder builder(order);
    builder.event(sampling_attr(contained_type), {7});
    return builder;
}

}  // namespace

TEST_CASE("trap 1: ids lie behind the writer's attr, not behind the reader's", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // 64: older than this library; 160: newer. 0: the first ABI, which left the size out.
    const std::uint32_t bytes = GENERATE(64u, 128u, 160u);
    auto attr = sampling_attr(contained_type);
    attr.size = bytes;
    auto other = attr;
    other.config = 5;
    RecordingBuilder builder(order);
    builder.layout.attr_stride = bytes + 16;
    builder.layout.ids_at = bytes;
    builder.event(attr, {11, 12}).event(other, {21}).add(sample_at(order, contained_type, 21, 1));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    REQUIRE(recording.events().events().size() == 2);
    CHECK(recording.events().events()[0].ids == std::vector<EventId>{{11}, {12}});
    CHECK(recording.events().events()[1].ids == std::vector<EventId>{{21}});
    CHECK(recording.events().events()[1].attr.config == 5);

    const auto pipe = joined({pipe_header(order), header_attr(order, attr, bytes, {11, 12}),
                              header_attr(order, other, bytes, {21}), sample_at(order, contained_type, 21, 1)});
    const auto piped = Recording::from_memory(pipe).value();
    CHECK(piped.events().events()[0].ids == std::vector<EventId>{{11}, {12}});
    CHECK(piped.events().events()[1].ids == std::vector<EventId>{{21}});
}

TEST_CASE("trap 2: the flags of an attr are bit-fields, which change places, and precise_ip is one of two bits",
          "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto precise = GENERATE(as<std::uint64_t>{}, 0, 1, 2, 3);
    auto attr = sampling_attr(contained_type);
    attr.flags = attr_flag::sample_id_all | 1u | precise << 15 | std::uint64_t{1} << 34;
    RecordingBuilder builder(order);
    const auto file = builder.event(attr, {7}).add(sample_at(order, contained_type, 7, 1)).build();
    // disabled, precise_ip, sample_id_all and build_id as a compiler of either order lays them out.
    const auto word = order == std::endian::little
                          ? 1u | precise << 15 | 1u << 18 | std::uint64_t{1} << 34
                          : std::uint64_t{1} << 63 | precise << 47 | std::uint64_t{1} << 45 | std::uint64_t{1} << 29;
    REQUIRE(AnyOrder(order).load<std::uint64_t>(file.data() + builder.places().attrs + 40) == word);
    const auto recording = Recording::from_memory(file).value();
    const auto& got = recording.events().events()[0].attr;
    CHECK(got.flags == attr.flags);
    CHECK(got.sample_id_all());
    CHECK_FALSE(got.freq());
}

TEST_CASE("trap 4: each event has layouts of its own, in samples and in trailers", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto short_type = sample_bit::identifier | sample_bit::time;
    const auto long_type = sample_bit::identifier | sample_bit::ip | sample_bit::tid | sample_bit::time |
                           sample_bit::cpu | sample_bit::period;
    SampleValues of_first, of_second;
    of_first.identifier = 11;
    of_second.identifier = 22;
    RecordingBuilder builder(order);
    builder.event(sampling_attr(short_type), {11}).event(sampling_attr(long_type), {22});
    builder.add(sample(short_type, of_first, {order, {}, 0})).add(sample(long_type, of_second, {order, {}, 0}));
    // The names show that each trailer was found.
    builder.add(encode(Comm{{1}, {2}, "first", false}, {order, trailer(order, short_type, of_first), 0}));
    builder.add(encode(Comm{{3}, {4}, "second", false}, {order, trailer(order, long_type, of_second), 0}));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();

    Completeness completeness;
    std::vector<std::uint32_t> events;
    std::vector<std::uint64_t> periods;
    const auto visit = [&](const RecordContext& context, const auto& record) {
        if constexpr (requires { record.details(); }) {
            events.push_back(context.event);
            periods.push_back(record.period());
            CHECK(record.time() == Time{of_first.time});
        }
    };
    REQUIRE(walk(recording, completeness, visit));
    CHECK(events == std::vector<std::uint32_t>{0, 1});
    CHECK(periods == std::vector<std::uint64_t>{0, of_second.period});
    const auto comms = records_of<Comm>(recording);
    REQUIRE(comms.size() == 2);
    CHECK(comms[0].first.comm == "first");
    CHECK_FALSE(comms[0].second.tid);
    CHECK(comms[0].second.time == Time{of_first.time});
    CHECK(comms[1].first.comm == "second");
    CHECK(comms[1].second.tid == Tid{of_second.tid});
    CHECK(comms[1].second.cpu == of_second.cpu);
}

TEST_CASE("trap 5: behind a record of odd size all others lie unaligned", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // 16 + 68 = 84 bytes, as perf writes HOSTNAME; and the old TRACING_DATA of 12 bytes.
    const auto odd = header_feature(order, 3, feature_string(order, "unaligned"));
    REQUIRE(odd.size() % 8 != 0);
    const auto tracing = record(RecordType::header_tracing_data, {order, {}, 0}, Writer(order).u32(8).take());
    REQUIRE(tracing.size() == 12);
    const auto pipe =
        joined({pipe_header(order), odd, header_attr(order, sampling_attr(contained_type), 128, {7}), tracing, Blob(8),
                header_feature(order, 32, {}), sample_at(order, contained_type, 7, 1, 0xabc),
                sample_at(order, contained_type, 7, 2, 0xdef)});
    const auto recording = Recording::from_memory(pipe).value();
    CHECK(recording.hostname() == "unaligned");
    CHECK(ips_of(recording) == std::vector<std::uint64_t>{0xabc, 0xdef});
}

TEST_CASE("trap 6: compressed records are one stream, and records straddle them", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto plain = joined({sample_at(order, contained_type, 7, 1, 0xa), sample_at(order, contained_type, 7, 2, 0xb),
                               sample_at(order, contained_type, 7, 3, 0xc)});
    Compressor compressor;
    auto builder = one_event(order);
    const std::size_t cuts[] = {0, 5, 40, plain.size()};
    for (std::size_t index = 0; index < 3; ++index) {
        const auto piece = compressor.piece(Bytes(plain).subspan(cuts[index], cuts[index + 1] - cuts[index]));
        // Only the first has the magic of zstd.
        CHECK((AnyOrder(std::endian::little).load<std::uint32_t>(piece.data()) == 0xfd2fb528) == (index == 0));
        builder.add(compressed_record(order, RecordType::compressed, piece));
    }
    const auto file = builder.build();
    CHECK(ips_of(Recording::from_memory(file).value()) == std::vector<std::uint64_t>{0xa, 0xb, 0xc});
}

TEST_CASE("trap 7: AUX and tracing data lie behind their record, whatever they look like", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // Payloads that would themselves be well-formed samples.
    const auto decoy = sample_at(order, contained_type, 7, 9, 0xbad);
    const auto real = sample_at(order, contained_type, 7, 1, 0x900d);
    auto builder = one_event(order);
    const auto file = builder.add(auxtrace(order, decoy.size(), decoy)).add(real).build();
    const auto recording = Recording::from_memory(file).value();
    CHECK(ips_of(recording) == std::vector<std::uint64_t>{0x900d});

    const auto size = static_cast<std::uint32_t>(decoy.size());
    const auto tracing = record(RecordType::header_tracing_data, {order, {}, 0}, Writer(order).u32(size).u32(0).take());
    const auto pipe = joined({pipe_header(order), header_attr(order, sampling_attr(contained_type), 128, {7}), tracing,
                              decoy, auxtrace(order, decoy.size(), decoy), real});
    CHECK(ips_of(Recording::from_memory(pipe).value()) == std::vector<std::uint64_t>{0x900d});
}

TEST_CASE("trap 8: features that are not known have entries in the table, too", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = one_event(order);
    builder.add(sample_at(order, contained_type, 7, 1));
    // 40 and 130 come from a later perf or another writer; ARCH and CLN_SIZE are on both sides of 33.
    builder.feature(Feature::arch, feature_string(order, "s390x"));
    builder.feature(40, Blob(24, std::byte{0x55}));
    builder.feature(130, Blob(7, std::byte{0x66}));
    builder.feature(Feature::cln_size, Writer(order).u32(256).take());
    builder.feature(200, feature_string(order, "last"));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    CHECK(recording.arch() == "s390x");
    std::vector<unsigned> numbers;
    for (const auto& feature : recording.features()) {
        numbers.push_back(feature.number);
        CHECK(feature.section.offset == builder.places().features.at(feature.number).offset);
        CHECK(feature.section.size == builder.places().features.at(feature.number).size);
    }
    CHECK(numbers == std::vector<unsigned>{6, 34, 40, 130, 200});
    CHECK(recording.read_feature(static_cast<Feature>(40)).value() == Blob(24, std::byte{0x55}));
    CHECK(recording.read_feature(static_cast<Feature>(200)).value() == feature_string(order, "last"));
}

TEST_CASE("trap 9: sections lie anywhere, event_types means nothing, and data.size may be 0", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = one_event(order);
    builder.layout.attrs_after_data = true;
    builder.layout.features_before_data = true;
    builder.feature(Feature::hostname, feature_string(order, "host"))
        .add(sample_at(order, contained_type, 7, 1, 0xabc));
    auto file = builder.build();
    // An event types table that points into the records.
    file = patched(patched(file, order, 56, builder.places().data), order, 64, std::uint64_t{72});
    const auto recording = Recording::from_memory(file).value();
    CHECK(recording.hostname() == "host");
    CHECK(recording.events().events()[0].ids == std::vector<EventId>{{7}});
    CHECK(ips_of(recording) == std::vector<std::uint64_t>{0xabc});

    auto unfinished = one_event(order);
    unfinished.add(sample_at(order, contained_type, 7, 1, 0xabc)).add(sample_at(order, contained_type, 7, 2, 0xdef));
    const auto cut = patched(unfinished.build(), order, header_field::data_size, std::uint64_t{0});
    const auto interrupted = Recording::from_memory(cut).value();
    CHECK(interrupted.interrupted());
    CHECK(ips_of(interrupted) == std::vector<std::uint64_t>{0xabc, 0xdef});
}

TEST_CASE("trap 16: in a pipe the list of BPF programs is empty, which is no damage", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto empty = Writer(order).u32(0).take();
    const auto pipe = joined({pipe_header(order), header_attr(order, sampling_attr(contained_type), 128, {7}),
                              header_feature(order, 25, empty), header_feature(order, 26, empty),
                              header_feature(order, 32, {}), sample_at(order, contained_type, 7, 1, 0xabc)});
    const auto recording = Recording::from_memory(pipe).value();
    REQUIRE(recording.feature(Feature::bpf_prog_info) != nullptr);
    // perf 6.1 ends its features with 32; perf 7 has a feature of that number.
    CHECK(recording.feature(Feature::cpu_domain_info) == nullptr);
    const auto lines = feature_lines(recording);
    CHECK(std::ranges::count(lines, "feature 25 programs[0]") == 1);
    CHECK(std::ranges::count(lines, "feature 26 btf[0]") == 1);
    CHECK(ips_of(recording) == std::vector<std::uint64_t>{0xabc});
    CHECK(recording.diagnostics().empty());
}

TEST_CASE("trap 36: simpleperf writes records and features of its own", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = one_event(order);
    for (std::uint32_t number = 0; number < 8; ++number) {
        builder.add(record(static_cast<RecordType>(32768 + number), {order, {}, 0}, Blob(8 * number)));
    }
    builder.add(sample_at(order, contained_type, 7, 1, 0xabc));
    for (unsigned number = 128; number <= 132; ++number) builder.feature(number, Blob(number));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    CHECK(ips_of(recording) == std::vector<std::uint64_t>{0xabc});
    CHECK(recording.features().size() == 5);
    const auto reading = read_all(recording);
    for (std::uint32_t number = 0; number < 8; ++number) {
        CHECK(reading.completeness.records.at(32768 + number).skipped == 1);
    }
    CHECK(incompleteness(reading, recording) == "");
}

TEST_CASE("trap 38: perf inject puts build-ids among the records, with a trailer, or leaves the header empty",
          "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Writer body(order);
    body.u32(0xffffffff).fill(20, 0xab).u8(20).zeros(3).padded_text("/lib/libc.so", 64);
    auto builder = one_event(order);
    builder.add(sample_at(order, contained_type, 7, 1, 0xabc));
    builder.add(record(RecordType::header_build_id, {order, trailer(order, contained_type, {}), 0x8002}, body.take()));
    builder.add(sample_at(order, contained_type, 7, 2, 0xdef));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    CHECK(ips_of(recording) == std::vector<std::uint64_t>{0xabc, 0xdef});
    const auto ids = records_of<HeaderBuildId>(recording);
    REQUIRE(ids.size() == 1);
    CHECK(ids[0].first.filename == "/lib/libc.so");
    CHECK(ids[0].first.pid == -1);
    CHECK(std::ranges::equal(ids[0].first.build_id.bytes(), Blob(20, std::byte{0xab})));

    const auto magic = order == std::endian::little ? "PERFILE2" : "2ELIFREP";
    const auto zeroed = Writer(order).text(magic).u64(104).zeros(4096).take();
    const auto empty = Recording::from_memory(zeroed);
    REQUIRE(empty);
    CHECK(empty->events().empty());
    CHECK_FALSE(empty->diagnostics().empty());
}

TEST_CASE("trap 39: a truncated map costs one record, an empty kernel map and unknown types cost nothing", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const RecordFrame frame{order, trailer(order, contained_type, {.identifier = 7}), 0};
    auto builder = one_event(order);
    builder.add(record(RecordType::mmap, frame, Blob(24)));  // ends before its file name
    builder.add(encode(Mmap{{~0u}, {0}, {{0}, 0}, 0, "[kernel.kallsyms]_text"}, frame));
    builder.add(record(static_cast<RecordType>(50), frame, Blob(16)));
    builder.add(sample_at(order, contained_type, 7, 1, 0xabc));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    CHECK(ips_of(recording) == std::vector<std::uint64_t>{0xabc});
    const auto maps = records_of<Mmap>(recording);
    REQUIRE(maps.size() == 1);
    CHECK(maps[0].first.filename == "[kernel.kallsyms]_text");
    CHECK(maps[0].first.range.size == 0);
    const auto reading = read_all(recording);
    CHECK(reading.completeness.records.at(1).damaged == 1);
    CHECK(reading.completeness.records.at(1).decoded == 1);
    CHECK(reading.completeness.records.at(50).skipped == 1);
}

TEST_CASE("trap 40: lengths in a truncated file are not believed", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = one_event(order);
    builder.add(sample_at(order, contained_type, 7, 1, 0xabc));
    builder.feature(Feature::hostname, Writer(order).u32(3013029764).text("host").take());
    builder.feature(Feature::cmdline, Writer(order).u32(0xfffffffe).u32(3013029764).take());
    builder.feature(Feature::event_desc, Writer(order).u32(0xffffffff).u32(64).take());
    builder.feature(Feature::bpf_prog_info, Writer(order).u32(0xffffffff).u32(232).u32(0xfffffff0).u64(0).take());
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file).value();
    CHECK(recording.hostname().empty());
    CHECK(recording.command_line().empty());
    CHECK(recording.events().events().size() == 1);
    CHECK(recording.diagnostics().count() >= 3);
    CHECK(ips_of(recording) == std::vector<std::uint64_t>{0xabc});
    for (const auto& line : feature_lines(recording)) CHECK(line.size() < 1000);
}
