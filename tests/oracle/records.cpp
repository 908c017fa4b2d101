// SPDX-License-Identifier: MIT
// Compares all records and fields with `perf report -D`: bytes, place and text.
#include <algorithm>
#include <iostream>
#include <map>

#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "perf_text.hpp"

namespace oracle {
namespace {

using perfdata::RecordContext;

// OurDump is a visitor that formats records like perf.
struct OurDump {
    const perfdata::Recording& recording;
    bool with_offsets;
    std::vector<PerfDumped> found;

    template <class Order>
    void operator()(const RecordContext& context, const perfdata::BasicSample<Order>& sample) {
        const auto& event = recording.events().events()[context.event];
        const perfdata::Sample view(context.view.bytes.data(), event.sample, context.view.order);
        add(context, place(sample.cpu(), sample.time()),
            perf_text(context, view, event, perfdata::register_set(recording.arch())));
    }
    void operator()(const RecordContext&, const perfdata::Compressed&) {}  // perf dumps only its content
    void operator()(const RecordContext& context, const perfdata::Read& read) {
        add(context, trailer_place(context), perf_text(context, read, recording.events().events()[context.event].name));
    }
    template <class Record>
    void operator()(const RecordContext& context, const Record& record) {
        std::string text;
        if constexpr (requires { perf_text(context, record); }) text = perf_text(context, record);
        add(context, context.event == RecordContext::no_event ? "" : trailer_place(context), text);
    }

  private:
    static std::string place(const std::optional<std::uint32_t>& cpu, const std::optional<perfdata::Time>& time) {
        std::string text;
        if (cpu) text += std::to_string(*cpu) + " ";
        if (time) text += std::to_string(time->nanoseconds) + " ";
        return text;
    }
    static std::string trailer_place(const RecordContext& context) {
        return place(context.trailer.cpu, context.trailer.time);
    }

    void add(const RecordContext& context, std::string place, std::string text) {
        PerfDumped dumped;
        dumped.offset = with_offsets ? context.view.offset : 0;
        dumped.type = context.view.header().type;
        dumped.place = std::move(place);
        dumped.text = std::move(text);
        for (const auto byte : context.view.bytes) dumped.bytes += format("%02x", std::to_integer<unsigned>(byte));
        found.push_back(std::move(dumped));
    }
};

// Texts of records that perf_text() leaves out are not compared.
bool has_words(std::uint32_t type) {
    return type < 64 || type == static_cast<std::uint32_t>(perfdata::RecordType::id_index);
}

TEST_CASE("perf dumps the same records, byte by byte and field by field", "[oracle][records]") {
    for (const auto& path : perf_fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const auto recording = perfdata::Recording::open(path.string());
            REQUIRE(recording);
            auto theirs = perf_dump(path);
            // perf's offsets have another base in pipes and in unpacked data.
            const auto& features = recording->features();
            const bool packed = std::ranges::any_of(features, [](const auto& feature) {
                return feature.number == static_cast<unsigned>(perfdata::Feature::compressed);
            });
            const bool with_offsets = !recording->header().pipe && !packed && !is_directory(path);
            OurDump ours{*recording, with_offsets, {}};
            perfdata::Completeness completeness;
            REQUIRE(perfdata::walk(*recording, completeness, ours));
            for (auto& record : theirs) {
                if (!with_offsets) record.offset = 0;
                if (!has_words(record.type)) record.text.clear();
                if (record.type >= 64) record.place.clear();
            }
            std::ranges::sort(ours.found);
            std::ranges::sort(theirs);
            REQUIRE(!theirs.empty());
            REQUIRE(ours.found.size() == theirs.size());
            for (std::size_t index = 0; index < theirs.size(); ++index) {
                const auto& mine = ours.found[index];
                const auto& other = theirs[index];
                INFO("record " << other.type << " at " << other.offset);
                CHECK(mine.offset == other.offset);
                CHECK(mine.bytes == other.bytes);
                CHECK(mine.place == other.place);
                CHECK(mine.text == other.text);
            }
            std::cout << path.stem().string() << ": " << theirs.size() << " records compared\n";
        }
    }
}

struct OurEvents {
    const perfdata::Recording& recording;
    std::vector<std::string> found;

