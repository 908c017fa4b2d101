// SPDX-License-Identifier: MIT
// Takes real recordings apart, to put them into other containers.
#pragma once

#include "perfdata/recording/recording.hpp"

#include "support/crafted.hpp"

namespace perfdata::test {

class TempDir;

// content_of(recording) returns a real recording's content in the form of a crafted one.
Crafted content_of(const Recording& recording);

// compression_feature(order): like perf record -z.
Blob compression_feature(std::endian order);

// write_directory(directory, content, random): like perf record --threads, with some files compressed.
void write_directory(const TempDir& directory, const Crafted& content, Random& random);

}  // namespace perfdata::test
