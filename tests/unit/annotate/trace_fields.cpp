// SPDX-License-Identifier: MIT
#include "trace/trace_fields.hpp"

#include <bit>
#include <map>
#include <optional>

#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/writer.hpp"
#include "trace/trace_histogram.hpp"
#include "trace/trace_labels.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string counted_format =
    "name: counted\nID: 9\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:s64 delta;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield:unsigned long bytes;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:int pair[2];\toffset:24;\tsize:8;\tsigned:1;\n"
    "\tfield:char comm[4];\toffset:32;\tsize:4;\tsigned:1;\n"
    "\tfield:void * where;\toffset:36;\tsize:8;\tsigned:0;\n"
    "\tfield:__data_loc unsigned long[] mask;\toffset:44;\tsize:4;\tsigned:0;\n"
    "\tfield:struct in_addr odd;\toffset:48;\tsize:3;\tsigned:0;\n";

TraceFields counted_fields(std::endian order = std::endian::little) {
    return TraceFields::of_formats({counted_format, "name: other\n"}, AnyOrder(order));
}

Blob counted_raw(std::endian order, std::int64_t delta, std::uint64_t bytes = 0) {
    return Writer(order)
        .zeros(8)
        .u64(static_cast<std::uint64_t>(delta))
        .u64(bytes)
        .u32(~0u)
        .u32(7)
        .text("ls")
        .zeros(2)
        .u64(0xffff0000)
        .u32(16u << 16 | 51)
        .text("xyz")
        .u64(5)
        .u64(6)
        .take();
}

std::string shown_value(std::string_view name, std::optional<std::uint32_t> index = {}, std::size_t cut = 0) {
    const auto order = std::endian::big;
    const auto fields = counted_fields(order);
    const auto raw = counted_raw(order, -3, 8);
    const auto* const field = fields.of(0)->find_own(name);
    REQUIRE(field != nullptr);
    std::string text;
    const auto part = Bytes(raw).first(raw.size() - cut);
    return append_field_value(text, field->type, index, part, fields.order()) ? text : "nothing";
}

}  // namespace

TEST_CASE("Fields of a format have types", "[annotate][trace]") {
    const auto fields = counted_fields();
    const auto& format = *fields.of(0);
    CHECK(format.common().size() == 1);
    REQUIRE(format.own().size() == 7);
    CHECK(format.find_own("common_type") == nullptr);
    CHECK(format.find_common("common_type") != nullptr);
    CHECK(format.find_own("pair")->type.kind == FieldType::Kind::numbers);
    CHECK(format.find_own("pair")->type.element == 4);
    CHECK(format.find_own("mask")->type.element == 8);
    CHECK(format.find_own("comm")->type.kind == FieldType::Kind::text);
    CHECK(format.find_own("where")->type.is_address);
    CHECK(format.find_own("odd")->type.kind == FieldType::Kind::other);
    CHECK(EventFields::parse(counted_format, 4).find_own("mask")->type.element == 4);
    CHECK(fields.of(1)->own().empty());
    CHECK(fields.of(2) == nullptr);
    // Lines that make no sense are left out, and so are fields behind a limit.
    for (const auto* const line :
         {"field:int x;", "field:int x; offset:1;", "field:int x; offset:65536; size:4;", "field:; offset:0; size:4;",
          "field:__data_loc char[] x; offset:0; size:2;", "field:int x\x01; offset:0; size:4;"}) {
        CHECK(EventFields::parse(line).own().empty());
    }
    std::string many;
    for (unsigned at = 0; at < 2000; ++at) many += "field:int x; offset:0; size:4; signed:1;\n";
    CHECK(EventFields::parse(many).own().size() == EventFields::most_fields);
}

