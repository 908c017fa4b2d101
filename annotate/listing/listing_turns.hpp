// SPDX-License-Identifier: MIT
// Makes listings on several threads request lines in display order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace perfdata {

// Turns is for what is limited over all listings, such as names in debug information: the same ones are left out
// whatever the number of threads. Only listings that share what they read wait for each other.
//
// Threads must begin listings by number: a listing waits for those before it, which others have begun.
class Turns {
  public:
    // Turns are for `count` listings, the first of which is number `first`.
    Turns(std::size_t first, std::size_t count) : first_(first), files_(count) {}

    // Turn is the turn of one listing. It ends at the latest when destroyed.
    class Turn {
      public:
        Turn(Turns& turns, std::size_t number) : turns_(&turns), number_(number - turns.first_) {}
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() { end(); }

        // wait(file) returns once no earlier listing can request lines of the file: see Symbolizer::lines_shared().
        // Null waits for nothing.
        void wait(const void* file) {
            std::unique_lock lock(turns_->mutex_);
            turns_->files_[number_] = {State::known, file};
            turns_->changed_.notify_all();
            if (file == nullptr) return;
            turns_->changed_.wait(lock, [&] { return turns_->is_free(number_, file); });
        }
        void end() {
            const std::scoped_lock lock(turns_->mutex_);
            turns_->files_[number_].state = State::done;
            turns_->changed_.notify_all();
        }

      private:
        Turns* turns_;
        std::size_t number_;
    };

  private:
    enum class State : unsigned char { unknown, known, done };
    struct File {
        State state = State::unknown;
        const void* file = nullptr;
    };

    // Only a few listings of a batch are in progress at a time, all near each other.
    bool is_free(std::size_t number, const void* file) {
        while (done_ < number && files_[done_].state == State::done) ++done_;
        for (auto before = done_; before < number; ++before) {
            const auto& other = files_[before];
            if (other.state == State::unknown || (other.state == State::known && other.file == file)) return false;
        }
        return true;
    }

    std::size_t first_;
    std::size_t done_ = 0;  // all before it are done
    std::vector<File> files_;
    std::mutex mutex_;
    std::condition_variable changed_;
};

}  // namespace perfdata
