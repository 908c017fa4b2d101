// SPDX-License-Identifier: MIT
// What perfdata annotate says of its listings: losses, and names that are missing.
#pragma once

#include <string>
#include <vector>

#include "perfdata/annotate/listing/listing.hpp"
#include "perfdata/profile/profile.hpp"

#include "tool/options/name_options.hpp"

namespace perfdata::tool {

// Adds what went wrong with the listings to the losses, each reason once, unless another file would have to supply what
// is missing.
void note_problems(const std::vector<Listing>& listings, const Symbolizer& symbolizer, Completeness& completeness);

// Returns true if kernel names are missing that would help. They matter for BPF code too: the kernel calls it, and it
// calls the kernel.
bool lacks_kernel_names(const Profile& profile, const std::vector<Listing>& listings);

// Says how to get names for kernel functions that BPF code calls; empty if none lacks one.
std::string called_without_name(const NameChoice& names, const std::vector<Listing>& listings);

// Says which source files with samples in the listings have no text here, and why. Standard error alone has it: pages
// of a recording, its bundle and its profile are the same, wherever they are made. `offline`: nobody looked for them.
std::vector<std::string> texts_not_shown(const std::vector<Listing>& listings, const Symbolizer& symbolizer,
                                         bool offline);

// The same of listings of a profile, which says of the files only whether it lacks some.
std::vector<std::string> texts_not_in_profile(const std::vector<Listing>& listings, const Recording& profile);

}  // namespace perfdata::tool
