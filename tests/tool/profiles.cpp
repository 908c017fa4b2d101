// SPDX-License-Identifier: MIT
// What the tool says where a profile file lacks what a command or an option needs.
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "recording/stored/canonical.hpp"
#include "support/stored_model.hpp"
#include "support/text_parts.hpp"
#include "tool/run.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// A profile of one function with one sample.
stored::Model model_of_one() {
    StoredModel made("one");
    const auto function = made.function(made.file("/bin/prog", std::string(20, 'b')), 0x1000, "work", "\x90\xc3");
    made.model.functions[function.number].kind_of_code.value = 5;
    made.cell(made.task("prog", 42), made.node(made.frame(function, 1)), made.event("cycles", 0), 1);
    return std::move(made).finish();
}

}  // namespace

TEST_CASE("Commands that need records refuse profile files by name", "[profiles]") {
    const Place place;
    place.write("p.profile.pb", written(model_of_one()));
    const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
        {{"script", "p.profile.pb"},
         "perfdata script: p.profile.pb is a profile file, which has no samples one by one"},
        {{"dump", "p.profile.pb"}, "which has no records"},
        {{"extract", "-s", "work", "p.profile.pb"}, "which has no whole programs"},
        {{"stat", "p.profile.pb"}, "which has no values of counters"},
        {{"symbols", "--at", "1", "p.profile.pb"}, "which has no times and mappings"},
        {{"bpf", "p.profile.pb"}, "which has no records of programs"},
        {{"collect", "--check", "p.profile.pb"}, "perfdata collect: p.profile.pb is a profile file"},
        {{"report", "--time", "1,2", "p.profile.pb"}, "--time: p.profile.pb is a profile file, which has no times"},
        {{"report", "--filter", "a==1", "p.profile.pb"}, "--filter: p.profile.pb is a profile file"},
        {{"report", "--histogram", "ret", "p.profile.pb"}, "--histogram: p.profile.pb is a profile file"},
        {{"report", "--sort", "trace:ret", "p.profile.pb"}, "--sort: p.profile.pb is a profile file"},
        {{"annotate", "--time", "1,2", "p.profile.pb"}, "--time: p.profile.pb is a profile file"},
        {{"export", "--format", "firefox", "p.profile.pb"}, "--format firefox: p.profile.pb is a profile file"},
        {{"export", "--format", "speedscope", "p.profile.pb"}, "--format speedscope: p.profile.pb is a profile file"},
        {{"export", "--format", "csv", "--table", "samples", "p.profile.pb"}, "--table samples: p.profile.pb"},
        {{"export", "--format", "autofdo", "p.profile.pb", "-o", "x"}, "--format autofdo: p.profile.pb"},
        {{"export", "--format", "bolt", "p.profile.pb", "-o", "x"}, "--format bolt: p.profile.pb"},
    };
    for (const auto& [command, message] : refused) {
        INFO(in_words(command));
        const auto ended = place.run(command);
        CHECK(ended.status == 2);
        CHECK(ended.output.empty());
        CHECK(has(ended.messages, message));
    }
    CHECK(place.files() == std::vector<std::string>{"in.data", "p.profile.pb"});
}

