// SPDX-License-Identifier: MIT
// The kinds of files that find_needed() looks for, one function each.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "perfdata/annotate/listing/listing.hpp"

#include "needed.hpp"

namespace perfdata {

// Returns "root/usr/bin/x" for "/usr/bin/x": without "." and "..".
std::string below_root(std::string_view recorded);
// Returns ".build-id/ab/cdef" for the bytes of a build id.
std::string id_folder(std::string_view hexadecimal);
// Returns the digits of a build id.
std::string hexadecimal(Bytes id);
// Returns true if the lines of an object are read from its own file: else they are in a debug file.
bool has_line_table(const ElfFile& file);

// Adds programs, libraries, vdsos and modules that samples hit, with their debug files.
Result<void> add_objects(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users,
                         Needed& needed);
// Adds names and code of the kernel. `without_code`: samples in functions of the kernel whose bytes are not here.
Result<void> add_kernel(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users,
                        std::uint64_t without_code, Needed& needed);
// Adds jitdumps and perf maps of the processes.
Result<void> add_jit(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users, Needed& needed);
// Adds files of source text that was shown in the lines of the listings.
Result<void> add_sources(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users,
                         std::span<const Listing> listings, Needed& needed);

}  // namespace perfdata
