// SPDX-License-Identifier: MIT
// The line that `perfdata batch` writes for each recording: schema perfdata.batch/1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"

namespace perfdata::tool {

// BatchError is an Error, or what a command said of options that the recording cannot answer.
struct BatchError {
    std::string_view code;  // a name of ErrorCode
    std::optional<std::uint64_t> offset;
    std::string where, detail;

    static BatchError of(const Error& error);
    // message() returns one line, as Error::message() does.
    std::string message() const;
};

enum class BatchStatus : std::uint8_t {
    ok,       // the document is there, and nothing was lost
    losses,   // it is there, and --strict would exit with 3
    failed,   // there is none
    skipped,  // it was there before (--resume)
};

// BatchLine is what became of one entry of the list.
struct BatchLine {
    std::string file;  // as in the list
    BatchStatus status = BatchStatus::failed;
    int exit_code = 0;  // of the command for this file alone
    std::optional<BatchError> error;
    std::optional<std::string> output;             // the document's file
    std::optional<std::uint64_t> samples, losses;  // see RunScope
    std::vector<std::string> messages;
    std::string document;  // JSON in one line; empty: it is in `output`, or there is none
};

// line_head(line) returns the line as JSON up to the value of "document", which is the last one. The document, or null,
// and line_end follow: a large document is not copied.
std::string line_head(const BatchLine& line);
constexpr std::string_view line_end = "}\n";

// OneLineJson puts a document into one line: white space between its parts is left out, and nothing else is changed.
class OneLineJson {
  public:
    // add(text) takes the next part of the document, which may begin and end anywhere.
    void add(std::string_view text);
    const std::string& text() const { return line_; }
    std::string take() { return std::move(line_); }

  private:
    std::string line_;
    bool in_string_ = false, escaped_ = false;
};

}  // namespace perfdata::tool