TEST_CASE("Options name the dimension that a profile has not kept", "[profiles]") {
    using stored::Dimension;
    const Place place;
    const auto keep = [&](std::uint32_t bits) {
        place.write("p.profile.pb", written(stored::keep_only(model_of_one(), bits)));
    };
    const auto run = [&](std::vector<std::string> command) { return place.run(with(command, {"p.profile.pb"})); };
    keep(stored::bit(Dimension::comm) | stored::bit(Dimension::object));
    const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
        {{"report", "--pid", "42"},
         "--pid: the profile p.profile.pb has not kept processes (it was made with --keep "
         "comm,object)"},
        {{"report", "--cpu", "1"}, "--cpu: the profile p.profile.pb has not kept CPUs"},
        {{"report", "--symbols", "work"}, "--symbols: the profile p.profile.pb has not kept functions"},
        {{"report", "--sort", "comm,tid"}, "--sort: the profile p.profile.pb has not kept threads"},
        {{"report", "--sort", "srcline"}, "--sort: the profile p.profile.pb has not kept lines of source"},
        {{"report", "--children"}, "--children: the profile p.profile.pb has not kept call chains"},
        {{"report", "-g", "caller"}, "--call-graph: the profile p.profile.pb has not kept call chains"},
        {{"annotate"}, "perfdata annotate: the profile p.profile.pb has not kept functions"},
    };
    for (const auto& [command, message] : refused) {
        INFO(in_words(command));
        const auto ended = run(command);
        CHECK(ended.status == 2);
        CHECK(ended.output.empty());
        CHECK(has(ended.messages, message));
    }
    // What is there is shown, and what tells no rows apart is said.
    const auto report = run({"report"});
    CHECK(report.status == 0);
    CHECK(has(report.output, "prog"));
    CHECK(has(report.messages, "note: the profile has not kept all that tells rows apart by default"));
    CHECK(run({"report", "--sort", "comm,dso"}).status == 0);
    CHECK(run({"report", "--comm", "prog", "--dso", "prog"}).status == 0);

    keep(stored::all_dimensions & ~stored::bit(Dimension::code));
    const auto annotate = run({"annotate"});
    CHECK(annotate.status == 2);
    CHECK(has(annotate.messages, "perfdata annotate: the profile p.profile.pb has not kept code"));
    keep(stored::all_dimensions);
    CHECK(run({"report"}).status == 0);
    CHECK(has(run({"report"}).output, "work"));
    CHECK(run({"annotate"}).status == 0);
}

TEST_CASE("Options for names have no effect on a profile file, and say so", "[profiles]") {
    const Place place;
    place.write("p.profile.pb", written(model_of_one()));
    place.write("map", "");
    const auto ended = place.run({"report", "--perf-map", "map", "--allow-local", "--no-demangle", "p.profile.pb"});
    CHECK(ended.status == 0);
    for (const std::string option : {"--perf-map", "--allow-local", "--no-demangle"}) {
        CHECK(has(ended.messages, "note: " + option + " has no effect: names and lines of a profile file are inside"));
    }
    CHECK_FALSE(has(place.run({"report", "--allow-local", "in.data"}).messages, "has no effect"));
}

TEST_CASE("info tells what a profile file is of", "[profiles]") {
    const Place place;
    auto model = model_of_one();
    place.write("p.profile.pb", written(model));
    const auto text = place.run({"info", "p.profile.pb"});
    CHECK(text.status == 0);
    CHECK(has(text.output, "container    profile file\n"));
    CHECK(has(text.output, "profile      of 1 recording of "));
    CHECK(has(text.output, "keeps        everything\n"));
    const auto json = place.run({"info", "--json", "p.profile.pb"});
    CHECK(json.status == 0);
    CHECK(has(json.output, "\"container\": \"profile\""));
    CHECK(has(json.output, "\"differing_versions\": 0"));

    // What it lacks of its recordings is a loss.
    const stored::Ref<stored::Text> some(model.texts.size() - 1);
    model.facts.partial = {{stored::PartialKind::limit, some, some}};
    place.write("p.profile.pb", written(model));
    CHECK(has(place.run({"info", "p.profile.pb"}).output, "lacks        "));
    CHECK(place.run({"info", "--strict", "p.profile.pb"}).status == 3);
    CHECK(place.run({"report", "--strict", "p.profile.pb"}).status == 3);
    // What a filter leaves out is none.
    model.facts.partial = {{stored::PartialKind::filter, some, some}};
    place.write("p.profile.pb", written(model));
    CHECK(has(place.run({"info", "p.profile.pb"}).output, "lacks        "));
    CHECK(has(place.run({"info", "--json", "p.profile.pb"}).output, "\"kind\": \"filter\""));
    CHECK(place.run({"report", "--strict", "p.profile.pb"}).status == 0);
    CHECK(has(place.run({"report", "p.profile.pb"}).messages, "the profile is partial: "));
    // What might not be in it is one.
    model.facts.partial.clear();
    model.facts.left_out = {{some, 7}};
    place.write("p.profile.pb", written(model));
    CHECK(has(place.run({"info", "p.profile.pb"}).output, "left out     7 "));
    CHECK(has(place.run({"info", "--json", "p.profile.pb"}).output, "\"number\": 7"));
    CHECK(place.run({"info", "--strict", "p.profile.pb"}).status == 3);
    CHECK(place.run({"report", "--strict", "p.profile.pb"}).status == 3);
}
