// SPDX-License-Identifier: MIT
// What is compared with another of its kind: samples counted by function, with names that outlive the recording.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/format/recording_facts.hpp"
#include "perfdata/profile/event_count.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/timeline/code_class.hpp"

namespace perfdata {

// DiffEvent is one event that was counted.
struct DiffEvent {
    std::string name;   // as Event::name
    std::string plain;  // without modifiers: "cycles" for "cycles:u", "cycles#2" for "cycles:u#2"
    EventCount whole;   // 100 % of shares
    EventCount kept;    // what the filters left: the sum of all functions
};

// DiffCell is the samples of one event in a function.
struct DiffCell {
    std::uint32_t event = 0;  // index in DiffCounts::events
    EventCount count;         // never without hits
};

// DiffVersion is one body of code that a function had.
struct DiffVersion {
    std::string id;          // the tag of a BPF function, or the build id of the file; empty: not known
    std::uint64_t hits = 0;  // samples in it, of all events

    bool operator==(const DiffVersion&) const = default;
};

// DiffFunction is a function, or all code of an object that has no name. Addresses, tags and numbers of programs are no
// part of its identity: they differ from run to run.
struct DiffFunction {
    std::string object;                   // as in report; "[bpf]" for BPF programs, "[jit]" for JIT code
    std::string name;                     // "program/function" for BPF code; empty: code without a name
    CodeClass kind = CodeClass::unknown;  // unknown, too, if it is of several kinds
    std::vector<DiffVersion> versions;    // sorted by id
    std::vector<DiffCell> cells;          // sorted by event
    bool lacks_file = false;              // code without a name, as the file was not found, or is of no use
};

// DiffCounts is one side of a comparison, or a part of it. It is plain data, and may come from anywhere: see
// count_for_diff() for recordings. Its size grows with the functions that have samples.
struct DiffCounts {
    RecordingFacts recording;             // which recording, with the times of the counted samples
    double seconds = 0;                   // recorded time; 0: unknown
    std::vector<DiffEvent> events;        // as recorded
    std::vector<DiffFunction> functions;  // by object, then name; each pair once
    std::vector<DroppedSamples> dropped;  // what the filters left out
    std::vector<std::string> notes;       // what limits the comparison, such as missing names: sentences
    std::string without_samples;          // content of a recording without samples; empty: it has samples
    bool unnamed_kernel = false;          // kernel code lacks names, and no names of the kernel were found
    Completeness completeness;            // of the recording and of files of names
};

}  // namespace perfdata