TEST_CASE("Values of fields are shown by their types", "[annotate][trace]") {
    CHECK(shown_value("delta") == "-3");
    // As perf shows an unsigned long.
    CHECK(shown_value("bytes") == "0x8");
    CHECK(shown_value("pair") == "[-1, 7]");
    CHECK(shown_value("pair", 1) == "7");
    CHECK(shown_value("pair", 2) == "nothing");
    CHECK(shown_value("comm") == "ls");
    CHECK(shown_value("where") == "0xffff0000");
    CHECK(shown_value("mask") == "[5, 6]");
    CHECK(shown_value("mask", 1) == "6");
    CHECK(shown_value("mask", {}, 1) == "nothing");
    CHECK(shown_value("odd", {}, 16) != "nothing");
    CHECK(shown_value("odd", {}, 17) == "nothing");
}

TEST_CASE("Fields that an event prints as addresses are shown so", "[annotate][trace]") {
    const auto fields = EventFields::parse(
        "name: kmalloc\nID: 9\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
        "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
        "\tfield:size_t bytes_req;\toffset:16;\tsize:8;\tsigned:0;\n"
        "\tfield:unsigned long last;\toffset:24;\tsize:8;\tsigned:0;\n"
        "\nprint fmt: \"a, %s call_site=%pS bytes=%zu %*d%% %p\", (REC->x) ? \"(\\\",\" : f(1, 2), "
        "(void *)REC->call_site, REC->bytes_req, 3, 4, REC->last\n");
    CHECK(fields.find_own("call_site")->type.is_address);
    CHECK_FALSE(fields.find_own("bytes_req")->type.is_address);
    CHECK(fields.find_own("last")->type.is_address);
}

TEST_CASE("Names of fields and words of --sort are parsed", "[annotate][trace]") {
    CHECK(parse_field_name("pid") == FieldName{"pid"});
    CHECK(parse_field_name("args[2]") == FieldName{"args", 2});
    CHECK(parse_field_name("args[2]")->text() == "args[2]");
    for (const auto* const wrong : {"", "a b", "a[", "a[]", "a[1", "a[x]", "a[1]b", "[1]", "a[70000]", "a.b"}) {
        CHECK_FALSE(parse_field_name(wrong));
    }
    using Kind = TraceKey::Kind;
    CHECK(TraceKey::parse("trace") == TraceKey{Kind::text});
    CHECK(TraceKey::parse("trace_fields") == TraceKey{Kind::all_fields});
    CHECK(TraceKey::parse("trace:pid") == TraceKey{Kind::field, "", {"pid"}});
    CHECK(TraceKey::parse("sched:sched_switch.prev_pid") == TraceKey{Kind::field, "sched:sched_switch", {"prev_pid"}});
    CHECK(TraceKey::parse("sched:sched_switch.*") == TraceKey{Kind::all_fields, "sched:sched_switch"});
    CHECK(TraceKey::parse("a.b/raw") == TraceKey{Kind::field, "a", {"b"}, true});
    CHECK(TraceKey::parse("trace:b/raw") == TraceKey{Kind::field, "", {"b"}, true});
    CHECK_FALSE(TraceKey::parse("a/b.c"));
    CHECK(TraceKey::parse("a.args[1]") == TraceKey{Kind::field, "a", {"args", 1}});
    for (const auto* const wrong : {"", "pid", "trace:", ".pid", "a.", "trace:a b"})
        CHECK_FALSE(TraceKey::parse(wrong));
}

TEST_CASE("Where only fields are meant, their names alone are enough", "[annotate][trace]") {
    using Kind = TraceKey::Kind;
    CHECK(TraceKey::parse_field("ret") == TraceKey{Kind::field, "", {"ret"}});
    CHECK(TraceKey::parse_field("trace") == TraceKey{Kind::field, "", {"trace"}});
    CHECK(TraceKey::parse_field("trace:args[1]") == TraceKey{Kind::field, "", {"args", 1}});
    CHECK(TraceKey::parse_field("raw_syscalls:sys_exit.ret") ==
          TraceKey{Kind::field, "raw_syscalls:sys_exit", {"ret"}});
    for (const auto* const wrong : {"", "a b", "trace:", "trace:*", "sys_exit.*", "1.5", "a."}) {
        CHECK_FALSE(TraceKey::parse_field(wrong));
    }
}

