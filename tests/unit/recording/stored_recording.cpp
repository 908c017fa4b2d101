// SPDX-License-Identifier: MIT
// Profile files as recordings.
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "perfdata/recording/architecture.hpp"
#include "perfdata/recording/content.hpp"
#include "perfdata/recording/event_groups.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

#include "catch.hpp"
#include "recording/stored/model.hpp"
#include "support/files.hpp"
#include "support/stored_model.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Two events of one group, one of none, and facts of one recording.
StoredModel described() {
    StoredModel made("one");
    for (const auto* name : {"cycles", "instructions", "faults"}) made.event(name, made.model.events.size());
    auto& model = made.model;
    model.events[0].group_leader = model.events[1].group_leader = made.text("cycles");
    model.events[0].group_name = model.events[1].group_name = made.text("both");
    auto& source = model.sources[0];
    source.hostname = made.text("here");
    source.os_release = made.text("6.1.0");
    source.perf_version = made.text("6.12");
    source.cpu_description = made.text("a CPU");
    source.command_line = {made.text("perf"), made.text("record")};
    source.wall_time = 2000;
    model.facts.code_arch = made.text("x86_64");
    model.facts.code_arch_from = made.text("a file");
    model.facts.bytes_total = 4711;
    stored::Problem problem;
    problem.code = ErrorCode::malformed;
    problem.where = made.text("feature GROUP_DESC");
    problem.detail = made.text("too many");
    model.facts.group_problems.push_back(problem);
    return made;
}

Blob file_of(StoredModel made) {
    const auto bytes = written(std::move(made).finish());
    const auto view = std::as_bytes(std::span(bytes));
    return {view.begin(), view.end()};
}

}  // namespace

TEST_CASE("A profile opens as a recording without records", "[recording][stored]") {
    const auto bytes = file_of(described());
    const auto profile = Recording::from_memory(bytes).value();
    CHECK(profile.is_profile());
    REQUIRE(profile.stored() != nullptr);
    CHECK(profile.stored()->events.size() == 3);
    CHECK(profile.hostname() == "here");
    CHECK(profile.os_release() == "6.1.0");
    CHECK(profile.perf_version() == "6.12");
    CHECK(profile.cpu_description() == "a CPU");
    CHECK(profile.arch() == "x86_64");
    CHECK(profile.command_line() == std::vector<std::string>{"perf", "record"});
    CHECK(profile.wall_time() == 2000);
    CHECK(profile.bytes() == 4711);
    CHECK(profile.order().endian() == std::endian::little);
    CHECK_FALSE(profile.interrupted());
    CHECK(profile.features().empty());
    CHECK(profile.read_feature(Feature::hostname).error().code == ErrorCode::missing);
    CHECK(profile.diagnostics().empty());
    std::size_t records = 0;
    for (const RecordView& record : profile.records()) records += record.bytes.size();
    CHECK(records == 0);
    const auto& events = profile.events().events();
    REQUIRE(events.size() == 3);
    CHECK(events[1].name == "instructions");
    CHECK(events[1].perf_name == "instructions");
    CHECK(events[1].attr.config == 1);
    CHECK(events[1].sample.offsets().tid != 0);  // there is a layout
    CHECK_FALSE(Recording::open(fixture_recordings().front()).value().is_profile());
}

TEST_CASE("Groups and the architecture of a profile are those that were found", "[recording][stored]") {
    auto made = described();
    made.model.facts.arch = made.text("");
    const auto bytes = file_of(std::move(made));
    const auto profile = Recording::from_memory(bytes).value();
    const auto groups = EventGroups::read(profile);
    CHECK(groups.groups() == std::vector<EventGroups::Group>{{"both", 0, 2}});
    REQUIRE(groups.diagnostics().size() == 1);
    CHECK(groups.diagnostics()[0].detail == "too many");
    CHECK(groups.diagnostics()[0].code == ErrorCode::malformed);
    CHECK(find_architecture(profile).name == "x86_64");
    CHECK(find_architecture(profile).told_by == "a file");

    // A leader alone, and members behind other events, are no group.
    auto apart = described();
    std::swap(apart.model.events[1].position, apart.model.events[2].position);
    const auto other = file_of(std::move(apart));
    CHECK(EventGroups::read(Recording::from_memory(other).value()).empty());
}

TEST_CASE("A profile has the facts that its recordings share", "[recording][stored]") {
    auto made = described();
    auto second = made.model.sources[0];
    second.content.front() = 'x';
    second.hostname = made.text("there");
    second.command_line.pop_back();
    second.wall_time = 1000;
    made.model.sources.push_back(second);
    made.model.facts.big_endian = true;
    const auto bytes = file_of(std::move(made));
    const auto profile = Recording::from_memory(bytes).value();
    CHECK(profile.hostname().empty());
    CHECK(profile.command_line().empty());
    CHECK(profile.os_release() == "6.1.0");
    CHECK(profile.wall_time() == 1000);
    CHECK(profile.order().endian() == std::endian::big);
}

TEST_CASE("Profiles open packed, and whole or not at all", "[recording][stored]") {
    const TempDir directory;
    const auto bytes = file_of(described());
    const auto packed = compressed(Compression::gzip, bytes);
    const auto path = directory.write("x.profile.pb.gz", packed);
    const auto opened = Recording::open(path);
    REQUIRE(opened);
    CHECK(opened->is_profile());
    CHECK(opened->path() == path);
    CHECK(opened->reopen().value().is_profile());
    const auto with_bundles = open_recording(path);
    REQUIRE(with_bundles);
    CHECK(with_bundles->is_profile());
    const auto half = directory.write("half.pb.gz", Bytes(packed).first(packed.size() - 12));
    CHECK_FALSE(Recording::open(half));
    const auto short_one = Recording::from_memory(Bytes(bytes).first(bytes.size() - 1));
    REQUIRE_FALSE(short_one);
    CHECK(short_one.error().code == ErrorCode::truncated);

    // A directory has records beside its main file.
    std::filesystem::create_directory(directory.path() / "d");
    directory.write("d/data", bytes);
    const auto in_directory = Recording::open((directory.path() / "d").string());
    REQUIRE_FALSE(in_directory);
    CHECK(in_directory.error().code == ErrorCode::unsupported);
}
