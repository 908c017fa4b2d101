// SPDX-License-Identifier: MIT
// Where a recorded machine had code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"

namespace perfdata {

// RangeSet is a set of addresses. Its memory is bounded: ranges that do not fit are not in it.
class RangeSet {
  public:
    // most: ranges that it holds at most, once those that touch are one.
    explicit RangeSet(std::size_t most = std::size_t{1} << 20) : most_(most) {}

    // add(begin, end) adds the addresses from begin, and end as well: a call at the end of a mapping returns to it.
    void add(std::uint64_t begin, std::uint64_t end);
    // Call finish() between the last add() and the first contains().
    void finish() { merge(); }
    bool contains(std::uint64_t address) const;

  private:
    void merge();

    std::size_t most_;
    std::size_t room_ = 4096;  // merge() is worth it again at that many
    bool full_ = false;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  // begin and last
};

// CodeAddresses tells addresses of code from other words of a stack: without frame pointers the kernel takes whatever
// lies there for return addresses, texts and keys among it.
class CodeAddresses {
  public:
    // find(recording, arch, watch) reads the mappings of all processes, of any time: those that ran before are recorded
    // at the end, and records of CPUs are not in the order of time. Arch is the output of `uname -m`, empty if unknown.
    // Errors: cancelled.
    static Result<CodeAddresses> find(const Recording& recording, std::string_view arch, const Watch& watch);

    // Context is whose addresses the words of a chain are.
    enum class Context : std::uint8_t { unknown, kernel, user };

    // Walk judges the words of one chain, from its first on. `ip` is the sample's own address, which stays anyway. The
    // kernel writes its own part first: behind the first mark of the program's part all words may be from the stack,
    // also those that look like marks.
    class Walk {
      public:
        // The places must outlive this. `first`: the context before the first mark.
        Walk(const CodeAddresses& places, std::uint64_t ip, Context first = Context::unknown)
            : places_(places), ip_(ip), context_(first) {}
        // keeps(word) returns true for marks of contexts and what may be code in the context at hand.
        bool keeps(std::uint64_t word);

      private:
        const CodeAddresses& places_;
        std::uint64_t ip_;
        Context context_;
    };

  private:
    bool is_user(std::uint64_t word) const;
    bool is_kernel(std::uint64_t word) const;

    RangeSet mapped_;
    std::uint64_t kernel_begin_ = 0;  // all addresses from there are the kernel's; 0: it lies among the others
    bool vsyscall_ = false;           // the machine has the page that no process maps
};

}  // namespace perfdata
