// SPDX-License-Identifier: MIT
// Rows of comma-separated values, as RFC 4180 has them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/types.hpp"

namespace perfdata {

// csv_text(text) returns a text as a field:
// - Long texts are cut and say so, and bytes that are no printable UTF-8 become \xNN: a row is a line.
// - Spreadsheets take what begins with = + - @ or a tab for a formula. Such a text gets an apostrophe in front.
// - Quotes surround a text with commas, quotes, or spaces at an end, and quotes inside are doubled.
std::string csv_text(std::string_view text);

// CsvWriter writes fields from left to right. An empty field is a value that is not known: NULL in a data base. Lines
// end with a line feed.
class CsvWriter {
  public:
    // `sink` must outlive it.
    explicit CsvWriter(const Sink& sink) : sink_(sink) {}

    // header({"a", "b"}) writes the first row. Names need no quotes.
    void header(std::initializer_list<std::string_view> names);

    CsvWriter& text(std::string_view text) { return field(csv_text(text)); }
    // field(text) adds what csv_text() returned.
    CsvWriter& field(std::string_view text);
    CsvWriter& number(std::uint64_t number);
    CsvWriter& number(std::optional<std::uint64_t> number) { return number ? this->number(*number) : field({}); }
    CsvWriter& signed_number(std::int64_t number);
    // seconds(nanoseconds) adds "475.468255123".
    CsvWriter& seconds(std::uint64_t nanoseconds);
    // address(number) adds "0x0000000000401136": as many digits as any other, so that texts sort as numbers do.
    CsvWriter& address(std::uint64_t address);
    CsvWriter& truth(bool value) { return field(value ? "true" : "false"); }
    void end_row();

    // finish() gives the sink what is left.
    void finish();

  private:
    void separate();

    const Sink& sink_;
    std::string block_;
    bool begun_ = false;  // the row has a field
};

}  // namespace perfdata
