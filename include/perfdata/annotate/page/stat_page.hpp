// SPDX-License-Identifier: MIT
// Pages of counters: as text and CSV like perf stat report's, and as JSON for programs. They are written round by
// round.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/annotate/stat/stat.hpp"
#include "perfdata/core/export.hpp"

namespace perfdata {

// StatText writes what `perf stat report` prints, or with a separator what `perf stat -x, report` prints: any text,
// also an empty one. The text of a round is held until it is complete.
class PERFDATA_EXPORT StatText {
  public:
    // The sink must outlive it. Without a separator it makes columns.
    explicit StatText(const Sink& sink, std::optional<std::string> separator = {});

    // add(facts, round) writes a round: read_stat() calls it.
    void add(const StatFacts& facts, const StatTable& round);

  private:
    // Name is a name as rows show it. It is made anew only if it changes: there are many rows, and names may be long.
    struct Name {
        std::size_t size = 0;
        std::string begin, shown;  // `begin` is as much of the name as may be shown
    };

    bool is_csv() const { return separator_.has_value(); }
    std::string_view between() const { return is_csv() ? std::string_view(*separator_) : std::string_view(" "); }
    void begin_round(const StatFacts& facts, const StatTable& round);
    void end_round(const StatFacts& facts);
    void add_title(const StatFacts& facts);
    void add_row(const StatFacts& facts, const StatRow& row);
    void add_place(const StatFacts& facts, const StatRow& row);
    void add_times(const StatRow& row);
    void add_metric(const StatMetric* metric);
    void add_next_line(const StatFacts& facts, const StatRow& row);
    // Returns the text of names[index]. It lives until the next call.
    static const std::string& in_row(std::vector<Name>& names, std::size_t index, std::string_view text);

    const Sink& sink_;
    std::optional<std::string> separator_;
    std::string text_, prefix_;
    std::vector<Name> names_, units_;  // of each event that had a row
    std::vector<Name> comms_;          // of each thread that had a row
    unsigned rounds_since_title_ = 0;
    bool has_title_ = false;
};

// StatJson writes one document, schema perfdata.stat/1 (see docs/json.md).
class PERFDATA_EXPORT StatJson {
  public:
    // All must outlive it.
    StatJson(const Recording& recording, const Sink& sink);
    ~StatJson();
    StatJson(const StatJson&) = delete;
    StatJson& operator=(const StatJson&) = delete;

    // add(facts, round) writes a round: read_stat() calls it.
    void add(const StatFacts& facts, const StatTable& round);
    // finish(reading, what_else) ends the document; it must be called once, last. what_else: what the recording is, if
    // it is none of perf stat.
    void finish(const StatReading& reading, std::string_view what_else = {});

  private:
    class Writer;

    std::unique_ptr<Writer> writer_;
};

}  // namespace perfdata
