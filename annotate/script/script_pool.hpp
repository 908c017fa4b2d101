// SPDX-License-Identifier: MIT
// Writes batches of samples on several threads, and hands on the text in the order in which they came.
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

#include "script_batch.hpp"
#include "script_worker.hpp"

namespace perfdata {

// ScriptPool is used by one thread, which reads the samples, and helps when enough batches wait. Each thread has a
// worker of its own. They call the sink: one at a time, with the next text.
class ScriptPool {
  public:
    // Takes the tally of each batch, in order, as the sink takes its text.
    using Take = Callback<void(const ScriptTally&)>;

    // The input and the sink must outlive it. Of `threads`, one is the caller's. If the system provides fewer, fewer do
    // the work.
    ScriptPool(std::size_t threads, const ScriptInput& input, const Sink& sink, Take take);
    ScriptPool(const ScriptPool&) = delete;
    ScriptPool& operator=(const ScriptPool&) = delete;
    // Drops what is not written yet.
    ~ScriptPool();

    // add(sample) copies the sample. It throws what a thread threw.
    void add(const RawSample& sample);
    // finish() returns when all is written. Then workers() are those that wrote something.
    void finish();
    const std::vector<std::unique_ptr<ScriptWorker>>& workers() const { return workers_; }

  private:
    enum class State : std::uint8_t { waiting, in_work, written };
    struct Job {
        std::unique_ptr<ScriptBatch> batch;
        State state = State::waiting;
    };
    using Lock = std::unique_lock<std::mutex>;

    void begin();
    void submit();
    void start_threads();
    void run(std::size_t thread);
    bool do_next(Lock& lock, std::size_t thread);
    ScriptWorker& worker(std::size_t thread);
    void hand_on(ScriptBatch& batch, ScriptWorker& worker);

    std::size_t threads_;
    const ScriptInput& input_;
    const Sink& sink_;
    const Take take_;
    std::unique_ptr<ScriptBatch> filling_;  // of the reading thread
    std::vector<std::unique_ptr<ScriptWorker>>
        workers_;  // by thread, which makes its own; the first is the reading one

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::deque<Job> jobs_;  // in the order of the output; at most two for each thread
    std::vector<std::unique_ptr<ScriptBatch>> spare_;
    bool writing_ = false, stopping_ = false;
    std::exception_ptr problem_;  // of a thread
    // What is left for inlined functions at the first of jobs_; only whoever is `writing_` has it.
    std::int64_t room_ = InlinedRoom::at_first;
    std::vector<std::jthread> helpers_;  // the last member: they end first
};

}  // namespace perfdata
