// SPDX-License-Identifier: MIT
// Samples in files without which their functions have no names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// is_about_file(miss) returns true if another file would supply the name, or this one if it could be read. Not for want
// of a build id: see WithoutBuildId.
constexpr bool is_about_file(SymbolMiss miss) {
    switch (miss) {
        case SymbolMiss::not_found:
        case SymbolMiss::build_id_differs:
        case SymbolMiss::offline:
        case SymbolMiss::unreadable:
        case SymbolMiss::only_debug_file:
        case SymbolMiss::no_symbols:
        case SymbolMiss::not_opened:
        case SymbolMiss::other_machine:
        case SymbolMiss::untrusted: return true;
        case SymbolMiss::not_a_file:
        case SymbolMiss::no_build_id:
        case SymbolMiss::unproven:
        case SymbolMiss::outside_file:
        case SymbolMiss::between_symbols:
        case SymbolMiss::busy: return false;
    }
    return false;
}

// UnnamedSamples is plain data: what lacks names for want of files.
struct UnnamedSamples {
    // Reason is objects that lack names for one reason.
    struct Reason {
        std::string reason, remedy;      // as Unnamed
        std::uint64_t samples = 0;       // of all events
        std::uint64_t objects = 0;       // number of objects
        std::vector<std::string> names;  // of objects: at most three, most samples first, without their directories
    };
    std::vector<Reason> reasons;  // most samples first
    std::uint64_t all = 0;        // samples that percentages refer to

    // count(counts, symbolizer) makes one pass over the rows and asks once for each sampled frame.
    static UnnamedSamples count(const SampleCounts& counts, const Symbolizer& symbolizer);
    // count(profile) knows the reasons by their words.
    static UnnamedSamples count(const Profile& profile);
    // list(objects) counts objects only, no samples.
    static UnnamedSamples list(const std::map<std::string_view, SymbolMiss>& objects);

    // notes() returns a sentence per reason, as the report has it.
    std::vector<std::string> notes() const;
};

// UnnamedCounter adds up samples by reason and object. A tree, as a file chooses the names: a lookup costs log n.
class UnnamedCounter {
  public:
    // object(why, name) returns the samples of an object that lacks names for a reason. They stay where they are; the
    // texts must outlive the counter.
    std::uint64_t& object(const Unnamed& why, std::string_view name) {
        return sums_.try_emplace({why.reason, why.remedy, name}, 0).first->second;
    }
    // result(all) returns what was added so far.
    UnnamedSamples result(std::uint64_t all) const;

  private:
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::uint64_t> sums_;
};

}  // namespace perfdata
