// SPDX-License-Identifier: MIT
#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "core/platform.hpp"
#include "streams.hpp"

namespace perfdata::tool {
namespace {

// Returns the pager to run, empty if there is none.
std::string pager() {
    const char* terminal = std::getenv("TERM");
    const bool interactive =
        platform::is_terminal(platform::standard_output) && platform::is_terminal(platform::standard_input);
    if (!interactive || terminal == nullptr || std::string_view(terminal) == "dumb") return {};
    if (const char* chosen = std::getenv("PAGER"); chosen != nullptr) return chosen;
    const char* folders = std::getenv("PATH");
    std::string_view rest = folders == nullptr ? "" : folders;
    while (!rest.empty()) {
        const auto folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        if (platform::may(platform::Access::execute, std::string(folder) + "/less") == 0) return "less";
    }
    return {};
}

}  // namespace

Result<Output> Output::open(const std::optional<OutputPlace>& place, OutputFile::HardLinks links) {
    Output output;
    if (!place) return output;
    auto file = OutputFile::open(*place, links);
    if (!file) return fail(file.error());
    output.file_.emplace(std::move(*file));
    return output;
}

Output Output::into(Sink sink) {
    Output output;
    output.sink_ = std::move(sink);
    return output;
}

Result<Output> Output::open_paged(const std::optional<OutputPlace>& place) {
    const auto command = place ? std::string() : pager();
    if (command.empty() || command == "cat") return open(place);
    platform::set_default_environment("LESS", "FRX");  // like git: quit if everything fits on one screen, keep colours
    Output output;
    output.pager_ = platform::open_pager(command);
    if (output.pager_ == nullptr) return open(place);
    return output;
}

Output::Output(Output&& other) noexcept
    : waiting_(std::move(other.waiting_)),
      file_(std::move(other.file_)),
      sink_(std::move(other.sink_)),
      pager_(std::exchange(other.pager_, nullptr)),
      problem_(other.problem_) {
    other.waiting_.clear();
    other.file_.reset();
}

// Output that ends early is shown, except in a file, where an old one stays as it was, and in a sink.
Output::~Output() {
    if (!sink_ && (!file_ || !file_->place().is_file())) write_through();
    if (pager_ != nullptr) platform::close_pager(pager_);
}

Sink Output::sink() {
    return [this](std::string_view text) { write(text); };
}

void Output::write(std::string_view text) {
    constexpr std::size_t worth_a_write = std::size_t{64} << 10;
    if (waiting_.size() + text.size() < worth_a_write) {
        waiting_ += text;
        return;
    }
    write_through();
    if (sink_) return sink_(text);
    if (file_) return file_->write(text);
    if (problem_ == 0) problem_ = write_all(pager_ != nullptr ? pager_ : stdout, text);
}

void Output::write_through() {
    if (sink_) {
        sink_(waiting_);
    } else if (file_) {
        file_->write(waiting_);
    } else if (problem_ == 0) {
        problem_ = write_all(pager_ != nullptr ? pager_ : stdout, waiting_);
    }
    waiting_.clear();
}

Result<void> Output::commit() {
    write_through();
    if (sink_) return {};
    if (file_) return file_->commit();
    if (pager_ != nullptr) platform::close_pager(std::exchange(pager_, nullptr));  // waits until the reader quits it
    if (problem_ == 0 || is_reader_gone(problem_)) return {};
    return cannot_write("standard output", problem_);
}

bool Output::is_terminal() const {
    if (sink_) return false;
    if (file_) return file_->is_terminal();
    return pager_ != nullptr || platform::is_terminal(platform::standard_output);
}

}  // namespace perfdata::tool
