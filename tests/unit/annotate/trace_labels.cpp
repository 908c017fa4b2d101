// SPDX-License-Identifier: MIT
#include "trace/trace_labels.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/features.hpp"
#include "support/payload.hpp"
#include "support/sketch.hpp"
#include "support/writer.hpp"
#include "trace/trace_histogram.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Two tracepoints, crafted:one and crafted:two, with these formats behind their common field; a sample of the first
// for each of the data.
Blob labelled_recording(const std::vector<std::string>& formats, const std::vector<Blob>& raws, bool damaged = false) {
    RecordingBuilder builder(Sketch::order);
    TracingBlob data;
    data.systems = {{"crafted", {}}};
    std::vector<DescribedEvent> events;
    const char* const names[] = {"crafted:one", "crafted:two"};
    for (std::size_t at = 0; at < formats.size(); ++at) {
        auto attr = sampling_attr(Sketch::plain | sample_bit::identifier | sample_bit::raw);
        attr.type = attr_type::tracepoint;
        attr.config = 100 + at;
        builder.event(attr, {1 + at});
        events.push_back({attr, names[at], {1 + at}});
        data.systems[0].formats.push_back("name: e\nID: " + std::to_string(100 + at) +
                                          "\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
                                          "\tsigned:0;\n\n" +
                                          formats[at] + "\n");
    }
    std::uint64_t time = 10;
    for (const auto& raw : raws) {
        Writer body(Sketch::order);
        body.u64(1).u64(0x1000).u32(1).u32(1).u64(++time).u32(static_cast<std::uint32_t>(raw.size()));
        body.bytes(raw).align(8);
        builder.add(record(RecordType::sample, {Sketch::order, {}, Sketch::user}, body.take()));
    }
    auto blob = tracing_data(Sketch::order, data);
    if (damaged) blob.front() = std::byte{0};
    return builder.feature(Feature::tracing_data, std::move(blob))
        .feature(Feature::event_desc, event_desc(Sketch::order, events))
        .build();
}

// The labels of all samples in their order.
struct LabelsInOrder {
    explicit LabelsInOrder(const Blob& blob, std::string_view word) {
        const auto recording = Recording::from_memory(blob).value();
        auto made = TraceLabels::make(recording, {TraceKey::parse(word).value()}, {});
        REQUIRE(made);
        labels.emplace(std::move(*made));
        Completeness seen;
        REQUIRE(walk(recording, seen, *this));
    }
    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) {
        numbers.push_back(labels->number(context.event, sample.details().raw()));
        texts.emplace_back(labels->text(numbers.back()));
    }

    std::optional<TraceLabels> labels;
    std::vector<std::uint32_t> numbers;
    std::vector<std::string> texts;
};

// Why there are no labels, or no histograms, of the field.
std::string no_labels(const Blob& blob, std::string_view word) {
    const auto recording = Recording::from_memory(blob).value();
    const auto made = TraceLabels::make(recording, {TraceKey::parse(word).value()}, {});
    return made ? "" : made.error().detail;
}

std::string no_histograms(const Blob& blob, const std::string& name) {
    const auto recording = Recording::from_memory(blob).value();
    const auto made = TraceHistograms::make(TraceFields::read(recording), {{{name}}}, {0}, {"crafted:one"});
    return made ? "" : made.error().detail;
}

Blob two_numbers(std::uint32_t v, std::uint32_t w) {
    return Writer(Sketch::order).u16(100).zeros(6).u32(v).u32(w).take();
}

const std::string two_fields =
    "\tfield:int v;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:int w;\toffset:12;\tsize:4;\tsigned:1;\n\n";

}  // namespace

TEST_CASE("A label says what a sample with it printed, where another field decides that", "[annotate][trace]") {
    const auto blob =
        labelled_recording({two_fields + R"(print fmt: "v=%s w=%d", REC->w ? "yes" : REC->v ? "no" : "", REC->w)"},
                           {two_numbers(5, 0), two_numbers(5, 1), two_numbers(6, 1), two_numbers(5, 1)});
    const LabelsInOrder all(blob, "trace_fields");
    CHECK(all.texts == std::vector<std::string>{"v=no w=0", "v=yes w=1", "v=yes w=1", "v=yes w=1"});
    // The values tell them apart, as in perf.
    CHECK(all.numbers[1] != all.numbers[2]);
    CHECK(all.numbers[1] == all.numbers[3]);
    // By one value alone they are one row, which says what its first sample printed.
    const LabelsInOrder one(blob, "trace:v");
    CHECK(one.texts == std::vector<std::string>{"no", "no", "yes", "no"});
    CHECK(one.numbers[0] == one.numbers[1]);
}

TEST_CASE("A name that looks like another field makes no row of others", "[annotate][trace]") {
    const std::string names =
        "\tfield:char a[16];\toffset:2;\tsize:16;\tsigned:0;\n"
        "\tfield:char b[16];\toffset:18;\tsize:16;\tsigned:0;\n\n"
        "print fmt: \"a=%s b=%s\", REC->a, REC->b";
    const auto two_names = [](std::string one, std::string other) {
        one.resize(16);
        other.resize(16);
        return Writer(Sketch::order)
            .u16(100)
            .bytes(std::as_bytes(std::span(one)))
            .bytes(std::as_bytes(std::span(other)))
            .take();
    };
    const auto blob = labelled_recording({names}, {two_names("x", "y b=z"), two_names("x b=y", "z"),
                                                   two_names("x", "y b=z"), two_names("x", "y"), two_names("x", "y")});
    const LabelsInOrder all(blob, "trace_fields");
    CHECK(all.texts[0] == "a=x b=y b=z");
    CHECK(all.texts[1] == all.texts[0]);
    CHECK(all.numbers[0] != all.numbers[1]);
    CHECK(all.numbers[0] == all.numbers[2]);
    CHECK(all.numbers[3] == all.numbers[4]);
    CHECK(all.texts[3] == "a=x b=y");
}

