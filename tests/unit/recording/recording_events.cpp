// SPDX-License-Identifier: MIT
// A recording's events: the attr section, its ids, and EVENT_DESC.
#include "perfdata/recording/recording.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/crafted.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Attr attr_of_size(std::uint32_t size, std::uint64_t config) {
    auto attr = sampling_attr(sample_bit::ip | sample_bit::identifier);
    attr.size = size;
    attr.config = config;
    attr.config2 = 0x2222222222222222;
    attr.branch_sample_type = 0x3333333333333333;
    attr.sig_data = 0x4444444444444444;
    return attr;
}

// Two events of the given attr size and stride, and one record: a file without any counts as interrupted.
RecordingBuilder two_events(std::endian order, std::uint32_t size, std::uint64_t stride) {
    RecordingBuilder builder(order);
    builder.layout.attr_stride = stride;
    builder.layout.ids_at = static_cast<std::size_t>(stride - 16);
    builder.event(attr_of_size(size, 1), {48, 49}).event(attr_of_size(size, 9), {0xffffffffffffff01});
    builder.add(encode(Lost{{1}, 7}, {.order = order, .trailer = {}, .misc = 0}));
    return builder;
}

const std::vector<EventId> first_ids = {{48}, {49}};
const std::vector<EventId> second_ids = {{0xffffffffffffff01}};

}  // namespace

TEST_CASE("Attrs of every size are read with their ids behind them", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const std::uint32_t size = GENERATE(64u, 72u, 80u, 96u, 104u, 112u, 120u, 128u, 136u, 144u, 152u, 400u);
    CAPTURE(size);
    const auto file = two_events(order, size, size + 16).build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto& events = recording->events().events();
    REQUIRE(events.size() == 2);
    CHECK(events[0].ids == first_ids);
    CHECK(events[1].ids == second_ids);
    CHECK(events[0].attr.size == size);
    CHECK(events[0].attr.config == 1);
    CHECK(events[1].attr.config == 9);
    CHECK(events[0].attr.sample_id_all());
    // Behind the attr is the place of the ids, not a field.
    CHECK(events[0].attr.config2 == (size > 64 ? 0x2222222222222222 : 0));
    CHECK(events[0].attr.branch_sample_type == (size > 72 ? 0x3333333333333333 : 0));
    CHECK(events[0].attr.sig_data == (size > 120 ? 0x4444444444444444 : 0));
    CHECK(recording->diagnostics().empty());
}

TEST_CASE("An attr of size 0 is the first ABI's: 64 bytes", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto file = two_events(order, 0, 144).build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto& events = recording->events().events();
    REQUIRE(events.size() == 2);
    CHECK(events[0].attr.size == 0);
    CHECK(events[0].attr.config2 == 0);
    CHECK(events[0].ids == first_ids);
    CHECK(events[1].ids == second_ids);
}

TEST_CASE("An attr smaller than its stride has its ids at the end of the stride", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto file = two_events(order, 104, 144).build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto& events = recording->events().events();
    CHECK(events[0].ids == first_ids);
    CHECK(events[1].ids == second_ids);
    CHECK(events[0].attr.branch_sample_type == 0x3333333333333333);
    // The file's attr of 128 bytes has sig_data at 120, beyond the size that this attr claims.
    CHECK(events[0].attr.sig_data == 0);
}

TEST_CASE("Ids directly behind a short attr are found if the stride's end makes no sense", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = two_events(order, 104, 160);
    builder.layout.ids_at = 104;
    auto file = builder.build();
    // The stride ends with 0xee bytes, which are neither an offset in the file nor a size.
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto& events = recording->events().events();
    CHECK(events[0].ids == first_ids);
    CHECK(events[1].ids == second_ids);
    CHECK(recording->diagnostics().empty());
}

TEST_CASE("Ids outside the file lose the ids, not the event, and say so", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = two_events(order, 128, 144);
    const auto whole = builder.build();
    const auto place = static_cast<std::size_t>(builder.places().attrs) + 128;
    const auto file = patched(whole, order, place, ~std::uint64_t{0} - 7);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto& events = recording->events().events();
    REQUIRE(events.size() == 2);
    CHECK(events[0].ids.empty());
    CHECK(events[1].ids == second_ids);
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].code == ErrorCode::truncated);
}

