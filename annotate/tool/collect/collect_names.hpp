// SPDX-License-Identifier: MIT
// Hashes in place of names, in the members of a bundle and in its index.
#pragma once

#include <string>
#include <vector>

#include "bundle/anonymize/anonymizer.hpp"
#include "bundle/bundle_writer.hpp"
#include "bundle/needed.hpp"

namespace perfdata::tool {

// Returns the key of --anonymize: that of the file, or a random one if there is no file. Errors: see the functions of
// Anonymizer.
Result<AnonymizeKey> anonymize_key(const std::string& file);

// Returns the files with hashes in place of what names them. Debug files and sources are left out, and what cannot be
// told apart; both are counted. Errors: io, limit, cancelled, out_of_memory.
Result<std::vector<BundleContent>> anonymized_members(Anonymizer& anonymizer, Needed& needed, const Limits& limits,
                                                      const Watch& watch);

}  // namespace perfdata::tool
