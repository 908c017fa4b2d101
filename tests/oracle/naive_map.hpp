// SPDX-License-Identifier: MIT
// Who owned a kernel address at a time, the slow and obvious way: the KSYMBOL records as perf prints them, replayed
// from the start into a plain list for every question.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf.hpp"

namespace oracle {

class NaiveMap {
  public:
    explicit NaiveMap(std::vector<PerfKsymbol> records);

    // owner(address, time) is the name; empty if nobody owned the address.
    std::string owner(std::uint64_t address, std::uint64_t time) const;

    // owned_ever(name, address): whether a record registered that name over the address, at whatever time.
    bool owned_ever(const std::string& name, std::uint64_t address) const;

  private:
    std::vector<PerfKsymbol> records_;  // by time, equal times in file order
};

}  // namespace oracle
