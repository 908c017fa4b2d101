// SPDX-License-Identifier: MIT
// Reads the index of a bundle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/limits.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

namespace perfdata {

constexpr std::uint64_t known_bundle_version = 1;

constexpr std::uint64_t any_size = ~std::uint64_t{0};  // the index does not say a member's size

// IndexedFiles is what an index says.
struct IndexedFiles {
    BundleFacts facts;
    std::vector<BundledFile> files;  // in its order
    std::uint64_t more = 0;          // members and missing files that it has beyond the limit
};

// read_bundle_index(text, path, limits) reads a document of JSON. What it does not know it steps over; numbers and
// texts that are of another kind than they should be count as absent. path is for messages. Errors: malformed,
// unsupported (a newer version).
Result<IndexedFiles> read_bundle_index(std::string_view text, const std::string& path, const Limits& limits);

}  // namespace perfdata