TEST_CASE("Fields that are all of a sample's bytes make no long labels", "[annotate][trace]") {
    constexpr std::uint32_t size = 2000;
    constexpr std::size_t many = 200;
    std::string fields, print, arguments;
    for (std::size_t at = 0; at < many; ++at) {
        const auto name = "a" + std::to_string(at);
        fields += "\tfield:u8 " + name + "[2000];\toffset:0;\tsize:2000;\tsigned:0;\n";
        print += name + "=%d ";
        arguments += ", REC->" + name;
    }
    std::vector<Blob> raws;
    for (const auto last : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{1}}) {
        raws.push_back(Writer(Sketch::order).u16(100).fill(size - 3, 7).u8(last).take());
    }
    const LabelsInOrder all(labelled_recording({fields + "\nprint fmt: \"" + print + '"' + arguments}, raws),
                            "trace_fields");
    CHECK(all.texts[0].starts_with("a0=100 a1=100 a2=100 "));
    CHECK(all.texts[0].ends_with(" …"));
    // As much is looked at as a sample's text may take.
    CHECK(all.texts[0].size() < 200);
    // A difference far behind in an array tells samples apart.
    CHECK(all.numbers[0] != all.numbers[1]);
    CHECK(all.numbers[0] == all.numbers[2]);
}

TEST_CASE("Formats that cannot be read are told where fields are searched", "[annotate][trace]") {
    const auto fields = two_fields + R"(print fmt: "v=%d", REC->v)";
    const auto damaged = labelled_recording({fields}, {two_numbers(5, 0)}, true);
    CHECK(no_labels(damaged, "trace:v") ==
          "no event of the recording has the field v: the format of 1 tracepoint is damaged or too long");
    CHECK(no_histograms(damaged, "v") == "no event has a field v: the format of 1 tracepoint is damaged or too long");
    // One of two is too long.
    const auto half =
        labelled_recording({fields, two_fields + "print fmt: \"" + std::string(70000, 'x') + '"'}, {two_numbers(5, 0)});
    const LabelsInOrder labels(half, "trace:v");
    CHECK(labels.texts == std::vector<std::string>{"5"});
    REQUIRE(labels.labels->problems().size() == 1);
    CHECK(labels.labels->problems()[0].detail ==
          "the format of 1 tracepoint is damaged or too long: its samples have no fields");
    CHECK(no_labels(half, "trace:u").ends_with(": the format of 1 tracepoint is damaged or too long"));
    // So is one of too many fields.
    std::string many;
    for (std::size_t at = 0; at <= EventFields::most_fields; ++at) {
        many += "\tfield:u8 a" + std::to_string(at) + ";\toffset:8;\tsize:1;\n";
    }
    CHECK(no_labels(labelled_recording({many + '\n'}, {two_numbers(5, 0)}), "trace:a0") ==
          "no event of the recording has the field a0: the format of 1 tracepoint is damaged or too long");
}

TEST_CASE("Values stand for a text with too many arguments, and that is told", "[annotate][trace]") {
    std::string print, arguments;
    for (int at = 0; at < 257; ++at) {
        print += "v=%d ";
        arguments += ", REC->v + 1";
    }
    const LabelsInOrder labels(
        labelled_recording({two_fields + "print fmt: \"" + print + '"' + arguments}, {two_numbers(5, 0)}), "trace:v");
    CHECK(labels.texts == std::vector<std::string>{"5"});
    REQUIRE(labels.labels->problems().size() == 1);
    CHECK(labels.labels->problems()[0].code == ErrorCode::limit);
}

TEST_CASE("A key means the event of that name, or the only one whose name has it as a part", "[annotate][trace]") {
    const auto fields = two_fields + R"(print fmt: "v=%d", REC->v)";
    const auto blob = labelled_recording({fields, fields}, {two_numbers(5, 0)});
    const auto recording = Recording::from_memory(blob).value();
    const auto& events = recording.events().events();
    const auto takes = [&](std::string_view word) -> std::string {
        const auto found = TraceKey::parse(word).value().events_of(events, "--sort");
        if (!found) return found.error().detail;
        std::string text;
        for (const bool one : *found) text += one ? '1' : '0';
        return text;
    };
    CHECK(takes("trace:v") == "11");
    CHECK(takes("crafted:one.v") == "10");
    CHECK(takes("two.v") == "01");
    CHECK(takes("tw.v") == "01");
    CHECK(takes("crafted:tw.v") == "00");
    CHECK(takes("three.v") == "00");
    CHECK(takes("raf.v") == "raf is a part of the names of several events: crafted:one, crafted:two");
    // A whole name is not taken for a part of another.
    auto longer = events;
    longer[1].name = "crafted:one_more";
    const auto found = TraceKey::parse("one.v").value().events_of(longer, "--sort");
    REQUIRE(found);
    CHECK(*found == std::vector<bool>{true, false});
}
