// SPDX-License-Identifier: MIT
// Whole recordings: containers, layouts, and headers with false information.
#include "perfdata/recording/recording.hpp"

#include <algorithm>

#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// typical(order): one event with two ids, three records, two features.
RecordingBuilder typical(std::endian order) {
    RecordingBuilder builder(order);
    builder.event(sampling_attr(sample_bit::ip), {48, 49});
    builder.add(encode(Lost{{1}, 7}, {.order = order, .trailer = {}, .misc = 0}));
    builder.add(encode(Comm{{10}, {11}, "shell", false}, {.order = order, .trailer = {}, .misc = 0}));
    builder.add(sample(sample_bit::ip, {}, {.order = order, .trailer = {}, .misc = 0}));
    builder.feature(Feature::hostname, feature_string(order, "guest"));
    builder.feature(Feature::arch, feature_string(order, "s390x"));
    return builder;
}

std::vector<RecordType> types(const Recording& recording) {
    std::vector<RecordType> found;
    auto stream = recording.records();
    RecordView record;
    while (stream.next(record)) found.push_back(record.type());
    CHECK(stream.problems().empty());
    return found;
}

const std::vector<RecordType> typical_types = {RecordType::lost, RecordType::comm, RecordType::sample};

void check_typical(const Recording& recording) {
    CHECK(recording.hostname() == "guest");
    CHECK(recording.arch() == "s390x");
    CHECK(types(recording) == typical_types);
    REQUIRE(recording.events().events().size() == 1);
    CHECK(recording.events().events()[0].ids == std::vector<EventId>{{48}, {49}});
    CHECK(recording.events().events()[0].attr.sample_type == sample_bit::ip);
    CHECK(recording.diagnostics().empty());
    CHECK_FALSE(recording.interrupted());
}

}  // namespace

TEST_CASE("A recording opens in either byte order", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto file = typical(order).build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    check_typical(*recording);
    CHECK(recording->order().endian() == order);
    CHECK(recording->bytes() == file.size());
    CHECK(recording->path().empty());
}

TEST_CASE("A recording opens from a file as from memory", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const TempDir directory;
    const auto path = directory.write("perf.data", typical(order).build());
    const auto recording = Recording::open(path);
    REQUIRE(recording);
    check_typical(*recording);
    CHECK(recording->path() == path);
}

TEST_CASE("A version-1 recording opens in either byte order", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    builder.layout.legacy = true;
    builder.layout.attr_stride = 80;
    builder.layout.ids_at = 64;
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->header().legacy);
    CHECK(recording->hostname() == "guest");
    CHECK(types(*recording) == typical_types);
    CHECK(recording->events().events()[0].ids == std::vector<EventId>{{48}, {49}});
}

TEST_CASE("Attrs and ids behind the data, as perf inject writes them, are found", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    builder.layout.attrs_after_data = true;
    const auto file = builder.build();
    REQUIRE(builder.places().data == 104);
    REQUIRE(builder.places().attrs > builder.places().data);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    check_typical(*recording);
    CHECK(recording->outside_records() + recording->data().size == file.size());
}

TEST_CASE("A recording with an ancient 72-byte header has events and records, but no features", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    builder.layout.header_size = 72;
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->features().empty());
    CHECK(recording->hostname().empty());
    CHECK(types(*recording) == typical_types);
    CHECK(recording->diagnostics().empty());
}

TEST_CASE("A 32-bit writer's feature bitmap gives the same features", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    builder.layout.bitmap_of_32_bit_words = true;
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    check_typical(*recording);
}

TEST_CASE("An interrupted recording is read to the end of the file, without features", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    const auto whole = builder.build();
    auto file = patched(whole, order, header_field::data_size, std::uint64_t{0});
    file.resize(static_cast<std::size_t>(builder.places().data_end));
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->interrupted());
    CHECK(recording->data().offset == builder.places().data);
    CHECK(recording->data().size == builder.places().data_end - builder.places().data);
    CHECK(types(*recording) == typical_types);
    CHECK(recording->features().empty());
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].code == ErrorCode::truncated);
    CHECK(recording->diagnostics().kept()[0].offset == header_field::data_size);
    CHECK(recording->events().events()[0].ids.size() == 2);
}

TEST_CASE("An interrupted recording cut inside a record gives the records before the cut", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    auto file = patched(builder.build(), order, header_field::data_size, std::uint64_t{0});
    file.resize(static_cast<std::size_t>(builder.places().data_end - 1));
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    auto stream = recording->records();
    RecordView record;
    REQUIRE(stream.next(record));
    CHECK(record.type() == RecordType::lost);
    REQUIRE(stream.next(record));
    CHECK(record.type() == RecordType::comm);
    CHECK_FALSE(stream.next(record));
    REQUIRE(stream.problems().count() == 1);
    CHECK(stream.problems().kept()[0].code == ErrorCode::truncated);
    CHECK(stream.problems().kept()[0].offset == builder.places().data_end - 16);
}

TEST_CASE("A file cut anywhere behind its attrs opens, and says what it lost", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    const auto whole = builder.build();
    for (auto size = builder.places().data; size < whole.size(); ++size) {
        CAPTURE(size);
        const Blob cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        const auto recording = Recording::from_memory(cut);
        REQUIRE(recording);
        CHECK(recording->events().events().size() == 1);
        CHECK_FALSE(recording->diagnostics().empty());
        CHECK(recording->data().size == std::min(size, builder.places().data_end) - builder.places().data);
    }
}

