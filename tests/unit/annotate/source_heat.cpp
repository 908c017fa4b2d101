// SPDX-License-Identifier: MIT
#include "perfdata/annotate/heat/source_heat.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "perfdata/annotate/listing/function_search.hpp"
#include "perfdata/annotate/listing/listing.hpp"

#include "catch.hpp"
#include "format/path_suffix.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

SourceHeat heat_of(const AnnotatedScene& scene, bool chains = true) {
    const auto counts = SampleCounts::count(scene.recording, scene.timeline, heat_counting(scene.symbolizer, chains));
    return SourceHeat::make(counts.value(), scene.symbolizer).value();
}

// Checks that the parts add up to the whole.
void check_sums(const SourceHeat& heat) {
    EventCounts of_files(heat.events.size()), of_lines(heat.events.size());
    for (const auto& file : heat.files) {
        add(of_files, file.heat.self);
        EventCounts in_file(heat.events.size());
        for (const auto& line : file.lines) {
            add(in_file, line.heat.self);
            EventCounts in_line(heat.events.size());
            for (const auto& function : line.functions) {
                REQUIRE(function.function < heat.functions.size());
                add(in_line, function.heat.self);
                CHECK(hits(function.heat.inclusive) <= hits(line.heat.inclusive));
            }
            CHECK(in_line == line.heat.self);
            CHECK(hits(line.heat.self) <= hits(line.heat.inclusive));
            CHECK(hits(line.heat.inclusive) <= hits(file.heat.inclusive));
        }
        CHECK(in_file == file.heat.self);
        add(of_lines, in_file);
    }
    CHECK(of_files == of_lines);
    for (const auto& without : heat.without_line) add(of_files, without);
    CHECK(of_files == heat.totals);
}

}  // namespace

TEST_CASE("The heat of a BPF program's lines is that of its listings", "[annotate][heat][fixtures]") {
    for (const std::string file : {"bpf_many", "bpf_nobtf", "bpf_twins", "bpf_events", "bpf_turns", "bpf_reuse"}) {
        INFO(file);
        const AnnotatedScene real(Recording::open(fixture("bpf/" + file + ".data")).value());
        std::map<std::pair<std::string, std::uint32_t>, EventCounts> listed, heated;
        const auto profile = Profile::count(real.recording, real.timeline).value();
        for (const auto& listing : listings_of(profile, real.symbolizer, real.recording.arch())) {
            for (const auto& line : listing.lines) {
                if (line.source.line == 0 || hits({line.cells.data(), line.cells.size()}) == 0) continue;
                auto& sum = listed[{std::string(line.source.file), line.source.line}];
                add(sum, {line.cells.data(), line.cells.size()});
            }
        }
        const auto heat = heat_of(real);
        check_sums(heat);
        CHECK(heat.totals == profile.totals());
        for (const auto& of_file : heat.files) {
            for (const auto& line : of_file.lines) {
                if (hits(line.heat.self) != 0) heated[{of_file.path, line.line}] = line.heat.self;
            }
        }
        CHECK(heated == listed);
        // Without chains nothing is called.
        const auto flat = heat_of(real, false);
        check_sums(flat);
        CHECK(flat.totals == heat.totals);
        for (const auto& of_file : flat.files) {
            for (const auto& line : of_file.lines) CHECK(line.heat.self == line.heat.inclusive);
        }
    }
}

TEST_CASE("Files are found by the ends of their paths", "[annotate][heat]") {
    SourceHeat heat;
    for (const auto* path :
         {"/build/a/src/x.c", "/build/b/src/x.c", "src/y.c", "/build/b/src/yx.c", "./src//z/../x.c"}) {
        heat.files.push_back({path, {}, {}});
    }
    using Files = std::vector<std::uint32_t>;
    CHECK(heat.files_like("x.c") == Files{0, 1, 4});
    CHECK(heat.files_like("/home/me/b/src/x.c") == Files{1});
    CHECK(heat.files_like("/home/me/src/x.c") == Files{0, 1, 4});
    CHECK(heat.files_like("/home/me/src/y.c") == Files{2});
    CHECK(heat.files_like("c/x.c") == Files{0, 1, 4});
    CHECK(heat.files_like("other.c").empty());
    CHECK(heat.files_like("").empty());
    CHECK(heat.files_like("/").empty());
    CHECK(heat.files_like("..").empty());
    CHECK(common_parts("/a/b/c", "/a/b/c") == 3);
    CHECK(common_parts("/a/../b/c", "/b/c") == 2);
}

TEST_CASE("The heat of lines stops when it is asked to", "[annotate][heat]") {
    const AnnotatedScene real(Recording::open(fixture("bpf/bpf_many.data")).value());
    auto counting = heat_counting(real.symbolizer);
    const auto counts = SampleCounts::count(real.recording, real.timeline, counting).value();
    SourceHeatOptions options;
    options.stop = StopToken([] { return true; });
    const auto stopped = SourceHeat::make(counts, real.symbolizer, options);
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    options.stop = {};
    options.limits.cells = 0;
    const auto limited = SourceHeat::make(counts, real.symbolizer, options).value();
    check_sums(limited);
    CHECK(limited.files.empty());
    CHECK(hits(limited.without(NoLine::limit)) == 730);
}

TEST_CASE("Functions are found by name, by pattern and by a line", "[annotate][heat]") {
    const AnnotatedScene real(Recording::open(fixture("bpf/bpf_many.data")).value());
    const auto profile = Profile::count(real.recording, real.timeline).value();
    const auto name = [&](std::uint32_t number) {
        return std::string(real.symbolizer.bpf().plain_name(profile.functions()[number].version.function.index).name);
    };
    const auto names = [&](const std::vector<std::uint32_t>& found) {
        std::vector<std::string> all;
        for (const auto number : found) all.push_back(name(number));
        return all;
    };
    using Names = std::vector<std::string>;
    CHECK(names(functions_named(profile, real.symbolizer, "step")) == Names{"step"});
    CHECK(names(functions_named(profile, real.symbolizer, "many_main/step")) == Names{"step"});
    CHECK(names(functions_named(profile, real.symbolizer, "bpf_prog_1cad43a02158b200_step")) == Names{"step"});
    CHECK(functions_named(profile, real.symbolizer, "ste").empty());
    CHECK(names(functions_named(profile, real.symbolizer, NamePattern::parse("^(step|parity)$").value())) ==
          Names{"step", "parity"});
    CHECK(names(functions_at(profile, real.symbolizer, "/elsewhere/record/many.bpf.c", 70).value()) == Names{"bump"});
    CHECK(functions_at(profile, real.symbolizer, "many.bpf.c", 1).value().empty());
    CHECK(functions_at(profile, real.symbolizer, "any.bpf.c", 70).value().empty());
    const auto stopped = functions_at(profile, real.symbolizer, "many.bpf.c", 70, StopToken([] { return true; }));
    REQUIRE(!stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}
