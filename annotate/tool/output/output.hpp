// SPDX-License-Identifier: MIT
// The destination of a command's text: standard output, a pager, or the argument of -o.
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
    // open(place) opens standard output if there is no place. Errors: io.
    static Result<Output> open(const std::optional<OutputPlace>& place,
                               OutputFile::HardLinks links = OutputFile::HardLinks::keep);
    // into(sink) passes all to the sink, at the latest in commit().
    static Output into(Sink sink);
    // open_paged(place) sends output for a terminal through $PAGER, or through less if there is one.
    static Result<Output> open_paged(const std::optional<OutputPlace>& place);
    Output(Output&& other) noexcept;
    Output& operator=(Output&&) = delete;
    ~Output();

    // sink() lives as long as the output.
    Sink sink();
    // commit() ends the writing: only then is a file in its place. Errors: io; a reader that went away is not an error.
    Result<void> commit();
    bool is_terminal() const;
    // in_place() returns why an old file was overwritten in place instead of replaced; empty if it was not.
    std::string in_place() const { return file_ ? file_->in_place() : std::string(); }

  private:
    Output() = default;

    void write(std::string_view text);
    void write_through();

    std::string waiting_;  // small pieces, collected for one write
    std::optional<OutputFile> file_;
    Sink sink_;  // of into()
    std::FILE* pager_ = nullptr;
    int problem_ = 0;  // errno
};

}  // namespace perfdata::tool
