// SPDX-License-Identifier: MIT
// Finds the owner of a kernel address at a time in the slow and obvious way: for every question it replays the KSYMBOL
// records that perf prints into a plain list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf.hpp"

namespace oracle {

class NaiveMap {
  public:
    explicit NaiveMap(std::vector<PerfKsymbol> records);

    // owner(address, time) returns the name; empty if nothing owned the address.
    std::string owner(std::uint64_t address, std::uint64_t time) const;

    // owned_ever(name, address) returns true if a record ever registered that name over the address.
    bool owned_ever(const std::string& name, std::uint64_t address) const;

  private:
    std::vector<PerfKsymbol> records_;  // by time, equal times in file order
};

}  // namespace oracle
