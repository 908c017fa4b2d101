// SPDX-License-Identifier: MIT
// What was read and what was not: the parts add up to the whole.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/limits.hpp"

namespace perfdata {

// DiagnosticLog keeps the first losses in full and counts the rest, so that a heavily damaged file costs no memory.
class PERFDATA_EXPORT DiagnosticLog {
  public:
    explicit DiagnosticLog(std::size_t limit = Limits{}.diagnostics) : limit_(limit) {}  // keeps so many in full

    void add(Diagnostic diagnostic);          // keeps or counts one more
    void append(const DiagnosticLog& other);  // adds all of another log, its counts too
    // is_full() returns true if no more are kept; then add_unseen(), which counts so many more, has the effect of
    // add().
    bool is_full() const { return kept_.size() >= limit_; }
    void add_unseen(std::uint64_t more = 1) { count_ += more; }

    const std::vector<Diagnostic>& kept() const { return kept_; }  // the first ones
    // count() returns the number of all diagnostics, kept or not.
    std::uint64_t count() const { return count_; }
    bool empty() const { return count_ == 0; }

  private:
    std::size_t limit_;
    std::uint64_t count_ = 0;
    std::vector<Diagnostic> kept_;
};

// RecordCounts: decoded + skipped + damaged = records of this type that could be framed.
struct RecordCounts {
    std::uint64_t decoded = 0;  // every field that this version knows was read
    std::uint64_t skipped = 0;  // framed; this version does not decode the type
    std::uint64_t damaged = 0;  // framed; its fields contradict its size, or its event is unknown

    std::uint64_t total() const { return decoded + skipped + damaged; }  // of all kinds
};

// EventLosses is what the recorder did not write of one event.
struct EventLosses {
    std::string event;            // its name
    std::uint64_t samples = 0;    // that were decoded
    std::uint64_t lost = 0;       // samples lost
    std::uint64_t by_filter = 0;  // samples that a BPF filter dropped on purpose
};

// Completeness is what of a recording was read, and what was lost.
struct PERFDATA_EXPORT Completeness {
    // ByteCounts adds up: records + outside_records + unread = total.
    struct ByteCounts {
        std::uint64_t total = 0;            // of the input, unpacked
        std::uint64_t records = 0;          // framed as records
        std::uint64_t outside_records = 0;  // read by other means: header, attrs, features, AUX data
        std::uint64_t unread = 0;           // neither
    };

    ByteCounts bytes;                               // of the input
    std::map<std::uint32_t, RecordCounts> records;  // by record type
    // Sums of what the records report; 2^64-1 if they are more.
    std::uint64_t lost_events = 0;         // reported by LOST records, with those of "dummy"
    std::uint64_t lost_samples = 0;        // reported by LOST_SAMPLES records, without those of BPF filters
    std::uint64_t filtered_samples = 0;    // dropped on purpose by BPF filters: no loss, see LostSamples
    std::uint64_t stacks_not_unwound = 0;  // samples whose callers are only in a copy of the user stack
    DiagnosticLog diagnostics;             // what was lost, and where

    // Events that LOST_SAMPLES records name, by their index in recording.events(). LOST records name none: the kernel
    // counts them by buffer. What perf's "dummy" lost are records of other types: no samples, so it is not here.
    std::map<std::uint32_t, EventLosses> losses;
    // counts_losses is true if every event counts its own losses (PERF_FORMAT_LOST, Linux 6.0). perf reads these
    // counts at the end and writes them as LOST_SAMPLES. They include what LOST records report.
    bool counts_losses = false;

    // lost_elsewhere() returns how many records LOST records report that lost_samples does not include.
    std::uint64_t lost_elsewhere() const;
    // lossless() returns true if everything recorded could be read. Neither losses of the recorder itself nor records
    // of types that are framed and skipped count. Stacks that were not unwound are a loss only if the caller wants
    // call chains: it must check that itself.
    bool lossless() const;
};

}  // namespace perfdata
