// SPDX-License-Identifier: MIT
// One run of `perfdata batch`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/shared.hpp"
#include "perfdata/symbols/elf/find/file_system.hpp"
#include "perfdata/symbols/symbol_cache.hpp"

#include "tool/batch/batch_action.hpp"
#include "tool/batch/batch_line.hpp"
#include "tool/batch/batch_turns.hpp"
#include "tool/output/output_place.hpp"
#include "tool/output/progress.hpp"
#include "tool/run_scope.hpp"

namespace perfdata::tool {

// BatchChoice is the options of batch itself.
struct BatchChoice {
    std::string action, list, directory;
    std::vector<std::string> options;  // of the action
    bool null = false, resume = false, strict = false, quiet = false;
    unsigned jobs = 0;             // threads; 0: one per CPU
    std::uint64_t max_memory = 0;  // bytes of the process; 0: no limit

    unsigned threads() const;
};

// BatchRun does the action with all entries of a list.
class BatchRun {
  public:
    // `choice` must outlive it. The action's options are parsed and prepared (Common::prepare_many()).
    BatchRun(const BatchChoice& choice, BatchAction action);

    // run() returns the exit code.
    int run();

  private:
    // What an entry's run leaves.
    struct Attempt {
        BatchLine line;
        bool lacked_memory = false;
    };

    bool read_entries();
    bool open_directory();
    void work(BatchTurns& turns);
    std::unique_ptr<const BatchAnswer> answer(std::size_t entry, BatchTurns& turns, unsigned threads);
    Attempt attempt(std::size_t entry, unsigned threads);
    Attempt run_action(std::size_t entry, unsigned threads);
    Result<OutputPlace> place_of(std::size_t entry) const;
    std::string path_of(std::size_t entry) const { return choice_.directory + "/" + names_[entry]; }
    std::unique_ptr<const BatchAnswer> answered(BatchLine line) const;
    bool tell(const BatchAnswer& answer);

    const BatchChoice& choice_;
    BatchAction action_;
    Common common_;  // of the action, for all entries
    std::vector<std::string> entries_, names_;
    std::vector<bool> done_;             // before this run
    std::set<FileIdentity> recordings_;  // of all entries
    Shared<const SymbolCache> cache_;
    Shared<const FileSystem> machine_files_, given_files_;
    unsigned threads_ = 1, workers_ = 1;
    std::atomic<unsigned> begun_ = 0;  // workers
    std::atomic<bool> stop_ = false;   // nobody reads the answers any more

    // Of tell().
    std::optional<ProgressLine> progress_;
    std::size_t told_ = 0, failures_ = 0;
    bool lossy_ = false;
    int problem_ = 0;  // errno of standard output
};

}  // namespace perfdata::tool
