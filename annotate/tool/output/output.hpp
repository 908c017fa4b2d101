// SPDX-License-Identifier: MIT
// Where a command's text goes: standard output, a pager, or what -o names.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/error.hpp"

#include "output_file.hpp"

namespace perfdata::tool {

class Output {
  public:
    // open(place): nothing is standard output. Errors: io.
    static Result<Output> open(const std::optional<OutputPlace>& place);
    // open_paged(place) shows what goes to a terminal with $PAGER, or with less if there is one.
    static Result<Output> open_paged(const std::optional<OutputPlace>& place);
    Output(Output&& other) noexcept;
    Output& operator=(Output&&) = delete;
    ~Output();

    // sink() lives as long as the output.
    Sink sink();
    // commit() ends the writing: a file is in its place only then. Errors: io; a reader that went away is none.
    Result<void> commit();
    bool is_terminal() const;
    // in_place() is why an old file was written in place, and not replaced; empty if it was not.
    std::string in_place() const { return file_ ? file_->in_place() : std::string(); }

  private:
    Output() = default;

    void write(std::string_view text);
    void write_through();

    std::string waiting_;  // small pieces, which together are worth a write
    std::optional<OutputFile> file_;
    std::FILE* pager_ = nullptr;
    int problem_ = 0;  // errno
};

}  // namespace perfdata::tool
