// SPDX-License-Identifier: MIT
// An input that the user of the C API reads.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "perfdata/recording/source.hpp"

#include "call.hpp"

namespace perfdata::c {

// UserSource calls `release` once neither it nor its source() is there any more.
class UserSource {
  public:
    // Calls `release` if memory runs out, too.
    explicit UserSource(const perfdata_source& given);

    std::shared_ptr<const Source> source() const;
    const std::string& name() const;
    // Returns true if read_at threw an exception.
    bool threw() const;

  private:
    struct State;

    std::shared_ptr<State> state_;
};

}  // namespace perfdata::c
