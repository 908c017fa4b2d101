// SPDX-License-Identifier: MIT
// What decoding takes at least, if no byte of the file is trusted.
#pragma once

#include <string>

#include "totals.hpp"

namespace perfdata::bench {

// plain_decode(path), plain_order(path): read the records in blocks, check each header, decode all records with the
// parts of the library that cannot be left out, and sum the same as the yardstick; plain_order() in exact order of
// time. There is no search behind damage, no stop, progress, limit or account, nothing is unpacked, and the only
// container is a file. They throw where anything is damaged.
Totals plain_decode(const std::string& path);
Totals plain_order(const std::string& path);

}  // namespace perfdata::bench
