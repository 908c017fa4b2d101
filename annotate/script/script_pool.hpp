// SPDX-License-Identifier: MIT
// Formats chunks of samples on several threads, and writes them in the order in which they came.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"

#include "script_chunk.hpp"
#include "script_text.hpp"

namespace perfdata {

// ScriptPool is used by one thread, which reads the samples, looks up what they need, and helps when enough chunks
// wait. Other threads format, and call the sink: one at a time, with the next text. Nothing that a chunk refers to
// changes while it is formatted.
class ScriptPool {
  public:
    // The text and the sink must outlive it. Of `threads`, one is the caller's. If the system provides fewer, fewer do
    // the work.
    ScriptPool(std::size_t threads, const ScriptText& text, const Sink& sink);
    ScriptPool(const ScriptPool&) = delete;
    ScriptPool& operator=(const ScriptPool&) = delete;
    // Drops what is not written yet.
    ~ScriptPool();

    // add(item, with_record, places) and add_text(item, text, places) are those of ScriptChunk; the lines of the item
    // are in `places`. They throw what a thread threw.
    void add(const ScriptItem& item, bool with_record, const std::shared_ptr<const TextArena>& places);
    void add_text(const ScriptItem& item, std::string_view text, const std::shared_ptr<const TextArena>& places);
    // finish() returns when all is written.
    void finish();

  private:
    enum class State : std::uint8_t { waiting, in_work, formatted };
    struct Job {
        std::unique_ptr<ScriptChunk> chunk;
        State state = State::waiting;
    };
    using Lock = std::unique_lock<std::mutex>;

    void begin(const std::shared_ptr<const TextArena>& places);
    void submit();
    void start_threads();
    void run();
    bool do_next(Lock& lock);

    std::size_t threads_;
    const ScriptText& text_;
    const Sink& sink_;
    std::unique_ptr<ScriptChunk> filling_;  // of the reading thread

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::deque<Job> jobs_;  // in the order of the output; at most two for each thread
    std::vector<std::unique_ptr<ScriptChunk>> spare_;
    bool writing_ = false, stopping_ = false;
    std::exception_ptr problem_;         // of a thread
    std::vector<std::jthread> helpers_;  // the last member: they end first
};

}  // namespace perfdata
