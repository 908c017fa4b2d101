// SPDX-License-Identifier: MIT
// Objects that the recording has no build id of, so that no file is proven to be theirs: functions without names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/profile/profile.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/symbols/symbolizer.hpp"

namespace perfdata {

struct WithoutBuildId {
    struct Part {
        std::uint64_t samples = 0;
        std::uint64_t objects = 0;
        std::vector<std::string> names;  // of the objects with most samples, at most three
    };
    Part sampled;           // what samples fell into
    Part callers;           // what only calls: perf record asks for no build ids of these
    bool local = false;     // files of this machine have the names of some
    bool has_some = false;  // the recording has build ids of other files
    std::uint64_t all = 0;  // samples

    bool has_callers = false;  // whether callers were looked at

    // count(counts, symbolizer, unwanted, all): a pass over what is distinct. They must tell functions apart. What was
    // sampled in frames that are unwanted, by number, does not count. `all` is how many samples percentages are of: of
    // those that count if it is not given.
    static WithoutBuildId count(const SampleCounts& counts, const Symbolizer& symbolizer,
                                std::span<const std::uint8_t> unwanted = {}, std::optional<std::uint64_t> all = {});
    // count(profile) knows no callers.
    static WithoutBuildId count(const Profile& profile);

    // list(objects, symbolizer) knows no samples.
    static WithoutBuildId list(const std::map<std::string_view, SymbolMiss>& objects, const Symbolizer& symbolizer);

    // sampled_text() says what that means and what helps, and callers_text() likewise; empty if there are none.
    std::string sampled_text() const;
    std::string callers_text() const;
    // list_text() says the same of what list() made.
    std::string list_text() const;
    // remedy() is what helps: files of this machine, or of the recorded one.
    std::string_view remedy() const;
};

}  // namespace perfdata