    template <class Order>
    void operator()(const RecordContext& context, const perfdata::BasicSample<Order>& sample) {
        const auto& event = recording.events().events()[context.event];
        found.push_back(std::to_string(sample.tid()->value) + " " + std::to_string(sample.time()->nanoseconds) + " " +
                        event.name);
    }
};

// perf adds the event's modifiers to names that it invents: cpu-clock:HG. A recorded name already has them.
std::string without_modifiers(const perfdata::Recording& recording, const std::string& line) {
    for (const auto& event : recording.events().events()) {
        const auto name = " " + perfdata::default_event_name(event.attr);
        const auto at = line.find(name + ":");
        if (at != std::string::npos && " " + event.name == name) return line.substr(0, at) + name;
    }
    return line;
}

bool reads_groups(const perfdata::Recording& recording) {
    return std::ranges::any_of(recording.events().events(), [](const auto& event) {
        return (event.attr.read_format & perfdata::read_bit::group) != 0 && event.attr.has(perfdata::sample_bit::read);
    });
}

// From the leader's counters perf invents a sample for every other event of the group, with the same thread and time.
void drop_group_members(std::vector<std::string>& theirs, const std::vector<std::string>& ours) {
    const auto thread_and_time = [](const std::string& line) { return line.substr(0, line.rfind(' ')); };
    std::vector<std::string> places;
    for (const auto& line : ours) places.push_back(thread_and_time(line));
    std::erase_if(theirs, [&](const std::string& line) {
        return std::ranges::find(ours, line) == ours.end() &&
               std::ranges::find(places, thread_and_time(line)) != places.end();
    });
}

TEST_CASE("perf finds the same event of each sample", "[oracle][records]") {
    for (const auto& path : perf_fixtures()) {
        DYNAMIC_SECTION(path.stem().string()) {
            const auto recording = perfdata::Recording::open(path.string());
            REQUIRE(recording);
            OurEvents ours{*recording, {}};
            perfdata::Completeness completeness;
            REQUIRE(perfdata::walk(*recording, completeness, ours));
            CHECK(ours.found.empty() == path.stem().string().starts_with("stat"));  // counts, no samples
            if (ours.found.empty()) continue;
            auto theirs = perf_sample_events(path);
            std::ranges::sort(ours.found);
            for (auto& line : theirs) line = without_modifiers(*recording, line);
            if (reads_groups(*recording)) drop_group_members(theirs, ours.found);
            std::ranges::sort(theirs);
            CHECK(ours.found == theirs);
        }
    }
}

// Returns the bytes of all samples, whatever their offsets.
std::vector<std::string> sample_bytes(const std::filesystem::path& path) {
    const auto recording = perfdata::Recording::open(path.string());
    REQUIRE(recording);
    OurDump dump{*recording, false, {}};
    perfdata::Completeness completeness;
    REQUIRE(perfdata::walk(*recording, completeness, dump));
    std::vector<std::string> samples;
    for (const auto& record : dump.found) {
        if (record.type == static_cast<std::uint32_t>(perfdata::RecordType::sample)) {
            samples.push_back(record.place + record.text + record.bytes);
        }
    }
    REQUIRE(!samples.empty());
    return samples;
}

TEST_CASE("a compressed recording and what perf inject makes of it hold the same samples", "[oracle][records]") {
    const std::filesystem::path folder = PERFDATA_FIXTURES "/records";
    CHECK(sample_bytes(folder / "same_recorded.data") == sample_bytes(folder / "same_injected.data"));
}

}  // namespace
}  // namespace oracle
