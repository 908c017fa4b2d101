// SPDX-License-Identifier: MIT
// Samples with their callers only in a copy of the user stack, which is not unwound: counted everywhere, and shown as
// far as known.
#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/annotate/report/stack_facts.hpp"
#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "script/script.hpp"
#include "support/build.hpp"
#include "support/samples.hpp"
#include "support/text_parts.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t exclude_callchain_user = 1u << 22;
constexpr auto with_stack = sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::callchain |
                            sample_bit::regs_user | sample_bit::stack_user;

Attr stack_attr(std::uint64_t sample_type, std::uint64_t flags) {
    auto attr = sampling_attr(sample_type);
    attr.flags |= flags;
    attr.sample_regs_user = 3;
    attr.sample_stack_user = 16;
    attr.sample_period = 1;
    return attr;
}

SampleContent content(std::uint64_t ip, std::size_t stack, std::uint64_t copied,
                      std::vector<std::uint64_t> chain = {}) {
    SampleContent content;
    content.fixed.ip = ip;
    content.fixed.pid = content.fixed.tid = 7;
    content.fixed.time = 1'000'000'000 + ip;
    content.callchain = std::move(chain);
    content.user_registers = {2, {1, 2}};
    content.stack = Blob(stack);
    content.stack_copied = copied;
    return content;
}

// Three samples with a stack, one of them with a part of its callers; one without a stack; one with an empty copy.
Blob recording_of(std::endian order, const Attr& attr) {
    constexpr auto kernel = static_cast<std::uint64_t>(-128);
    RecordingBuilder builder(order);
    builder.event(attr);
    constexpr std::uint16_t in_user = 2, in_kernel = 1;
    builder.add(encode(order, attr, content(0x1111, 16, 16), in_user));
    builder.add(encode(order, attr, content(0x2222, 16, 8), in_user));
    builder.add(encode(
        order, attr, content(0xffffffff81003333, 16, 16, {kernel, 0xffffffff81003333, 0xffffffff81004444}), in_kernel));
    builder.add(encode(order, attr, content(0x5555, 0, 0), in_user));
    builder.add(encode(order, attr, content(0x6666, 16, 0), in_user));
    return builder.build();
}

struct Told {
    std::uint64_t completeness = 0, counts = 0, script = 0, deep = 0;
    std::string text, json, report, report_json;
};

Told tell(const Blob& file, bool chains = true, std::size_t most_frames = 127) {
    const auto recording = Recording::from_memory(file);
    REQUIRE(recording);
    const auto timeline = Timeline::build(*recording).value();
    SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.jit.as_recorded = false;
    const auto names = Symbolizer::open(*recording, timeline, sources);
    Told told;
    told.completeness = timeline.completeness().stacks_not_unwound;
    ScriptOptions script;
    script.chains = chains;
    script.most_frames = most_frames;
    REQUIRE(script.fields.fit(*recording, chains));
    const auto write = [&](bool json, std::string& text) {
        script.json = json;
        const auto counts = write_script(*recording, names, script, [&](std::string_view part) { text += part; });
        REQUIRE(counts);
        told.script = counts->stacks.incomplete();
        told.deep = counts->deep_chains;
    };
    write(false, told.text);
    write(true, told.json);
    ReportOptions options;
    options.children = chains;
    const auto counts = SampleCounts::count(*recording, timeline, count_options(options, names)).value();
    told.counts = counts.chain_losses().stacks.incomplete();
    const auto report = Report::make(*recording, counts, names, options);
    write_report_text(report, {}, [&](std::string_view part) { told.report += part; });
    write_report_json(report, [&](std::string_view part) { told.report_json += part; });
    return told;
}

// Callers that the timeline, counts and script say are missing.
void check_counts(const Told& told, std::uint64_t completeness, std::uint64_t counted) {
    CHECK(told.completeness == completeness);
    CHECK(told.counts == counted);
    CHECK(told.script == counted);
}

}  // namespace

TEST_CASE("Stacks that are not unwound are counted, and their samples keep their address", "[annotate][user_stacks]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto told = tell(recording_of(order, stack_attr(with_stack, exclude_callchain_user)));
    // Of two stacks nothing was copied. Their callers are missing all the same.
    check_counts(told, 3, 5);
    // A partial chain is shown as it is. Other samples have only their address as a frame.
    CHECK(has(told.text, "\n\t            1111 [unknown] ([unknown])\n\n"));
    CHECK(has(told.text, "\n\t            2222 [unknown] ([unknown])\n\n"));
    CHECK(has(told.text, "\n\tffffffff81003333 [unknown] ("));
    CHECK(has(told.text, ")\n\tffffffff81004444 [unknown] ("));
    CHECK(has(told.text, "\n\t            5555 [unknown] ([unknown])\n\n"));
    CHECK(has(told.text, "\n\t            6666 [unknown] ([unknown])\n\n"));
    CHECK(count(told.text, "\n\t") == 6);
    CHECK(count(told.json, "\"stack_unwound\":false") == 5);
    CHECK(count(told.json, "\"stack_end\":\"failed_copy\"") == 2);
    CHECK(has(told.json, "\"callchain\":[{\"ip\":\"0x1111\""));
    // The recording does not say its architecture.
    CHECK(has(told.report, "# 3 of 5 user stacks (60.00%) end: stacks of this architecture cannot be unwound"));
    CHECK(has(told.report, "# 2 of 5 user stacks (40.00%) end: the kernel could copy no more of the stack"));
    CHECK(has(told.report_json, "\"unsupported\": 3"));
    CHECK(has(told.report_json, "\"failed_copy\": 2"));
    CHECK(has(told.report_json, "\"hidden_rows\": 0"));
    CHECK(count(told.report_json, "\"stacks_not_unwound\": 5") == 2);  // in the rows and in the completeness
}

