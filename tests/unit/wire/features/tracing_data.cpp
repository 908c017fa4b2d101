// SPDX-License-Identifier: MIT
#include "perfdata/wire/feature/tracing_data.hpp"

#include "catch.hpp"
#include "support/payload.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::vector<TraceFormat> formats_of(TracingData data) {
    std::vector<TraceFormat> formats;
    for (;;) {
        const auto format = data.next();
        REQUIRE(format);
        if (!*format) return formats;
        formats.push_back(**format);
    }
}

}  // namespace

TEST_CASE("TRACING_DATA is split into its parts", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // The recording's byte order does not matter: the blob contains its own.
    const auto recording_order = GENERATE(std::endian::little, std::endian::big);
    TracingBlob content;
    content.kallsyms = "ffff t f\n";
    const auto blob = tracing_data(order, content);
    const auto data = TracingData::decode(over(blob, recording_order));
    REQUIRE(data);
    CHECK(data->version() == "0.6");
    CHECK(data->order() == AnyOrder(order));
    CHECK(data->long_size() == 8);
    CHECK(data->page_size() == 4096);
    CHECK(data->header_page() == "\tfield: u64 timestamp;\n");
    CHECK(data->header_event() == "# compressed entry header\n");

    const auto formats = formats_of(*data);
    REQUIRE(formats.size() == 3);
    CHECK(formats[0].system == "ftrace");
    CHECK(formats[0].text == content.ftrace[0]);
    CHECK(formats[1].system == "sched");
    CHECK(formats[1].text == content.systems[0].formats[0]);
    CHECK(formats[1].id() == 314u);
    CHECK(formats[1].name() == "sched_switch");
    CHECK(formats[2].system == "sched");
    CHECK(formats[2].name() == "sched_waking");
    CHECK_FALSE(formats[2].id());

    const auto tail = data->tail();
    REQUIRE(tail);
    CHECK(tail->kallsyms == content.kallsyms);
    CHECK(tail->printk_formats == content.printk_formats);
    CHECK(tail->command_lines == content.command_lines);
}

TEST_CASE("TRACING_DATA gives its tail wherever the reading of formats stands", "[wire][features]") {
    const auto blob = tracing_data(std::endian::little, {});
    auto data = TracingData::decode(over(blob, std::endian::little));
    REQUIRE(data);
    for (int formats = 0; formats <= 4; ++formats) {
        const auto tail = data->tail();
        REQUIRE(tail);
        CHECK(tail->command_lines == "1 init\n");
        REQUIRE(data->next());
    }
}

TEST_CASE("TRACING_DATA before version 0.6 has no command lines", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    TracingBlob content;
    content.version = "0.5";
    const auto blob = tracing_data(order, content);
    const auto data = TracingData::decode(over(blob, order));
    REQUIRE(data);
    CHECK(data->version() == "0.5");
    const auto tail = data->tail();
    REQUIRE(tail);
    CHECK(tail->printk_formats == content.printk_formats);
    CHECK(tail->command_lines.empty());
}

TEST_CASE("TRACING_DATA in a pipe may have padding behind it", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = Writer(order).bytes(tracing_data(order, {})).zeros(7).take();
    const auto data = TracingData::decode(over(blob, order));
    REQUIRE(data);
    CHECK(formats_of(*data).size() == 3);
    CHECK(data->tail());
}

TEST_CASE("TRACING_DATA may have no formats at all", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    TracingBlob content;
    content.ftrace = {};
    content.systems = {};
    const auto blob = tracing_data(order, content);
    const auto data = TracingData::decode(over(blob, order));
    REQUIRE(data);
    CHECK(formats_of(*data).empty());
    CHECK(data->tail()->printk_formats == content.printk_formats);
}

TEST_CASE("TRACING_DATA cut anywhere gives the formats before the cut", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = tracing_data(order, {});
    for_every_cut(blob, [&](const Blob& cut) {
        auto data = TracingData::decode(over(cut, order));
        if (!data) {
            CHECK(data.error().code == ErrorCode::truncated);
            return;
        }
        CHECK_FALSE(data->tail());
        std::size_t formats = 0;
        auto format = data->next();
        for (; format && *format; format = data->next()) ++formats;
        CHECK(formats <= 3);
        if (format) CHECK(formats == 3);
    });
}

