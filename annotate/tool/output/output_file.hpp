// SPDX-License-Identifier: MIT
// One file that is written, whatever it is. All outputs go through here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "output_place.hpp"
#include "temporary_file.hpp"

namespace perfdata::tool {

// OutputFile writes to what a place stands for:
// - What is no regular file is written straight into, and never replaced.
// - A regular file appears when all is written, and in the place of an old one with the same mode, owner and extended
//   attributes. Without commit() the old one is untouched. Links that led to the place still do.
// - An old file with further names (hard links), or beside which nothing can be written, is written in place.
//   in_place() says so.
class OutputFile {
  public:
    // What to do with a file of several names: a user means the file, a recording names only the place.
    enum class HardLinks { keep, part };

    // open(place): of a FIFO it waits for a reader. Errors: io.
    static Result<OutputFile> open(OutputPlace place, HardLinks links = HardLinks::keep);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    // write(text): after a failure nothing more is written, and commit() gives the error.
    void write(std::string_view text);
    bool failed() const { return problem_ != 0; }
    // rest() gives the descriptor back until the next write, if that can be done.
    void rest();
    // commit() ends the writing. Errors: io; a reader that went away is none.
    Result<void> commit();

    bool is_terminal() const;
    const OutputPlace& place() const { return place_; }
    // in_place() is why an old file was not replaced by a new one; empty if it was.
    const std::string& in_place() const { return in_place_; }

  private:
    explicit OutputFile(OutputPlace place) : place_(std::move(place)) {}

    int open_special();
    int open_regular(HardLinks links);
    int open_in_place(std::string why);
    int writable();
    int keep_attributes(const struct stat& old);
    int replace();
    int copy_in_place(int content, const struct stat& old, std::string_view why, int problem);

    OutputPlace place_;
    std::optional<TemporaryFile> temporary_;
    int descriptor_ = -1;    // where there is no temporary file
    bool old_text_ = false;  // still there, of a file that is written in place
    std::string in_place_;
    int problem_ = 0;  // errno
};

}  // namespace perfdata::tool
