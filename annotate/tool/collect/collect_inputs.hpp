// SPDX-License-Identifier: MIT
// Whether what a bundle is made of is still what was looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfdata/recording/recording.hpp"

#include "bundle/bundle_writer.hpp"
#include "bundle/needed.hpp"
#include "core/platform.hpp"

namespace perfdata::tool {

// CollectInputs is the files of a recording as they were opened. Names and code are found for what they have then: if
// somebody writes to them meanwhile, that and what is packed would be two recordings.
class CollectInputs {
  public:
    // Call it as soon as the recording is open. Errors: io.
    static Result<CollectInputs> of(const Recording& recording, std::vector<BundleContent> files);

    const std::vector<BundleContent>& files() const { return files_; }

    // Notes the hashes of the files, before they are analysed: sizes and times prove nothing. A file that is written
    // again may be larger, and its time can be set back. Files of a bundle have hashes in its index. Errors: mismatch
    // (one was written to since it was opened), io, cancelled.
    Result<void> hash(const Watch& watch);
    const MemberHashes& hashes() const { return hashes_; }
    // Returns an error for the first file that has another hash now. Errors: mismatch, io, cancelled.
    Result<void> check_hashes(const Watch& watch) const;

    // Returns the permissions to give a new bundle: those of the recording, but none to others than the owner if a
    // member may say more than everybody could read here: names and memory of the kernel, source files, perf maps, and
    // files that not everybody may read. Those of a pipe are the owner's.
    std::uint32_t bundle_permissions(const Needed& needed) const;

    // Returns an error for the first file that has changed, of these and of those needed. A recording that grew is none
    // here: its hash tells whether what it had is still the same.
    Result<void> check(const Needed& needed) const;
    // Returns what to tell about files that grew, or whose name is another file's by now.
    std::vector<std::string> notes() const;

  private:
    Result<void> check_recording() const;

    std::string path_;
    std::vector<BundleContent> files_;
    MemberHashes hashes_;                       // none: hash() was not called, or it is a bundle
    std::string head_;                          // of the main file
    std::optional<platform::FileStatus> name_;  // of what the path names; none for pipes
    Shared<const Bundle> bundle_;               // that the recording is from, or null
};

}  // namespace perfdata::tool
