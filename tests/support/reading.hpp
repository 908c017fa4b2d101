// SPDX-License-Identifier: MIT
// Everything that a recording says, as text: equal content gives equal texts.
#pragma once

#include "perfdata/recording/walk.hpp"

#include "support/field_text.hpp"

namespace perfdata::test {

struct Reading {
    // One line per record: type, misc, index of the event, time, trailer, fields. Excludes records that only form the
    // container: events, features and their end mark, compressed records and round marks.
    Lines records;
    std::vector<std::uint64_t> times;  // of records that have one, in the order of `records`
    Completeness completeness;
};

Reading read_all(const Recording& recording, RecordOrder order = RecordOrder::file);

// event_lines(recording): attr, ids and name of every event.
Lines event_lines(const Recording& recording);

// feature_lines(recording): describe_feature's values for each feature, prefixed with its name.
Lines feature_lines(const Recording& recording);

// incompleteness(reading, recording) explains why the parts of the completeness report do not add up, or what was lost;
// empty if everything was read.
std::string incompleteness(const Reading& reading, const Recording& recording);

// first_difference(got, want) returns the first line that differs, from both; empty if all are equal.
std::string first_difference(const Lines& got, const Lines& want);

}  // namespace perfdata::test