TEST_CASE("A histogram of one event's field is of that event, and each field counts once", "[annotate][trace]") {
    const auto both = [] { return TraceFields::of_formats({counted_format, counted_format}, AnyOrder()); };
    auto made = TraceHistograms::make(both(), {{{"delta"}, "b", {false, true}}, {{"delta"}}}, {0, 1}, {"a", "b"});
    REQUIRE(made);
    const auto raw = counted_raw(std::endian::little, 1);
    for (const std::uint32_t event : {0u, 1u, 1u}) made->add(event, Bytes(raw));
    const auto all = made->histograms();
    REQUIRE(all.size() == 2);
    CHECK(all[0].event == 1);
    CHECK(all[0].samples == 2);
    CHECK(all[1].event == 0);
    CHECK(all[1].samples == 1);
    const auto none = TraceHistograms::make(both(), {{{"nosuch"}, "b", {false, true}}}, {0, 1}, {"a", "b"});
    REQUIRE_FALSE(none);
    CHECK(none.error().detail == "no event b has a field nosuch");
    CHECK_FALSE(TraceHistograms::make(both(), {{{"delta"}, "c", {false, false}}}, {0, 1}, {"a", "b"}));
}

TEST_CASE("Histograms have buckets of powers of two on both sides of zero", "[annotate][trace]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto made =
        TraceHistograms::make(counted_fields(order), {{{"delta"}}, {{"bytes"}}, {{"pair", 1}}}, {0, 1}, {"a", "b"});
    REQUIRE(made);
    for (const std::int64_t delta : {0, 1, 2, 3, 4, -1, -2, -3, -4, 3}) {
        const auto raw = counted_raw(order, delta, ~std::uint64_t{0});
        made->add(0, Bytes(raw));
        made->add(1, Bytes(raw));
    }
    made->add(0, Bytes(counted_raw(order, 0)).first(10));
    made->add(0, {});
    CHECK(made->without_field() == 10);
    const auto all = made->histograms();
    REQUIRE(all.size() == 3);
    const auto& delta = all[0];
    CHECK(delta.field == "delta");
    CHECK(delta.samples == 10);
    CHECK(delta.no_value == 2);
    CHECK(delta.text_of(delta.least) == "-4");
    CHECK(delta.text_of(delta.most) == "4");
    CHECK(mean_text(delta.mean) == "0.3");
    std::string text;
    for (const auto& bucket : delta.buckets)
        text += delta.label_of(bucket) + "=" + std::to_string(bucket.samples) + " ";
    CHECK(text == "(-8, -4]=1 (-4, -2]=2 [-1]=1 [0]=1 [1]=1 [2, 4)=3 [4, 8)=1 ");
    const auto& bytes = all[1];
    CHECK(bytes.text_of(bytes.most) == "18446744073709551615");
    CHECK(bytes.mean > 1.8446744073e19);
    REQUIRE(bytes.buckets.size() == 1);
    CHECK(bytes.label_of(bytes.buckets[0]) == "[8E, 16E)");
    CHECK(bytes.buckets[0].last == ~std::uint64_t{0});
    CHECK(all[2].field == "pair[1]");
    CHECK(mean_text(all[2].mean) == "7");
}

TEST_CASE("A field without samples has an empty histogram", "[annotate][trace]") {
    const auto made = TraceHistograms::make(counted_fields(), {{{"delta"}}, {{"bytes"}}}, {0, 1}, {"a", "b"});
    REQUIRE(made);
    const auto all = made->histograms();
    REQUIRE(all.size() == 2);
    CHECK(all[0].field == "delta");
    CHECK(all[0].samples == 0);
    CHECK(all[0].buckets.empty());
}

TEST_CASE("A text has no histogram where another event has a number of that name", "[annotate][trace]") {
    auto fields = TraceFields::of_formats({counted_format,
                                           "name: other\nID: 8\nformat:\n\n"
                                           "\tfield:int comm;\toffset:8;\tsize:4;\tsigned:1;\n"},
                                          AnyOrder());
    auto made = TraceHistograms::make(std::move(fields), {{{"comm"}}}, {0, 1}, {"a", "b"});
    REQUIRE(made);
    const auto raw = counted_raw(std::endian::little, 1);
    for (const std::uint32_t event : {0u, 1u, 1u}) made->add(event, Bytes(raw));
    CHECK(made->without_field() == 1);
    const auto all = made->histograms();
    REQUIRE(all.size() == 1);
    CHECK(all[0].event == 1);
    CHECK(all[0].samples == 2);
}

