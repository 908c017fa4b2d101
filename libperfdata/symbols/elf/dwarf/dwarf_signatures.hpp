// SPDX-License-Identifier: MIT
// Bounds what libdw needs to keep the signatures of type units.
#pragma once

#include <cstdint>
#include <vector>

namespace perfdata {

// DwarfSignatures models libdw's hash table of signatures (elfutils, dynamicsizehash.c). libdw hashes signatures as
// they are, so a hostile file can make them collide. The model counts the slots that libdw would probe.
class DwarfSignatures {
  public:
    // Returns false once libdw would probe many more slots than there are signatures.
    bool add(std::uint64_t signature);

  private:
    void insert(std::uint64_t signature);

    std::vector<std::uint64_t> all_, places_;
    std::vector<bool> taken_;  // by slot, from 1
    std::uint64_t size_ = 0, looks_ = 0;
};

}  // namespace perfdata