TEST_CASE("An id array that is no multiple of 8 is damage, and says so", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = two_events(order, 128, 144);
    const auto whole = builder.build();
    const auto file = patched(whole, order, static_cast<std::size_t>(builder.places().attrs) + 136, std::uint64_t{13});
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().events().size() == 2);
    CHECK_FALSE(recording->diagnostics().empty());
}

TEST_CASE("An event without ids is an event", "[recording][events]") {
    RecordingBuilder builder;
    builder.event(sampling_attr(sample_bit::ip)).add(encode(Lost{{1}, 7}));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().events().at(0).ids.empty());
    CHECK(recording->diagnostics().empty());
}

TEST_CASE("Events take their names from EVENT_DESC, in the order of the attrs", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = two_events(order, 128, 144);
    builder.feature(Feature::event_desc, event_desc(order, {{attr_of_size(128, 1), "cpu-clock:u", {48, 49}},
                                                            {attr_of_size(128, 9), "dummy:HG", {1}}}));
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto& events = recording->events().events();
    CHECK(events[0].name == "cpu-clock:u");
    CHECK(events[1].name == "dummy:HG");
    // Ids from the attr section are not replaced.
    CHECK(events[1].ids == second_ids);
}

TEST_CASE("Events without EVENT_DESC are named after their attr", "[recording][events]") {
    const auto file = two_events(std::endian::little, 128, 144).build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().events()[0].name == "task-clock:HG");
    CHECK(recording->events().events()[1].name == "dummy:HG");
}

TEST_CASE("EVENT_DESC supplies ids that the attr section lost", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = two_events(order, 128, 144);
    builder.feature(Feature::event_desc,
                    event_desc(order, {{attr_of_size(128, 1), "a", {48, 49}}, {attr_of_size(128, 9), "b", {77}}}));
    const auto whole = builder.build();
    const auto file =
        patched(whole, order, static_cast<std::size_t>(builder.places().attrs) + 128, ~std::uint64_t{0} - 7);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().events()[0].ids == first_ids);
    CHECK(recording->events().events()[1].ids == second_ids);
}

TEST_CASE("EVENT_DESC stands in for a damaged attr section", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = two_events(order, 128, 144);
    builder.feature(Feature::event_desc,
                    event_desc(order, {{attr_of_size(128, 1), "a", {48, 49}}, {attr_of_size(128, 9), "b", {77}}}));
    const auto whole = builder.build();
    struct Damage {
        const char* name;
        std::size_t field;
        std::uint64_t value;
    };
    const auto damage = GENERATE(Damage{"offset behind the file", header_field::attrs_offset, 1u << 30},
                                 Damage{"no entries", header_field::attrs_size, 0},
                                 Damage{"size beyond the file", header_field::attrs_size, 144 * 1000},
                                 Damage{"size beyond 2^63", header_field::attrs_size, ~std::uint64_t{0}},
                                 Damage{"stride 0", header_field::attr_size, 0},
                                 Damage{"stride too small for an attr", header_field::attr_size, 79},
                                 Damage{"stride beyond sense", header_field::attr_size, 1u << 20});
    CAPTURE(damage.name);
    const auto file = patched(whole, order, damage.field, damage.value);
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto& events = recording->events().events();
    REQUIRE(events.size() == 2);
    CHECK(events[0].name == "a");
    CHECK(events[0].ids == first_ids);
    CHECK(events[0].attr.config == 1);
    CHECK(events[0].attr.sample_type == (sample_bit::ip | sample_bit::identifier));
    CHECK(events[0].trailer.size() == 8);
    CHECK(events[1].name == "b");
    CHECK(events[1].ids == std::vector<EventId>{{77}});
    CHECK_FALSE(recording->diagnostics().empty());
    CHECK(recording->outside_records() <= file.size());
}

TEST_CASE("A recording with neither attrs nor EVENT_DESC opens without events", "[recording][events]") {
    const auto whole = two_events(std::endian::little, 128, 144).build();
    const auto file = patched(whole, std::endian::little, header_field::attrs_size, std::uint64_t{0});
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().empty());
}

