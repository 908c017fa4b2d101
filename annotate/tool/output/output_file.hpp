// SPDX-License-Identifier: MIT
// One output file of any kind. All outputs go through here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "output_place.hpp"
#include "temporary_file.hpp"

namespace perfdata::tool {

// OutputFile writes to what a place denotes:
// - Anything but a regular file is written directly, and never replaced.
// - A regular file appears when it is complete, and replaces an old one with the same mode, owner and extended
//   attributes. Without commit() the old one is untouched. Links that led to the place still do.
// - An old file with further names (hard links), or in a directory that is not writable, is written in place.
//   in_place() says so.
class OutputFile {
  public:
    // What to do with a file that has several names: a user means the file, a recording means only the place.
    enum class HardLinks { keep, part };

    // open(place) waits for a reader if it is a FIFO. Errors: io.
    static Result<OutputFile> open(OutputPlace place, HardLinks links = HardLinks::keep);
    OutputFile(OutputFile&& other) noexcept = default;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile() = default;

    // write(text): after a failure it writes nothing more, and commit() returns the error.
    void write(std::string_view text);
    bool failed() const { return problem_ != 0; }
    // rest() closes the descriptor until the next write, if possible.
    void rest();
    // commit() ends the writing. Errors: io; a reader that went away is not an error.
    Result<void> commit();

    bool is_terminal() const;
    const OutputPlace& place() const { return place_; }
    // in_place() returns why an old file was not replaced by a new one; empty if it was.
    const std::string& in_place() const { return in_place_; }

  private:
    explicit OutputFile(OutputPlace place) : place_(std::move(place)) {}

    bool is_others(const platform::FileStatus& file) const;
    int open_special();
    int open_regular(HardLinks links);
    int open_in_place(std::string why);
    int writable();
    int keep_attributes(const platform::FileStatus& old);
    int replace();
    int copy_in_place(int content, const platform::FileStatus& old, std::string_view why, int problem);

    OutputPlace place_;
    std::optional<TemporaryFile> temporary_;
    platform::Descriptor descriptor_;  // if there is no temporary file
    bool old_text_ = false;            // a file written in place still has its old text
    std::string in_place_;
    int problem_ = 0;  // errno
};

}  // namespace perfdata::tool
