// SPDX-License-Identifier: MIT
// What is said of a profile that was written: a summary in JSON, and notes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"
#include "perfdata/core/error.hpp"

#include "recording/stored/model.hpp"
#include "report/unnamed_samples.hpp"

namespace perfdata::tool {

// ProfileSummary is what there is to say. What it refers to must outlive it.
struct ProfileSummary {
    std::string_view path;    // of the file that was written
    std::uint64_t bytes = 0;  // of it
    const stored::Model& model;
};

void write_profile_summary(const ProfileSummary& summary, const Sink& sink);

// partial_texts(model) says which parts of the samples lack detail, or are left out, one text each.
// left_out_texts(model) says how many source files it has no text of, and why.
std::vector<std::string> partial_texts(const stored::Model& model);
std::vector<std::string> left_out_texts(const stored::Model& model);

// full_sums(model) returns a limit for each event whose sums end at the largest number.
std::vector<Error> full_sums(const stored::Model& model);

// pprof_sums_text(model) says that pprof, whose numbers have 63 bits, reads smaller sums from the file; empty if not.
std::string pprof_sums_text(const stored::Model& model);

// unnamed_samples(model) returns which samples lack names for want of files; none if it keeps no symbols at all.
UnnamedSamples unnamed_samples(const stored::Model& model);

// has_stored_losses(model) returns true if something of a recording could not be read, or is not in the profile.
bool has_stored_losses(const stored::Model& model);

}  // namespace perfdata::tool
