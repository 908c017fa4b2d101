// SPDX-License-Identifier: MIT
// Objects whose build id the recording lacks: no file can be proven to match, so their functions have no names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

// WithoutBuildId is plain data: how much lacks names for want of build ids.
struct PERFDATA_EXPORT WithoutBuildId {
    // Part is objects and their samples.
    struct Part {
        std::uint64_t samples = 0;       // without a symbol for that reason
        std::uint64_t objects = 0;       // number of objects
        std::vector<std::string> names;  // at most three, most samples first
    };
    Part sampled;              // objects with samples of their own
    std::uint64_t kernel = 0;  // samples in the kernel, if --allow-local is all it lacks; not in `sampled`
    Part callers;              // objects with callers only: perf record notes no build ids for these
    bool local = false;        // local files have the names of some
    bool has_some = false;     // the recording has build ids of other files
    std::uint64_t all = 0;     // number of samples

    bool has_callers = false;  // false: callers were not examined

    // count(counts, symbolizer, unwanted, all) makes one pass over the distinct frames and chains. The counts must
    // distinguish functions. `unwanted` is by number of the frame: samples in these frames are ignored. `all` is the
    // number of samples that percentages refer to, by default those that are not ignored.
    static WithoutBuildId count(const SampleCounts& counts, const Symbolizer& symbolizer,
                                std::span<const std::uint8_t> unwanted = {}, std::optional<std::uint64_t> all = {});
    // count(profile) does not examine callers.
    static WithoutBuildId count(const Profile& profile);

    // list(objects, symbolizer) counts objects only, no samples.
    static WithoutBuildId list(const std::map<std::string_view, SymbolMiss>& objects, const Symbolizer& symbolizer);

    // sampled_text() and callers_text() describe the effect and the remedy; empty if there are no such objects.
    std::string sampled_text() const;
    std::string callers_text() const;
    // list_text() does the same for the result of list().
    std::string list_text() const;
    // remedy() names what helps: files of this machine, or of the recorded one.
    std::string_view remedy() const;
};

}  // namespace perfdata
