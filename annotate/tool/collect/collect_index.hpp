// SPDX-License-Identifier: MIT
// What the index of a new bundle says.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/shared.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

#include "bundle/bundle_writer.hpp"
#include "bundle/needed.hpp"

namespace perfdata::tool {

// Returns an index with what is missing. `debug` and `sources` are as the user chose them; `before` is the bundle that
// is packed again, or null: it cannot have more than it has. Add what is left out once all is known.
BundleIndex collect_index(const Needed& needed, const std::string& debug, bool sources,
                          const Shared<const Bundle>& before);

// Counts are numbers by kind.
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

// left_out_before(facts, anonymize) returns what a bundle says that it left out. An index may say anything: what this
// version does not know is one kind, if it may not be shown or if the new bundle is anonymized.
Counts left_out_before(const BundleFacts& facts, bool anonymize);
// anonymized_before(facts, anonymize) returns likewise what it anonymized.
Counts anonymized_before(const BundleFacts& facts, bool anonymize);
// add_counts(sum, counts) adds them by kind.
void add_counts(Counts& sum, const Counts& counts);

}  // namespace perfdata::tool
