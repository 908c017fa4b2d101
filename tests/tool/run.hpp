// SPDX-License-Identifier: MIT
// Runs the real tool in a separate process, in an environment that a test controls.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "support/files.hpp"

namespace perfdata::test {

// Ended is the result of a process.
struct Ended {
    int status = -1;  // exit status; -1 if a signal ended it
    int signal = 0;
    std::string output, messages;
};

// Started is a running process; wait() must be called.
class Started {
  public:
    Started(::pid_t process, std::string folder) : process_(process), folder_(std::move(folder)) {}
    ::pid_t process() const { return process_; }
    Ended wait() const;

  private:
    ::pid_t process_;
    std::string folder_;
};

// Place is an empty directory where the tool runs, with a recording in it.
class Place {
  public:
    // The recording is a copy of a fixture, "in.data".
    Place();

    // start(arguments, before): standard input is /dev/null; output and messages go to files. before() runs in the new
    // process just before the tool.
    Started start(const std::vector<std::string>& arguments, const std::function<void()>& before = {}) const;
    Ended run(const std::vector<std::string>& arguments, const std::function<void()>& before = {}) const {
        return start(arguments, before).wait();
    }

    // path(name) returns the path of a file in the directory.
    std::string path(const std::string& name) const { return (folder_.path() / "here" / name).string(); }
    std::string write(const std::string& name, const std::string& content) const;
    std::string read(const std::string& name) const;
    // files() returns the names of all files in the directory, including hidden ones, sorted.
    std::vector<std::string> files() const;

  private:
    TempDir folder_;
};

// All forms of all commands that write, with options that produce output for the fixture.
std::vector<std::vector<std::string>> writing_commands();
// with({"report"}, {"-o", "x"}) concatenates both.
std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more);
// in_words(arguments) formats them for messages of tests.
std::string in_words(const std::vector<std::string>& arguments);

// same(one, other): in CHECK, hides the long texts of ==.
inline bool same(const std::string& one, const std::string& other) {
    return one == other;
}

// aux_recording() is a pipe stream with AUX data in two buffers: .cpu3.idx0 has "first second", .tid99.idx2 "other".
std::string aux_recording();

// is_root() returns true if this process may do what other users may not.
bool is_root();
// as_nobody() gives up all rights.
void as_nobody();

}  // namespace perfdata::test