TEST_CASE("TRACING_DATA that is something else is malformed", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto blob = tracing_data(order, {});
    const auto code = [&](const Blob& damaged) { return TracingData::decode(over(damaged, order)).error().code; };
    CHECK(code(patched(blob, order, 1, std::uint8_t{9})) == ErrorCode::malformed);
    CHECK(code(patched(blob, order, 14, std::uint8_t{2})) == ErrorCode::malformed);    // byte order
    CHECK(code(patched(blob, order, 20, std::uint8_t{'x'})) == ErrorCode::malformed);  // header_page
    CHECK(code(patched(blob, order, 63, std::uint8_t{'x'})) == ErrorCode::malformed);  // header_event
}

TEST_CASE("TRACING_DATA counts and sizes are checked before use", "[wire][features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto start = [&] {
        Writer out(order);
        out.u8(0x17).u8(0x08).u8(0x44).text("tracing0.6").u8(0).u8(order == std::endian::big ? 1 : 0).u8(4).u32(4096);
        return out.text("header_page").u8(0).u64(0).text("header_event").u8(0).u64(0);
    };
    const auto next_error = [&](const Blob& blob) {
        auto data = TracingData::decode(over(blob, order));
        REQUIRE(data);
        const auto format = data->next();
        REQUIRE_FALSE(format);
        CHECK_FALSE(data->tail());
        return format.error().code;
    };
    CHECK(next_error(start().u32(0xffffffff).zeros(64).take()) == ErrorCode::truncated);                // formats
    CHECK(next_error(start().u32(1).u64(~std::uint64_t{0}).zeros(64).take()) == ErrorCode::truncated);  // one format
    CHECK(next_error(start().u32(0).u32(0xffffffff).zeros(64).take()) == ErrorCode::truncated);         // systems
    CHECK(next_error(start().u32(0).u32(1).text("endless").take()) == ErrorCode::truncated);            // a name
    CHECK(next_error(start().u32(0).u32(1).text("s").u8(0).u32(0x7fffffff).zeros(9).take()) == ErrorCode::truncated);

    const auto tail = [&](const Blob& blob) {
        const auto data = TracingData::decode(over(blob, order));
        REQUIRE(data);
        return data->tail().has_value();
    };
    CHECK(tail(start().u32(0).u32(0).u32(0).u32(0).u64(0).take()));
    CHECK_FALSE(tail(start().u32(0).u32(0).u32(0xffffffff).u32(0).u64(0).take()));
    CHECK_FALSE(tail(start().u32(0).u32(0).u32(0).u32(13).u64(0).take()));
    CHECK_FALSE(tail(start().u32(0).u32(0).u32(0).u32(0).u64(1).take()));
}

TEST_CASE("The id and name of a format are the first lines that say so", "[wire][features]") {
    const auto id = [](std::string_view text) { return TraceFormat{"s", text}.id(); };
    const auto name = [](std::string_view text) { return TraceFormat{"s", text}.name(); };
    CHECK(id("name: a\nID: 17\nformat:\n") == 17u);
    CHECK(id("ID:17") == 17u);
    CHECK(id("ID: 17\nID: 18\n") == 17u);
    CHECK_FALSE(id(" ID: 17\n"));
    CHECK_FALSE(id("ID: x\n"));
    CHECK_FALSE(id("ID:"));
    CHECK_FALSE(id("ID:    "));
    CHECK_FALSE(id("ID: 4294967296\n"));
    CHECK_FALSE(id(""));
    CHECK_FALSE(id("\n\n"));
    CHECK(name("name: sched_switch\nID: 1\n") == "sched_switch");
    CHECK(name("ID: 1\nname: last") == "last");
    CHECK(name("ID: 1\n").empty());
    CHECK(name("name:").empty());
}