TEST_CASE("A note says which larger copy helps, and where none does", "[annotate][user_stacks]") {
    UnwoundStacks counts;
    const auto end_at = [&](std::uint64_t size) {
        UserState state;
        state.asked_for = size;
        counts.add(state, {StackEnd::short_copy});
    };
    for (const std::uint64_t size : {8192u, 40000u, 65200u, 65240u, 65240u, 65528u}) end_at(size);
    CHECK(
        StackFacts{counts, {}, {}}.notes() ==
        std::vector<std::string>{
            "4 of 6 user stacks (66.67%) end at the 65528 bytes that a sample can hold: --call-graph fp or lbr has no "
            "such limit",
            "1 of 6 user stacks (16.67%) end at the 8192 bytes that were copied: record with --call-graph dwarf,16384",
            "1 of 6 user stacks (16.67%) end at the 40000 bytes that were copied: record with --call-graph "
            "dwarf,65528"});
}

TEST_CASE("A note names the size that reaches the next frames, and says where none does", "[annotate][user_stacks]") {
    UnwoundStacks counts;
    UserState state;
    state.asked_for = 8192;
    counts.add(state, {StackEnd::short_copy, {}, 8200});
    counts.add(state, {StackEnd::short_copy, {}, 20001});
    counts.add(state, {StackEnd::out_of_reach});
    CHECK(StackFacts{counts, {}, {}}.notes() ==
          std::vector<std::string>{
              "2 of 3 user stacks (66.67%) end at the 8192 bytes that were copied: record with --call-graph "
              "dwarf,20008",
              "1 of 3 user stacks (33.33%) end: the next frame lies where no copy of the stack reaches, on another "
              "stack or more than 65528 bytes above - --call-graph fp or lbr has no such limit"});
}

TEST_CASE("A note names the debug file that may have unwind information", "[annotate][user_stacks]") {
    UnwoundStacks counts;
    UserState state;
    counts.add(state, {StackEnd::no_unwind_info, ObjectIndex{0}});
    counts.add(state, {StackEnd::no_unwind_info, ObjectIndex{1}});
    counts.add(state, {StackEnd::no_unwind_info, ObjectIndex{1}});
    counts.add(state, {StackEnd::no_unwind_info, ObjectIndex{2}});
    const StackFacts facts{counts,
                           {},
                           {{"/lib/b.so", 2, "", ""},
                            {"/lib/a.so", 1, "", "it names the debug file a.debug, which was not found"},
                            {"/lib/c.so", 1, "", ""}}};
    const std::string why = "the code has no unwind information, and no frame pointer leads on";
    CHECK(facts.notes() == std::vector<std::string>{"3 of 4 user stacks (75.00%) end in b.so, c.so: " + why,
                                                    "1 of 4 user stacks (25.00%) end in a.so: " + why +
                                                        " - it names the debug file a.debug, which was not found"});
}

TEST_CASE("Without chains nothing is said of stacks but in the completeness", "[annotate][user_stacks]") {
    const auto told = tell(recording_of(std::endian::little, stack_attr(with_stack, exclude_callchain_user)), false);
    CHECK(told.completeness == 3);
    CHECK(told.script == 0);
    CHECK_FALSE(has(told.json, "stack_unwound"));
}

TEST_CASE("No frames of a chain are wanted: samples keep their address, in their line", "[annotate][user_stacks]") {
    for (const bool copies : {true, false}) {
        const auto file =
            recording_of(std::endian::little, stack_attr(with_stack, copies ? exclude_callchain_user : 0));
        const auto told = tell(file, true, 0);
        CHECK(told.script == 0);
        CHECK(told.deep == 0);
        CHECK(has(told.text, " 1111 [unknown] ([unknown])\n"));
        CHECK_FALSE(has(told.text, "\n\t"));
        CHECK_FALSE(has(told.text, "\n\n"));
        CHECK_FALSE(has(told.json, "callchain"));
        CHECK_FALSE(has(told.json, "stack_end"));
        // As in perf, the command's name is as wide as with chains.
        const auto plain = tell(file, false);
        CHECK(plain.text.size() > told.text.size());
    }
}

TEST_CASE("A stack beside a whole call chain is not missed", "[annotate][user_stacks]") {
    const auto told = tell(recording_of(std::endian::little, stack_attr(with_stack, 0)));
    check_counts(told, 0, 0);
    CHECK_FALSE(has(told.report, "user stack"));
    CHECK(has(told.report_json, "\"stacks_not_unwound\": 0"));
}

TEST_CASE("Stacks without any call chain hold all callers", "[annotate][user_stacks]") {
    const auto told = tell(recording_of(std::endian::little, stack_attr(with_stack & ~sample_bit::callchain, 0)));
    check_counts(told, 3, 5);
    CHECK(has(told.text, " 1111 [unknown] ([unknown])\n"));
}
