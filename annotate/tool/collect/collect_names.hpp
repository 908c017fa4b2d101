// SPDX-License-Identifier: MIT
// Hashes in place of names, in the members of a bundle and in its index.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bundle/anonymize/anonymizer.hpp"
#include "bundle/bundle_writer.hpp"
#include "bundle/needed.hpp"

namespace perfdata::tool {

// Returns the key of --anonymize: that of the file, which may be a pipe, or a random one if there is no file. It reads
// at most 67 bytes: a file that has as many or more, and a device without an end, is no key. Errors: see the functions
// of Anonymizer.
Result<AnonymizeKey> anonymize_key(const std::string& file);

// Returns the files with hashes in place of what names them. Debug files, sources, and files of kinds that are not
// known here are left out and counted. What cannot be told apart, because it is damaged or too large, is left out as
// well and becomes one of needed.missing. Errors: io, cancelled, out_of_memory.
Result<std::vector<BundleContent>> anonymized_members(Anonymizer& anonymizer, Needed& needed, const Limits& limits,
                                                      const Watch& watch);
// Returns true for the words of this version for why a file is missing: see MissingFile::why.
bool is_known_reason(std::string_view why);
// Hashes the paths of files that are missing, and keeps of the reasons only words of this version: those of another
// bundle's index may be any text.
void anonymize_missing(const Anonymizer& anonymizer, std::vector<MissingMember>& missing);

}  // namespace perfdata::tool
