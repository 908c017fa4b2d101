// SPDX-License-Identifier: MIT
// Makes the model of a profile file from a recording.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perfdata/core/callback.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/limits.hpp"
#include "perfdata/profile/sample_counts.hpp"
#include "perfdata/profile/sample_filter.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "bundle/trusted_sources.hpp"
#include "recording/stored/model.hpp"

namespace perfdata {

// ProfileMakerOptions is which samples count, and who watches.
struct ProfileMakerOptions {
    SampleFilter filter;  // which samples count; with `events` the profile has these events only
    std::uint32_t max_stack = SampleCountOptions().max_stack;  // see SampleCountOptions::max_stack
    unsigned jobs = 1;                                         // threads that disassemble; one of two hashes
    // Says which source files' text may be in the profile; the rest is left out, and the profile says so. Null: all of
    // it. It must outlive the making.
    TrustedSources* sources = nullptr;
    Callback<void(ObjectIndex)> used;  // is told the objects in the profile whose files are here
    // Is told each source file whose text is left out, with why (see stored::LeftOut), and the samples of its
    // functions.
    Callback<void(std::string_view what, std::string_view file, std::uint64_t samples)> left_out;
    Watch watch = {};  // progress: bytes of the recording
};

// make_profile(recording, symbolizer, options) counts the samples, asks for the names, code and lines of all that was
// sampled or called, and returns it as a canonical model that keeps all dimensions. The recording is read three times:
// its bytes are hashed, its samples counted, its branches counted. Takes about the time of a report with all pages.
// Errors: cancelled, out_of_memory, and those of reading the file for its hash.
Result<stored::Model> make_profile(const Recording& recording, const Symbolizer& symbolizer,
                                   const ProfileMakerOptions& options = {});

}  // namespace perfdata
