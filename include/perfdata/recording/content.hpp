// SPDX-License-Identifier: MIT
// Input of which it is known what it should be: packed, it is looked at before all of it is unpacked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "perfdata/recording/source.hpp"

namespace perfdata {

// Content is what input should begin with: a recording; records without a header; an ELF file; a jitdump; a tar-ball;
// the first line of a perf map; text, which has no NUL.
enum class Content : std::uint8_t { any, recording, records, elf, jitdump, archive, perf_map, text };

// open_source(path, limits, content) is open_source(path, limits), for input that the user names: anything that can be
// read, a pipe or a device as well. (For names that come from files see named_file.hpp.) Of what has to be unpacked or
// copied and does not begin with that content, no more than the beginning is read. Errors: also malformed (other
// content), not_perf_data (content that is no recording).
Result<std::shared_ptr<const Source>> open_source(const std::string& path, const Limits& limits, Content content);

// unpacked(source, path, limits, content) is unpacked(source, path, limits), as far as that gives the content.
Result<std::shared_ptr<const Source>> unpacked(std::shared_ptr<const Source> source, const std::string& path,
                                               const Limits& limits, Content content);

}  // namespace perfdata
