// SPDX-License-Identifier: MIT
// What libdw takes to keep the signatures of type units.
#pragma once

#include <cstdint>
#include <vector>

namespace perfdata {

// DwarfSignatures is a model of the hash table that libdw (elfutils' dynamicsizehash.c) puts signatures into as they
// are: whoever writes the file can choose them to collide. It counts the places that are looked at.
class DwarfSignatures {
  public:
    // add(signature) is false once libdw would look at many more places than there are signatures.
    bool add(std::uint64_t signature);

  private:
    void insert(std::uint64_t signature);

    std::vector<std::uint64_t> all_, places_;
    std::vector<bool> taken_;  // of places_, from 1 on
    std::uint64_t size_ = 0, looks_ = 0;
};

}  // namespace perfdata