TEST_CASE("A damaged EVENT_DESC keeps the events and loses their names", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = two_events(order, 128, 144);
    builder.feature(Feature::event_desc, Writer(order).u32(0xffffffff).u32(128).zeros(20).take());
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    CHECK(recording->events().events()[0].name == "task-clock:HG");
    CHECK(recording->events().events()[0].ids == first_ids);
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].where == "feature EVENT_DESC");
}

TEST_CASE("More events than the limit are not read, and that is told", "[recording][events]") {
    const auto file = two_events(std::endian::little, 128, 144).build();
    OpenOptions options;
    options.limits.events = 1;
    const auto limited = Recording::from_memory(file, options);
    REQUIRE(limited);
    CHECK(limited->events().empty());
    REQUIRE_FALSE(limited->diagnostics().empty());
    CHECK(limited->diagnostics().kept()[0].code == ErrorCode::limit);
    options.limits.events = 2;
    const auto allowed = Recording::from_memory(file, options);
    REQUIRE(allowed);
    CHECK(allowed->events().events().size() == 2);
}

TEST_CASE("More ids than the limit are left out, and said", "[recording][events]") {
    const auto file = two_events(std::endian::little, 128, 144).build();
    OpenOptions options;
    options.limits.ids = 2;
    const auto recording = Recording::from_memory(file, options);
    REQUIRE(recording);
    CHECK(recording->events().events()[0].ids == first_ids);
    CHECK(recording->events().events()[1].ids.empty());
    REQUIRE(recording->diagnostics().count() == 1);
    CHECK(recording->diagnostics().kept()[0].code == ErrorCode::limit);
}

TEST_CASE("Events that claim the same ids have no more of them than the file has room for", "[recording][events]") {
    constexpr std::uint64_t count = 200;
    const auto order = std::endian::little;
    RecordingBuilder builder(order);
    builder.event(sampling_attr(sample_bit::ip), std::vector<std::uint64_t>(count, 5));
    for (std::uint64_t event = 1; event < count; ++event) builder.event(sampling_attr(sample_bit::ip));
    builder.add(bare_record(order, static_cast<std::uint32_t>(RecordType::finished_init), 0, RecordHeader::bytes));
    Writer file(order);
    file.bytes(builder.build());
    const auto& places = builder.places();
    for (std::uint64_t event = 0; event < count; ++event) {
        const auto pair = places.attrs + event * builder.layout.attr_stride + builder.layout.ids_at;
        file.patch(pair, places.ids[0]).patch(pair + 8, std::uint64_t{8 * count});
    }
    const auto recording = Recording::from_memory(file.blob());
    REQUIRE(recording);
    const auto& events = recording->events().events();
    REQUIRE(events.size() == count);
    std::size_t ids = 0;
    for (const auto& event : events) ids += event.ids.size();
    CHECK(events.front().ids.size() == count);
    CHECK(ids <= file.size() / 8);
    REQUIRE_FALSE(recording->diagnostics().empty());
    CHECK(recording->diagnostics().kept()[0].code == ErrorCode::malformed);
    CHECK(recording->diagnostics().kept()[0].where == "event ids");
}

TEST_CASE("In a pipe the first name for any id of an event counts", "[recording][events]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Writer out(order);
    out.bytes(pipe_header(order));
    out.bytes(header_attr(order, sampling_attr(sample_bit::ip | sample_bit::id), 128, {1, 2, 3}));
    out.bytes(header_attr(order, sampling_attr(sample_bit::ip | sample_bit::id), 128, {4}));
    out.bytes(header_attr(order, sampling_attr(sample_bit::ip | sample_bit::id), 128, {6}));
    const auto name = [&](std::uint64_t id, std::string_view text) {
        out.bytes(
            record(RecordType::event_update, {order, {}, 0}, Writer(order).u64(2).u64(id).padded_text(text).take()));
    };
    name(9, "of nobody");
    name(3, "");
    name(2, "first");
    name(1, "second");
    name(2, "third");
    name(4, "other");
    name(4, "again");
    const auto recording = Recording::from_memory(out.blob());
    REQUIRE(recording);
    const auto& events = recording->events().events();
    REQUIRE(events.size() == 3);
    CHECK(events[0].name == "first");
    CHECK(events[1].name == "other");
    CHECK(events[2].name == "cpu-clock:HG");
}
