// SPDX-License-Identifier: MIT
// How often branches and straight runs of code between them were sampled, for compilers and linkers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/elf/elf_file.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// All addresses are virtual addresses of the object's ELF file.

// BranchCount is a branch that was taken.
struct BranchCount {
    static constexpr std::uint64_t outside = ~std::uint64_t{0};  // this end is not in the object

    std::uint64_t from = outside, to = outside;
    std::uint64_t taken = 0;
    std::uint64_t mispredicted = 0;  // of them; 0 also where the hardware does not tell

    auto place() const { return std::tuple(from, to); }
};

// RangeCount is code that ran from its first instruction to its last one, between two branches.
//
//     stack (newest first)    from 0x140 to 0x100 . from 0x128 to 0x110 . from 0x90 to 0x120
//     ranges                  0x110 to 0x140, led to by 0x128 . 0x120 to 0x128, led to by 0x90
struct RangeCount {
    std::uint64_t before = BranchCount::outside;  // the branch that led to it
    std::uint64_t begin = 0, end = 0;             // first byte of the first and of the last instruction
    std::uint64_t hits = 0;

    auto place() const { return std::tuple(begin, end, before); }
};

// AddressCount is a sampled address.
struct AddressCount {
    std::uint64_t address = 0;
    std::uint64_t hits = 0;
};

// BranchObject is a file with samples.
struct BranchObject {
    std::string path;        // as recorded
    std::string build_id;    // hexadecimal; empty: not recorded
    ObjectIndex index;       // the first one of this file
    std::uint64_t hits = 0;  // ends of branches in it; without branch stacks: samples
};

// BranchFunction is a function of the chosen object, as its table of symbols has it.
struct BranchFunction {
    Frame frame;  // its first byte
    std::uint64_t begin = 0, size = 0;
    std::string_view symbol;  // lives as long as the Symbolizer
};

// BranchLosses counts what was left out.
struct BranchLosses {
    std::uint64_t other_objects = 0;  // ends of branches, or samples, in other files than the chosen one
    std::uint64_t kernel = 0;         // branches from or to the kernel
    std::uint64_t elsewhere = 0;      // ends of branches, or samples, in no file: JIT code, what was never mapped
    std::uint64_t wrong_path = 0;     // branches that the processor took back, or that have no address
    // Ranges.
    std::uint64_t backwards = 0;         // that end before they begin
    std::uint64_t across = 0;            // that end in another function or file
    std::uint64_t too_long = 0;          // more than BranchCounts::longest_range
    std::uint64_t unmapped = 0;          // places that no segment of the file has
    std::uint64_t other_events = 0;      // samples of other events than the one that counts
    std::uint64_t without_branches = 0;  // samples without a stack, while others have one
};

// BranchCountOptions says what counts.
struct BranchCountOptions {
    // Its objects choose the object (without any, it is the one with most hits), not the samples.
    SampleFilter filter;
    StopToken stop;
    Progress progress = {};
};

// BranchCounts is the branches and samples of one object. It does not change once made. The tables grow with what the
// recording holds: a branch takes 24 bytes there.
struct BranchCounts {
    static constexpr std::uint64_t longest_range = std::uint64_t{1} << 20;  // bytes of code without a taken branch

    bool has_branches = false;             // else only `addresses` has something
    std::vector<std::string> events;       // names of the events that count
    std::vector<BranchObject> objects;     // the chosen one, then those with most hits; empty: no user code
    std::shared_ptr<const ElfFile> file;   // of the chosen object; null: not found, and there are no counts
    std::shared_ptr<const ElfFile> debug;  // its separate symbols; null: it has its own, or none were found
    std::optional<SymbolMiss> miss;        // why there is no file
    std::vector<BranchCount> branches;     // sorted by from and to
    std::vector<RangeCount> ranges;        // sorted by begin, end and before; within one function each
    std::vector<AddressCount> addresses;   // sorted; only without branches
    BranchLosses losses;

    // One pass over the samples. Errors: cancelled, out_of_memory, see check_second_pass().
    static Result<BranchCounts> count(const Recording& recording, const Symbolizer& symbolizer,
                                      const BranchCountOptions& options);

    // Returns what is missing or left out, in sentences for users. `format`: the format's name.
    std::vector<std::string> notes(std::string_view format) const;
};

// BranchFunctions finds the functions of the chosen object by address.
class BranchFunctions {
  public:
    // Both must outlive it.
    BranchFunctions(const BranchCounts& counts, const Symbolizer& symbolizer);

    // Returns the function at an address, without a symbol where none is known. A symbol ends with its section: those
    // without a size seem to go on. Valid until the next question. It is quick for an address that was asked last.
    const BranchFunction& at(std::uint64_t vaddr);

  private:
    const ElfFile* file_;
    ObjectIndex index_;
    const Symbolizer& symbolizer_;
    std::vector<std::uint64_t> borders_;  // of sections with code; sorted
    BranchFunction last_;
    std::uint64_t known_ = ~std::uint64_t{0};  // the address that last_ was found for
};

}  // namespace perfdata
