// SPDX-License-Identifier: MIT
// All that a recording says, as text: two recordings that hold the same give equal texts.
#pragma once

#include "perfdata/recording/walk.hpp"

#include "support/field_text.hpp"

namespace perfdata::test {

struct Reading {
    // One line a record: type, misc, index of the event, time, trailer, fields. Without the records that only make up
    // the container: events, features and their end, compressed and round marks.
    Lines records;
    std::vector<std::uint64_t> times;  // of the records that have one, in the order of `records`
    Completeness completeness;
};

Reading read_all(const Recording& recording, RecordOrder order = RecordOrder::file);

// event_lines: attr, ids and name of every event.
Lines event_lines(const Recording& recording);

// feature_lines: what describe_feature says about each feature of the recording, with its name in front.
Lines feature_lines(const Recording& recording);

// incompleteness(reading, recording) is why the parts of the completeness report do not make up the whole, or what was
// lost; empty if everything was read.
std::string incompleteness(const Reading& reading, const Recording& recording);

// first_difference(got, want) is the first line that differs, in both readings; empty if all are equal.
std::string first_difference(const Lines& got, const Lines& want);

}  // namespace perfdata::test
