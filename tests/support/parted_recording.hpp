// SPDX-License-Identifier: MIT
// Counts parts of a recording at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "perfdata/recording/record_stream.hpp"

#include "catch.hpp"
#include "profile/count_in_parts.hpp"
#include "support/writer.hpp"

namespace perfdata::test {

inline void check_same_counts(const SampleCounts& parts, const SampleCounts& whole) {
    CHECK(parts.events() == whole.events());
    CHECK(std::ranges::equal(parts.tasks(), whole.tasks()));
    CHECK(std::ranges::equal(parts.frames(), whole.frames()));
    CHECK(std::ranges::equal(parts.chains(), whole.chains()));
    REQUIRE(std::ranges::equal(parts.rows(), whole.rows()));
    std::size_t other = 0;
    for (std::size_t row = 0; row < whole.rows().size(); ++row) {
        if (!std::ranges::equal(parts.cells(row), whole.cells(row))) ++other;
    }
    CHECK(other == 0);
    CHECK(parts.totals() == whole.totals());
    CHECK(parts.considered() == whole.considered());
    for (std::size_t of = 0; of < filter_parts; ++of) {
        CHECK(parts.dropped().of(FilterPart(of)) == whole.dropped().of(FilterPart(of)));
    }
    CHECK(parts.first_time() == whole.first_time());
    CHECK(parts.last_time() == whole.last_time());
    CHECK(parts.has_inlined() == whole.has_inlined());
    CHECK(parts.in_further_tasks() == whole.in_further_tasks());
    CHECK(parts.counter_losses() == whole.counter_losses());
    const auto& [own, others] = std::pair(parts.chain_losses(), whole.chain_losses());
    CHECK(own.cut == others.cut);
    CHECK(own.broken == others.broken);
    CHECK(own.deep == others.deep);
    CHECK(own.folded == others.folded);
    CHECK(own.max_stack == others.max_stack);
    CHECK(own.stacks.stacks() == others.stacks.stacks());
    CHECK(own.stacks.not_unwound() == others.stacks.not_unwound());
    for (std::size_t end = 0; end < stack_ends; ++end) {
        CHECK(own.stacks.ended(StackEnd(end)) == others.stacks.ended(StackEnd(end)));
    }
    CHECK(own.stacks.short_copies() == others.stacks.short_copies());
    CHECK(own.stacks.wanted_copies() == others.stacks.wanted_copies());
    CHECK(own.stacks.without_file() == others.stacks.without_file());
    CHECK(own.stacks.without_information() == others.stacks.without_information());
}

// PartedRecording is a recording whose every record begins a part that may be counted.
struct PartedRecording {
    explicit PartedRecording(Blob content, const Limits& limits = {})
        : file(std::move(content)),
          recording(Recording::from_memory(file, {limits}).value()),
          timeline(Timeline::build(recording).value()) {
        auto stream = recording.records();
        for (RecordView record; stream.next(record);) {
            if (const auto mark = stream.mark()) marks.push_back(*mark);
        }
        if (stream.problems().count() != 0) marks.clear();
    }

    // Counts so many parts. Nothing if they were given up.
    std::optional<SampleCounts> in_parts(std::size_t parts, const SampleCountOptions& options) const {
        std::vector<RecordMark> begins;
        for (std::size_t part = 1; part < parts; ++part) begins.push_back(marks[marks.size() * part / parts]);
        const SampleCounter::InCommon shared(recording, timeline, options);
        auto counts = count_in_parts(recording, timeline, options, shared, begins);
        if (!counts) return {};
        return std::move(*counts).value();
    }
    SampleCounts whole(const SampleCountOptions& options) const {
        return SampleCounts::count(recording, timeline, options).value();
    }

    Blob file;
    Recording recording;
    Timeline timeline;
    std::vector<RecordMark> marks;
};

}  // namespace perfdata::test