TEST_CASE("Data cut short lose the features behind them, not the events", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    auto file = builder.build();
    file.resize(static_cast<std::size_t>(builder.places().data_end - 8));
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK_FALSE(recording->interrupted());
    CHECK(recording->features().empty());
    CHECK(recording->hostname().empty());
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].code == ErrorCode::truncated);
    CHECK(recording->diagnostics().kept()[0].offset == header_field::data_size);
}

TEST_CASE("A data section that begins behind the file, or wraps around, holds what is there", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    const auto whole = builder.build();
    SECTION("behind the file") {
        const auto file = patched(whole, order, header_field::data_offset, std::uint64_t{whole.size() + 1});
        const auto recording = Recording::from_memory(file);
        REQUIRE(recording);
        CHECK(recording->data().size == 0);
        CHECK(types(*recording).empty());
        CHECK(recording->diagnostics().kept().at(0).offset == header_field::data_offset);
        CHECK(recording->outside_records() <= file.size());
    }
    SECTION("offset plus size beyond 2^64") {
        const auto file = patched(whole, order, header_field::data_size, ~std::uint64_t{0});
        const auto recording = Recording::from_memory(file);
        REQUIRE(recording);
        CHECK(recording->data().size == whole.size() - builder.places().data);
        CHECK(recording->diagnostics().kept().at(0).offset == header_field::data_size);
    }
}

TEST_CASE("A recording without records or features counts as interrupted and gives no records", "[recording]") {
    RecordingBuilder builder;
    builder.event(sampling_attr(sample_bit::ip));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->interrupted());
    CHECK(types(*recording).empty());
}

TEST_CASE("Every byte of a well-formed file belongs to records or to something else", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->outside_records() == file.size() - (builder.places().data_end - builder.places().data));
}

TEST_CASE("Sections that overlap each other or the records count each byte once", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = typical(order);
    const auto whole = builder.build();
    const auto outside = whole.size() - (builder.places().data_end - builder.places().data);
    const auto entry = static_cast<std::size_t>(builder.places().feature_entries.at(3));
    const auto host = builder.places().features.at(3);
    // HOSTNAME now covers the whole file, including the records.
    const auto file =
        patched(patched(whole, order, entry, std::uint64_t{0}), order, entry + 8, std::uint64_t{whole.size()});
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->outside_records() == outside);
    // ARCH now overlaps HOSTNAME, and its own bytes belong to nothing.
    const auto arch_entry = static_cast<std::size_t>(builder.places().feature_entries.at(6));
    const auto twice = patched(whole, order, arch_entry, host.offset);
    const auto sharing = Recording::from_memory(twice);
    REQUIRE(sharing);
    CHECK(sharing->outside_records() == outside - builder.places().features.at(6).size);
    CHECK(sharing->arch() == "guest");
}

TEST_CASE("A pipe stream of zeros opens without events, and says why", "[recording]") {
    const auto file = Writer(std::endian::little).text("PERFILE2").u64(16).zeros(64).take();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().empty());
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].code == ErrorCode::malformed);
    CHECK(recording->diagnostics().kept()[0].where == "pipe stream");
}

TEST_CASE("A pipe stream without any event opens, and its records are framed", "[recording]") {
    const auto exit = Writer(std::endian::little).u32(4).u16(0).u16(32).zeros(24).take();
    const auto round = Writer(std::endian::little).u32(68).u16(0).u16(8).take();
    const auto file = joined({Writer(std::endian::little).text("PERFILE2").u64(16).take(), exit, round});
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().empty());
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept().front().where == "pipe stream");
    Completeness completeness;
    REQUIRE(walk(*recording, completeness, [](const RecordContext&, const auto&) {}));
    CHECK(completeness.records.at(4).damaged == 1);
    CHECK(completeness.records.at(68).decoded == 1);
    CHECK(completeness.bytes.records == 40);
    CHECK(completeness.bytes.unread == 0);
}

TEST_CASE("What is no recording, or only the start of one, is an error", "[recording]") {
    const auto text = blob_of("not a recording at all, but a text of some length");
    CHECK(Recording::from_memory(text).error().code == ErrorCode::not_perf_data);
    CHECK(Recording::from_memory({}).error().code == ErrorCode::not_perf_data);
    const auto whole = typical(std::endian::little).build();
    CHECK(Recording::from_memory(Bytes(whole).first(60)).error().code == ErrorCode::truncated);
}

TEST_CASE("A header of nothing but zeros behind its size opens without events, and says why", "[recording]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto magic = order == std::endian::little ? "PERFILE2" : "2ELIFREP";
    const auto file = Writer(order).text(magic).u64(104).zeros(104 - 16).take();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().empty());
    const auto& told = recording->diagnostics().kept();
    const auto found = std::ranges::find(told, std::uint64_t{header_field::attr_size}, &Error::offset);
    REQUIRE(found != told.end());
    CHECK(found->code == ErrorCode::malformed);
}

TEST_CASE("A moved recording still reads its records", "[recording]") {
    const auto file = typical(std::endian::little).build();
    auto first = Recording::from_memory(file);
    REQUIRE(first);
    const Recording second = std::move(*first);
    check_typical(second);
}
