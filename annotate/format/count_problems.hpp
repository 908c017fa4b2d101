// SPDX-License-Identifier: MIT
// What is wrong with the counts of samples, whatever is made of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/profile/event_count.hpp"

namespace perfdata {

class Profile;
class Recording;
class SampleCounts;

// full_sum_text(event, sum) says that a sum of samples or of periods ends at 2^64-1; empty if it does not.
std::string full_sum_text(std::string_view event, const EventCount& sum);

// count_problems(recording, counts) returns an error (limit) for each event whose sums end there, and what went wrong
// with counter values. `counts` are of this recording. Shares are of all that was considered: so is a sum.
std::vector<Error> count_problems(const Recording& recording, const SampleCounts& counts);
std::vector<Error> count_problems(const Recording& recording, const Profile& profile);
// export_problems(recording, counts) is the same of what is left behind all filters, as exports have no shares.
std::vector<Error> export_problems(const Recording& recording, const SampleCounts& counts);

}  // namespace perfdata
