// SPDX-License-Identifier: MIT
// What was read and what was not: parts that sum to the whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"

namespace perfdata {

// DiagnosticLog keeps the first losses in full and counts the others, so that a file made of damage costs no memory.
class DiagnosticLog {
  public:
    explicit DiagnosticLog(std::size_t limit = Limits{}.diagnostics) : limit_(limit) {}

    void add(Diagnostic diagnostic) {
        ++count_;
        if (kept_.size() < limit_) kept_.push_back(std::move(diagnostic));
    }
    void append(const DiagnosticLog& other) {
        for (const auto& diagnostic : other.kept_) add(diagnostic);
        count_ += other.count_ - other.kept_.size();
    }

    const std::vector<Diagnostic>& kept() const { return kept_; }
    // count() is the number of all diagnostics, kept or not.
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
    std::uint64_t damaged = 0;  // framed; its fields contradict its size, or its event is not known

    std::uint64_t total() const { return decoded + skipped + damaged; }
};

struct Completeness {
    struct ByteCounts {
        std::uint64_t total = 0;            // of the input, unpacked
        std::uint64_t records = 0;          // framed as records
        std::uint64_t outside_records = 0;  // read otherwise: header, attrs, features, AUX data
        std::uint64_t unread = 0;           // neither
    };

    ByteCounts bytes;
    std::map<std::uint32_t, RecordCounts> records;  // by record type
    std::uint64_t lost_events = 0;                  // reported by LOST records
    std::uint64_t lost_samples = 0;                 // reported by LOST_SAMPLES records
    std::uint64_t stacks_not_unwound = 0;           // samples whose callers are in a copy of the user stack only
    DiagnosticLog diagnostics;

    // lossless() is whether all that was recorded could be read. What the recorder itself lost does not count, and
    // neither do records of types that were framed and skipped. Stacks that were not unwound are a loss for who wants
    // callers, which is for the caller of this to know.
    bool lossless() const {
        if (bytes.unread != 0 || !diagnostics.empty()) return false;
        return std::ranges::all_of(records, [](const auto& entry) { return entry.second.damaged == 0; });
    }
};

}  // namespace perfdata