TEST_CASE("The lowest number has a bucket of its own", "[annotate][trace]") {
    HistogramCounter counter;
    counter.add({std::uint64_t{1} << 63, true});
    const auto histogram = counter.histogram(0, "x", true);
    REQUIRE(histogram.buckets.size() == 1);
    CHECK(histogram.label_of(histogram.buckets[0]) == "[-9223372036854775808]");
    CHECK(histogram.mean == -9223372036854775808.0);
    CHECK(HistogramCounter().histogram(0, "x", false).buckets.empty());
    CHECK(mean_text(-0.0001) == "0");
}

TEST_CASE("A histogram takes room for the buckets that have values, not for all that there are", "[annotate][trace]") {
    CHECK(sizeof(HistogramCounter) <= 96);
    HistogramCounter counter;
    const std::int64_t values[] = {100, std::int64_t{1} << 62, 0, 101, -5, 0};
    for (const auto value : values) counter.add({static_cast<std::uint64_t>(value), true});
    CHECK(counter.buckets() == 4);
    const auto histogram = counter.histogram(0, "x", true);
    std::string text;
    for (const auto& bucket : histogram.buckets) {
        if (bucket.samples != 0) text += histogram.label_of(bucket) + "=" + std::to_string(bucket.samples) + " ";
    }
    CHECK(text == "(-8, -4]=1 [0]=2 [64, 128)=2 [4E, 8E)=1 ");
    CHECK(histogram.buckets.size() == 3 + 1 + 63);
}

TEST_CASE("Fields without numbers have no histogram", "[annotate][trace]") {
    const auto refused = [](FieldName name) {
        const auto made = TraceHistograms::make(counted_fields(), {{std::move(name)}}, {0, 1}, {"a", "b"});
        return made ? "" : made.error().detail;
    };
    CHECK(refused({"comm"}) == "comm of a is a text: --sort trace:comm counts texts");
    CHECK(refused({"pair"}) == "pair of a is an array: choose an element, such as pair[0]");
    CHECK(refused({"delta", 1}) == "delta[1] of a is no array");
    CHECK(refused({"odd"}) == "odd of a is no number");
    CHECK(refused({"nosuch"}) == "no event has a field nosuch");
    CHECK(refused({"where"}).empty());
}

namespace {

// Labels of the samples of tp.data by the key, and how many have them.
struct LabelledSamples {
    explicit LabelledSamples(std::string_view word) {
        const auto recording = Recording::open(fixture("records/tp.data")).value();
        auto made = TraceLabels::make(recording, {TraceKey::parse(word).value()}, {});
        REQUIRE(made);
        labels.emplace(std::move(*made));
        Completeness seen;
        REQUIRE(walk(recording, seen, *this));
    }
    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        const auto number = labels->number(context.event, sample.details().raw());
        if (number != 0) ++counts[std::string(labels->text(number))];
    }

    std::optional<TraceLabels> labels;
    std::map<std::string, int> counts;
};

}  // namespace

TEST_CASE("Labels of fields are what the event prints for them, or the values", "[annotate][trace][fixtures]") {
    using Counts = std::map<std::string, int>;
    // As perf report --sort sched_switch.prev_state.
    CHECK(LabelledSamples("sched_switch.prev_state").counts == Counts{{"S", 24}, {"R", 1}});
    CHECK(LabelledSamples("trace:prev_state").counts == Counts{{"S", 24}, {"R", 1}});
    CHECK(LabelledSamples("trace:prev_state/raw").counts == Counts{{"1", 24}, {"0", 1}});
    CHECK(LabelledSamples("sched_switch.prev_comm").counts.size() ==
          LabelledSamples("trace:prev_comm/raw").counts.size());
}
