// SPDX-License-Identifier: MIT
// Which functions of the kernel had their code changed while they were recorded, and when.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/function_index.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

// CodeVersion is a function while its code stayed the same.
struct CodeVersion {
    Frame function;          // its first byte, as from FunctionIndex::function()
    std::uint64_t size = 0;  // bytes; 0: not known
    // address is where the function lay, if that is one and the same for everybody: of kernel code, BPF programs and
    // JIT code. Nothing for code of mapped files, which lies elsewhere in each process.
    std::optional<Address> address;
    std::uint32_t number = 0;      // of the version: 0 is the code before the first change
    Time from;                     // zero: since before the recording began
    Time until = Time::forever();  // forever: until after it ended; else the first time when it was other code

    // Returns true if it lies at one address for everybody, and no compiler moves it.
    bool in_kernel() const { return address && function.kind != FrameKind::jit; }

    bool operator==(const CodeVersion&) const = default;
};

// CodeVersions is const once built and may be read from many threads. Index and timeline must outlive it.
//
// A patch belongs to the functions that lay at its bytes at its time: no more pairs of them than patches have bytes.
// That bounds time (n log n) and memory, wherever functions and patches lie and however often; each question takes a
// binary search. In a profile the functions themselves have their versions, and there are no patches.
class PERFDATA_EXPORT CodeVersions {
  public:
    // build(index) asks for the extent of each function that a TEXT_POKE hit. What makes a version:
    // - Pokes that write what is there already make none, and neither does code that is laid where none was (the slots
    //   in a page of kprobes) or taken away: whatever ran there was the same before and after.
    // - The kernel changes many places at once: breakpoints everywhere, then the rest of each place with its record,
    //   then the first bytes. Pokes of different places of one function that follow each other within batch_gap are
    //   one change, at the time of the first one. Between them there were breakpoints.
    // - Code of the timeline (Timeline::code()) has versions of its own from its beginning to its end, whatever lay at
    //   its address before or after.
    static constexpr std::uint64_t batch_gap = 30'000;  // nanoseconds; in a virtual machine a place takes about 20 us
    static CodeVersions build(const FunctionIndex& index);

    const Timeline& timeline() const { return *timeline_; }  // as the index has it
    const FunctionIndex& index() const { return *index_; }   // as passed to build()

    // number_at(address, time) is the number of the version of whatever function lay at a kernel address. It is quick:
    // most code never changes.
    std::uint32_t number_at(Address address, Time time) const {
        if (address < first_ || address > last_) return 0;
        return find_number(address, time);
    }

    // version(frame, number) is the version of the function in which the frame lies.
    CodeVersion version(const Frame& frame, std::uint32_t number) const;
    // functions() is the first byte of each function that has several versions.
    std::vector<Frame> functions() const;
    // changes() is every time at which some code became another version, ascending.
    std::vector<Time> changes() const;
    // versions(frame) is all versions of that function, one after the other; one if it never changed. count(frame) is
    // how many there are.
    std::vector<CodeVersion> versions(const Frame& frame) const;
    std::size_t count(const Frame& frame) const;

    // patches(function, range) is the patches that changed a function which lay at these addresses, in order of time:
    // of code that came and went only those of its own lifetime, of the kernel only those that hit no such code.
    // Pointers live as long as the timeline.
    std::vector<const TextPatch*> patches(const Frame& function, AddressRange range) const;

  private:
    // Changed is a function that has several versions.
    struct Changed {
        Frame function;
        AddressRange range;
        std::vector<Time> times;  // when it became another version, ascending
    };

    explicit CodeVersions(const FunctionIndex& index);
    void restore(const Timeline& timeline);
    std::uint32_t find_number(Address address, Time time) const;
    // Code and the kernel's functions have one order: by address, the kernel's first, code by its index.
    using Key = std::tuple<Address, bool, CodeIndex>;
    static Key key_of(const Frame& function, Address begin);
    static Key stored_key(const Frame& function);
    const Changed* find(const Key& key) const;
    const Changed* changed(const FunctionExtent& extent) const;
    const Changed* changed_in_kernel(Address address) const;
    CodeVersion first_version(const Frame& frame, const FunctionExtent& extent) const;
    void lay_out();

    // From `begin` on this function of the kernel counts, of those that changed; up to the next stretch.
    struct Stretch {
        Address begin;
        std::uint32_t changed;  // in changed_; none: no function
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct PatchOfCode {
        CodeIndex code;
        const TextPatch* patch;

        auto operator<=>(const PatchOfCode&) const = default;
    };

    const FunctionIndex* index_;
    const Timeline* timeline_;
    std::vector<Changed> changed_;       // by key; code that came and went may overlap
    std::vector<Stretch> in_kernel_;     // by address
    std::vector<AddressRange> covered_;  // by all of changed_: sorted, disjoint
    std::vector<PatchOfCode> of_code_;   // sorted; patches lie in memory in order of time
    Address first_{~std::uint64_t{0}}, last_;
    bool timed_ = true;  // false: of a profile without times
};

}  // namespace perfdata
