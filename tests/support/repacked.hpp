// SPDX-License-Identifier: MIT
// Real recordings taken apart, to be put into other containers.
#pragma once

#include "perfdata/recording/recording.hpp"

#include "support/crafted.hpp"

namespace perfdata::test {

class TempDir;

// content_of(recording) is the content of a real recording, in the form of a crafted one.
Crafted content_of(const Recording& recording);

// compression_feature(order): as perf record -z writes it.
Blob compression_feature(std::endian order);

// write_directory(directory, content, random): as perf record --threads, partly with -z, writes it.
void write_directory(const TempDir& directory, const Crafted& content, Random& random);

}  // namespace perfdata::test
