// SPDX-License-Identifier: MIT
#include "batch_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "perfdata/core/parallel.hpp"

#include "core/platform.hpp"
#include "tool/batch/batch_list.hpp"
#include "tool/batch/batch_names.hpp"
#include "tool/output/output_way.hpp"
#include "tool/output/streams.hpp"

namespace perfdata::tool {
namespace {

constexpr std::uint64_t usual_cache_bytes = std::uint64_t{512} << 20;
// A thread's stack and what the allocator reserves for it count as memory.
constexpr std::uint64_t bytes_of_thread = std::uint64_t{32} << 20;
constexpr std::uint64_t usual_waiting_bytes = std::uint64_t{64} << 20;

Error refused(const std::string& file, std::string why) {
    return {ErrorCode::unsupported, Error::no_offset, file, std::move(why)};
}

// Returns why an entry is not even opened: what is no file might be waited for, or read, for ever.
std::optional<Error> no_recording(const std::string& file) {
    if (file == "-") {
        return refused(file, "standard input is no entry of a list; for a file of that name write ./-");
    }
    const auto status = platform::status(file);
    if (!status || status->is_regular() || status->is_directory()) return {};
    return refused(file, "this is a FIFO, a socket or a device; entries of a list are files or directories");
}

// Returns what a command that failed without an Error said last: it is about options that this recording cannot answer.
BatchError said_last(std::vector<std::string>& messages) {
    BatchError error{to_string(ErrorCode::missing), {}, {}, "the command failed"};
    if (!messages.empty()) {
        error.detail = std::move(messages.back());
        messages.pop_back();
    }
    return error;
}

}  // namespace

unsigned BatchChoice::threads() const {
    return jobs != 0 ? jobs : std::clamp(std::thread::hardware_concurrency(), 1u, 64u);
}

BatchRun::BatchRun(const BatchChoice& choice, BatchAction action)
    : choice_(choice), action_(std::move(action)), common_(*action_.common), threads_(choice.threads()) {
    common_.strict = common_.strict || choice.strict;
    common_.max_memory = choice.max_memory / 2;  // the other half is for what all share, and for answers that wait
    if (choice.max_memory != 0) {
        const auto most = std::max<std::uint64_t>(choice.max_memory / bytes_of_thread, 1);
        threads_ = static_cast<unsigned>(std::min<std::uint64_t>(threads_, most));
    }
    const auto share = choice.max_memory == 0 ? usual_cache_bytes : choice.max_memory / 4;
    SymbolCacheOptions bounds;
    bounds.bytes = std::min(usual_cache_bytes, share);
    cache_ = std::make_shared<const SymbolCache>(bounds);
    machine_files_ = std::make_shared<const LocalFiles>(Reach::machine);
    given_files_ = std::make_shared<const LocalFiles>(Reach::given);
}

int BatchRun::run() {
    if (choice_.max_memory != 0) {
        if (const auto limited = limit_memory(choice_.max_memory); !limited) {
            complain(limited.error());
            return failed;
        }
    }
    if (!read_entries() || !open_directory()) return failed;
    Common line;
    line.quiet = choice_.quiet || platform::is_terminal(platform::standard_output);
    progress_.emplace(line);
    const auto waiting = choice_.max_memory == 0 ? usual_waiting_bytes : choice_.max_memory / 8;
    BatchTurns turns(entries_.size(), static_cast<std::size_t>(std::min(usual_waiting_bytes, waiting)),
                     [this](const BatchAnswer& answer) { return tell(answer); });
    workers_ = static_cast<unsigned>(std::clamp<std::size_t>(entries_.size(), 1, threads_));
    on_threads(workers_, [&] { work(turns); });
    progress_.reset();
    if (problem_ != 0 && !is_reader_gone(problem_)) {
        complain(cannot_write("standard output", problem_).error());
        return failed;
    }
    if (failures_ != 0) complain(fmt::format("{} of {} files failed", failures_, entries_.size()));
    return failures_ != 0 ? failed : lossy_ ? losses : fine;
}

bool BatchRun::read_entries() {
    auto entries = read_list(choice_.list, choice_.null ? '\0' : '\n');
    if (!entries) {
        complain(entries.error());
        return false;
    }
    entries_ = std::move(*entries);
    for (const auto& entry : entries_) {
        if (const auto status = platform::status(entry)) recordings_.emplace(*status);
    }
    return true;
}

bool BatchRun::open_directory() {
    const auto& directory = choice_.directory;
    if (directory.empty()) return true;
    const auto refuse = [&](std::string why) {
        complain(Error{ErrorCode::io, Error::no_offset, "--out", fmt::format("{}: {}", directory, why)});
        return false;
    };
    if (const auto checked = check_output_way(directory); !checked) {
        complain(checked.error());
        return false;
    }
    std::error_code problem;
    // A dangling link is no directory, and nothing is made where it leads.
    if (std::filesystem::symlink_status(directory, problem).type() == std::filesystem::file_type::not_found) {
        std::filesystem::create_directory(directory, problem);
        if (problem) return refuse(problem.message());
    }
    const auto status = platform::status(directory);
    if (!status) return refuse(std::strerror(status.error()));
    if (!status->is_directory()) return refuse("it is no directory");
    if (recordings_.contains(FileIdentity(*status))) return refuse("it is a recording of the list");
    // Without new files in it, old ones would be written in place: they would not be whole all the time.
    if (const int refused = platform::may(platform::Access::create, directory)) return refuse(std::strerror(refused));
    names_ = flat_names(entries_, "." + (action_.ending.empty() ? choice_.action + ".json" : action_.ending));
    done_.resize(entries_.size());
    for (std::size_t entry = 0; choice_.resume && entry < entries_.size(); ++entry) {
        const auto there = platform::link_status(path_of(entry));
        done_[entry] = there && there->is_regular();
    }
    return true;
}

void BatchRun::work(BatchTurns& turns) {
    // Of more threads than files each file has several.
    const auto number = begun_++;
    const auto threads = threads_ / workers_ + (number < threads_ % workers_ ? 1 : 0);
    while (const auto entry = turns.next()) {
        std::unique_ptr<const BatchAnswer> done;
        try {
            done = answer(*entry, turns, threads);
        } catch (...) {
            turns.stop();
            throw;
        }
        turns.answer(*entry, std::move(done));
    }
}

std::unique_ptr<const BatchAnswer> BatchRun::answer(std::size_t entry, BatchTurns& turns, unsigned threads) {
    const auto try_it = [&](bool alone) -> std::unique_ptr<const BatchAnswer> {
        try {
            auto attempted = attempt(entry, threads);
            // Alone, what is missing for want of memory is a loss as any other.
            const bool there_is = alone && attempted.line.status != BatchStatus::failed;
            if (!attempted.lacked_memory || there_is) return answered(std::move(attempted.line));
        } catch (const std::bad_alloc&) {
        } catch (const std::length_error&) {  // a length beyond any memory
        }
        return {};
    };
    if (auto done = try_it(false)) return done;
    // The memory was all files' together: only alone it is known which one needs too much.
    turns.be_alone(entry);
    cache_->clear();
    platform::give_back_memory();
    auto done = try_it(true);
    platform::give_back_memory();
    if (done) return done;
    BatchLine line;
    line.file = entries_[entry];
    line.exit_code = failed;
    line.error = BatchError::of({ErrorCode::out_of_memory, Error::no_offset, line.file,
                                 "this takes more memory than there is, or than --max-memory allows"});
    return answered(std::move(line));
}

BatchRun::Attempt BatchRun::attempt(std::size_t entry, unsigned threads) {
    if (!done_.empty() && done_[entry]) {
        Attempt skipped;
        skipped.line.file = entries_[entry];
        skipped.line.status = BatchStatus::skipped;
        skipped.line.output = path_of(entry);
        return skipped;
    }
    return run_action(entry, threads);
}

BatchRun::Attempt BatchRun::run_action(std::size_t entry, unsigned threads) {
    Attempt done;
    auto& line = done.line;
    line.file = entries_[entry];
    OneLineJson document;
    RunScope scope;
    scope.document = [&document](std::string_view text) { document.add(text); };
    scope.cache = cache_;
    scope.machine_files = machine_files_;
    scope.given_files = given_files_;
    scope.threads = threads;
    scope.stop = StopToken([this] { return stop_.load(); });
    auto common = common_;
    common.file = line.file;
    common.scope = &scope;
    scope.error = no_recording(line.file);
    if (!scope.error && !choice_.directory.empty()) {
        auto place = place_of(entry);
        if (place) {
            common.output = place->name;
            common.place = std::move(*place);
        } else {
            scope.error = std::move(place.error());
        }
    }
    line.exit_code = scope.error ? failed : action_.run(common);
    done.lacked_memory = scope.lacked_memory;
    line.samples = scope.samples;
    line.losses = scope.losses;
    line.messages = std::move(scope.messages);
    if (line.exit_code == failed || line.exit_code == usage) {
        line.error = scope.error ? BatchError::of(*scope.error) : said_last(line.messages);
        return done;
    }
    line.status = scope.lossy ? BatchStatus::losses : BatchStatus::ok;
    if (choice_.directory.empty()) {
        line.document = document.take();
    } else {
        line.output = common.output;
    }
    return done;
}

Result<OutputPlace> BatchRun::place_of(std::size_t entry) const {
    const auto path = path_of(entry);
    const auto refuse = [&](std::string why) {
        return fail(ErrorCode::io, Error::no_offset, path, fmt::format("cannot write: {}", why));
    };
    const auto there = platform::link_status(path);
    if (there && !there->is_regular()) return refuse("there is something that is no file");
    auto place = OutputPlace::find(path);
    if (!place) return place;
    if (recordings_.contains(place->identity)) return refuse("it is a recording of the list");
    auto inputs = common_.taken;
    if (const auto taken = inputs.claim(*place, {})) return refuse("it is " + *taken);
    return place;
}

std::unique_ptr<const BatchAnswer> BatchRun::answered(BatchLine line) const {
    auto answer = std::make_unique<BatchAnswer>();
    answer->head = line_head(line);
    answer->document = line.document.empty() ? std::string("null") : std::move(line.document);
    answer->exit_code = line.exit_code;
    const auto say = [&](const std::string& message) {
        const bool named = message.find(line.file) != std::string::npos;
        answer->messages.push_back(named ? message : fmt::format("{}: {}", line.file, message));
    };
    if (!choice_.quiet) std::ranges::for_each(line.messages, say);
    if (line.error) say(line.error->message());
    return answer;
}

bool BatchRun::tell(const BatchAnswer& answer) {
    ++told_;
    if (answer.exit_code == failed || answer.exit_code == usage) ++failures_;
    lossy_ = lossy_ || answer.exit_code == losses;
    if (!answer.messages.empty()) progress_->hide();
    for (const auto& message : answer.messages) complain(message);
    for (const std::string_view part : {std::string_view(answer.head), std::string_view(answer.document), line_end}) {
        if (problem_ == 0) problem_ = write_all(stdout, part);
    }
    progress_->files(told_, entries_.size());
    // Documents in files are of use without their lines.
    if (problem_ == 0 || (is_reader_gone(problem_) && !choice_.directory.empty())) return true;
    stop_ = true;
    return false;
}

}  // namespace perfdata::tool
