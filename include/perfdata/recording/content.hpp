// SPDX-License-Identifier: MIT
// Input with an expected content: packed input is checked before all of it is unpacked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "perfdata/core/export.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata {

// Content is what input must begin with: a recording, or a profile file; records without a header; an ELF file; a
// jitdump; a tarball; the first line of a perf map; text, which contains no NUL; a recording or a tarball, which may be
// a bundle.
enum class Content : std::uint8_t {
    any,
    recording,
    records,
    elf,
    jitdump,
    archive,
    perf_map,
    text,
    recording_or_archive,
};

// open_source(path, limits, content) is open_source(path, limits) for input that the user names: anything readable,
// including pipes and devices. (For names that come from files see named_file.hpp.) If input that must be unpacked or
// copied does not begin with that content, only its beginning is read. Unpacking and copying ask `watch` whether to
// stop, also while a pipe has nothing to read; they tell it how many bytes of the packed input they have read, of how
// many: 0, unknown, for a pipe. Errors: also malformed (other content), not_perf_data (content is not a recording),
// cancelled.
PERFDATA_EXPORT Result<std::shared_ptr<const Source>> open_source(const std::string& path, const Limits& limits,
                                                                  Content content, const Watch& watch = {});

// unpacked(source, path, limits, content, watch) is unpacked(source, path, limits) with the same check of the content,
// and watched in the same way.
PERFDATA_EXPORT Result<std::shared_ptr<const Source>> unpacked(std::shared_ptr<const Source> source,
                                                               const std::string& path, const Limits& limits,
                                                               Content content, const Watch& watch = {});

}  // namespace perfdata
