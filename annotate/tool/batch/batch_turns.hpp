// SPDX-License-Identifier: MIT
// Which thread works on which entry of a list, and in which order the answers are told.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/callback.hpp"

namespace perfdata::tool {

// BatchAnswer is what is told of one entry.
struct BatchAnswer {
    std::string head, document;         // of the line on standard output: line_head(), and what follows it
    std::vector<std::string> messages;  // for standard error
    int exit_code = 0;

    std::size_t bytes() const;  // of memory, about
};

// BatchTurns hands out the entries in their order, and tells the answers in the same order, whichever thread is first.
// All members may be called on several threads.
class BatchTurns {
  public:
    // Is told each answer once, on one thread at a time. False: no more entries are handed out.
    using Tell = Callback<bool(const BatchAnswer&)>;

    // Keeps about `most_waiting` bytes of answers that wait for an earlier one, and one of any size for each thread.
    BatchTurns(std::size_t entries, std::size_t most_waiting, Tell tell);

    // next() returns the entry to work on: its answer must follow. It waits while too many answers wait, or a thread is
    // to be alone. Nothing: there are no more.
    std::optional<std::size_t> next();
    // be_alone(entry) waits until no other thread works on an entry; none begins before the answer for this one.
    void be_alone(std::size_t entry);
    // answer(entry, answer) ends the work on the entry.
    void answer(std::size_t entry, std::unique_ptr<const BatchAnswer> answer);
    // stop() ends the handing out and all waiting: some entry will have no answer.
    void stop();

  private:
    void tell_ready();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<const BatchAnswer>> waiting_;  // by entry; made before the work, as memory may run out
    std::size_t next_ = 0;                                     // to hand out
    std::size_t told_ = 0;                                     // how many answers were
    std::size_t waiting_bytes_ = 0;
    const std::size_t most_waiting_;
    std::size_t working_ = 0;           // threads, without those that wait to be alone, or are
    std::size_t want_alone_ = 0;        // these
    std::optional<std::size_t> alone_;  // the entry of the one that is
    bool stopped_ = false;
    const Tell tell_;
};

}  // namespace perfdata::tool
